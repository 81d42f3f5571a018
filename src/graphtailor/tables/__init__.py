"""Tables to cluster: bundled sets, delimited text, Parquet and npz files."""

from graphtailor.tables.reading import Table, read_table

__all__ = ["Table", "read_table"]
