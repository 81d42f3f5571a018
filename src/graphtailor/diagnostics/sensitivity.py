"""Do the clusters stay when the weights or the graph's size change? Refit and see."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.utils import check_array

from graphtailor.dask.cluster import is_dask
from graphtailor.graphs import NeighborGraph, graph_builder
from graphtailor.models.samples import is_named, is_pairwise
from graphtailor.neighbors import default_n_neighbors
from graphtailor.representatives.rows import sample_rows

# Rows of a refit: eleven of them take a few seconds.
_MOST_ROWS = {"full": 300, "sparse": 2_000, "anchors": 20_000}
# So few anchors that such a sample has ten rows for each, also of twice as many.
_MOST_ANCHORS = 1_000
# Of smaller clusters a sample may have fewer rows than these, and they are not sought.
_SHOWS_A_CLUSTER = 5
# One start of each kind, and a tolerance at which labels hardly change any more.
_N_INIT, _TOL = 3, 1e-4
# Neighbours of a weight that is zero: a tenth of the usual one, and the usual one.
_BESIDE_ZERO = (10.0, 100.0)
# With less weight than the clusters' own the given graph no longer holds the learned
# one, which then follows its start.
_LEAST_BETA = 1.0


@dataclass(frozen=True)
class SettingsAgreement:
    """Agreement of the kept clusters with those at neighbouring settings.

    Attributes
    ----------
    alphas, betas : ndarray of shape (a,) and (b,)
        Weights that were tried, rising.
    agreement : ndarray of shape (a, b)
        Adjusted Rand index with the kept clusters for each alpha and beta.
    kept : tuple of int
        Where in it the model's own weights are. That value is no 1 by itself: it tells
        what other starts, and fewer rows, change alone.
    size_name : {"n_neighbors", "anchors", ""}
        What else was changed; empty if the model has neither.
    size : int
        Its value in the refits above.
    sizes, size_agreement : ndarray of shape (k,)
        Half and twice that, and their agreement with the kept clusters.
    n_rows : int
        Rows of each refit.
    n_samples : int
        Rows of the fit; if there are more, those above were drawn at random.
    in_place_of_ensemble : bool, default=False
        Whether refits had a graph of neighbours where the fit had that of an ensemble.
    """

    alphas: np.ndarray
    betas: np.ndarray
    agreement: np.ndarray
    kept: tuple[int, int]
    size_name: str
    size: int
    sizes: np.ndarray
    size_agreement: np.ndarray
    n_rows: int
    n_samples: int
    in_place_of_ensemble: bool = False


def hindrance_to_refits(model: Any, X: Any) -> str:
    """Why a model cannot be fitted again at other settings; empty if it can.

    Parameters
    ----------
    model : GraphTailor
        Fitted.
    X : object
        What it was fitted to.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor import GraphTailor
    >>> X = np.arange(6.0)[:, None]
    >>> hindrance_to_refits(GraphTailor(1, random_state=0).fit(X), X)
    'a single cluster is the same at all settings'
    """
    if not hasattr(model, "tier_"):
        return f"{type(model).__name__} has no alpha and beta"
    if X is None:
        return "that needs the data of the fit"
    if is_dask(X):
        return "the data are a Dask collection"
    if X.shape != (len(model.labels_), model.n_features_in_):
        return "the data have another shape than those of the fit"
    if not np.isfinite(X.data if sparse.issparse(X) else np.asarray(X)).all():
        return "the data have gaps, which those of the fit had not"
    if model.solver == "multiplicative":
        return "solver='multiplicative' is too slow to be run again and again"
    if model.n_clusters_ == 1:
        return "a single cluster is the same at all settings"
    n, most = X.shape[0], _MOST_ROWS[model.tier_]
    if n > most and _takes_pairs(model):
        builder = graph_builder(model.graph_, model.n_neighbors, model.metric)
        if sparse.issparse(X) or not isinstance(builder, NeighborGraph):
            # Between a few rows of such a graph there are next to no edges.
            return f"a given graph of more than {most:,} rows cannot be thinned out"
    return ""


def neighboring_settings(
    model: Any, X: Any, after_refit: Callable[[int, int], None] | None = None
) -> SettingsAgreement:
    """Fit a model again at other alpha, beta and neighbourhoods, and compare.

    The weights are a tenth of the model's, its own, and ten times those, all nine of
    them; then the number of neighbours (of anchors, where there are anchors) is half
    and twice as large. In the place of an ensemble's graph, which holds the clusters
    that are in question, refits have that of neighbours. Each refit has three new
    starts, one of each kind, of another seed: going on from the kept clusters would
    find them again though they are one possibility of many. Of more than 2,000 rows a
    sample is fitted (more than 20,000 by anchors, 300 in the tier "full"). The number
    of clusters is that of the fit, in a sample that of the clusters of which it has
    five rows.

    Parameters
    ----------
    model : GraphTailor
        Fitted.
    X : {array-like, sparse matrix} of shape (n, d) or (n, n)
        What it was fitted to.
    after_refit : callable or None, default=None
        Told after each refit how many there were and how many there will be.

    Returns
    -------
    SettingsAgreement
        The same for the same model, if its `random_state` is a number.

    Raises
    ------
    ValueError
        Where that cannot be done; see :func:`hindrance_to_refits`.

    Examples
    --------
    >>> from sklearn.datasets import make_blobs
    >>> from graphtailor import GraphTailor
    >>> X, _ = make_blobs(90, centers=3, cluster_std=0.3, random_state=0)
    >>> model = GraphTailor(3, random_state=0).fit(X)
    >>> found = neighboring_settings(model, X)
    >>> found.agreement.min(), found.sizes.tolist(), found.size_agreement.min()
    (np.float64(1.0), [3, 14], np.float64(1.0))
    """
    X = X if hasattr(X, "shape") else np.asarray(X)
    hindrance = hindrance_to_refits(model, X)
    if hindrance:
        raise ValueError(f"Neighbouring settings cannot be tried: {hindrance}.")
    refits = _Refits(model, check_array(X, accept_sparse="csr"))
    alphas = _around(model.alpha_)
    if is_pairwise(model.graph, model.metric):
        alphas = [model.alpha_]  # it weighs features, and there are none
    betas = _around(model.beta_, _LEAST_BETA)
    weights: list[dict[str, Any]]
    weights = [{"alpha": a, "beta": b} for a in alphas for b in betas]
    name, size, sizes = refits.sizes()
    found: list[float] = []
    for setting in [*weights, *({name: k} for k in sizes)]:
        found.append(refits.agreement(**setting))
        if after_refit is not None:
            after_refit(len(found), len(weights) + len(sizes))
    return SettingsAgreement(
        np.array(alphas),
        np.array(betas),
        np.array(found[: len(weights)]).reshape(len(alphas), len(betas)),
        (alphas.index(model.alpha_), betas.index(model.beta_)),
        name if sizes else "",
        size,
        np.array(sizes, dtype=np.int64),
        np.array(found[len(weights) :]),
        len(refits.kept),
        X.shape[0],
        is_named(model.graph_, "ensemble"),
    )


class _Refits:
    """The model once more, at settings of which one differs."""

    def __init__(self, model: Any, X: Any) -> None:
        is_number = isinstance(model.random_state, int | np.integer)
        seed = (int(model.random_state) + 1) % 2**32 if is_number else 0
        n = X.shape[0]
        rows = sample_rows(n, _MOST_ROWS[model.tier_], seed)
        if len(rows) < n:
            X = X[rows][:, rows] if _takes_pairs(model) else X[rows]
        self.X, self.kept = X, np.asarray(model.labels_)[rows]
        c = model.n_clusters_
        if len(rows) < n:
            c = max(int((np.bincount(self.kept) >= _SHOWS_A_CLUSTER).sum()), 2)
        self.plain = clone(model).set_callbacks()
        self.plain.set_params(
            n_clusters=c,
            graph="knn" if is_named(model.graph_, "ensemble") else model.graph_,
            alpha=model.alpha_,
            beta=model.beta_,
            diffusion=getattr(model, "diffusion_", model.diffusion),
            tier=model.tier_,
            init=model.init if isinstance(model.init, str) else "mixed",
            n_init=_N_INIT,
            tol=max(model.tol, _TOL),
            warm_start=False,
            random_state=seed,
        )
        if model.tier_ == "anchors" and isinstance(model.anchors, str | int):
            number = min(len(model.anchors_), _MOST_ANCHORS)
            self.plain.set_params(anchors=number)

    def sizes(self) -> tuple[str, int, list[int]]:
        """What says how far the graph reaches: parameter, value, neighbours of it."""
        plain, n = self.plain, self.X.shape[0]
        if plain.tier == "anchors":
            if not isinstance(plain.anchors, int):
                return "", 0, []
            least, most = plain.n_clusters, n
            return "anchors", plain.anchors, _halved(plain.anchors, least, most)
        builder = graph_builder(plain.graph, plain.n_neighbors, plain.metric)
        stored = sparse.issparse(self.X) and _takes_pairs(plain)
        if not isinstance(builder, NeighborGraph) or builder.radius or stored:
            return "", 0, []
        p = default_n_neighbors(n)
        if not isinstance(builder.n_neighbors, str):
            p = min(int(builder.n_neighbors), n - 1)
        return "n_neighbors", p, _halved(p, 1, n - 1)

    def agreement(self, **setting: Any) -> float:
        """Adjusted Rand index between the kept clusters and those of a refit."""
        if not isinstance(self.plain.graph, str) and "n_neighbors" in setting:
            setting = {"graph__n_neighbors": setting["n_neighbors"]}
        model = clone(self.plain).set_params(**setting)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what there is to say the fit has said
            labels = model.fit(self.X).labels_
        return float(adjusted_rand_score(self.kept, labels))


def _takes_pairs(model: Any) -> bool:
    return is_pairwise(model.graph, model.metric) or model.kernel == "precomputed"


def _around(weight: float, least: float = 0.0) -> list[float]:
    """A tenth of a weight, itself, and ten times as much, rising."""
    if weight == 0:
        return [0.0, *_BESIDE_ZERO]
    return sorted({min(max(weight / 10, least), weight), weight, 10 * weight})


def _halved(size: int, least: int, most: int) -> list[int]:
    """Half and twice a size, where that is possible and another one."""
    halved, doubled = max(size // 2, least), min(2 * size, most)
    return [k for k in (halved, doubled) if k != size]
