"""Where results are kept: an SQLite file."""
