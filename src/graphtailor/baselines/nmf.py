"""Nonnegative matrix factorisation, then K-means."""

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.decomposition import non_negative_factorization
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.extmath import safe_sparse_dot, squared_norm
from sklearn.utils.validation import check_non_negative

from graphtailor.baselines._base import BaseClusterer, RowsMixin
from graphtailor.baselines._parameters import clusterer
from graphtailor.linalg.magnitude import comfortable_factor, times
from graphtailor.linalg.sparse import stored
from graphtailor.linalg.types import Matrix, MatrixLike

# scikit-learn's loop keeps no history: it is run in stretches of this length.
_STRETCH = 10


@clusterer(solver=[StrOptions({"mu", "cd"})])
class NMFClustering(RowsMixin, TransformerMixin, BaseClusterer):
    r"""K-means on the coefficients of a nonnegative matrix factorisation.

    .. math:: \min_{V, U \ge 0} \|X - V U^\top\|_F^2 ,

    with :math:`V` of shape (n, c) and :math:`U` of shape (d, c). At the end the
    columns of :math:`U` are scaled to unit length, :math:`V` is solved for once
    more, and its rows are clustered. The solvers are those of
    :func:`sklearn.decomposition.non_negative_factorization`.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters, and of components.
    solver : {"mu", "cd"}, default="mu"
        Multiplicative updates (Lee and Seung) or coordinate descent.
    tol : float, default=1e-5
        Stop when the objective falls by less than this share of itself, an
        iteration, on average over ten.
    random_state : int, RandomState or None, default=None
        Seed of the first factors and of K-means.

    Attributes
    ----------
    embedding_ : ndarray of shape (n_samples, n_clusters)
        :math:`V`.
    components_ : ndarray of shape (n_clusters, n_features)
        :math:`U^\top`, rows of unit length.
    objective_ : ndarray
        Value at the start and after every tenth iteration; the last value is that of
        `embedding_` and `components_`.

    Notes
    -----
    :math:`O(n d c)` an iteration.

    References
    ----------
    D. Lee, H. S. Seung, Algorithms for Non-negative Matrix Factorization,
    NIPS 2000.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphtailor.baselines import NMFClustering
    >>> X = load_wine().data
    >>> model = NMFClustering(3, random_state=0).fit(X / X.max(axis=0))
    >>> model.components_.shape, bool((model.embedding_ >= 0).all())
    ((3, 13), True)
    """

    solver: str = "mu"
    max_iter: int = 500
    tol: float = 1e-5

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X)
        check_nonnegative_samples(X, self)
        rng = check_random_state(self.random_state)
        factor = comfortable_factor(X)
        data = times(X, factor)
        V, U = initial_factors(data, self.n_clusters, rng)
        V, U, history, n_iter, converged = self._factorize(data, V, U)
        self.components_ = np.ascontiguousarray(unit_columns(V, U)[1].T)
        self.embedding_ = self._coefficients(X)
        scaled = times(self.embedding_, factor)
        history.append(squared_residual(data, scaled, self.components_.T))
        labels = self._cluster_rows(self.embedding_, X.dtype, rng)
        self._finish(labels, np.divide(history, factor**2), n_iter, converged)

    def _factorize(
        self, X: Matrix, V: np.ndarray, U: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, list[float], int, bool]:
        H = np.ascontiguousarray(U.T)
        history = [squared_residual(X, V, H.T)]
        if not U.any():  # nor has X any entry, which scikit-learn refuses
            return V, U, 2 * history, 1, True
        n_iter, converged = 0, False
        while n_iter < self.max_iter and not converged:
            steps = min(_STRETCH, self.max_iter - n_iter)
            # It takes the root of a residual that rounding may make negative, and
            # has no use for it where tol is 0.
            with np.errstate(invalid="ignore"):
                V, H, _ = non_negative_factorization(
                    X,
                    W=V,
                    H=H,
                    init="custom",
                    n_components=V.shape[1],
                    solver=self.solver,
                    max_iter=steps,
                    tol=0,
                )
            n_iter += steps
            history.append(squared_residual(X, V, H.T))
            fall = history[-2] - history[-1]
            converged = fall <= self.tol * steps * history[-2]
        return V, H.T, history, n_iter, converged

    def transform(self, X: MatrixLike) -> np.ndarray:
        """Nonnegative coefficients of new samples in the fitted components.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_new, n_features)
            New samples, not negative.

        Returns
        -------
        ndarray of shape (n_new, n_clusters)
            The best coefficients of each row on its own.
        """
        X = self._new_rows(X)
        check_nonnegative_samples(X, self)
        return self._coefficients(X)

    def _coefficients(self, X: Matrix) -> np.ndarray:
        if not self.components_.any():
            return np.zeros((X.shape[0], len(self.components_)), dtype=X.dtype)
        factor = comfortable_factor(X)
        # With U fixed the problem is convex and small: room enough to solve it.
        coefficients = non_negative_factorization(
            times(X, factor),
            H=self.components_.astype(X.dtype, copy=False),
            update_H=False,
            n_components=len(self.components_),
            solver="cd",
            max_iter=10_000,
            tol=1e-6,
        )[0]
        return times(coefficients, 1 / factor)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def check_nonnegative_samples(X: Matrix, estimator: BaseEstimator) -> None:
    """Raise a ValueError that says what to do if an entry of `X` is negative."""
    check_non_negative(
        X,
        f"{type(estimator).__name__}, which factors nonnegative X only. Scale the "
        "features to [0, 1] (MinMaxScaler), or use GMF, GLPCA or PCAClustering, "
        "which take both signs",
    )


def initial_factors(
    X: Matrix, k: int, rng: np.random.RandomState
) -> tuple[np.ndarray, np.ndarray]:
    """Random positive factors (n, k) and (d, k) at the scale of `X`."""
    scale = np.sqrt(X.mean() / k)
    # 1 - u is never 0, and a multiplicative update cannot leave 0.
    V = scale * (1 - rng.uniform(size=(X.shape[0], k)))
    U = scale * (1 - rng.uniform(size=(X.shape[1], k)))
    return V.astype(X.dtype, copy=False), U.astype(X.dtype, copy=False)


def unit_columns(V: np.ndarray, U: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Scale the columns of `U` to unit length; `V` takes up their norms."""
    norms = np.linalg.norm(U, axis=0)
    return V * norms, U / np.where(norms > 0, norms, 1)


def squared_residual(X: Matrix, V: np.ndarray, U: np.ndarray) -> float:
    """``||X - V U'||_F^2`` by traces, without forming the product."""
    cross = np.sum(safe_sparse_dot(X, U) * V, dtype=np.float64)
    fit = np.sum((V.T @ V) * (U.T @ U), dtype=np.float64)
    return max(float(squared_norm(stored(X)) - 2 * cross + fit), 0.0)
