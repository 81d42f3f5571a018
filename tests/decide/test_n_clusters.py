"""The number of clusters: a path of cuts, right where it is clear, never a crash."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.metrics import adjusted_rand_score

from graphtailor import GraphTailor
from graphtailor.decide.n_clusters import (
    MOST_CLUSTERS,
    Path,
    cut_path,
    numbers_to_try,
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


def path(numbers, scores):
    return Path((), tuple(numbers), tuple(scores))


# --- The path ------------------------------------------------------------------------


def test_the_best_number_has_the_highest_score():
    assert path([2, 3, 4], [0.1, 0.5, 0.2]).best == 3
    assert path([2, 3, 4], [0.5, 0.5, 0.2]).best == 3  # the finer of two


def test_the_short_list_holds_the_highest_peaks():
    scores = [0.5, 0.3, 0.6, 0.2, 0.4, 0.1, 0.3]
    assert path(range(2, 9), scores).suggestions == (4, 2, 6)
    assert path([2], [0.3]).suggestions == (2,)
    assert path([2, 3, 4], [0.1, 0.2, 0.3]).suggestions == (4,)


@pytest.mark.parametrize("seed", range(5))
def test_the_best_number_leads_the_short_list(seed):
    scores = np.random.default_rng(seed).normal(size=9).round(1)
    found = path(range(2, 11), scores)
    assert found.suggestions[0] == found.best
    assert 1 <= len(found.suggestions) <= 3


def test_numbers_to_try():
    assert numbers_to_try(7, 100) == [7]
    assert numbers_to_try(7, 5) == [5]
    assert numbers_to_try("auto", 1000) == list(range(2, MOST_CLUSTERS + 1))
    assert numbers_to_try("auto", 40) == list(range(2, 11))
    assert numbers_to_try("auto", 3) == [2]
    assert numbers_to_try("auto", 1) == [1]


def test_a_path_holds_the_best_cut_for_each_number():
    truth = np.repeat([0, 1, 2], 10)
    finer = np.repeat(np.arange(6), 5)
    coarser = np.minimum(truth, 1)
    ensemble = CoAssociation([truth, truth, truth, finer, coarser])
    cuts = ConsensusCuts(ensemble, 6, 0)
    found = cut_path(cuts, range(2, 7))
    assert found.numbers == (2, 3, 4, 5, 6)
    for c, cut in zip(found.numbers, found.cuts, strict=True):
        assert found.at(c) is cut
        np.testing.assert_array_equal(cut.labels, cuts.at(c)[0].labels)
    assert found.best == 3
    assert adjusted_rand_score(truth, found.at(3).labels) == 1


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


def test_members_vote_again_where_their_number_shows_shapes():
    """A fit of six stages, which its progress must have room for."""
    X, _ = blobs(3, 2, 0, sizes=[20, 48, 120])
    model = GraphTailor(random_state=0).fit(X)
    assert model.n_clusters_ == len(np.unique(model.labels_))


def test_a_number_that_was_found_is_as_if_asked_for():
    X, y = blobs(4, 3, 0)
    found = GraphTailor(random_state=0).fit(X)
    asked = GraphTailor(4, random_state=0).fit(X)
    assert found.n_clusters_ == 4
    assert adjusted_rand_score(y, found.labels_) == 1
    assert found.indicator_.tobytes() == asked.indicator_.tobytes()
    assert asked.decision_.suggestions == asked.decision_.scores == ()


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
