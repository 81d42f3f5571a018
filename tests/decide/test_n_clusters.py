"""The number of clusters: a path of cuts, right where it is clear, never a crash."""

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from graphtailor import GraphTailor
from graphtailor.decide.n_clusters import (
    Path,
    cut_path,
    numbers_to_try,
    price_of,
)
from graphtailor.graphs.ensemble.co_association import CoAssociation
from graphtailor.graphs.ensemble.cuts import ConsensusCuts


def blobs(c, d, seed, widths=1.0, sizes=40):
    """Gaussian clusters, no two centres nearer than eight deviations."""
    rng = np.random.default_rng(seed)
    centres = np.zeros((c, d))
    box = 8.0
    while pdist(centres).min() < 8:
        box *= 1.02
        centres = rng.uniform(-box, box, size=(c, d))
    y = np.repeat(np.arange(c), sizes)
    return centres[y] + rng.normal(size=(len(y), d)) * np.resize(widths, c)[y, None], y


def path(numbers, scores, taken):
    return Path((), tuple(numbers), tuple(scores), taken)


# --- The path ------------------------------------------------------------------------


def test_the_short_list_holds_numbers_that_differ():
    scores = [0.525, 0.53, 0.535, 0.55, 0.545, 0.54, 0.51]
    # 6 and 4 are too near to 5, and 7 is the best of the others.
    assert path(range(2, 9), scores, 5).suggestions == (5, 7, 3)
    assert path([2], [0.3], 2).suggestions == (2,)
    assert path([2, 3, 4], [0.31, 0.32, 0.33], 4).suggestions == (4, 3, 2)


def test_only_scores_close_to_the_best_are_on_the_short_list():
    assert path([2, 3, 4], [0.42, 0.2, 0.14], 2).suggestions == (2,)
    assert path([2, 3, 4, 5], [0.2, 0.42, 0.14, 0.4], 3).suggestions == (3, 5)
    # What near neighbours separate is taken although its score is not the best.
    assert path([2, 3, 4, 5], [0.2, 0.42, 0.14, 0.4], 4).suggestions == (4, 3)


@pytest.mark.parametrize("seed", range(5))
def test_the_number_taken_leads_the_short_list(seed):
    scores = np.random.default_rng(seed).normal(size=9).round(1)
    found = path(range(2, 11), scores, 3)
    assert found.suggestions[0] == 3
    assert len(set(found.suggestions)) == len(found.suggestions) <= 3


def test_categories_make_more_clusters_dearer():
    """Titanic: 18 combinations of sex, class and survival were called clusters."""
    assert price_of(None) == price_of(np.arange(5)) == 0.13
    assert price_of(np.array([0, 1, 1, 2, 2, 2])) == pytest.approx(0.13 + 0.10 * 2 / 3)
    frame = pd.DataFrame({"k": list("xyz") * 8, "size": np.arange(24.0) / 7})
    model = GraphTailor(random_state=0).fit(frame)
    assert model.decision_.price == model._layers.price == pytest.approx(0.18)


def test_numbers_to_try():
    assert numbers_to_try(30, 1000) == list(range(2, 31))
    assert numbers_to_try(20, 40) == list(range(2, 11))
    assert numbers_to_try(20, 3) == [2]
    assert numbers_to_try(20, 1) == [1]


def test_a_path_holds_the_best_cut_for_each_number():
    truth = np.repeat([0, 1, 2], 10)
    finer = np.repeat(np.arange(6), 5)
    coarser = np.minimum(truth, 1)
    ensemble = CoAssociation([truth, truth, truth, finer, coarser])
    cuts = ConsensusCuts(ensemble, 6)
    found = cut_path(cuts, {}, range(2, 7))
    assert found.numbers == (2, 3, 4, 5, 6)
    for c, cut in zip(found.numbers, found.cuts, strict=True):
        assert found.at(c) is cut
        np.testing.assert_array_equal(cut.labels, cuts.at(c)[0].labels)
    assert found.taken == 3
    assert adjusted_rand_score(truth, found.at(3).labels) == 1
    assert cut_path(cuts, {}, range(2, 7), price=1.0).taken == 2


