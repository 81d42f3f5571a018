"""Well-known clusterers of other libraries, and how far they find the same clusters."""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Protocol, Self

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans
from sklearn.mixture import GaussianMixture

from graphtailor.diagnostics.levels import Levels
from graphtailor.diagnostics.model_access import Matrix
from graphtailor.diagnostics.stability import rand_matrix

# With more columns a covariance matrix for each cluster has too many entries to learn.
_MOST_COLUMNS_OF_MIXTURES = 30
# Ward and HDBSCAN compare all pairs of rows.
_MOST_ROWS_OF_PAIRS = 20_000
# Rows on which the methods are compared: each of them is fitted once for each number.
_MOST_ROWS = 1000
_MIXTURE = "Gaussian mixture"


class _Labels(Protocol):
    def fit_predict(self, X: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True)
class Peer:
    """A clusterer of another library."""

    # Takes the number of clusters, the seed and the rows; gives an estimator with
    # `fit_predict`.
    make: Callable[[int, int, np.ndarray], _Labels]
    package: str = ""  # what has to be installed besides scikit-learn
    module: str = ""  # the name under which that is imported
    most_rows: int | None = None  # rows beyond which it takes too much memory

    @property
    def is_installed(self) -> bool:
        """Whether its package is there."""
        return not self.module or find_spec(self.module) is not None


@dataclass
class PeerClusters:
    """A peer with a number of clusters and a seed, as an estimator with `labels_`."""

    name: str
    n_clusters: int
    random_state: int

    def fit(self, X: Any) -> Self:
        """Cluster the rows; rows that a method leaves out have the label -1."""
        peer, n = PEERS[self.name], X.shape[0]
        if not peer.is_installed:
            raise ValueError(f"It needs the package {peer.package}: install it.")
        if peer.most_rows is not None and n > peer.most_rows:
            raise ValueError(
                f"It compares all pairs of rows: at most {peer.most_rows:,} rows are "
                f"given to it, and there are {n:,}."
            )
        if sparse.issparse(X):
            raise ValueError("It does not take sparse tables.")
        made = peer.make(self.n_clusters, self.random_state, X)
        self.labels_ = np.asarray(made.fit_predict(X))
        return self


@dataclass
class _OnLayout:
    """K-means on a layout by UMAP that packs clusters instead of pleasing the eye."""

    n_clusters: int
    seed: int

    def fit_predict(self, X: np.ndarray) -> np.ndarray:
        from umap import UMAP

        layout = UMAP(
            n_components=min(5, X.shape[1]),
            n_neighbors=min(30, len(X) - 1),
            min_dist=0.0,
            random_state=self.seed,
            n_jobs=1,
        )
        places = layout.fit_transform(X)
        kmeans = KMeans(self.n_clusters, n_init=10, random_state=self.seed)
        return kmeans.fit_predict(places)


def _mixture(n_clusters: int, seed: int, X: np.ndarray) -> _Labels:
    few = X.shape[1] <= _MOST_COLUMNS_OF_MIXTURES
    kind = "full" if few else "diag"
    # Equal values within a cluster must not end in a covariance of zero.
    floor = 1e-4 * max(float(np.var(X, axis=0).mean()), 1e-12)
    return GaussianMixture(
        n_clusters, covariance_type=kind, reg_covar=floor, n_init=2, random_state=seed
    )


PEERS: Mapping[str, Peer] = MappingProxyType(
    {
        "Ward": Peer(
            lambda k, seed, X: AgglomerativeClustering(k, linkage="ward"),
            most_rows=_MOST_ROWS_OF_PAIRS,
        ),
        "Gaussian mixture": Peer(_mixture),
        "HDBSCAN": Peer(
            lambda k, seed, X: HDBSCAN(copy=True), most_rows=_MOST_ROWS_OF_PAIRS
        ),
        "UMAP + k-means": Peer(
            lambda k, seed, X: _OnLayout(k, seed), package="umap-learn", module="umap"
        ),
    }
)


def find_peer(name: str) -> str | None:
    """The peer of that name, whatever its case and signs; None if there is none."""
    plain = {_plain(known): known for known in PEERS}
    return plain.get(_plain(name))


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())


@dataclass(frozen=True)
class AgreementPath:
    """Agreement of methods for each number of clusters."""

    numbers: tuple[int, ...]  # numbers of clusters, rising
    methods: tuple[str, ...]  # GraphTailor and the methods beside it
    agreement: np.ndarray  # (len(numbers): adjusted Rand index of each two methods
    n_rows: int  # rows on which it was computed

    @property
    def mean(self) -> np.ndarray:
        """Mean agreement over all pairs of different methods, for each number."""
        k = len(self.methods)
        return (self.agreement.sum(axis=(1, 2)) - k) / (k * (k - 1))

    @property
    def best(self) -> int:
        """The number of clusters on which the methods agree most."""
        return self.numbers[int(self.mean.argmax())]


def agreement_path(levels: Levels, points: Matrix, seed: int = 0) -> AgreementPath:
    """Compare the levels of a fit with k-means, Ward and Gaussian mixtures.

    Where there are more than 1,000 rows, every so many are compared. Numbers with as
    many clusters as rows or more are left out.
    """
    rows = np.unique(np.linspace(0, points.shape[0] - 1, _MOST_ROWS).astype(int))
    X = points[rows]
    X = X.toarray() if sparse.issparse(X) else np.asarray(X)
    tree = linkage(X, "ward")
    most = len(np.unique(X, axis=0))
    kept = [place for place, k in enumerate(levels.numbers) if 1 < k < most]
    found = []
    for place in kept:
        k = levels.numbers[place]
        with warnings.catch_warnings():
            # Mixtures that have not settled are compared as they are.
            warnings.simplefilter("ignore")
            labelings = [
                levels.labels[place][rows],
                KMeans(k, n_init=5, random_state=seed).fit_predict(X),
                fcluster(tree, k, "maxclust"),
                PEERS[_MIXTURE].make(k, seed, X).fit_predict(X),
            ]
        found.append(rand_matrix(labelings))
    return AgreementPath(
        tuple(levels.numbers[place] for place in kept),
        ("GraphTailor", "K-means", "Ward", _MIXTURE),
        np.array(found).reshape(len(kept), 4, 4),
        len(rows),
    )
