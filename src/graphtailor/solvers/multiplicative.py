"""Algorithm 1 of the paper: multiplicative updates, the reference solver."""

from dataclasses import replace

import numpy as np
from numba import njit
from scipy import sparse
from sklearn.utils._param_validation import StrOptions

from graphtailor.linalg.sparse import to_dense
from graphtailor.linalg.svd import with_few_features
from graphtailor.linalg.types import Matrix
from graphtailor.solvers import base
from graphtailor.solvers.starts import given_start
from graphtailor.solvers.terms import indicator_fit, sum_of_squares

# Keeps 0/0 away; added to denominators only, as the theorem needs. No entry of S falls
# below it: a processor is slow with numbers that underflow, and could not raise a zero.
_TINY = {"float32": 1e-20, "float64": 1e-100}


class Multiplicative(base.Solver):
    """The multiplicative updates of the paper's Algorithm 1: dense, slow, exact.

    One start of positive random numbers, whatever `n_init` says, unless the model's
    `init` holds labels or an indicator. An iteration costs O(n^2 (d + c)), or O(n^3)
    where samples point away from each other, and it takes 300 to 5,000 of them on the
    paper's data sets, so that its limits are wide: at most 20,000 iterations, until no
    entry of S and none of V moves by 1e-4, as in the paper.

    Parameters
    ----------
    dtype : {"float64", "float32"}, default="float64"
        What is computed in. "float32" takes about half the time, and is as good for
        the paper's tolerance.
    """

    max_iter = 20_000
    tol = 1e-4
    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's convention)
        "dtype": [StrOptions(set(_TINY))]
    }

    def __init__(self, dtype: str = "float64") -> None:
        self.dtype = dtype

    def solve(
        self, problem: base.JointProblem, search: base.Search
    ) -> tuple[base.SolverResult, list[base.Start]]:
        """Run Algorithm 1; it knows no constraints."""
        self._validate_params()
        if problem.constraints is not None:
            raise ValueError(
                "solver='multiplicative' is the paper's Algorithm 1, which takes no "
                "known classes and no pairs. Use solver='descent'."
            )
        kind, S, V = self._start(problem, search)
        result = solve_multiplicative(
            DenseProblem(problem.X, problem.W, problem.alpha, problem.beta, self.dtype),
            *(S, V),
            max_iter=search.max_iter,
            tol=search.tol,
            monitor=search.monitor,
        )
        start = base.Start(kind, float(result.objective[-1]), result.V.argmax(axis=1))
        S, V = sparse.csr_array(result.S), result.V
        dtype = problem.dtype
        return replace(result, S=S.astype(dtype), V=V.astype(dtype)), [start]

    def not_converged(self, result: base.SolverResult, search: base.Search) -> str:
        """Names the largest change that was left and the two limits."""
        return (
            f"Algorithm 1 did not converge in max_iter={search.max_iter} iterations: "
            f"an entry of S or V still moved by {result.stopping_value:.1e}, and "
            f"tol={search.tol:g} was asked for. Raise max_iter or tol."
        )

    def _start(
        self, problem: base.JointProblem, search: base.Search
    ) -> tuple[str, np.ndarray, np.ndarray]:
        n, c = problem.W.shape[0], problem.n_clusters
        if isinstance(search.init, str):
            return "random", *multiplicative_start(n, c, search.random_state)
        V = given_start(search.init, problem.W, c)
        S = V @ V.T
        np.fill_diagonal(S, 0.0)
        return "given", S, V