def test_separated_clusters_are_the_cut_of_their_number():
    truth = np.repeat([0, 1], [5, 25])
    members = [np.arange(30) // 10, np.arange(30) // 15]
    cuts = ConsensusCuts(CoAssociation(members), 4)
    found = cut_path(cuts, {2: truth}, range(2, 5))
    np.testing.assert_array_equal(found.at(2).labels, 1 - truth)  # the largest first
    assert found.at(2).kind == "the graph of neighbours"
    assert found.at(3).kind != "the graph of neighbours"


def brute_silhouette(A, labels):
    """Silhouettes and margins of one minus the shares, row by row."""
    n = len(labels)
    silhouettes, margins = np.empty(n), np.empty(n)
    for i in range(n):
        means = {}
        for b in set(labels):
            rows = [j for j in range(n) if labels[j] == b and j != i]
            means[b] = np.mean(A[i, rows]) if rows else 0.0
        own = means.pop(labels[i])
        following = max(means.values())
        margins[i] = own - following
        farther = max(1 - own, 1 - following)
        silhouettes[i] = margins[i] / farther if farther > 0 else 0.0
    return silhouettes, margins


def test_scores_are_agreement_and_silhouette_minus_a_price():
    rng = np.random.default_rng(0)
    members = [rng.integers(0, k, 20) for k in (2, 3, 3, 4, 6)]
    ensemble = CoAssociation(members)
    A = ensemble.on_pairs(*np.divmod(np.arange(400), 20)).reshape(20, 20)
    found = cut_path(ConsensusCuts(ensemble, 6), {}, range(2, 7))
    for c, cut, score in zip(found.numbers, found.cuts, found.scores, strict=True):
        silhouettes, margins = brute_silhouette(A, cut.labels)
        expected = (cut.agreement + 2 * silhouettes.mean()) / 3 - 0.13 * np.log(c)
        assert score == pytest.approx(expected)
        by_cluster = [margins[cut.labels == k].mean() for k in range(c)]
        np.testing.assert_allclose(cut.persistences, by_cluster, atol=1e-12)
        assert cut.silhouette == pytest.approx(silhouettes.mean())
    levels = found.levels(np.ones(20))
    assert [level.n_clusters for level in levels if level.suggested] == sorted(
        found.suggestions
    )
    sizes = [np.bincount(cut.labels) for cut in found.cuts]
    assert all((np.diff(some) <= 0).all() for some in sizes)


# --- The number ----------------------------------------------------------------------


@pytest.mark.parametrize(("c", "d"), [(2, 2), (3, 8), (5, 2), (8, 8)])
def test_blobs_are_counted(c, d):
    even = blobs(c, d, 0)[0]
    widths = blobs(c, d, 1, widths=np.geomspace(0.4, 1.2, c))[0]
    for X in (even, widths):
        assert GraphTailor(random_state=0).fit(X).n_clusters_ == c


@pytest.mark.parametrize(
    ("X", "c"),
    [
        (make_blobs([200, 80, 40], 3, centers=8 * np.eye(3), random_state=2)[0], 3),
        (make_moons(300, noise=0.05, random_state=0)[0], 2),
        (make_circles(300, factor=0.5, noise=0.04, random_state=0)[0], 2),
    ],
    ids=["unequal blobs", "moons", "rings"],
)
def test_clear_clusters_are_counted(X, c):
    model = GraphTailor(random_state=0).fit(X)
    assert model.n_clusters_ == len(np.unique(model.labels_)) == c


def test_a_number_that_was_found_is_as_if_asked_for():
    X, y = blobs(4, 3, 0)
    found = GraphTailor(random_state=0).fit(X)
    asked = GraphTailor(4, random_state=0).fit(X)
    assert found.n_clusters_ == 4
    assert adjusted_rand_score(y, found.labels_) == 1
    assert found.indicator_.tobytes() == asked.indicator_.tobytes()
    assert asked.decision_.suggestions == asked.decision_.levels == ()


@pytest.mark.parametrize("representatives", [4000, 60])
def test_representatives_show_the_number(representatives):
    X, _ = blobs(5, 3, 2)
    model = GraphTailor(representatives=representatives, random_state=0).fit(X)
    assert model.n_clusters_ == 5
    assert model.decision_.suggestions[0] == 5


@pytest.mark.parametrize("value", ["many", 0, 2.5, None])
def test_bad_numbers_are_named(value):
    with pytest.raises(ValueError, match="n_clusters"):
        GraphTailor(value).fit(np.eye(9))
