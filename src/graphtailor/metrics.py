"""Agreement between a clustering and the true classes.

All four scores depend on the two partitions only, not on how the clusters and the
classes are named, and larger is better. With ``N[k, j]`` the number of samples that
fall in cluster ``k`` and class ``j``, the number of clusters need not equal the
number of classes.
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.metrics.cluster import contingency_matrix
from sklearn.utils import assert_all_finite, column_or_1d

__all__ = [
    "adjusted_rand_score",
    "clustering_accuracy",
    "clustering_scores",
    "normalized_mutual_info",
    "purity",
]


def _check_labels(argument: str, values: ArrayLike) -> np.ndarray:
    """Return a labeling as a non-empty vector."""
    try:
        vector: np.ndarray = column_or_1d(values)
    except ValueError as error:
        raise ValueError(
            f"{argument} must hold one label for each sample: {error}"
        ) from error
    if vector.size == 0:
        raise ValueError(f"{argument} is empty; at least one sample is needed")
    assert_all_finite(vector, input_name=argument)
    return vector


def _check_labelings(
    y_true: ArrayLike, labels: ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    """Return both labelings as vectors of one common, positive length."""
    classes, clusters = _check_labels("y_true", y_true), _check_labels("labels", labels)
    if classes.size != clusters.size:
        raise ValueError(
            "y_true and labels must have the same length, "
            f"got {classes.size} and {clusters.size}"
        )
    return classes, clusters


def clustering_accuracy(y_true: ArrayLike, labels: ArrayLike) -> float:
    r"""Share of samples that the best naming of the clusters gets right (ACC).

    .. math:: \mathrm{ACC} = \frac1n \max_{\pi} \sum_k N_{k, \pi(k)}

    where :math:`\pi` matches clusters to classes one to one. When there are more
    clusters than classes (or fewer), those left without a partner count as wrong.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True classes, numbers or strings.
    labels : array-like of shape (n_samples,)
        Clusters found.

    Returns
    -------
    float
        Accuracy in (0, 1].

    Examples
    --------
    >>> from graphtailor.metrics import clustering_accuracy
    >>> clustering_accuracy(["a", "a", "b", "b"], [1, 1, 0, 1])
    0.75
    """
    classes, clusters = _check_labelings(y_true, labels)
    counts = contingency_matrix(classes, clusters)
    matched = linear_sum_assignment(counts, maximize=True)
    return float(counts[matched].sum() / clusters.size)


def normalized_mutual_info(y_true: ArrayLike, labels: ArrayLike) -> float:
    r"""Mutual information of clusters and classes, as a share of their entropy (NMI).

    .. math:: \mathrm{NMI} = \frac{I(y; \ell)}{\max\{H(y), H(\ell)\}}

    Two constant labelings agree, and score 1. The literature on graph clustering
    divides by the larger entropy [1]_; what divides by their mean, the default of
    :func:`sklearn.metrics.normalized_mutual_info_score`, is never smaller.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True classes, numbers or strings.
    labels : array-like of shape (n_samples,)
        Clusters found.

    Returns
    -------
    float
        Score in [0, 1].

    References
    ----------
    .. [1] D. Cai, X. He, J. Han, "Document clustering using locality preserving
       indexing", IEEE Trans. Knowledge and Data Engineering 17(12), 2005.

    Examples
    --------
    >>> from graphtailor.metrics import normalized_mutual_info
    >>> y_true, labels = [0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 1]
    >>> round(normalized_mutual_info(y_true, labels), 4)
    0.5794
    """
    both = _check_labelings(y_true, labels)
    score = normalized_mutual_info_score(*both, average_method="max")
    # Rounding can carry the ratio of two sums of logarithms just past its bound.
    return float(min(score, 1.0))


def purity(y_true: ArrayLike, labels: ArrayLike) -> float:
    r"""Share of samples that belong to the commonest class of their cluster (PUR).

    .. math:: \mathrm{PUR} = \frac1n \sum_k \max_j N_{k, j}

    It is never below the accuracy, and grows with the number of clusters.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True classes, numbers or strings.
    labels : array-like of shape (n_samples,)
        Clusters found.

    Returns
    -------
    float
        Purity in (0, 1].

    Examples
    --------
    >>> from graphtailor.metrics import purity
    >>> purity([0, 0, 1, 1], [0, 1, 2, 2])
    1.0
    """
    classes, clusters = _check_labelings(y_true, labels)
    counts = contingency_matrix(classes, clusters, sparse=True)
    return float(counts.max(axis=0).sum() / clusters.size)


def clustering_scores(y_true: ArrayLike, labels: ArrayLike) -> dict[str, float]:
    """Accuracy, mutual information, purity and adjusted Rand index in one go.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        True classes, numbers or strings.
    labels : array-like of shape (n_samples,)
        Clusters found.

    Returns
    -------
    dict of str to float
        Keys ``"ACC"``, ``"NMI"`` (divided by the larger entropy), ``"PUR"`` and
        ``"ARI"``.

    Examples
    --------
    >>> from graphtailor.metrics import clustering_scores
    >>> clustering_scores([0, 0, 1, 1], [1, 1, 0, 0])
    {'ACC': 1.0, 'NMI': 1.0, 'PUR': 1.0, 'ARI': 1.0}
    """
    classes, clusters = _check_labelings(y_true, labels)
    return {
        "ACC": clustering_accuracy(classes, clusters),
        "NMI": normalized_mutual_info(classes, clusters),
        "PUR": purity(classes, clusters),
        "ARI": float(adjusted_rand_score(classes, clusters)),
    }
