"""Graph on which the features are smooth signals, with a logarithm of the degrees."""

import sys
import warnings
from typing import NamedTuple

import numpy as np
from scipy import linalg, sparse
from scipy.spatial.distance import pdist, squareform

from graphtailor.baselines._base import BaseClusterer, SpectralMixin
from graphtailor.baselines._parameters import clusterer
from graphtailor.linalg.magnitude import comfortable_factor, times
from graphtailor.linalg.types import ABOVE_0, MatrixLike

# A step must raise the dual by this share of what its slope promises; a step shorter
# than the second number is lost in rounding.
_SUFFICIENT, _SHORTEST = 1e-4, 1e-12
_DAMPING, _LEAST = 1e-12, 1e-300


@clusterer(theta=[*ABOVE_0, None])
class SmoothGraph(SpectralMixin, BaseClusterer):
    r"""Spectral clustering of the graph on which the features are smooth.

    .. math:: \min_{W \ge 0} \theta \sum_{ij} w_{ij} z_{ij}
              - \sum_i \log \sum_j w_{ij} + \tfrac12 \sum_{ij} w_{ij}^2

    over the symmetric weights with a zero diagonal, where :math:`z_{ij}` is the
    squared distance of two samples. The first term is small if each feature changes
    little along the edges, the second gives every sample an edge, and the third
    spreads the weights. The two weights of the model change nothing but
    :math:`\theta` and the unit of :math:`W` [1]_.

    Parameters
    ----------
    theta : float or None, default=None
        Weight :math:`\theta`; more gives fewer edges. It is measured in inverse
        squares of `X`. None takes the one that gives about `n_neighbors` edges to a
        sample, by the rule of [2]_.
    n_neighbors : int or "auto", default="auto"
        Edges of a sample; "auto" is :math:`\lfloor \log_2 n + 1 \rfloor`.
    max_iter : int, default=100
        Most steps of Newton's method.
    tol : float, default=1e-6
        Stop when the duality gap falls below this share of the number of samples.

    Attributes
    ----------
    affinity_matrix_ : csr_array of shape (n_samples, n_samples)
        :math:`W`.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Its spectral embedding.
    theta_ : float
        :math:`\theta` as it was used.
    objective_ : ndarray of shape (n_iter_ + 1,)
        Dual objective at the start and after each iteration. It never falls, and
        ends at the minimum.

    Notes
    -----
    The paper solves the problem by a primal-dual splitting. Its dual has one unknown
    :math:`\lambda_i` for each sample,

    .. math:: \max_\lambda \sum_i (1 + \log \lambda_i) - \sum_{i<j} w_{ij}^2, \qquad
              w_{ij} = \max\left(0, \tfrac12 (\lambda_i + \lambda_j)
              - \theta z_{ij}\right) ,

    and its Hessian is sparse and positive definite: a few steps of Newton's method,
    of :math:`O(n^2)` each and a factorisation, reach the same minimum.

    References
    ----------
    .. [1] V. Kalofolias, How to Learn a Graph from Smooth Signals, AISTATS 2016.
    .. [2] V. Kalofolias, N. Perraudin, Large Scale Graph Learning from Smooth Signals,
       ICLR 2019.

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from graphtailor.baselines import SmoothGraph
    >>> from graphtailor.metrics import clustering_accuracy
    >>> X, y = make_moons(200, noise=0.05, random_state=0)
    >>> labels = SmoothGraph(2, random_state=0).fit_predict(X)
    >>> clustering_accuracy(y, labels)
    1.0
    """

    theta: float | None = None
    n_neighbors: int | str = "auto"
    max_iter: int = 100
    tol: float = 1e-6

    _dense_arrays = (7.0, 2.0)

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X, dense=True)
        rows, factor = _comfortable_rows(X.astype(np.float64))
        z = squareform(pdist(rows, "sqeuclidean"))
        theta = (
            theta_for(z, self._number_of_neighbors(len(z)))
            if self.theta is None
            else self.theta / factor / factor
        )
        fit = smooth_weights(theta * z, tol=self.tol, max_iter=self.max_iter)
        self.theta_ = min(theta * factor * factor, sys.float_info.max)
        labels = self._cut(fit.weights, X.dtype)
        self._finish(labels, fit.objective, len(fit.objective) - 1, fit.converged)


def _comfortable_rows(X: np.ndarray) -> tuple[np.ndarray, float]:
    """Rows whose squared distances are ordinary numbers, and what X was multiplied by.

    A large column that is constant would leave no digits to the distances by others.
    """
    factor = comfortable_factor(X)
    rows = times(X, factor)
    rows = rows - rows.min(axis=0)
    again = comfortable_factor(rows)
    return times(rows, again), factor * again


