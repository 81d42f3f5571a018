"""Tables to cluster: bundled sets and files, and what becomes of their columns."""

from graphtailor.tables.preparation import Column, Preparation
from graphtailor.tables.read_table import read_table
from graphtailor.tables.table import Table

__all__ = ["Column", "Preparation", "Table", "read_table"]
