"""Quick fits of the joint model, as members of an ensemble."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from graphtailor.decide.settings import ALPHAS, BETA, DIFFUSIONS
from graphtailor.models.samples import SampleSpace
from graphtailor.solvers.descent import DescentProblem, fit_indicator
from graphtailor.solvers.starts import indicator_starts

# A member need not be exact: it is one of many.
_SWEEPS, _MAX_ITER, _TOL = 5, 30, 1e-3
# Spectral starts are left out: an ensemble has members of that kind already.
_KINDS = ("k-means", "random")


def joint_fits(
    Z: np.ndarray,
    n_neighbors: int,
    numbers: Sequence[int],
    rng: np.random.RandomState,
) -> list[np.ndarray]:
    """Labels of the joint model at two of its usual alphas, from one start each.

    One alpha is of the smaller half and one of the larger. They are drawn at random, as
    is the number of steps by which the graph is spread. All numbers of clusters share
    the S of an alpha.

    Parameters
    ----------
    Z : ndarray of shape (n, d)
        Scaled samples.
    n_neighbors : int
        Neighbours of a sample in the given graph.
    numbers : sequence of int
        Numbers of clusters.
    rng : RandomState
        Source of the starts and of the steps.

    Returns
    -------
    list of ndarray of shape (n,)
        Labels at both alphas for each number.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_iris
    >>> found = joint_fits(load_iris().data, 8, (3, 5), np.random.RandomState(0))
    >>> len(found), found[0].shape
    (4, (150,))
    """
    space = SampleSpace(
        graph="knn",
        n_neighbors=n_neighbors,
        metric="euclidean",
        support=1,
        scaling=None,
    ).fit(Z)
    (spread,) = space.diffused([DIFFUSIONS[rng.randint(len(DIFFUSIONS))]], 1)
    X = spread.for_self_expression(spread.samples)
    problem = DescentProblem(X, spread.build_support(), ALPHAS[0], BETA, 1)
    starts = [_start(spread, k, rng) for k in numbers]
    labels = []
    for half in np.sort(ALPHAS).reshape(2, -1):
        alpha = float(rng.choice(half))
        weighted = problem.reweighted(alpha)
        s, left = weighted.representation_alone(_SWEEPS)
        for start in starts:
            V, _ = fit_indicator(
                weighted,
                s,
                start,
                max_iter=_MAX_ITER,
                tol=_TOL,
                self_expression=left,
                n_jobs=1,
            )
            labels.append(V.argmax(axis=1))
    return labels


def _start(space: SampleSpace, k: int, rng: np.random.RandomState) -> np.ndarray:
    kind = _KINDS[rng.randint(len(_KINDS))]
    given = (space.samples, space.given_graph, k, kind, 1, rng, space.samples.dtype)
    ((_, make),) = indicator_starts(*given)
    return make()
