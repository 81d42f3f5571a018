"""SymNMF of the L2-Graph."""

from scipy import sparse

from graphtailor.baselines._parameters import clusterer
from graphtailor.baselines.l2graph import L2_PARAMETERS, l2_affinity, l2_bytes
from graphtailor.baselines.symnmf import SOLVERS, GraphFactorization
from graphtailor.graphs import normalize_affinity
from graphtailor.linalg.types import MatrixLike


@clusterer(**L2_PARAMETERS, solver=SOLVERS)
class L2SymNMF(GraphFactorization):
    r"""Symmetric nonnegative matrix factorisation of the L2-Graph.

    The affinity :math:`A` of :class:`L2Graph` is normalised by its degrees,
    :math:`W_A = D^{-1/2} A D^{-1/2}`, and factored as in :class:`SymNMF`,

    .. math:: \min_{V \ge 0} \|W_A - V V^\top\|_F^2 ;

    the label of a sample is the largest entry in its row of :math:`V`. The graph
    is learned first and the clusters second: what joint learning improves on.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters. One may end up empty.
    lam : float, default=1
        Weight of the ridge. It is measured in squares of `X`: for :math:`tX` the
        same result needs :math:`t^2 \lambda`.
    n_neighbors : int, "auto" or None, default="auto"
        Entries kept for a sample; "auto" is
        :math:`\lfloor \log_2 n + 1 \rfloor`, None keeps all.
    solver : {"cd", "mu"}, default="cd"
        Coordinate descent or multiplicative updates.
    tol : float, default=1e-4
        Stop when no entry of :math:`V` changes by more.
    random_state : int, RandomState or None, default=None
        Seed of the first :math:`V`.

    Attributes
    ----------
    indicator_ : ndarray of shape (n_samples, n_clusters)
        :math:`V`.
    affinity_matrix_ : csr_array or ndarray of shape (n_samples, n_samples)
        :math:`A`; dense if `n_neighbors` is None.
    objective_ : ndarray of shape (n_iter_ + 1,)
        Value at the start and after each iteration; it never rises.

    Notes
    -----
    :math:`O(n d^2 + n^2 d)`, or :math:`O(n^3)` if there are more features than
    samples, then :math:`O(n p c + n c^2)` an iteration.

    References
    ----------
    Y. Jia, H. Liu, J. Hou, S. Kwong, Clustering-aware Graph Construction: A Joint
    Learning Perspective, IEEE Trans. Signal and Information Processing over
    Networks, 2020 (as a baseline).

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from graphtailor.baselines import L2SymNMF
    >>> X = load_wine().data
    >>> model = L2SymNMF(3, random_state=0).fit(X / X.max(axis=0))
    >>> model.indicator_.shape, model.affinity_matrix_.shape
    ((178, 3), (178, 178))
    """

    lam: float = 1.0
    n_neighbors: int | str | None = "auto"
    normalize_samples: bool = False
    solver: str = "cd"
    max_iter: int = 500
    tol: float = 1e-4

    def _bytes_needed(self, n: int, d: int) -> float:
        return l2_bytes(n, d, self.n_neighbors)

    def _fit(self, X: MatrixLike) -> None:
        X = self._validate(X, dense=True)
        self.affinity_matrix_, _ = l2_affinity(
            X, self.lam, self.n_neighbors, self.normalize_samples
        )
        W = sparse.csr_array(normalize_affinity(self.affinity_matrix_))
        self._take_factors(W, X.dtype)
