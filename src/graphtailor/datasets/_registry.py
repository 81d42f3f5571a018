"""What each data set is, who made it, and where it comes from."""

import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Literal


@dataclass(frozen=True)
class DatasetInfo:
    """One entry of the registry of data sets.

    Attributes
    ----------
    name : str
        Name that :func:`graphtailor.datasets.load_dataset` takes.
    n_samples, n_features, n_classes : int
        Size.
    availability : {"bundled", "openml", "folder"}
        Whether the data come with the package (or with scikit-learn), are fetched
        from OpenML, or must be in a folder of the user's.
    description, licence, citation : str
        What the data are, on which terms, and how to cite them.
    source : str
        Where the stored copy comes from, or where to get one.
    sha256 : str or None
        Checksum of the values and the labels; None for the sets of scikit-learn.

    Examples
    --------
    >>> from graphtailor.datasets import list_datasets
    >>> info = list_datasets()[0]
    >>> info.name, info.n_samples, info.n_features, info.n_classes
    ('soybean', 683, 35, 19)
    """

    name: str
    n_samples: int
    n_features: int
    n_classes: int
    availability: Literal["bundled", "openml", "folder"]
    description: str
    licence: str
    citation: str
    source: str
    sha256: str | None = None


_FILE = resources.files("graphtailor.datasets") / "data" / "registry.toml"
_ENTRIES = tomllib.loads(_FILE.read_text(encoding="utf-8"))["dataset"]
REGISTRY = {entry["name"]: DatasetInfo(**entry) for entry in _ENTRIES}


def list_datasets() -> list[DatasetInfo]:
    """List the data sets that :func:`graphtailor.datasets.load_dataset` knows.

    Returns
    -------
    list of DatasetInfo
        Size, availability, licence, citation and source of each data set.

    Examples
    --------
    >>> from graphtailor.datasets import list_datasets
    >>> [info.name for info in list_datasets() if info.availability == "bundled"]
    ['soybean', 'ecoli', 'libras', 'yeast', 'ionosphere', 'iris', 'wine']
    """
    return list(REGISTRY.values())
