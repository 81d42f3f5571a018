"""Which tier a fit takes, and what all tiers promise."""

import logging

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from graphtailor import GraphTailor, NeighborGraph
from graphtailor.decide.tiers import TIERS, choose_tier
from graphtailor.models import tiers

every_tier = pytest.mark.parametrize("tier", TIERS)


def blobs(n=150, seed=1, std=0.8):
    return make_blobs(n, centers=3, n_features=6, random_state=seed, cluster_std=std)


@pytest.mark.parametrize(
    ("n", "tier"),
    [
        (1, "full"),
        (16, "full"),
        (17, "sparse"),
        (200_000, "sparse"),
        (200_001, "anchors"),
        (10**9, "anchors"),
    ],
)
def test_tiers_by_size(n, tier):
    assert choose_tier(GraphTailor(), n) == tier


@every_tier
@pytest.mark.parametrize("n", [5, 1000, 10**7])
def test_a_tier_asked_for_is_taken(tier, n):
    assert choose_tier(GraphTailor(tier=tier), n) == tier


HINDRANCES = {
    "affinities": ({"graph": "precomputed"}, "precomputed"),
    "distances": ({"metric": "precomputed"}, "precomputed"),
    "builder": ({"graph": NeighborGraph(weights="binary")}, "graph is Neighb"),
    "metric": ({"metric": "manhattan"}, "metric is 'manhattan'"),
    "neighbours": ({"n_neighbors": 7}, "n_neighbors is 7"),
}


@pytest.mark.parametrize("case", HINDRANCES)
def test_anchors_make_their_own_graph(case):
    """Asked for by name they are refused; left to us, the samples' graph is taken."""
    params, reason = HINDRANCES[case]
    assert choose_tier(GraphTailor(**params), 10**6) == "sparse"
    with pytest.raises(ValueError, match=rf"tier='anchors'.*{reason}.*tier='sparse'"):
        GraphTailor(2, tier="anchors", **params).fit(np.eye(9))


@pytest.mark.parametrize("tier", ["sparse", "anchors"])
def test_the_multiplicative_solver_works_on_all_pairs(tier):
    with pytest.raises(ValueError, match=rf"tier='{tier}'.*multiplicative.*'descent'"):
        GraphTailor(2, tier=tier, solver="multiplicative").fit(np.eye(9))
    for asked in ("auto", "full"):
        model = GraphTailor(solver="multiplicative", tier=asked)
        assert choose_tier(model, 500) == "full"


@pytest.mark.parametrize("value", ["dense", 3, None])
def test_an_unknown_tier_is_named(value):
    with pytest.raises(ValueError, match="tier"):
        GraphTailor(2, tier=value).fit(np.eye(9))


def test_sizes_decide_in_a_fit(monkeypatch, caplog):
    monkeypatch.setattr(tiers, "_FULL_UP_TO", 20)
    monkeypatch.setattr(tiers, "_SPARSE_UP_TO", 100)
    X, _ = blobs()
    for n, tier in ((20, "full"), (21, "sparse"), (100, "sparse"), (101, "anchors")):
        caplog.clear()
        with caplog.at_level(logging.INFO, logger="graphtailor"):
            model = GraphTailor(3, random_state=0, n_init=3).fit(X[:n])
        assert model.tier_ == tier
        assert f"{n} samples: tier '{tier}'" in caplog.text
        np.testing.assert_array_equal(model.predict(X[:n]), model.labels_)


@pytest.mark.parametrize(
    ("tier", "alpha"), [("full", 100), ("sparse", 100), ("anchors", 0)]
)
def test_the_weight_of_self_expression_is_told(tier, alpha):
    X, _ = blobs(90)
    model = GraphTailor(3, tier=tier, random_state=0, n_init=3).fit(X)
    assert model.alpha_ == alpha
    assert model.alpha == "auto"
    assert model.set_params(alpha=2).fit(X).alpha_ == 2


@every_tier
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_every_tier_keeps_its_promises(tier, dtype, container):
    X, y = blobs()
    X = container(X.astype(dtype))
    model = GraphTailor(3, tier=tier, random_state=0, n_init=3).fit(X)
    assert model.tier_ == tier
    assert model.indicator_.dtype == dtype
    assert adjusted_rand_score(y, model.labels_) == 1
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    rng = np.random.default_rng(0)
    for size in (1, 2, 40):
        rows = rng.choice(150, size, replace=False)
        np.testing.assert_array_equal(model.predict(X[rows]), model.labels_[rows])
    new = model.predict_proba(X[:9] * dtype(1.01))
    assert new.dtype == dtype
    np.testing.assert_allclose(new.sum(axis=1), 1, rtol=1e-5)
    for name in ("labels_", "objective_", "starts_", "n_iter_", "given_graph_"):
        assert hasattr(model, name)


@every_tier
def test_a_label_is_that_of_the_largest_entry(tier):
    """Two entries that differ in the last bit are equal once divided by their sum."""
    X, _ = blobs(80)
    model = GraphTailor(3, tier=tier, random_state=0, n_init=3).fit(X)
    below = np.random.default_rng(0).uniform(1.9, 1.99, size=4000)
    rows = np.stack([below, np.nextafter(below, 2), 0.95 * below], axis=1)
    shares = rows / rows.sum(axis=1, keepdims=True)
    assert (shares[:, 0] == shares[:, 1]).any()

    class Given:
        indicator = model._tier.indicator

        def indicator_of(self, X):
            return rows

    model._tier = Given()
    np.testing.assert_array_equal(model.predict(np.zeros((4000, 6))), 1)


@every_tier
def test_a_seed_decides_everything_on_any_number_of_threads(tier):
    X = np.random.default_rng(0).normal(size=(250, 5))
    model = GraphTailor(4, tier=tier, random_state=3, n_init=4)
    first, *others = (clone(model).set_params(n_jobs=n).fit(X) for n in (1, 2, -1))
    for other in others:
        assert first.indicator_.tobytes() == other.indicator_.tobytes()
        assert first.objective_.tobytes() == other.objective_.tobytes()
