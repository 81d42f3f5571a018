"""Clusters of single cells: an AnnData in, labels and the learned graph written to it.

It needs scanpy's AnnData alone, which the extra ``graphtailor[scanpy]`` installs.
"""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from scipy import sparse

from graphtailor.graphs import NeighborGraph
from graphtailor.linalg.sparse import with_data
from graphtailor.linalg.types import MatrixLike
from graphtailor.models import GraphTailor
from graphtailor.models.learned_graph import graph_of_rows

if TYPE_CHECKING:
    from anndata import AnnData


def cluster(
    adata: AnnData,
    n_clusters: int | str = "auto",
    *,
    use_rep: str = "X_pca",
    key_added: str = "graphtailor",
    random_state: Any = 0,
    n_jobs: int | None = None,
    copy: bool = False,
    **params: Any,
) -> AnnData | None:
    """Cluster the cells of an AnnData and write the result where scanpy looks for it.

    Parameters
    ----------
    adata : AnnData of shape (n, d)
        Cells.
    n_clusters : int or "auto", default="auto"
        Number of clusters.
    use_rep : str, default="X_pca"
        Features of the cells: a key of ``adata.obsm``, or "X" for ``adata.X``.
    key_added : str, default="graphtailor"
        Where the results go; see Notes.
    random_state : int, RandomState or None, default=0
        Seed.
    n_jobs : int or None, default=None
        Threads.
    copy : bool, default=False
        Whether to leave `adata` alone and return a copy with the results.
    **params : dict
        Further parameters of :class:`~graphtailor.GraphTailor`. Features of `use_rep`
        are not scaled unless `scaling` says so, because principal components come in
        one unit.

    Returns
    -------
    AnnData or None
        The copy, if one is asked for.

    Notes
    -----
    These are written, with the default key:

    - ``obs["graphtailor"]``: the cluster of each cell, a category "0", "1", ...;
    - ``obs["graphtailor_certainty"]``: how surely the cell belongs to it;
    - ``obsm["X_graphtailor"]``: the memberships of each cell in all clusters;
    - ``obsp["graphtailor_connectivities"]`` and ``obsp["graphtailor_distances"]``: the
      learned graph and the distances along its edges, with their names and settings in
      ``uns["graphtailor"]``, so that ``sc.tl.umap(adata,
      neighbors_key="graphtailor")`` and ``sc.tl.leiden`` run on it.

    Up to `representatives` cells the graph is the learned one. Beyond that it is
    learned on anchors: cells are then joined to their nearest neighbours, and the
    weight of an edge is multiplied by the product of the memberships at its ends.
    """
    adata = adata.copy() if copy else adata
    X = _features(adata, use_rep)
    settings = {"scaling": None, "random_state": random_state, "n_jobs": n_jobs}
    model = GraphTailor(n_clusters, **(settings | params)).fit(X)
    W = _graph_of_cells(model, X)
    names = [str(k) for k in range(model.n_clusters_)]
    labels = pd.Categorical.from_codes(model.labels_, names)
    adata.obs[key_added] = labels.remove_unused_categories()
    adata.obs[f"{key_added}_certainty"] = model.probabilities_
    adata.obsm[f"X_{key_added}"] = model.indicator_
    graphs = {"connectivities": W, "distances": _distances(W, X)}
    for what, graph in graphs.items():
        adata.obsp[f"{key_added}_{what}"] = sparse.csr_matrix(graph)
    keys = {f"{what}_key": f"{key_added}_{what}" for what in graphs}
    p = max(int(np.median(np.diff(W.indptr))), 1)  # neighbours of a cell in the middle
    used = {"n_neighbors": p, "metric": model.metric, "use_rep": use_rep}
    if isinstance(random_state, Integral):
        used["random_state"] = random_state
    # scanpy warns of a method that it does not know.
    adata.uns[key_added] = {**keys, "params": {"method": "umap", **used}}
    return adata if copy else None


def _features(adata: AnnData, use_rep: str) -> Any:
    if not hasattr(adata, "obsm"):
        raise TypeError(
            f"adata is a {type(adata).__name__}, and cluster takes an AnnData. For an "
            "array or a table use GraphTailor(scaling=None).fit(X)."
        )
    if use_rep == "X":
        return adata.X
    if use_rep not in adata.obsm:
        known = ", ".join(map(repr, adata.obsm)) or "empty"
        raise KeyError(
            f"use_rep={use_rep!r} is not in adata.obsm ({known}). Run sc.pp.pca(adata) "
            "first, or use use_rep='X' for adata.X."
        )
    X = adata.obsm[use_rep]
    return X if sparse.issparse(X) else np.asarray(X)


def _graph_of_cells(model: GraphTailor, X: MatrixLike) -> sparse.csr_array:
    if model.decision_.every_row:
        W = graph_of_rows(model)
    else:
        W = NeighborGraph(n_jobs=model.n_jobs).fit(X).affinity_.tocoo()
        V = model.indicator_
        W.data = W.data * np.einsum("ij,ij->i", V[W.row], V[W.col])
    W = sparse.csr_array(W)
    W.eliminate_zeros()
    # scanpy expects weights up to 1.
    return with_data(W, W.data / max(W.data.max(initial=0.0), np.finfo(W.dtype).tiny))


def _distances(W: sparse.csr_array, X: Any) -> sparse.csr_array:
    edges = W.tocoo()
    steps = X[edges.row] - X[edges.col]
    if sparse.issparse(steps):
        steps = steps.toarray()
    lengths = np.sqrt(np.square(steps).sum(axis=1))
    return sparse.csr_array((lengths, (edges.row, edges.col)), shape=W.shape)
