"""Numbers about a fitted model, without pages or pictures."""
