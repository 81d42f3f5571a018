"""The number of clusters from the graph: right where it is clear, never a crash."""

import numpy as np
import pytest
from scipy import sparse
from scipy.linalg import block_diag
from scipy.spatial.distance import cdist, pdist
from sklearn.datasets import make_circles, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.utils.estimator_checks import parametrize_with_checks

from graphtailor import GraphTailor, NeighborGraph
from graphtailor.decide.n_clusters import choose_n_clusters, relative_gaps
from graphtailor.models import n_clusters


@parametrize_with_checks(
    [GraphTailor("auto", n_init=3)],
    expected_failed_checks=lambda _: dict.fromkeys(
        ("check_estimator_sparse_array", "check_estimator_sparse_matrix"),
        "takes two columns for granted where memberships are predicted",
    ),
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def blobs(c, d, seed, sizes=None, widths=1.0):
    """Gaussian clusters, no two centres nearer than eight deviations."""
    rng = np.random.default_rng(seed)
    centres = np.zeros((c, d))
    box = 8.0
    while pdist(centres).min() < 8:
        box *= 1.02
        centres = rng.uniform(-box, box, size=(c, d))
    y = np.repeat(np.arange(c), np.full(c, 50) if sizes is None else sizes)
    return centres[y] + rng.normal(size=(len(y), d)) * np.resize(widths, c)[y, None], y


def chosen(X, **params):
    return choose_n_clusters(GraphTailor("auto", random_state=0, **params), X)[0]


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("d", [2, 8])
@pytest.mark.parametrize("c", [2, 3, 5, 8, 12])
def test_blobs_are_counted(c, d, seed):
    assert chosen(blobs(c, d, seed)[0]) == c
    sizes = np.geomspace(30, 300, c).astype(int)
    assert chosen(blobs(c, d, seed, sizes)[0]) == c
    assert chosen(blobs(c, d, seed, widths=np.geomspace(0.4, 1.2, c))[0]) == c


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n", [200, 500])
def test_moons_and_rings_are_counted(n, seed):
    assert chosen(make_moons(n, noise=0.07, random_state=seed)[0]) == 2
    rings = make_circles(n, factor=0.4, noise=0.05, random_state=seed)[0]
    assert chosen(rings) == 2


def test_the_gap_of_two_scales():
    """By hand: rates 0, 0.01, 0.02, 0.5, 0.6 with 1e-4 added."""
    found = relative_gaps(np.array([1.0, 0.99, 0.98, 0.5, 0.4]))
    by_hand = [
        (1 - 0.0101 / 0.0201) * 1.5**0.28,
        (1 - 0.0201 / 0.5001) * 2.5**0.28,
        (1 - 0.5001 / 0.6001) * 3.5**0.28,
    ]
    np.testing.assert_allclose(found, by_hand)


def test_separate_parts_of_a_graph_are_counted():
    """Complete graphs: every eigenvalue is known, 1 for each part."""
    parts = [np.ones((size, size)) for size in (30, 40, 50, 60)]
    A = sparse.csr_array(block_diag(*parts))
    model = GraphTailor("auto", graph="precomputed", random_state=0).fit(A)
    assert model.n_clusters_ == 4
    path = model.n_clusters_path_
    np.testing.assert_allclose(path["eigenvalue"][:3], 1)
    assert (path["eigenvalue"][3:] < 0).all()
    assert path["score"].argmax() == 2
    assert len(set(model.labels_)) == 4


@pytest.mark.parametrize("tier", ["full", "sparse", "anchors"])
def test_every_tier(tier):
    X, y = blobs(4, 3, 0)
    model = GraphTailor("auto", tier=tier, random_state=0).fit(X)
    assert model.n_clusters == "auto"
    assert model.n_clusters_ == 4
    assert model.indicator_.shape == (200, 4)
    assert adjusted_rand_score(y, model.labels_) == 1
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    path = model.n_clusters_path_
    numbers = path["n_clusters"]
    assert numbers[0] == 2
    assert numbers[path["score"].argmax()] == 4
    assert (np.diff(path["eigenvalue"]) <= 1e-12).all()


@pytest.mark.parametrize(
    "as_what", ["samples", "float32", "sparse", "distances", "kernel"]
)
def test_every_kind_of_input(as_what):
    X, _ = blobs(5, 2, 1)
    X = X - X.min() + 1
    params, given = {
        "samples": ({}, X),
        "float32": ({}, X.astype(np.float32)),
        "sparse": ({}, sparse.csr_array(X)),
        "distances": ({"metric": "precomputed"}, cdist(X, X)),
        "kernel": ({"kernel": "precomputed"}, rbf_kernel(X, gamma=0.5)),
    }[as_what]
    assert chosen(given, **params) == 5


@pytest.mark.parametrize(
    "params",
    [
        {"kernel": "rbf"},
        {"metric": "manhattan"},
        {"n_neighbors": 12},
        {"graph": NeighborGraph(weights="binary")},
        {"graph": NeighborGraph(bandwidth="local")},
        {"scaling": "standard"},
        {"diffusion": 8},
    ],
    ids=str,
)
def test_every_graph(params):
    X, _ = blobs(5, 3, 2)
    assert (
        GraphTailor("auto", random_state=0, n_init=3, **params).fit(X).n_clusters_ == 5
    )


def test_a_sample_will_do(monkeypatch):
    monkeypatch.setattr(n_clusters, "SAMPLE_SIZE", 300)
    X, _ = blobs(5, 2, 0, sizes=[100, 200, 300, 400, 500])
    for given, params in ((X, {}), (cdist(X, X), {"metric": "precomputed"})):
        model = GraphTailor("auto", random_state=0, **params)
        found, path = choose_n_clusters(model, given)
        again, same = choose_n_clusters(model, given)
        assert found == again == 5
        np.testing.assert_array_equal(path["score"], same["score"])
        assert path["n_clusters"][-1] == 300 // (2 * 9)


def test_no_more_than_forty_and_no_smaller_than_two_neighborhoods():
    rng = np.random.default_rng(0)
    few = choose_n_clusters(GraphTailor("auto"), rng.normal(size=(100, 2)))[1]
    assert few["n_clusters"][-1] == 100 // (2 * 7)
    many = choose_n_clusters(GraphTailor("auto"), rng.normal(size=(1500, 2)))[1]
    assert many["n_clusters"][-1] == 40


HARD = {
    "one sample": np.ones((1, 2)),
    "two samples": np.eye(2),
    "three samples": np.eye(3),
    "all equal": np.ones((30, 3)),
    "two different": np.repeat(np.eye(2), 20, axis=0),
    "three different": np.repeat(np.eye(3), 20, axis=0),
    "zeros": np.zeros((20, 2)),
    "orthogonal": np.eye(40),
    "line": np.linspace(0, 1, 60)[:, None],
    "no clusters": np.random.default_rng(0).normal(size=(200, 5)),
    "outlier": np.r_[np.random.default_rng(0).normal(size=60), 1e9][:, None],
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("case", HARD)
@pytest.mark.parametrize("graph", ["knn", NeighborGraph(radius=1e-6)], ids=str)
def test_hard_inputs(case, graph):
    X = HARD[case]
    model = GraphTailor("auto", graph=graph, n_init=2, random_state=0).fit(X)
    different = len(np.unique(X, axis=0))
    assert 1 <= model.n_clusters_ <= different
    assert (model.n_clusters_ == 1) == (different == 1 or len(X) < 3)
    assert model.labels_.max() < model.n_clusters_
    assert len(model.n_clusters_path_["score"]) == len(
        model.n_clusters_path_["n_clusters"]
    )
    assert np.isfinite(model.n_clusters_path_["score"]).all()


def test_a_number_is_kept_as_it_is():
    X, _ = blobs(4, 2, 0)
    model = GraphTailor(3, random_state=0).fit(X)
    assert model.n_clusters_ == 3
    assert not hasattr(model, "n_clusters_path_")
    auto = GraphTailor("auto", random_state=0).fit(X)
    four = GraphTailor(4, random_state=0).fit(X)
    assert auto.indicator_.tobytes() == four.indicator_.tobytes()


def test_a_warm_start_keeps_its_number():
    X, _ = blobs(4, 2, 0)
    model = GraphTailor("auto", warm_start=True, random_state=0).fit(X)
    model.fit(X + np.random.default_rng(0).normal(scale=0.1, size=X.shape))
    assert model.n_clusters_ == 4
    assert [start.kind for start in model.starts_] == ["warm"]


def test_starts_of_the_users_own_have_a_number():
    X, y = blobs(3, 2, 0)
    with pytest.raises(ValueError, match=r"n_clusters='auto'.*init is an array"):
        GraphTailor("auto", init=y).fit(X)


@pytest.mark.parametrize("value", ["many", 0, 2.5, None])
def test_bad_numbers_are_named(value):
    with pytest.raises(ValueError, match="n_clusters"):
        GraphTailor(value).fit(np.eye(9))


def test_dask_collections_need_a_number():
    da = pytest.importorskip("dask.array")
    with pytest.raises(ValueError, match=r"n_clusters='auto'.*Dask.*n_clusters_"):
        GraphTailor("auto").fit(da.ones((20, 2)))
