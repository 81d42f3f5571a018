"""Columns of a table: what they hold, and the features that they become."""

from graphtailor.columns.blocks import TableBlocks
from graphtailor.columns.column import Column

__all__ = ["Column", "TableBlocks"]
