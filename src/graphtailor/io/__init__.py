"""Files: saved models, archives of arrays, and limits on what a file may ask for."""
