"""Kernels as feature maps: the model sees phi(x) in the place of x."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import normalize
from sklearn.utils import check_random_state

from graphtailor.linalg.eigen import eigenpairs
from graphtailor.linalg.scaling import root_mean_square_norm
from graphtailor.models.samples import is_pairwise
from graphtailor.neighbors import default_n_neighbors
from graphtailor.representatives.rows import sample_rows

KERNELS = ("linear", "rbf", "poly", "cosine", "laplacian", "precomputed")
# With no more samples than this the map is exact; of more, so many are drawn.
LANDMARKS = 500
# Distances at which the kernels with a bandwidth fall off.
_METRICS = {"rbf": "euclidean", "laplacian": "manhattan"}
# Neighbours are well inside the bandwidth, and what is twice as far is outside.
_BANDWIDTHS_PER_NEIGHBOR = 2.0


class KernelMap:
    r"""Features whose inner products are the kernel.

    With landmarks z and the eigendecomposition :math:`K(Z, Z) = U \Lambda U^T`

    .. math:: \phi(x) = \Lambda^{-1/2} U^T K(Z, x)

    over the eigenvalues that are not zero [1]_. Where every sample is a landmark,
    :math:`\langle\phi(x_i), \phi(x_j)\rangle = K(x_i, x_j)` for all samples. Of more
    than 500 samples 500 are drawn at random. The cosine kernel needs no landmarks:
    its map divides each row by its length.

    It is computed in float64 and without the directions of zero eigenvalues, which
    scikit-learn's Nystroem divides by a small number instead.

    Parameters
    ----------
    kernel : {"rbf", "poly", "cosine", "laplacian", "precomputed"} or callable
        The kernel; a callable takes two samples.
    gamma : float or "auto"
        "auto" is :math:`1/(2\sigma)^2` for "rbf" and :math:`1/(2\sigma)` for
        "laplacian", with the mean Euclidean or Manhattan distance :math:`\sigma`
        between the landmarks and their p nearest ones, and one over the mean square
        length of the samples for "poly".
    degree, coef0 : float
        Of the kernel "poly".
    random_state : int, RandomState or None
        Draws the landmarks.

    Attributes
    ----------
    gamma_ : float or None
        As it was used.
    landmarks : {ndarray, csr_array} of shape (m, d) or ndarray of shape (m,)
        Landmarks; for "precomputed" their numbers.
    whitening : ndarray of shape (m, r), float64
        :math:`U \Lambda^{-1/2}`.

    References
    ----------
    .. [1] C. Williams, M. Seeger, "Using the Nyström Method to Speed Up Kernel
       Machines", Advances in Neural Information Processing Systems 13, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.metrics.pairwise import rbf_kernel
    >>> X = np.random.default_rng(0).normal(size=(20, 3))
    >>> features = KernelMap("rbf", gamma=0.5).fit(X).transform(X)
    >>> np.allclose(features @ features.T, rbf_kernel(X, gamma=0.5))
    True
    """

    def __init__(
        self,
        kernel: Any,
        gamma: float | str = "auto",
        degree: float = 3,
        coef0: float = 1,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.random_state = random_state

    def fit(self, X: Any) -> Self:
        """Choose the landmarks and gamma.

        Parameters
        ----------
        X : {ndarray, csr_array} of shape (n, d) or (n, n)
            Samples, or their kernel matrix for "precomputed".
        """
        self.gamma_ = None
        if self.kernel == "cosine":
            return self
        if self.kernel == "precomputed":
            _check_symmetric(X)
        chosen = np.arange(X.shape[0])
        if len(chosen) > LANDMARKS:
            chosen = sample_rows(
                len(chosen), LANDMARKS, check_random_state(self.random_state)
            )
        if self.kernel == "precomputed":
            self.landmarks, of_landmarks = chosen, X[chosen]
        else:
            self.landmarks = of_landmarks = X[chosen]
            self.gamma_ = self._choose_gamma(self.landmarks)
        self.whitening = _whitening(self._kernel_to_landmarks(of_landmarks))
        return self

    def transform(self, X: Any) -> Any:
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
        if self.kernel == "cosine":
            unit = normalize(X)
            return sparse.csr_array(unit) if sparse.issparse(unit) else unit
        features = self._kernel_to_landmarks(X) @ self.whitening
        return np.ascontiguousarray(features, dtype=X.dtype)

    def _kernel_to_landmarks(self, X: Any) -> np.ndarray:
        X = X.astype(np.float64)
        if self.kernel == "precomputed":
            K = X[:, self.landmarks]
            return K.toarray() if sparse.issparse(K) else K
        params = {}
        if not callable(self.kernel):
            params["gamma"] = self.gamma_
        if self.kernel == "poly":
            params.update(degree=self.degree, coef0=self.coef0)
        Z = self.landmarks.astype(np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            K = pairwise_kernels(X, Z, metric=self.kernel, **params)
        if not np.isfinite(K).all():
            raise ValueError(
                f"kernel={self.kernel!r} gives values that are not finite. Use "
                "scaling='maxabs', or another gamma."
            )
        return K

    def _choose_gamma(self, landmarks: Any) -> float | None:
        if callable(self.kernel):
            return None
        if self.gamma != "auto":
            return float(self.gamma)
        if self.kernel == "poly":
            return 1.0 / root_mean_square_norm(landmarks) ** 2
        m = landmarks.shape[0]
        if m < 2:
            return 1.0
        search = NearestNeighbors(
            n_neighbors=default_n_neighbors(m), metric=_METRICS[self.kernel]
        ).fit(landmarks)
        distance = float(search.kneighbors()[0].mean())
        if distance == 0.0:  # all are equal, and any gamma will do
            return 1.0
        bandwidth = _BANDWIDTHS_PER_NEIGHBOR * distance
        return float(1.0 / bandwidth ** (2 if self.kernel == "rbf" else 1))


def _whitening(K: np.ndarray) -> np.ndarray:
    """``U diag(eigenvalues)^-1/2`` of a positive semidefinite matrix."""
    values, vectors = eigenpairs((K + K.T) / 2, 0, len(K) - 1)
    largest = max(float(values[-1]), 0.0)
    if values[0] < -1e-6 * largest or largest == 0.0 > values[0]:
        raise ValueError(
            "kernel is not positive semidefinite: its matrix has the eigenvalue "
            f"{values[0]:.3g} beside {values[-1]:.3g}. Similarities that are no kernel "
            "can be given as a graph, with graph='precomputed'."
        )
    kept = values > len(K) * np.finfo(np.float64).eps * largest
    if not kept.any():  # all features are zero; there is one of them
        return np.zeros((len(K), 1))
    return vectors[:, kept] / np.sqrt(values[kept])


def _check_symmetric(K: Any) -> None:
    if K.shape[0] != K.shape[1]:
        raise ValueError(
            f"kernel='precomputed' takes a square kernel matrix, but X has shape "
            f"{K.shape}. Give one row and one column for each sample."
        )
    differ = float(abs(K - K.T).max())
    if differ > 1e-5 * float(abs(K).max()):
        raise ValueError(
            "kernel='precomputed' takes a symmetric kernel matrix, but entries of X "
            f"differ from their mirror image by up to {differ:.3g}. Give (X + X.T) / 2."
        )


def kernel_map_of(model: Any) -> KernelMap | None:
    """The map that an estimator's parameters ask for; None for none.

    Parameters
    ----------
    model : GraphTailor
        Its parameters are checked against each other.

    Returns
    -------
    KernelMap or None
        None for the linear kernel, whose map changes nothing.
    """
    if isinstance(model.kernel, str) and model.kernel == "linear":
        return None
    own_metric = isinstance(model.graph, str) and model.metric != "euclidean"
    if own_metric or is_pairwise(model.graph, model.metric):
        raise ValueError(
            f"kernel={model.kernel!r} maps samples and takes neighbours by its own "
            f"distance, but graph={model.graph!r} and metric={model.metric!r}. Use "
            "kernel='linear', or leave the other two as they are by default."
        )
    return KernelMap(
        model.kernel, model.gamma, model.degree, model.coef0, model.random_state
    )
