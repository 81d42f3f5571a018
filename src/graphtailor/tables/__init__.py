"""Tables to cluster: bundled sets and files, and what becomes of their columns."""

from graphtailor.columns import Column
from graphtailor.tables.cluster_table import ClusteredTable, cluster_table
from graphtailor.tables.read_table import read_table
from graphtailor.tables.table import Table

__all__ = ["ClusteredTable", "Column", "Table", "cluster_table", "read_table"]
