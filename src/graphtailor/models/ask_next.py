"""Which pairs of rows to ask a person about: the answers that would help most."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphtailor.graphs.constraints import Constraints
from graphtailor.graphs.ensemble.co_association import CoAssociation
from graphtailor.models.graph_tailor import GraphTailor
from graphtailor.representatives.links import Memberships

# Candidates that are compared with each other.
_MOST_CANDIDATES = 1_000


def ask_next(model: GraphTailor, n_pairs: int = 10) -> np.ndarray:
    """Pairs of rows whose answer, together or apart, would help the clusters most.

    A pair is worth asking for if about half of the members put it together, and if many
    rows hang on the answer: the typical rows of two parts of clusters, or a doubtful
    row with many doubtful neighbours and the typical row of a cluster. Pairs that say
    the same as a better one come later, and pairs whose answer is known never.

    Parameters
    ----------
    model : GraphTailor
        Fitted to rows in memory.
    n_pairs : int, default=10
        Number of pairs.

    Returns
    -------
    ndarray of shape (m, 2)
        Positions of the rows of at most `n_pairs` pairs, the most useful one first.
        Give the answers to ``fit`` as `must_link` and `cannot_link`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor, ask_next
    >>> X, y = load_iris(return_X_y=True)
    >>> model = GraphTailor(3, random_state=0).fit(X)
    >>> pairs = ask_next(model, 5)
    >>> same = y[pairs[:, 0]] == y[pairs[:, 1]]
    >>> again = GraphTailor(3, random_state=0)
    >>> _ = again.fit(X, must_link=pairs[same], cannot_link=pairs[~same])
    >>> again.decision_.must_links + again.decision_.cannot_links
    5
    """
    rows = _row_of_each(model)
    if not isinstance(n_pairs, Integral) or n_pairs < 1:
        raise ValueError(f"n_pairs={n_pairs!r} must be a whole number from 1 on.")
    ensemble = model.ensemble_.ensemble_
    pairs, worth = _candidates(model, ensemble)
    joined = ensemble.on_pairs(*pairs.T)
    value = worth * joined * (1 - joined)
    useful = (value > 0) & (rows[pairs] >= 0).all(axis=1)
    useful &= ~_answered(model._constraints, rows[pairs])
    order = np.flatnonzero(useful)[np.argsort(-value[useful], kind="stable")]
    order = order[:_MOST_CANDIDATES]
    return rows[_different(ensemble, pairs[order], value[order], n_pairs)]


def _row_of_each(model: GraphTailor) -> np.ndarray:
    """The row that each representative stands for most; -1 where it has none."""
    if not isinstance(model, GraphTailor):
        raise TypeError(
            f"ask_next takes a GraphTailor, whose members show what is doubtful, and "
            f"not {type(model).__name__}."
        )
    check_is_fitted(model)
    links = model._fitted_rows
    if not isinstance(links, Memberships):
        raise ValueError("ask_next needs the fitted rows, and a Dask fit has them not.")
    rows = np.full(len(model.representatives_), -1)
    order = np.argsort(links.shares[:, 0], kind="stable")  # the largest comes last
    rows[links.nearest[order, 0]] = order
    return rows


def _candidates(
    model: GraphTailor, ensemble: CoAssociation
) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of representatives, and how many rows hang on each of them."""
    shares, masses = model._shares.astype(np.float64), ensemble.masses
    m, c = shares.shape
    fine = model._layers.cut(min(2 * c, m)).labels
    cores, sizes = _cores(ensemble, fine), np.bincount(fine, masses)
    first, second = np.triu_indices(len(cores), 1)
    between = np.column_stack([cores[first], cores[second]])
    worth = np.minimum(sizes[first], sizes[second])
    ranked = np.sort(shares, axis=1)
    doubt = ranked[:, max(c - 2, 0)] / np.maximum(ranked[:, -1], 1e-12)
    hanging = doubt * (model.ensemble_.affinity_ @ (doubt * masses))
    doubtful = np.argsort(-hanging, kind="stable")[:_MOST_CANDIDATES]
    typical = _cores(ensemble, shares.argmax(axis=1))
    single = np.column_stack(
        [np.repeat(doubtful, len(typical)), np.tile(typical, len(doubtful))]
    )
    pairs = np.concatenate([between, single])
    worth = np.append(worth, np.repeat(hanging[doubtful], len(typical)))
    different = pairs[:, 0] != pairs[:, 1]
    return pairs[different], worth[different]


def _cores(ensemble: CoAssociation, labels: np.ndarray) -> np.ndarray:
    """The most typical representative of each cluster that has any."""
    _, labels = np.unique(labels, return_inverse=True)
    own = ensemble.shares_of(labels)[np.arange(len(labels)), labels]
    # A representative of many rows is the more typical one.
    order = np.lexsort((ensemble.masses, own))
    cores = np.empty(labels.max() + 1, dtype=np.int64)
    cores[labels[order]] = order
    return cores


def _answered(constraints: Constraints | None, pairs: np.ndarray) -> np.ndarray:
    """Whether the constraints say already if each pair is together or apart."""
    if constraints is None:
        return np.zeros(len(pairs), dtype=bool)
    known = (constraints.codes[pairs] >= 0).all(axis=1)
    groups = np.sort(constraints.group[pairs], axis=1)
    apart = {tuple(pair) for pair in np.sort(constraints.group[constraints.cannot])}
    parted = np.array([tuple(pair) in apart for pair in groups], dtype=bool)
    return known | (groups[:, 0] == groups[:, 1]) | parted


def _different(
    ensemble: CoAssociation, pairs: np.ndarray, value: np.ndarray, n_pairs: int
) -> np.ndarray:
    """The most valuable pairs; one is worth less where members equate it to another."""
    chosen: list[int] = []
    value = value.copy()
    while len(chosen) < min(n_pairs, len(pairs)):
        best = int(value.argmax())
        chosen.append(best)
        straight = _both_joined(ensemble, pairs, pairs[best])
        crossed = _both_joined(ensemble, pairs, pairs[best][::-1])
        value *= 1 - np.maximum(straight, crossed)
        value[best] = -1.0
    return pairs[chosen]


def _both_joined(
    ensemble: CoAssociation, pairs: np.ndarray, pair: np.ndarray
) -> np.ndarray:
    """How far members equate both rows of each pair with those of another one."""
    ends = [
        ensemble.on_pairs(pairs[:, side], np.full(len(pairs), pair[side]))
        for side in (0, 1)
    ]
    return ends[0] * ends[1]
