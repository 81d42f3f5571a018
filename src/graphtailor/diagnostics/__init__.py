"""Numbers about a fitted model; no HTML and no matplotlib."""
