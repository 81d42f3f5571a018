"""Well-known clusterers of other libraries, to compare a table's clusters with."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Protocol, Self

import numpy as np
from scipy import sparse
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans
from sklearn.mixture import GaussianMixture

# With more columns a covariance matrix for each cluster has too many entries to learn.
_MOST_COLUMNS_OF_MIXTURES = 30
# Ward and HDBSCAN compare all pairs of rows.
_MOST_ROWS_OF_PAIRS = 20_000


class _Labels(Protocol):
    def fit_predict(self, X: np.ndarray) -> np.ndarray: ...


@dataclass(frozen=True)
class Peer:
    """A clusterer of another library."""

    # Takes the number of clusters, the seed and the rows; gives an estimator with
    # `fit_predict`.
    make: Callable[[int, int, np.ndarray], _Labels]
    package: str = ""  # what has to be installed besides scikit-learn
    most_rows: int | None = None  # rows beyond which it takes too much memory

    @property
    def is_installed(self) -> bool:
        """Whether its package is there."""
        return not self.package or find_spec(_MODULES[self.package]) is not None


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
        return _kmeans(self.n_clusters, self.seed, places).fit_predict(places)


def _ward(n_clusters: int, seed: int, X: np.ndarray) -> _Labels:
    return AgglomerativeClustering(n_clusters, linkage="ward")


def _mixture(n_clusters: int, seed: int, X: np.ndarray) -> _Labels:
    few = X.shape[1] <= _MOST_COLUMNS_OF_MIXTURES
    kind = "full" if few else "diag"
    # Equal values within a cluster must not end in a covariance of zero.
    floor = 1e-4 * max(float(np.var(X, axis=0).mean()), 1e-12)
    return GaussianMixture(
        n_clusters, covariance_type=kind, reg_covar=floor, n_init=2, random_state=seed
    )


def _hdbscan(n_clusters: int, seed: int, X: np.ndarray) -> _Labels:
    return HDBSCAN(copy=True)


def _kmeans(n_clusters: int, seed: int, X: np.ndarray) -> _Labels:
    return KMeans(n_clusters, n_init=10, random_state=seed)


def _umap(n_clusters: int, seed: int, X: np.ndarray) -> _Labels:
    return _OnLayout(n_clusters, seed)


_MODULES = {"umap-learn": "umap"}
PEERS: Mapping[str, Peer] = MappingProxyType(
    {
        "Ward": Peer(_ward, most_rows=_MOST_ROWS_OF_PAIRS),
        "Gaussian mixture": Peer(_mixture),
        "HDBSCAN": Peer(_hdbscan, most_rows=_MOST_ROWS_OF_PAIRS),
        "UMAP + k-means": Peer(_umap, package="umap-learn"),
    }
)


def find_peer(name: str) -> str | None:
    """The peer of that name, whatever its case and signs; None if there is none.

    Examples
    --------
    >>> find_peer("gaussian-mixture"), find_peer("SC")
    ('Gaussian mixture', None)
    """
    plain = {_plain(known): known for known in PEERS}
    return plain.get(_plain(name))


def _plain(name: str) -> str:
    return "".join(letter for letter in name.lower() if letter.isalnum())
