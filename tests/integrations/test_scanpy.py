"""scanpy, on the 700 blood cells that it ships."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from graphtailor import GraphTailor

REASON = "NOT CHECKED with scanpy: `make test-integrations` installs it"
sc = pytest.importorskip("scanpy", reason=REASON)

import anndata  # noqa: E402

from graphtailor.scanpy import cluster  # noqa: E402 (needs pandas and anndata)

pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")


@pytest.fixture(scope="module")
def cells():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return sc.datasets.pbmc68k_reduced()


@pytest.fixture(scope="module")
def model(cells):
    return GraphTailor(scaling=None, random_state=0).fit(cells.obsm["X_pca"])


@pytest.fixture(scope="module")
def clustered(cells):
    return cluster(cells, copy=True)


def test_labels_certainty_and_memberships(model, clustered):
    found = clustered.obs["graphtailor"]
    assert found.dtype == "category"
    assert list(found.cat.categories) == [str(k) for k in range(model.n_clusters_)]
    np.testing.assert_array_equal(found.astype(int), model.labels_)
    certainty = clustered.obs["graphtailor_certainty"]
    np.testing.assert_array_equal(certainty, model.probabilities_)
    np.testing.assert_array_equal(clustered.obsm["X_graphtailor"], model.indicator_)


def test_clusters_are_kinds_of_cells(cells, clustered):
    """About as well as scanpy's own, which come with the data."""
    kinds = cells.obs["bulk_labels"]
    found, theirs = (
        adjusted_rand_score(kinds, clustered.obs[key])
        for key in ("graphtailor", "louvain")
    )
    assert found > theirs - 0.1


def test_the_graph_is_the_learned_one(cells, model, clustered):
    W = clustered.obsp["graphtailor_connectivities"]
    assert W.shape == (700, 700)
    assert W.data.min() > 0
    assert W.data.max() == 1
    assert abs(W - W.T).max() < 1e-12
    where = model.representatives_.memberships(cells.obsm["X_pca"]).nearest[:, 0]
    i, j = W.nonzero()
    learned = model.affinity_matrix_[where[i], where[j]]
    np.testing.assert_allclose(W[i, j].A1, learned / model.affinity_matrix_.max())
    D = clustered.obsp["graphtailor_distances"]
    steps = cells.obsm["X_pca"][i] - cells.obsm["X_pca"][j]
    np.testing.assert_allclose(D[i, j].A1, np.linalg.norm(steps, axis=1), rtol=1e-5)


def test_umap_and_leiden_run_on_the_learned_graph(clustered):
    adata = clustered.copy()
    sc.tl.umap(adata, neighbors_key="graphtailor", maxiter=20)
    assert np.isfinite(adata.obsm["X_umap"]).all()
    pytest.importorskip("igraph", reason=REASON)
    sc.tl.leiden(adata, neighbors_key="graphtailor", flavor="igraph", n_iterations=2)
    agreement = adjusted_rand_score(adata.obs["leiden"], adata.obs["graphtailor"])
    # Leiden chooses a number of clusters of its own.
    assert agreement > 0.3


def test_cells_beyond_the_representatives_have_a_graph_of_their_own(cells):
    adata = cluster(cells, 5, representatives=200, key_added="anchored", copy=True)
    W = adata.obsp["anchored_connectivities"]
    assert W.shape == (700, 700)
    assert adata.uns["anchored"]["connectivities_key"] == "anchored_connectivities"
    labels = adata.obs["anchored"].to_numpy()
    i, j = W.nonzero()
    within = W.data[labels[i] == labels[j]].sum() / W.data.sum()
    assert within > 0.8


def test_results_survive_a_file(clustered, tmp_path):
    clustered.write_h5ad(tmp_path / "cells.h5ad")
    again = sc.read_h5ad(tmp_path / "cells.h5ad")
    assert again.uns["graphtailor"]["params"]["use_rep"] == "X_pca"
    assert again.obs["graphtailor"].equals(clustered.obs["graphtailor"])


def test_settings_have_the_names_of_scanpy_s_own(cells, clustered):
    theirs = sc.pp.neighbors(cells, copy=True, use_rep="X_pca").uns["neighbors"]
    ours = clustered.uns["graphtailor"]
    assert set(ours) == set(theirs)
    assert set(ours["params"]) == set(theirs["params"])


def test_counts_as_they_are_in_any_place(cells):
    counts = cells.raw.to_adata()[::3].copy()
    assert sparse.issparse(counts.X)
    counts.obsm["sparse"] = counts.X
    counts.obsm["frame"] = counts.to_df()
    found = [
        cluster(counts, 4, use_rep=place, copy=True).obs["graphtailor"].astype(int)
        for place in ("X", "sparse", "frame")
    ]
    np.testing.assert_array_equal(found[0], found[1])
    assert adjusted_rand_score(found[0], found[2]) > 0.9


def test_equal_cells_are_joined(cells):
    twice = anndata.AnnData(np.repeat(cells.obsm["X_pca"][:60], 2, axis=0))
    cluster(twice, 3, use_rep="X")
    W = twice.obsp["graphtailor_connectivities"].toarray()
    np.testing.assert_allclose(np.diag(W, 1)[::2], W.max(axis=1)[::2])


def test_a_copy_leaves_the_cells_alone(cells):
    assert "graphtailor" not in cells.obs
    assert "graphtailor" not in cells.uns


def test_features_that_are_not_there_are_named(cells):
    with pytest.raises(KeyError, match=r"use_rep='X_scvi' is not in adata.obsm"):
        cluster(cells, use_rep="X_scvi")
    with pytest.raises(TypeError, match=r"adata is a ndarray.*GraphTailor"):
        cluster(cells.obsm["X_pca"])


def test_fit_says_how_an_anndata_is_clustered(cells):
    with pytest.raises(TypeError, match=r"graphtailor\.scanpy\.cluster\(adata\)"):
        GraphTailor().fit(cells)
