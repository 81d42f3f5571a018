"""Columns of a table: what they hold, and the features that they become."""
