"""Kernels as feature maps: a model behind one sees phi(x) in the place of x."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from numbers import Real
from typing import Self

import numpy as np
from scipy import sparse
from sklearn.base import (
    BaseEstimator,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    _fit_context,
)
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.preprocessing import normalize
from sklearn.utils import Tags, check_random_state
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from graphtailor.linalg.eigen import eigenpairs
from graphtailor.linalg.magnitude import comfortable_factor, times
from graphtailor.linalg.scaling import root_mean_square_norm
from graphtailor.linalg.sparse import intact, sums_may_overflow, to_dense
from graphtailor.linalg.threads import single_threaded
from graphtailor.linalg.types import (
    ABOVE_0,
    AT_LEAST_0,
    COUNT,
    Matrix,
    MatrixLike,
    RandomState,
)
from graphtailor.neighbors import NeighborSearch, default_n_neighbors
from graphtailor.representatives.rows import sample_rows

KERNELS = ("rbf", "poly", "cosine", "laplacian", "precomputed")
# Distances at which the kernels with a bandwidth fall off.
_METRICS = {"rbf": "euclidean", "laplacian": "manhattan"}


@dataclass(eq=False, repr=False)
class KernelMap(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    r"""Features whose inner products are the kernel.

    With landmarks z and the eigendecomposition :math:`K(Z, Z) = U \Lambda U^T`

    .. math:: \phi(x) = \Lambda^{-1/2} U^T K(Z, x)

    over the eigenvalues that are not zero [1]_. Where every sample is a landmark,
    :math:`\langle\phi(x_i), \phi(x_j)\rangle = K(x_i, x_j)` for all samples. The cosine
    kernel needs no landmarks: its map divides each row by its length. Scale the
    features before the map and not after it.

    It is computed in float64 and without the directions of zero eigenvalues, which
    scikit-learn's Nystroem divides by a small number instead.

    Parameters
    ----------
    kernel : str or callable, default="rbf"
        "rbf", "poly", "cosine", "laplacian", or "precomputed", for which X is the
        kernel matrix. A callable takes two samples.
    gamma : float or "auto", default="auto"
        "auto" is :math:`1/(2\sigma)^2` for "rbf" and :math:`1/(2\sigma)` for
        "laplacian", with the mean Euclidean or Manhattan distance :math:`\sigma`
        between the landmarks and their p nearest ones, and one over the mean square
        length of the samples for "poly".
    degree, coef0 : float, default=3 and 1
        Of the kernel "poly", :math:`(\gamma \langle x, y\rangle + c_0)^{degree}`.
    n_landmarks : int, default=500
        With no more samples than this the map is exact. Of more samples this many are
        drawn as landmarks.
    random_state : int, RandomState or None, default=None
        Draws the landmarks.

    Attributes
    ----------
    gamma_ : float or None
        gamma as it was used, of kernels that have one.
    landmarks_ : {ndarray, csr_array} of shape (m, d) or ndarray of shape (m,)
        Landmarks; for "precomputed" their numbers.
    whitening_ : ndarray of shape (m, r), float64
        :math:`U \Lambda^{-1/2}`.
    n_features_in_ : int
        Number of features.

    References
    ----------
    .. [1] C. Williams, M. Seeger, "Using the Nyström Method to Speed Up Kernel
       Machines", Advances in Neural Information Processing Systems 13, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.metrics.pairwise import rbf_kernel
    >>> from sklearn.pipeline import make_pipeline
    >>> from graphtailor import JointModel, KernelMap
    >>> X = np.random.default_rng(0).normal(size=(20, 3))
    >>> features = KernelMap("rbf", gamma=0.5).fit(X).transform(X)
    >>> np.allclose(features @ features.T, rbf_kernel(X, gamma=0.5))
    True
    >>> model = make_pipeline(KernelMap("rbf"), JointModel(2, scaling=None))
    >>> model.fit_predict(X).shape
    (20,)
    """

    kernel: str | Callable[[np.ndarray, np.ndarray], float] = "rbf"
    _: KW_ONLY
    gamma: float | str = "auto"
    degree: float = 3
    coef0: float = 1
    n_landmarks: int = 500
    random_state: RandomState = None

    _parameter_constraints = {  # noqa: RUF012 (scikit-learn's convention)
        "kernel": [StrOptions(set(KERNELS)), callable],
        "gamma": [*ABOVE_0, StrOptions({"auto"})],
        "degree": [Interval(Real, 1, None, closed="left")],
        "coef0": AT_LEAST_0,
        "n_landmarks": COUNT,
        "random_state": ["random_state"],
    }

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: MatrixLike, y: object = None) -> Self:
        """Choose the landmarks and gamma.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n, d) or (n, n)
            Samples, or their kernel matrix for "precomputed".
        y : None
            Ignored.

        Returns
        -------
        self : KernelMap
            The fitted map.
        """
        X = self._checked(X)
        self.gamma_ = None
        self._n_features_out = X.shape[1]
        if self.kernel == "cosine":
            return self
        if self.kernel == "precomputed":
            _check_symmetric(X)
        chosen = np.arange(X.shape[0])
        if len(chosen) > self.n_landmarks:
            chosen = sample_rows(
                len(chosen), self.n_landmarks, check_random_state(self.random_state)
            )
        if self.kernel == "precomputed":
            self.landmarks_, of_landmarks = chosen, X[chosen]
        else:
            self.landmarks_ = of_landmarks = X[chosen]
            self.gamma_ = self._choose_gamma(self.landmarks_)
        with single_threaded():  # the same bits on any number of threads
            self.whitening_ = _whitening(self._kernel_to_landmarks(of_landmarks))
        self._n_features_out = self.whitening_.shape[1]
        return self

    def transform(self, X: MatrixLike) -> Matrix:
        """Features of rows, in their type.

        Parameters
        ----------
        X : {ndarray, csr_array} of shape (n_new, d) or (n_new, n)
            Rows, or their kernel values to the fitted ones for "precomputed".

        Returns
        -------
        ndarray of shape (n_new, r), or csr_array for "cosine" of a csr_array
            The features.
        """
        check_is_fitted(self)
        X = self._checked(X, reset=False)
        if self.kernel == "cosine":
            return _unit_rows(X)
        with single_threaded(), np.errstate(over="ignore", invalid="ignore"):
            features = self._kernel_to_landmarks(X) @ self.whitening_
            features = np.ascontiguousarray(features, dtype=X.dtype)
        return self._finite(features)

    @sums_may_overflow
    def _checked(self, X: MatrixLike, reset: bool = True) -> Matrix:
        floats = [np.float64, np.float32]
        return validate_data(
            self, intact(X), accept_sparse="csr", dtype=floats, reset=reset
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _kernel_to_landmarks(self, X: Matrix) -> np.ndarray:
        X = X.astype(np.float64)
        if self.kernel == "precomputed":
            return to_dense(X[:, self.landmarks_])
        params = {}
        if not callable(self.kernel):
            params["gamma"] = self.gamma_
        if self.kernel == "poly":
            params.update(degree=self.degree, coef0=self.coef0)
        Z = self.landmarks_.astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            K = pairwise_kernels(X, Z, metric=self.kernel, **params)
        return self._finite(K)

    def _finite(self, values: np.ndarray) -> np.ndarray:
        if np.isfinite(values).all():
            return values
        raise ValueError(
            f"kernel={self.kernel!r} gives values that are not finite. Scale the "
            "features first, for instance by MaxAbsScaler, or use another gamma."
        )

    @sums_may_overflow
    def _choose_gamma(self, landmarks: Matrix) -> float | None:
        if callable(self.kernel):
            return None
        if self.gamma != "auto":
            return float(self.gamma)
        if self.kernel == "poly":
            return _inverse_power(root_mean_square_norm(landmarks), 2)
        m = landmarks.shape[0]
        if m < 2:
            return 1.0
        search = NeighborSearch(_METRICS[self.kernel], "exact")
        search.fit(landmarks.astype(np.float64))
        distance = float(search.nearest(default_n_neighbors(m)).distances.mean())
        if distance == 0.0:  # all are equal, and any gamma will do
            return 1.0
        # Neighbours are well inside the bandwidth, and what is twice as far is outside.
        bandwidth = 2.0 * distance
        return _inverse_power(bandwidth, 2 if self.kernel == "rbf" else 1)


def _inverse_power(size: float, power: int) -> float:
    """``size ** -power``, where numbers of full precision hold it."""
    gamma = float(np.float64(size) ** -power)
    if not np.finfo(np.float64).tiny <= gamma < np.inf:
        raise ValueError(
            f"gamma='auto' follows the size of the samples, and {size:.3g} is out of "
            "range for it. Scale the features first, for instance by MaxAbsScaler."
        )
    return gamma


@sums_may_overflow
def _unit_rows(X: Matrix) -> Matrix:
    """Rows of length 1; the largest entry, divided by first, may have no square."""
    unit = normalize(normalize(X, "max"))
    return sparse.csr_array(unit) if sparse.issparse(unit) else unit


def _whitening(K: np.ndarray) -> np.ndarray:
    """``U diag(eigenvalues)^-1/2`` of a positive semidefinite matrix."""
    factor = comfortable_factor(K)
    K = times(K, factor)
    values, vectors = eigenpairs((K + K.T) / 2, 0, len(K) - 1)
    least, largest = float(values[0]), max(float(values[-1]), 0.0)
    if least < -1e-6 * largest or largest == 0.0 > least:
        raise ValueError(
            "kernel is not positive semidefinite: its matrix has the eigenvalue "
            f"{least / factor:.3g} beside {largest / factor:.3g}. Give "
            "similarities that are not a kernel as a graph, with "
            "JointModel(graph='precomputed')."
        )
    kept = values > len(K) * np.finfo(np.float64).eps * largest
    if not kept.any():  # every feature is zero; one such feature is returned
        return np.zeros((len(K), 1))
    return vectors[:, kept] / np.sqrt(values[kept]) * np.sqrt(factor)


def _check_symmetric(K: Matrix) -> None:
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"kernel='precomputed' takes a square kernel matrix, but X has shape "
            f"{K.shape}. Give one row and one column for each sample."
        )
    factor = comfortable_factor(K)
    K = times(K, factor)  # the difference of two numbers may be larger than any
    differ = float(abs(K - K.T).max()) / factor
    if differ > 1e-5 * float(abs(K).max()) / factor:
        raise ValueError(
            "kernel='precomputed' takes a symmetric kernel matrix, but entries of X "
            f"differ from their mirror image by up to {differ:.3g}. Give (X + X.T) / 2."
        )