class SmoothWeights(NamedTuple):
    """The weights, the dual objective after each step, whether the gap closed."""

    weights: sparse.csr_array
    objective: list[float]
    converged: bool


def theta_for(z: np.ndarray, k: int) -> float:
    r"""The weight of the distances that gives about `k` edges to a sample.

    For one sample alone, with its distances in order and :math:`b` the sum of the
    first `k`, the minimum has exactly `k` edges if :math:`\theta^{-2}` is between
    :math:`k z_k^2 - b z_k` and :math:`k z_{k+1}^2 - b z_{k+1}`.
    """
    n = len(z)
    ordered = np.sort(z, axis=1)[:, 1:]  # the first is the sample itself
    # Equal samples have a distance of 0 and are joined whatever theta is.
    counts = np.clip(np.count_nonzero(ordered == 0, axis=1), k, n - 2)
    if n < 3 or not ordered.any():
        return 1.0
    rows = np.arange(n)
    b = np.cumsum(ordered, axis=1)[rows, counts - 1]
    last, following = ordered[rows, counts - 1], ordered[rows, counts]
    least = np.maximum(counts * last**2 - b * last, 0)
    most = np.maximum(counts * following**2 - b * following, 0)
    middle = (np.sqrt(least) + np.sqrt(most)) / 2
    middle = middle[middle > 0]
    return float(1 / np.mean(middle)) if len(middle) else 1.0 / float(ordered.max())


def smooth_weights(costs: np.ndarray, *, tol: float, max_iter: int) -> SmoothWeights:
    """Newton's method on the dual; the costs are distances times their weight."""
    n = len(costs)
    nearest = np.sort(costs, axis=1)[:, 1]
    multipliers = 2 * nearest + 1 / np.sqrt(n)  # every sample has an edge
    weights, value = _dual(costs, multipliers)
    objective = [value]
    for _ in range(max_iter):
        if _primal(costs, weights) - value <= tol * n:
            break
        multipliers, weights, value = _newton_step(costs, multipliers, weights, value)
        objective.append(value)
    converged = _primal(costs, weights) - value <= tol * n
    return SmoothWeights(sparse.csr_array(weights), objective, bool(converged))


def _newton_step(
    costs: np.ndarray, multipliers: np.ndarray, weights: np.ndarray, value: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """Multipliers, weights and dual objective after a step that raises the last."""
    gradient = 1 / multipliers - weights.sum(axis=1)
    hessian = (weights > 0) / 2.0
    # For two samples with one edge, or for one with none, this is singular but for the
    # last term, which vanishes where they are far away.
    degrees = hessian.sum(axis=1) * (1 + _DAMPING)
    diagonal = np.maximum(degrees + (1 / multipliers) ** 2, _LEAST)
    hessian[np.diag_indices_from(hessian)] = diagonal
    with warnings.catch_warnings():
        # A poor direction of samples far apart is shortened until the dual rises.
        warnings.simplefilter("ignore", linalg.LinAlgWarning)
        step = linalg.solve(hessian, gradient, assume_a="pos", overwrite_a=True)
    rise = float(gradient @ step)
    falling = step < 0
    length = 1.0
    if falling.any():  # multipliers stay positive
        length = min(
            length, 0.99 * float((-multipliers[falling] / step[falling]).min())
        )
    while True:
        moved = multipliers + length * step
        weights, reached = _dual(costs, moved)
        if reached >= value + _SUFFICIENT * length * rise or length < _SHORTEST:
            return moved, weights, max(reached, value)
        length /= 2


def _dual(costs: np.ndarray, multipliers: np.ndarray) -> tuple[np.ndarray, float]:
    """Weights of some multipliers, and the dual objective."""
    weights = np.maximum(np.add.outer(multipliers, multipliers) / 2 - costs, 0)
    np.fill_diagonal(weights, 0)
    value = np.sum(1 + np.log(multipliers)) - np.sum(weights**2) / 2
    return weights, float(value)


def _primal(costs: np.ndarray, weights: np.ndarray) -> float:
    """The objective; infinite if a sample has no edge."""
    degrees = weights.sum(axis=1)
    if degrees.min() <= 0:
        return np.inf
    fit = np.sum(costs * weights) + np.sum(weights**2) / 2
    return float(fit - np.sum(np.log(degrees)))
