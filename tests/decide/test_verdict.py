"""Are there clusters beyond chance: noise, clusters, and what cannot be tested."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.preprocessing import normalize

from graphtailor.decide.copies import (
    BentCloud,
    OneCloud,
    OnePeak,
    OnSphere,
    ShuffledColumns,
)
from graphtailor.decide.verdict import Verdict, find_verdict, level_at

SEEDS = range(3)


def verdict(X, seed=0, **params):
    return find_verdict(np.asarray(X), np.ones(len(X)), seed, **params)


def correlated(rng, n, d):
    return (rng.normal(size=(n, d)) * np.geomspace(1, 0.05, d)) @ rng.normal(
        size=(d, d)
    )


NOISE = {
    "normal": lambda rng: rng.normal(size=(300, 5)),
    "correlated": lambda rng: correlated(rng, 300, 5),
    "wide": lambda rng: correlated(rng, 60, 100),
    "very wide": lambda rng: rng.normal(size=(200, 1000)),
    "uniform": lambda rng: rng.uniform(size=(300, 3)),
    "heavy tails": lambda rng: rng.standard_t(3, size=(300, 4)),
    "heavy tails together": lambda rng: (
        correlated(rng, 300, 5) / np.sqrt(rng.chisquare(3, size=(300, 1)))
    ),
    "heavy tails together, wide": lambda rng: (
        correlated(rng, 150, 200) / np.sqrt(rng.chisquare(3, size=(150, 1)))
    ),
    "skewed together": lambda rng: np.exp(correlated(rng, 500, 2) / np.sqrt(2)),
    "skewed together, to the left": lambda rng: (
        9 - np.exp(correlated(rng, 178, 13) / np.sqrt(13))
    ),
    "binary": lambda rng: (rng.uniform(size=(300, 8)) < 0.3).astype(float),
    "one column": lambda rng: rng.lognormal(size=(300, 1)),
    "one column of whole numbers": lambda rng: rng.poisson(9, size=(300, 1)) * 1.0,
    "directions": lambda rng: OnSphere(OneCloud(rng.normal(size=(300, 4))), 0).draw(
        rng
    ),
}
CLUSTERS = {
    "blobs": lambda seed: make_blobs(200, 4, centers=4, random_state=seed)[0],
    "moons": lambda seed: make_moons(300, noise=0.06, random_state=seed)[0],
    "rings": lambda seed: make_circles(300, noise=0.05, factor=0.5, random_state=seed)[
        0
    ],
    "one column": lambda seed: make_blobs(
        300, 1, centers=[[0], [6]], random_state=seed
    )[0],
    "directions": lambda seed: normalize(
        make_blobs(200, 9, centers=4, random_state=seed)[0]
    ),
    "few rows": lambda seed: make_blobs(
        30, 3, centers=[[0] * 3, [9] * 3], random_state=seed
    )[0],
}


@pytest.mark.parametrize("kind", NOISE)
def test_noise_shows_no_clusters(kind):
    levels = [
        verdict(NOISE[kind](np.random.default_rng(seed)), seed).level for seed in SEEDS
    ]
    # By chance one table in thirty shows weak clusters.
    assert levels.count("none") >= len(levels) - 1
    assert "clear" not in levels


@pytest.mark.parametrize("kind", CLUSTERS)
def test_clusters_are_clear(kind):
    assert {verdict(CLUSTERS[kind](seed), seed).level for seed in SEEDS} == {"clear"}


def test_shuffled_columns_of_clusters_show_none():
    X = make_blobs(200, 4, centers=4, random_state=0)[0]
    levels = [
        verdict(np.random.default_rng(seed).permuted(X, axis=0), seed).level
        for seed in SEEDS
    ]
    assert levels.count("none") >= len(levels) - 1


def test_the_order_of_rows_changes_nothing():
    X = make_blobs(900, 3, random_state=0)[0]
    order = np.random.default_rng(0).permutation(len(X))
    assert verdict(X) == verdict(X[order])


def test_masses_are_equal_rows():
    rng = np.random.default_rng(0)
    X, masses = rng.normal(size=(100, 3)), rng.integers(0, 9, size=100)
    repeated = np.repeat(X, masses, axis=0)
    assert find_verdict(X, masses, 0) == verdict(repeated)


def test_threads_change_nothing():
    X = make_blobs(200, 70, random_state=0)[0]
    assert verdict(X) == verdict(X, n_jobs=2) == verdict(X, n_jobs=5)


def test_the_seed_decides():
    X = np.random.default_rng(0).normal(size=(100, 3))
    assert verdict(X, 1) == verdict(X, 1)
    assert verdict(X, 1) != verdict(X, 2)


@pytest.mark.parametrize("units", [[1.0, 1.0, 1.0], [1e9, 1e-9, 1e150]])
def test_constant_columns_and_units_change_little(units):
    X = make_blobs(150, 3, random_state=0)[0]
    own = verdict(X)
    other = verdict(np.column_stack([X * units[0], np.full(150, 7.0)]))
    scaled = verdict(X * [1.0, units[0], units[1]])
    for found in (other, scaled, verdict(X * units[2]), verdict(X + 1000)):
        assert found.level == own.level
        assert found.statistic == pytest.approx(own.statistic, abs=0.02)


@pytest.mark.parametrize(
    "X",
    [
        np.zeros((50, 3)),
        0.3 + 1e-14 * np.random.default_rng(0).normal(size=(50, 3)),
        np.repeat(np.eye(3), 20, axis=0),
        np.array([[0.0, 1.0], [1.0, 0.0]]),
        sparse.csr_array(np.random.default_rng(0).normal(size=(50, 3))),
    ],
    ids=["constant", "rounding", "three distinct rows", "two rows", "sparse"],
)
def test_what_cannot_be_tested(X):
    assert find_verdict(X, np.ones(X.shape[0]), 0) is None


def test_a_single_category_cannot_be_tested():
    X = np.eye(10)[np.random.default_rng(0).integers(10, size=100)]
    assert verdict(X, blocks=np.zeros(10, dtype=int)) is None
    assert verdict(X) is not None


def test_blocks_are_shuffled_together():
    """Levels of a category exclude each other, which is not a cluster."""
    rng = np.random.default_rng(0)
    levels = [np.eye(6)[rng.integers(6, size=300)] for _ in range(4)]
    X, blocks = np.hstack(levels), np.repeat(np.arange(4), 6)
    assert verdict(X, blocks=blocks).level == "none"
    assert verdict(X).level != "none"
    parts = [np.flatnonzero(blocks == block) for block in range(4)]
    copy = ShuffledColumns(X, parts, rng).draw(rng)
    assert not np.array_equal(copy, X)
    for part in parts:
        assert (copy[:, part].sum(axis=1) == 1).all()
        np.testing.assert_array_equal(copy[:, part].sum(0), X[:, part].sum(0))


def test_shuffled_columns_keep_values_and_correlations():
    rng = np.random.default_rng(0)
    X = np.exp(correlated(rng, 400, 3))
    parts = [np.array([j]) for j in range(3)]
    copy = ShuffledColumns(X, parts, rng).draw(rng)
    np.testing.assert_array_equal(np.sort(copy, axis=0), np.sort(X, axis=0))
    ranks = [np.corrcoef(A.argsort(0).argsort(0).T) for A in (X, copy)]
    np.testing.assert_allclose(*ranks, atol=0.05)


def test_one_cloud_keeps_the_covariance():
    X = correlated(np.random.default_rng(0), 200, 4)
    copy = OneCloud(X).draw(np.random.default_rng(1))
    np.testing.assert_allclose(np.cov(copy.T), np.cov(X.T), rtol=0.2, atol=0.05)
    assert np.abs(np.corrcoef(copy[:, 0], X[:, 0])[0, 1]) < 0.3


def test_a_bent_cloud_keeps_skews_and_the_columns_that_have_none():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3)) @ [[1, 0.9, 0.9], [0, 0.3, 0], [0, 0, 0.3]]
    X[:, 1:] = np.exp(X[:, 1:]) * [1, -1]
    copies = np.vstack([BentCloud(X).draw(rng) for _ in range(5)])
    np.testing.assert_allclose(
        np.quantile(copies, [0.1, 0.5, 0.9], axis=0),
        np.quantile(X, [0.1, 0.5, 0.9], axis=0),
        atol=0.15,
    )
    straight = np.column_stack([X[:, 0], np.log(X[:, 1]), np.log(-X[:, 2])])
    copied = np.column_stack(
        [copies[:, 0], *np.log(np.maximum(copies[:, 1:] * [1, -1], 0.05)).T]
    )
    np.testing.assert_allclose(
        np.corrcoef(copied.T), np.corrcoef(straight.T), atol=0.03
    )


def test_copies_of_a_column_have_one_peak():
    rng = np.random.default_rng(0)
    x = np.append(rng.normal(size=5000), rng.normal(8, size=5000))
    copy = OnePeak(x).draw(rng).ravel()
    assert len(copy) == len(x)
    between = [np.mean(np.abs(values - 4) < 1) for values in (x, copy)]
    assert between[1] > 10 * between[0]


@pytest.mark.parametrize(
    ("p_value", "level"), [(0.5, "none"), (0.03, "weak"), (0.0001, "clear")]
)
def test_levels(p_value, level):
    assert level_at(p_value) == level


def test_sentences():
    assert Verdict("none", 0.521, 0.532, 0.448, 19).sentence() == (
        "These rows show no clusters beyond chance: they lie as close together in "
        "shuffled copies (0.52 against 0.53, p = 0.45). Groups like these come out of "
        "shuffled columns too."
    )
    assert Verdict("weak", 0.5, 0.53, 0.004, 19).sentence() == (
        "Weak clusters: rows lie a little closer together than in shuffled copies "
        "(0.50 against 0.53, p = 0.004). Shuffled columns give groups that are nearly "
        "as close."
    )
