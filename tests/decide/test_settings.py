"""Weights and diffusion without labels: what is tried, and which is taken."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from graphtailor import GraphTailor, NeighborGraph
from graphtailor.decide.settings import ALPHAS, DIFFUSIONS, most_agreed
from graphtailor.io.models import load_model, save_model
from graphtailor.models import selection

X, y = make_blobs(150, centers=4, cluster_std=2.5, random_state=0)


def pair_correlation(one, other):
    """Correlation of the two matrices of pairs, entry by entry."""
    pairs = np.triu_indices(len(one), 1)
    matrices = [(z[:, None] == z)[pairs].astype(float) for z in (one, other)]
    return np.corrcoef(matrices)[0, 1]


def test_the_medoid_by_brute_force():
    rng = np.random.default_rng(0)
    for _ in range(20):
        partitions = [rng.integers(0, 3, size=30) for _ in range(5)]
        best, agreement = most_agreed(partitions)
        expected = [
            np.mean([pair_correlation(a, b) for b in partitions]) for a in partitions
        ]
        np.testing.assert_allclose(agreement, expected, atol=1e-12)
        assert best == np.argmax(expected)


def test_all_settings_are_tried_and_the_most_agreed_is_taken():
    model = GraphTailor(4, graph="knn", random_state=0).fit(X)
    tried = model.selection_
    pairs = set(zip(tried["alpha"], tried["diffusion"], strict=True))
    assert pairs == {(a, d) for a in ALPHAS for d in DIFFUSIONS}
    assert (tried["beta"] == model.beta_).all()
    best = tried["agreement"].argmax()
    assert tried["agreement"].max() <= 1
    assert model.alpha_ == tried["alpha"][best]
    assert model.diffusion_ == tried["diffusion"][best]


def test_the_chosen_setting_alone_gives_the_same_clusters():
    model = GraphTailor(4, graph="knn", random_state=0, n_init=6).fit(X)
    alone = clone(model).set_params(alpha=model.alpha_, diffusion=model.diffusion_)
    np.testing.assert_array_equal(alone.fit(X).labels_, model.labels_)
    np.testing.assert_array_equal(alone.objective_, model.objective_)
    assert not hasattr(alone, "selection_")


def test_a_given_diffusion_is_kept():
    model = GraphTailor(4, diffusion=2, random_state=0).fit(X)
    assert set(model.selection_["diffusion"]) == {2} == {model.diffusion_}
    assert len(model.selection_["alpha"]) == len(ALPHAS)


@pytest.mark.parametrize(
    "params",
    [
        {"alpha": 100.0},
        {"solver": "multiplicative", "max_iter": 2000},
        {"beta": 1.0},
        {"init": y},
        {"graph": NeighborGraph(weights="binary")},
        {"tier": "anchors"},
        {"n_clusters": 1},
    ],
    ids=lambda params: next(iter(params)),
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_where_nothing_is_tried(params):
    model = GraphTailor(4, random_state=0).fit(X)
    model.set_params(**params).fit(X)
    assert not hasattr(model, "selection_")
    assert model.alpha_ == (0.0 if params.get("tier") == "anchors" else 100.0)


def test_nothing_is_tried_on_many_samples(monkeypatch):
    monkeypatch.setitem(selection.TRIED_UP_TO, "sparse", 100)
    model = GraphTailor(4, random_state=0).fit(X)
    plain = GraphTailor(4, alpha=100.0, beta=100.0, diffusion=0, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, plain.labels_)
    assert model.diffusion_ == 0


def test_a_warm_start_keeps_the_setting():
    model = GraphTailor(4, graph="knn", random_state=0, warm_start=True).fit(X)
    setting = (model.alpha_, model.diffusion_)
    labels = model.labels_
    model.fit(X)
    assert (model.alpha_, model.diffusion_) == setting
    np.testing.assert_array_equal(model.labels_, labels)


def test_threads_do_not_matter():
    one, two = (GraphTailor(4, random_state=3, n_jobs=k).fit(X) for k in (1, 2))
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(
        one.selection_["agreement"], two.selection_["agreement"]
    )


def test_a_saved_model_tells_its_selection(tmp_path):
    model = GraphTailor(4, random_state=0).fit(X)
    save_model(model, tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    assert (again.beta_, again.diffusion_) == (model.beta_, model.diffusion_)
    for key, values in model.selection_.items():
        np.testing.assert_array_equal(again.selection_[key], values)
    np.testing.assert_array_equal(again.predict(X + 0.01), model.predict(X + 0.01))


@pytest.mark.parametrize("seed", range(3))
def test_shapes_that_a_plain_graph_cuts(seed):
    """On so few samples no fit without diffusion finds all of them."""
    rings, truth = make_circles(200, factor=0.4, noise=0.05, random_state=seed)
    assert adjusted_rand_score(truth, _labels(rings)) == 1
    moons, truth = make_moons(200, noise=0.07, random_state=seed)
    assert adjusted_rand_score(truth, _labels(moons)) == 1


def _labels(points):
    return GraphTailor(2, random_state=0).fit(points).labels_