def multiplicative_start(
    n: int, c: int, random_state: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Positive random S (zero diagonal) and V, as the study starts."""
    V = 1.0 - random_state.uniform(size=(n, c))  # in (0, 1]: a zero would stay zero
    S = 1.0 - random_state.uniform(size=(n, n))
    np.fill_diagonal(S, 0.0)
    return S, V


class DenseProblem:
    r"""The joint problem with dense X and W: its objective, and the step in S.

    :math:`\alpha K = \alpha XX^T` is split into its positive and negative entries.
    """

    def __init__(
        self, X: Matrix, W: Matrix, alpha: float, beta: float, dtype: str = "float64"
    ) -> None:
        self.X, self.W = (to_dense(A).astype(dtype, order="C") for A in (X, W))
        self.alpha, self.beta = alpha, beta
        self.weight, self.tiny = np.array([1 + beta, _TINY[dtype]], dtype=dtype)
        K = self.X @ (alpha * self.X).T
        self.X = with_few_features(self.X)
        self.K_plus, self.K_minus = np.maximum(K, 0), np.maximum(-K, 0)
        self.has_negative = bool(self.K_minus.any())
        self.fixed = self.K_plus + beta * self.W

    def expressed(self, S: np.ndarray) -> np.ndarray:
        """X'S: every sample as the others express it, turned as X is."""
        return self.X.T @ S

    def objective(self, S: np.ndarray, V: np.ndarray, XS: np.ndarray) -> float:
        """The joint objective, given X'S."""
        left = self.alpha * sum_of_squares(self.X.T - XS)
        return left + indicator_fit(S, V) + self.beta * sum_of_squares(S - self.W)

    def update_representation(
        self, S: np.ndarray, V: np.ndarray, XS: np.ndarray
    ) -> np.ndarray:
        """One multiplicative step in S, given X'S."""
        above = V @ V.T
        below = (self.alpha * self.X) @ XS
        if self.has_negative:
            # K^+ S, and from it K^- S, which rounding must not make negative.
            positive = self.K_plus @ S
            above += np.maximum(positive - below, 0)
            below = positive + self.K_minus
        return _scaled(S, above, self.fixed, below, self.weight, self.tiny)


@njit(cache=True, nogil=True, error_model="numpy")
def _scaled(
    S: np.ndarray,
    above: np.ndarray,
    fixed: np.ndarray,
    below: np.ndarray,
    weight: np.floating,
    tiny: np.floating,
) -> np.ndarray:
    """S times the root of (above + fixed) / (weight S + below), with diagonal 0."""
    scaled = np.empty_like(S)
    zero = tiny - tiny
    for i in range(len(S)):
        for j in range(len(S)):
            # Rounding may leave K S a little below 0 where K >= 0.
            divisor = weight * S[i, j] + max(below[i, j], zero) + tiny
            factor = np.sqrt((above[i, j] + fixed[i, j]) / divisor)
            scaled[i, j] = max(S[i, j] * factor, tiny)
        scaled[i, i] = 0
    return scaled


def update_indicator(S: Matrix, V: np.ndarray) -> np.ndarray:
    """One multiplicative step in V."""
    divisor = 2 * (V @ (V.T @ V)) + V.dtype.type(_TINY[V.dtype.name])
    return V * np.sqrt(np.sqrt((S @ V + S.T @ V) / divisor))


def solve_multiplicative(
    problem: DenseProblem,
    S: np.ndarray,
    V: np.ndarray,
    *,
    max_iter: int = 500,
    tol: float = 1e-4,
    monitor: base.Monitor = base.never_stop,
) -> base.SolverResult:
    r"""Minimise the joint objective by the study's Algorithm 1.

    .. math::
        S &\leftarrow S \odot \left(\frac{VV^T + \alpha K^+ + \alpha K^- S + \beta W}
        {S + \alpha K^+ S + \alpha K^- + \beta S}\right)^{1/2} \\
        V &\leftarrow V \odot \left(\frac{SV + S^TV}{2 VV^TV}\right)^{1/4}

    with :math:`K = XX^T` split into its positive and negative entries. The objective
    never rises. An iteration costs :math:`O(n^3)`, or :math:`O(n^2 (d + c))` where no
    entry of K is negative; wide X is turned into n features first.
    """
    S, V = S.astype(problem.X.dtype), V.astype(problem.X.dtype)
    XS = problem.expressed(S)
    history = [problem.objective(S, V, XS)]
    moved, reason = np.inf, "max_iter"
    for iteration in range(max_iter):
        S_old, V_old = S, V
        S = problem.update_representation(S, V, XS)
        V = update_indicator(S, V)
        XS = problem.expressed(S)
        history.append(problem.objective(S, V, XS))
        stopped = monitor(iteration)
        moved = np.abs(V - V_old).max()
        if moved < tol or stopped or iteration == max_iter - 1:
            moved = max(moved, np.abs(S - S_old).max())
        if moved < tol or stopped:
            reason = "converged" if moved < tol else "callback"
            break
    return base.SolverResult(S, V, np.array(history), float(moved), reason)
