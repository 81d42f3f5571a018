"""Dask: the first and the last step of a fit on collections that stay in blocks."""
