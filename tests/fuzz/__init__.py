"""Hostile inputs, drawn at random: a few in CI, many in `make fuzz`."""
