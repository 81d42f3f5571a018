"""The V-step where classes of rows are known, and pairs are together or apart.

Rows of a group have one row u of V, which stands in the objective as often as the group
has rows. A known row is zero in all columns but that of its class. Cannot-links add
``4 gamma sum <v_i, v_j>`` over their pairs, which is linear in every single entry: its
minimiser is still the root of a cubic.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numba import njit
from scipy import sparse

from graphtailor.graphs.constraints import Constraints
from graphtailor.linalg.sparse import CsrRows, row_index
from graphtailor.linalg.threads import Workers
from graphtailor.solvers.problem import DescentProblem
from graphtailor.solvers.support import Support
from graphtailor.solvers.v_step import gram

# Weight of a cannot-link: twice what all neighbours of a sample weigh together in a
# normalised graph.
_GAMMA = 2.0


@dataclass(frozen=True)
class IndicatorRules:
    """What V has to keep to."""

    group: np.ndarray  # (n,): samples of a group have the same row of V
    allowed: np.ndarray  # (n_groups, c): where a group's row may be nonzero
    apart: sparse.csr_array  # number of cannot-links between groups

    @classmethod
    def of(cls, constraints: Constraints, n_clusters: int) -> Self:
        """Rules for V whose first columns are the known classes."""
        # Equal samples of different known classes keep their own: groups are those of
        # one class.
        own = np.column_stack([constraints.group, constraints.codes])
        _, group = np.unique(own, axis=0, return_inverse=True)
        n_groups = group.max() + 1
        allowed = np.ones((n_groups, n_clusters), dtype=np.bool_)
        rows = np.flatnonzero(constraints.codes >= 0)
        allowed[group[rows]] = False
        allowed[group[rows], constraints.codes[rows]] = True
        pairs = group[constraints.cannot]
        both = np.concatenate([pairs, pairs[:, ::-1]]).T
        ones = np.ones(both.shape[1])
        shape = (n_groups, n_groups)
        return cls(group, allowed, sparse.csr_array((ones, tuple(both)), shape=shape))

    def project(self, V: np.ndarray) -> np.ndarray:
        """V with the mean of each group, and zeros where it has to have them."""
        sizes = np.bincount(self.group)[:, None]
        means = (self._members @ V) / sizes * self.allowed
        # A known sample that starts at zero would stay there.
        lost = means.sum(axis=1) == 0
        means[lost] = self.allowed[lost] * (V.mean() or 1.0)
        return means[self.group]

    def penalty(self, V: np.ndarray) -> float:
        """What cannot-links add to the objective."""
        return 2 * _GAMMA * float(np.vdot(V, self._apart_rows @ V))

    @property
    def _members(self) -> sparse.csr_array:
        n = len(self.group)
        return sparse.csr_array((np.ones(n), (self.group, np.arange(n))))

    @cached_property
    def _apart_rows(self) -> sparse.csr_array:
        """Cannot-links between the first samples of the groups."""
        first = np.unique(self.group, return_index=True)[1]
        apart = sparse.coo_array(self.apart)
        n = len(self.group)
        places = (first[apart.row], first[apart.col])
        return sparse.csr_array((apart.data, places), shape=(n, n))


class ConstrainedProblem(DescentProblem):
    """The joint problem with rules for V; sweeps over V are those of groups."""

    def __init__(
        self,
        X: np.ndarray,
        support: Support,
        alpha: float,
        beta: float,
        n_jobs: int | None,
        rules: IndicatorRules,
    ) -> None:
        super().__init__(X, support, alpha, beta, n_jobs)
        self.rules = rules
        order = np.argsort(rules.group, kind="stable")
        sizes = np.bincount(rules.group)
        self._groups = (order, np.concatenate([[0], np.cumsum(sizes)]))
        # Places of the support within groups, and these groups.
        ends = rules.group[row_index(support.matrix(support.given))]
        self._inner = np.flatnonzero(ends == rules.group[support.indices])
        self._inner_groups = ends[self._inner]

    def objective(
        self, s: np.ndarray, V: np.ndarray, left: float | None = None
    ) -> float:
        """The joint objective with the term of the cannot-links."""
        return super().objective(s, V, left) + self.rules.penalty(V)

    def step_indicator(
        self, symmetric: np.ndarray, V: np.ndarray, G: np.ndarray, workers: Workers
    ) -> float:
        """One sweep over the groups' rows of V in place; the objective's decrease."""
        group, apart = self.rules.group, self.rules.apart
        within = (self._inner_groups, symmetric[self._inner])
        inner = np.bincount(*within, minlength=len(self.rules.allowed))
        decrease = _sweep_groups(
            CsrRows(*self._pattern, symmetric),
            CsrRows.of(_GAMMA * apart),
            _Groups(group, *self._groups, inner, self.rules.allowed),
            *(V, G),
        )
        G[:] = gram(V)
        return decrease


class _Groups(NamedTuple):
    """Samples that share a row of V; those of group g are order[bounds[g]:...]."""

    of: np.ndarray  # the group of each sample
    order: np.ndarray
    bounds: np.ndarray
    inner: np.ndarray  # weight of the edges within each group
    allowed: np.ndarray  # entries of each group's row that may be above 0


@njit(cache=True, nogil=True)
def best_entry_of_group(p: float, q: float) -> float:
    """Minimiser of ``x^4 + 2 p x^2 + 4 q x`` over x >= 0, for any p.

    It is zero or the largest root of the derivative ``4 (x^3 + p x + q)``, onto which
    Newton's iterates fall from the right.
    """
    if q >= 0.0:
        if p >= 0.0:
            return 0.0
        lowest = np.sqrt(-p / 3.0)
        if lowest * lowest * lowest + p * lowest + q >= 0.0:
            return 0.0
    x = max(np.sqrt(2.0 * max(-p, 0.0)), (2.0 * abs(q)) ** (1.0 / 3.0))
    for _ in range(200):
        step = (x * x * x + p * x + q) / (3.0 * x * x + p)
        x -= step
        if step <= 1e-15 * x:
            break
    value = ((x * x + 2.0 * p) * x + 4.0 * q) * x
    return x if value < 0.0 else 0.0


@njit(cache=True, nogil=True)
def _sweep_groups(
    near: CsrRows, apart: CsrRows, groups: _Groups, V: np.ndarray, G: np.ndarray
) -> float:
    """Minimise over the entries of every group's row in turn; the decrease."""
    indptr, indices, weights = near.indptr, near.indices, near.data
    group, order, bounds = groups.of, groups.order, groups.bounds
    inner, allowed = groups.inner, groups.allowed
    c = V.shape[1]
    work = np.empty((3, c))
    pull, old, new = work[0], work[1], work[2]
    decrease = 0.0
    for g in range(len(bounds) - 1):
        size = bounds[g + 1] - bounds[g]
        first = order[bounds[g]]
        square = 0.0
        for k in range(c):
            pull[k] = 0.0
            old[k] = V[first, k]
            new[k] = old[k]
            square += old[k] * old[k]
        for place in range(bounds[g], bounds[g + 1]):
            i = order[place]
            for e in range(indptr[i], indptr[i + 1]):
                if group[indices[e]] != g:
                    for k in range(c):
                        pull[k] += weights[e] * V[indices[e], k]
        for e in range(apart.indptr[g], apart.indptr[g + 1]):
            other = order[bounds[apart.indices[e]]]
            for k in range(c):
                pull[k] -= apart.data[e] * V[other, k]
        changed = False
        for k in range(c):
            if not allowed[g, k]:
                continue
            # Of the other groups: (G - size u u')_kl.
            q = -pull[k] / (size * size)
            for other in range(c):
                if other != k:
                    rest = G[k, other] - size * old[k] * old[other]
                    q += rest * new[other] / size
            p = square - new[k] * new[k] - inner[g] / (size * size)
            p += (G[k, k] - size * old[k] * old[k]) / size
            x = best_entry_of_group(p, q)
            if x == new[k]:
                continue
            before, after = new[k] * new[k], x * x
            gain = (before + 2.0 * p) * before + 4.0 * q * new[k]
            gain -= (after + 2.0 * p) * after + 4.0 * q * x
            if gain <= 0.0:
                continue
            decrease += size * size * gain
            square += after - before
            new[k] = x
            changed = True
        if not changed:
            continue
        for k in range(c):
            for other in range(c):
                G[k, other] += size * (new[k] * new[other] - old[k] * old[other])
        for place in range(bounds[g], bounds[g + 1]):
            for k in range(c):
                V[order[place], k] = new[k]
    return decrease
