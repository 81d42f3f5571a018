"""Robust subspace segmentation: representation and affinity learned together."""

import numpy as np
from scipy import sparse
from sklearn.utils._param_validation import StrOptions

from graphtailor.baselines._base import BaseClusterer, SpectralMixin
from graphtailor.baselines._parameters import clusterer
from graphtailor.baselines._readout import directions
from graphtailor.baselines._rss_solver import (
    sparse_error_representation,
    squared_error_representation,
)
from graphtailor.baselines.lrr import absolute_affinity
from graphtailor.graphs import symmetrize
from graphtailor.linalg.sparse import row_index, with_data
from graphtailor.linalg.types import ABOVE_0, Matrix, MatrixLike


@clusterer(t=ABOVE_0, loss=[StrOptions({"l1", "fro"})])
class RSSA(SpectralMixin, BaseClusterer):
    r"""Robust subspace segmentation, read from the affinity of representations.

    The samples are represented by each other, and neighbouring representations
    are drawn together by an affinity that is learned with them,

    .. math:: \min_{C, E, A} \|E\|_1 + t \|C\|_F^2
              + t \Bigl(\sum_{ij} \|c_i - c_j\|^2 a_{ij}
              + \sum_i \xi_i \|a_i\|^2\Bigr)

    s.t. :math:`X = C X + E`, :math:`\operatorname{diag} C = 0`, and rows of
    :math:`A` on the simplex with :math:`a_{ii} = 0`; :math:`\xi_i` is such that
    each row of :math:`A` keeps `n_neighbors` entries. Spectral clustering of
    :math:`(A + A^\top) / 2` gives the clusters.

    Parameters
    ----------
    t : float, default=1
        Weight of the size and of the smoothness of the representation.
    n_neighbors : int or "auto", default="auto"
        Neighbours of a representation; "auto" is
        :math:`\lfloor \log_2 n + 1 \rfloor`. The author's 3 often leaves many more
        components than clusters.
    loss : {"l1", "fro"}, default="l1"
        Entrywise absolute error, or :math:`\|E\|_F^2` without the constraint on
        the diagonal, which alternates between two closed forms.
    tol : float, default=1e-4
        Stop when the constraints hold to this accuracy in every entry, and no
        entry moves by more.

    Attributes
    ----------
    representation_ : ndarray of shape (n_samples, n_samples)
        :math:`C`; row i holds the coefficients of sample i.
    neighbor_weights_ : csr_array of shape (n_samples, n_samples)
        :math:`A`.
    error_ : ndarray of shape (n_samples, n_features)
        :math:`E = X - C X`, of the samples as they were scaled.
    affinity_matrix_ : csr_array or ndarray of shape (n_samples, n_samples)
        The affinity that was cut.
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Its spectral embedding.
    objective_ : ndarray of shape (n_iter_,)
        Value after each iteration. The problem is not convex, and :math:`\xi_i`
        changes: it need not fall.

    See Also
    --------
    RSSR : Reads the clusters from the representation.
    RSSAR : Reads them from the product of both.

    Notes
    -----
    The model is a reconstruction from the published description: the core of the
    author's program is encrypted, and its demo passes a third weight and the number of
    clusters, which this model does not have. Scores of this class are no comparison
    with his program.

    An iteration takes :math:`n^3` operations for the distances, :math:`O(n^2 d)` for
    the representation, and sparse solves for n right-hand sides.

    References
    ----------
    X. Guo, Robust Subspace Segmentation by Simultaneously Learning Data
    Representations and Their Affinity Matrix, IJCAI 2015.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.baselines import RSSA
    >>> rng = np.random.default_rng(0)
    >>> X = np.kron(np.eye(2), np.ones((10, 3))) + 0.1 * rng.random((20, 6))
    >>> RSSA(2, n_neighbors=5, random_state=0).fit_predict(X)
    array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
          dtype=int32)
    """

    t: float = 1.0
    n_neighbors: int | str = "auto"
    loss: str = "l1"
    normalize_samples: bool = True
    max_iter: int = 400
    tol: float = 1e-4

    _dense_arrays = (15.0, 9.5)

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X, dense=True)
        dtype, X = X.dtype, X.astype(np.float64)
        X = directions(X) if self.normalize_samples else X
        solve = (
            sparse_error_representation
            if self.loss == "l1"
            else squared_error_representation
        )
        k = self._number_of_neighbors(X.shape[0])
        # A feature that is 0 in all samples plays no part.
        used = X.any(axis=0) | (not X.any())
        kept, t = X[:, used], self.t
        result = solve(kept, t, t, k, tol=self.tol, max_iter=self.max_iter)
        self.neighbor_weights_ = result.affinity
        affinity = self._affinity(result.representation, result.affinity)
        labels = self._cut(affinity, dtype)
        self.representation_ = result.representation.astype(dtype, copy=False)
        self.error_ = np.zeros(X.shape, dtype=dtype)
        self.error_[:, used] = result.error
        self._finish(labels, result.objective, converged=result.converged)

    @staticmethod
    def _affinity(C: np.ndarray, A: sparse.csr_array) -> Matrix:
        return symmetrize(A, "average")


class RSSR(RSSA):
    r"""Robust subspace segmentation, read from the representation.

    The optimisation, the parameters and the attributes are those of
    :class:`RSSA`; the affinity that is cut is :math:`|C| + |C|^\top`.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.baselines import RSSR
    >>> X = np.array([[1.0, 0], [2, 0], [3, 0], [0, 1], [0, 2], [0, 3]])
    >>> RSSR(2, random_state=0).fit_predict(X)
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    @staticmethod
    def _affinity(C: np.ndarray, A: sparse.csr_array) -> Matrix:
        return absolute_affinity(C)


class RSSAR(RSSA):
    r"""Robust subspace segmentation, read from affinity and representation.

    The optimisation, the parameters and the attributes are those of
    :class:`RSSA`; the affinity that is cut is :math:`B + B^\top` with
    :math:`b_{ij} = |a_{ij} c_{ij}|`.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.baselines import RSSAR
    >>> rng = np.random.default_rng(0)
    >>> X = np.kron(np.eye(2), np.ones((10, 3))) + 0.1 * rng.random((20, 6))
    >>> RSSAR(2, n_neighbors=5, random_state=0).fit_predict(X)
    array([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
          dtype=int32)
    """

    @staticmethod
    def _affinity(C: np.ndarray, A: sparse.csr_array) -> Matrix:
        B = with_data(A, np.abs(A.data * C[row_index(A), A.indices]))
        return sparse.csr_array(B + B.T)
