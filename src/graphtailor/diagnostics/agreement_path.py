"""For which numbers of clusters do different methods find the same clusters?"""

import warnings
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.cluster.hierarchy import fcluster, linkage
from sklearn.cluster import KMeans

from graphtailor.diagnostics.levels import Levels
from graphtailor.diagnostics.model_access import Matrix
from graphtailor.diagnostics.peers import PEERS
from graphtailor.diagnostics.stability import rand_matrix

# Rows on which the methods are compared: each of them is fitted once for each number.
_MOST_ROWS = 1000
_MIXTURE = "Gaussian mixture"


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
