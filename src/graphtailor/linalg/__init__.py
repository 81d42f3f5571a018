"""Numerical tools that every other folder uses, each once."""
