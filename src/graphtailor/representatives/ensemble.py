"""The anchors' graph made of many clusterings, for very many rows."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from graphtailor.graphs.ensemble.graph import EnsembleGraph
from graphtailor.graphs.weights import normalize_affinity
from graphtailor.models.joint_members import joint_fits
from graphtailor.representatives.graph import between


def ensemble_of_anchors(
    anchors: np.ndarray,
    shared: sparse.csr_array,
    *,
    n_clusters: int,
    seed: int,
    n_jobs: int | None = None,
) -> tuple[sparse.csr_array, np.ndarray]:
    """How often many clusterings of the anchors join them, weighed by their rows.

    The members see each anchor once: how many rows it stands for comes in afterwards,
    so that dense regions do not drown small clusters.

    Parameters
    ----------
    anchors : ndarray of shape (m, d)
        The anchors, two at least.
    shared : csr_array of shape (m, m)
        What each pair of anchors shares of the rows; its row sums are their masses.
    n_clusters : int
        Number of clusters.
    seed : int
        Seed of the members.
    n_jobs : int or None, default=None
        Threads; the graph does not depend on their number.

    Returns
    -------
    joined : csr_array of shape (m, m)
        In the place of `shared`. Rows of one anchor are always together.
    labels : ndarray of shape (m,)
        The cut of the anchors that agrees most with the members.
    """
    builder = EnsembleGraph(
        n_clusters, fits=joint_fits, random_state=seed, n_jobs=n_jobs
    ).fit(anchors)
    root = np.sqrt(np.asarray(shared.sum(axis=1)).ravel())
    joined = sparse.csr_array(builder.weights_ + sparse.eye_array(len(anchors)))
    # Normalised in between, so that an anchor's row sum stays near its mass.
    joined = between(normalize_affinity(between(joined, root)), root)
    joined.eliminate_zeros()
    return joined, builder.cuts_[0].labels
