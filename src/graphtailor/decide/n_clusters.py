"""The number of clusters from the spectrum of the graph, without labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from graphtailor.graphs import NeighborGraph, graph_builder
from graphtailor.kernel_map import kernel_map_of
from graphtailor.linalg.eigen import leading_eigenvectors
from graphtailor.linalg.threads import single_threaded
from graphtailor.models.samples import SampleSpace, is_pairwise
from graphtailor.neighbors import default_n_neighbors
from graphtailor.representatives.rows import sample_rows

# Most clusters that are looked for.
MOST_CLUSTERS = 40
# Of more samples so many are drawn: what they do not show is no cluster.
SAMPLE_SIZE = 2_000
# Rates below this, of patterns that outlive ten thousand steps, count as equal: whether
# two parts are joined by one weak edge or by none says nothing about the number.
_STANDING_STILL = 1e-4
# All eigenvalues of smaller graphs are found as quickly as a few.
_DENSE_UP_TO = 600
# Neighbours in the graphs with a bandwidth for each sample, as multiples of those in
# the given one.
_NEIGHBORHOODS = (1, 2)
# Power of c that makes up for gaps which shrink as spectra grow denser.
_DENSITY = 0.28


def choose_n_clusters(model: Any, X: Any) -> tuple[int, dict[str, np.ndarray]]:
    r"""The number of clusters that the spectrum of the graph tells.

    In a random walk on a graph the pattern of eigenvalue :math:`\lambda_c` fades at
    the rate :math:`r_c = 1 - \lambda_c`. With k clusters k patterns hardly fade: the
    walk mixes within clusters before it leaves them. The score of c is

    .. math:: \Bigl(1 - \frac{r_c}{r_{c+1}}\Bigr)\,(c - \tfrac12)^{0.28}.

    The first factor is the larger, the larger a gap
    :math:`\lambda_c^t - \lambda_{c+1}^t` some length t of the walk shows [1]_, so that
    no length has to be chosen. Within a cluster it falls with c, by Weyl's law as 1/c;
    the second factor makes up for a part of that. One half of the score is that of the
    given graph of neighbours with a bandwidth for all, the other the mean over two
    graphs with a bandwidth for each sample, of as many neighbours and of twice as
    many: they fail on different data. A graph of the user's own is taken as it is. Data
    without clusters reach scores of 0.2 to 0.7, clear clusters 0.9 and more.

    Numbers up to 40 are tried, but no more than there are pairs of neighbourhoods (2p
    samples): a graph of p neighbours does not show smaller clusters. Where there are
    more than 2,000 samples, the graph is one of 2,000 drawn at random; affinities,
    and sparse distances, are looked at as a whole.

    Parameters
    ----------
    model : GraphTailor
        Its parameters.
    X : {ndarray, csr_array} of shape (n, d) or (n, n)
        Checked samples, affinities, distances or kernel matrix.

    Returns
    -------
    n_clusters : int
        The number with the highest score, at least 2; 1 where there are fewer than
        three samples, or all are equal.
    path : dict of str to ndarray
        ``"n_clusters"``, the numbers tried, with their ``"score"`` and the
        ``"eigenvalue"`` :math:`\lambda_c`, the mean over the graphs.

    References
    ----------
    .. [1] A. Azran, Z. Ghahramani, "Spectral Methods for Automatic Multiscale Data
       Clustering", IEEE Conference on Computer Vision and Pattern Recognition, 2006.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from graphtailor import GraphTailor
    >>> X, _ = make_blobs(200, centers=4, cluster_std=0.5, random_state=0)
    >>> n_clusters, path = choose_n_clusters(GraphTailor("auto"), X)
    >>> n_clusters, int(path["n_clusters"][path["score"].argmax()])
    (4, 4)
    """
    space = _space_of(model, _sample(model, X))
    n = space.n_samples
    most = min(MOST_CLUSTERS, max(n // max(2 * default_n_neighbors(n), 1), 2))
    most = min(most, space.known_rows.n_distinct, n - 1)
    numbers = np.arange(2, most + 1)
    if len(numbers) == 0:
        nothing = np.empty(0)
        return 1, {"n_clusters": numbers, "score": nothing, "eigenvalue": nothing}
    with single_threaded():  # the same bits on any number of threads
        graphs, weights = _graphs(space)
        spectra = [_leading_eigenvalues(W, most + 1) for W in graphs]
    scores = weights @ [relative_gaps(values) for values in spectra]
    path = {
        "n_clusters": numbers,
        "score": scores,
        "eigenvalue": (weights @ spectra)[1:-1],
    }
    return int(numbers[scores.argmax()]), path


def relative_gaps(eigenvalues: np.ndarray) -> np.ndarray:
    """The score of 2, 3, ... clusters on one graph.

    Parameters
    ----------
    eigenvalues : ndarray of shape (k + 1,)
        Leading ones of a normalised affinity, largest first.

    Returns
    -------
    ndarray of shape (k - 1,)
        For 2 to k clusters.

    Examples
    --------
    >>> import numpy as np
    >>> relative_gaps(np.array([1.0, 0.99, 0.98, 0.5, 0.4])).argmax() + 2
    np.int64(3)
    """
    rates = np.maximum(1.0 - eigenvalues, 0.0) + _STANDING_STILL
    numbers = np.arange(2, len(rates))
    return (1 - rates[1:-1] / rates[2:]) * (numbers - 0.5) ** _DENSITY


def _leading_eigenvalues(W: sparse.csr_array, k: int) -> np.ndarray:
    if W.shape[0] <= _DENSE_UP_TO:
        return np.linalg.eigvalsh(W.toarray())[::-1][:k]
    return leading_eigenvectors(W, k, 0)[0]


def _sample(model: Any, X: Any) -> Any:
    n = X.shape[0]
    pairs = is_pairwise(model.graph, model.metric) or model.kernel == "precomputed"
    builder = graph_builder(_graph_of(model), model.n_neighbors, model.metric)
    # A few rows and columns of a graph of neighbours are not such a graph any more.
    whole = pairs and (sparse.issparse(X) or not isinstance(builder, NeighborGraph))
    if n <= SAMPLE_SIZE or whole:
        return X
    chosen = sample_rows(n, SAMPLE_SIZE, check_random_state(model.random_state))
    return X[chosen][:, chosen] if pairs else X[chosen]


def _graph_of(model: Any) -> Any:
    """The given graph; an ensemble would be one for a number of clusters."""
    is_open = isinstance(model.graph, str) and model.graph in ("auto", "ensemble")
    return "knn" if is_open else model.graph


def _space_of(model: Any, X: Any) -> SampleSpace:
    return SampleSpace(
        graph=_graph_of(model),
        n_neighbors=model.n_neighbors,
        metric=model.metric,
        support=1,
        scaling=model.scaling,
        kernel_map=kernel_map_of(model),
    ).fit(X)


def _graphs(space: SampleSpace) -> tuple[list[sparse.csr_array], np.ndarray]:
    """The graphs whose spectra are looked at, and the weight of each."""
    given = space.builder
    graphs = [given.affinity_]
    if not isinstance(given, NeighborGraph) or given.bandwidth != "global":
        return graphs, np.ones(1)
    for times in _NEIGHBORHOODS:
        wanted = min(times * given.n_neighbors_, space.n_samples - 1)
        local = {"bandwidth": "local", "n_neighbors": wanted}
        local = NeighborGraph(**given.get_params(deep=False) | local)
        graphs.append(local.fit(space.samples).affinity_)
    n_local = len(_NEIGHBORHOODS)
    return graphs, np.array([0.5, *n_local * [0.5 / n_local]])
