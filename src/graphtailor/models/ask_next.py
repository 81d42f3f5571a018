"""Which pairs of rows to ask a person about: typical rows of parts of clusters."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from scipy.special import entr
from sklearn.utils.validation import check_is_fitted

from graphtailor.graphs.constraints import Constraints
from graphtailor.graphs.ensemble.co_association import CoAssociation
from graphtailor.models.graph_tailor import GraphTailor
from graphtailor.representatives.links import Memberships

# Candidates that are compared with each other.
_MOST_CANDIDATES = 1_000
# Parts are those of cuts with this many times as many clusters.
_FINER = (1, 2, 4)


def ask_next(model: GraphTailor, n_pairs: int = 10) -> np.ndarray:
    """Pairs of rows to ask a person about, together or apart.

    Asked are the most typical rows of two clusters, or of two parts of them: the answer
    is true of most rows of both. A pair is worth asking for if members disagree on it,
    and if both parts have many rows. Pairs that say the same as a better one come
    later, and pairs whose answer is known never.

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
    value = worth * (entr(joined) + entr(1 - joined))
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
    """Pairs of typical representatives, and the rows of the smaller of two parts."""
    labels, cuts = model._shares.argmax(axis=1), model.ensemble_.cuts()
    m, c = model._shares.shape
    pairs, worth = [], []
    for finer in _FINER:
        fine = labels if finer == 1 else cuts.at(min(finer * c, m))[0].labels
        parts = np.unique(fine * c + labels, return_inverse=True)[1]
        cores, sizes = _cores(ensemble, parts), np.bincount(parts, ensemble.masses)
        first, second = np.triu_indices(len(cores), 1)
        pairs.append(np.column_stack([cores[first], cores[second]]))
        worth.append(np.minimum(sizes[first], sizes[second]))
    found, values = np.concatenate(pairs), np.concatenate(worth)
    # The coarsest parts of two rows come first.
    first = np.unique(np.sort(found, axis=1), axis=0, return_index=True)[1]
    return found[first], values[first]


def _cores(ensemble: CoAssociation, labels: np.ndarray) -> np.ndarray:
    """The most typical representative of each cluster."""
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
