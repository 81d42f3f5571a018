"""Quick fits of the joint model, as members of an ensemble."""

import numpy as np

from graphtailor.graphs.diffused_graph import Diffusion
from graphtailor.graphs.ensemble.members import Draw, MemberKind
from graphtailor.graphs.ensemble.views import View
from graphtailor.linalg.scaling import root_mean_square_norm
from graphtailor.solvers.problem import DescentProblem, Limits, fit_indicator
from graphtailor.solvers.starts import indicator_starts
from graphtailor.solvers.support import support_of

# Weights of self-expression: from none to a graph that is made of it. One of the
# smaller half and one of the larger is drawn for each graph.
ALPHAS = ((0.0, 100.0), (1_000.0, 10_000.0))
BETA = 100.0
# Steps by which the graph is spread, a little or far.
DIFFUSIONS = (4, 16)
# A member need not be exact: it is one of many.
_SWEEPS, _LIMITS = 5, Limits(30, 1e-3, n_jobs=1)
# Spectral starts are left out: an ensemble has members of that kind already.
_KINDS = ("k-means", "random")


class JointMembers(MemberKind):
    """Fits of the joint model to one spread neighbour graph, from one start each.

    Numbers of clusters are drawn; all share the S of each of two alphas.

    Parameters
    ----------
    n_numbers : int, default=2
        Numbers of clusters.
    """

    name = "joint"
    needs_points = False

    def __init__(self, n_numbers: int = 2) -> None:
        self.n_numbers = n_numbers

    def labels(self, view: View, draw: Draw) -> list[np.ndarray]:
        """Labels at two alphas for each number of clusters."""
        numbers = [draw.n_clusters(view) for _ in range(self.n_numbers)]
        problem, W = _problem(view, draw)
        points = view.points if view.points.shape[1] else None
        starts = []
        for k in numbers:
            kind = draw.one_of(_KINDS)
            ((_, make),) = indicator_starts(points, W, k, kind, 1, draw.rng)
            starts.append(make())
        found = []
        for half in ALPHAS:
            weighted = problem.reweighted(draw.one_of(half))
            s, left = weighted.representation_alone(_SWEEPS)
            for start in starts:
                V, _ = fit_indicator(weighted, s, start, _LIMITS, left)
                found.append(V.argmax(axis=1))
        return found


def _problem(view: View, draw: Draw) -> tuple[DescentProblem, np.ndarray]:
    """The joint problem on a spread graph, and that graph."""
    p = draw.n_neighbors(view, 1)
    near = view.graph(p)
    steps = draw.one_of(DIFFUSIONS)
    # A member's graph keeps this many neighbourhoods a row while it is spread.
    W = Diffusion(near, 3 * p, 1).after(steps)
    X = view.points.astype(np.float64) / (root_mean_square_norm(view.points) or 1.0)
    support = support_of(W, near, np.float64)
    return DescentProblem(X, support, ALPHAS[0][0], BETA, 1), W
