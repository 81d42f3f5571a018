"""Ten data sets for clustering, with their true classes."""

from graphtailor.datasets._loaders import load_dataset
from graphtailor.datasets._registry import DatasetInfo, list_datasets

__all__ = ["DatasetInfo", "list_datasets", "load_dataset"]
