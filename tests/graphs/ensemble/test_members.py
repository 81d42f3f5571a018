"""Members: quick clusterings with numbers of clusters in a range."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score

from graphtailor import GraphTailor
from graphtailor.graphs.ensemble.members import (
    Draw,
    KMeansMembers,
    LayoutMembers,
    MemberKind,
    MixtureMembers,
    SpectralMembers,
    make_members,
    mixture_labels,
)
from graphtailor.graphs.ensemble.views import make_view
from graphtailor.neighbors import default_n_neighbors
from graphtailor.representatives.given import GivenPairs

X, TRUTH = make_blobs(200, 4, centers=3, cluster_std=0.5, random_state=2)
VIEW = make_view(X, "as it is", 0, np.ones(200))
KINDS = [SpectralMembers(), KMeansMembers(), MixtureMembers(), LayoutMembers()]


class Halves(MemberKind):
    """A kind of one's own: samples left and right of a random place."""

    name = "halves"

    def labels(self, view, draw):
        """One cut along the first feature."""
        first = view.points[:, 0]
        return [(first > draw.rng.choice(first)).astype(int)]


def draw(seed, most=3):
    return Draw(np.random.RandomState(seed), most, seed / 200)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_clear_clusters_are_found_by_most_members(kind, monkeypatch):
    monkeypatch.setattr(Draw, "n_clusters", lambda draw, view: 3)
    found = [labels for seed in range(9) for labels in kind.labels(VIEW, draw(seed))]
    scores = [adjusted_rand_score(TRUTH, labels) for labels in found]
    # A row or two of the 200 fall on either side, as the processor rounds.
    assert np.mean(np.array(scores) > 0.95) > 0.5


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_the_seed_decides(kind):
    one, two = (kind.labels(VIEW, draw(7, 20)) for _ in range(2))
    for a, b in zip(one, two, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("n", [2, 3, 9])
def test_few_samples(kind, n):
    """Asked for more clusters than there are samples, too."""
    view = make_view(X[:n], "as it is", 0, np.ones(n))
    for labels in kind.labels(view, draw(0, 40)):
        assert labels.shape == (n,)
        assert 0 <= labels.min() <= labels.max() < n


def test_numbers_of_clusters_stay_in_their_range():
    numbers = [draw(seed, 40).n_clusters(VIEW) for seed in range(200)]
    assert min(numbers) == 2
    assert 35 <= max(numbers) <= 40
    few = make_view(X[:8], "as it is", 0, np.ones(8))
    assert {draw(seed, 40).n_clusters(few) for seed in range(20)} == {2}


def test_numbers_of_neighbours_stay_in_their_range():
    p = default_n_neighbors(200)
    for times in (1, 2):
        numbers = [draw(seed).n_neighbors(VIEW, times) for seed in range(200)]
        assert min(numbers) == p // 2
        assert max(numbers) == min(times * p, VIEW.n_neighbors)
    few = make_view(X[:3], "as it is", 0, np.ones(3))
    assert {draw(seed).n_neighbors(few, 2) for seed in range(9)} == {2}


def test_mixture_finds_clusters_of_different_width():
    rng = np.random.default_rng(0)
    wide, thin = rng.normal(0, 3.0, (150, 2)), rng.normal(9, 0.1, (50, 2))
    Z = np.vstack([wide, thin])
    labels = mixture_labels(Z, 2, np.random.RandomState(0), np.ones(200))
    assert adjusted_rand_score(np.repeat([0, 1], [150, 50]), labels) > 0.9


def test_kinds_that_need_points_are_left_out_where_there_are_none():
    given = GivenPairs.of(np.abs(X[:40, :1] - X[:40, 0]), "precomputed", 1).view
    kinds = [Halves(), SpectralMembers()]
    members = [m for kind in kinds for m in make_members(kind, given, 0.5, 0, 5)]
    assert {member.kind for member in members} == {"spectral"}
    members = [m for kind in kinds for m in make_members(kind, VIEW, 0.5, 0, 5)]
    assert {member.kind for member in members} == {"halves", "spectral"}
    assert {member.view for member in members} == {"as it is"}


@pytest.mark.parametrize("seed", range(5))
def test_numbers_drawn_in_a_row_are_spread_over_their_range(seed):
    """Two of eight at least lie in every third of the logarithmic range."""
    drawing = draw(seed, 40)
    places = np.log([drawing.n_clusters(VIEW) / 2 for _ in range(8)]) / np.log(20)
    assert np.histogram(places, 3, (0, 1.01))[0].min() >= 2


def test_a_kind_of_ones_own_takes_part_in_a_fit():
    model = GraphTailor(3, members=[KMeansMembers(), Halves()], random_state=0).fit(X)
    assert list(model.decision_.members) == ["k-means", "halves"]
    assert f"{model.decision_.members['halves']} halves" in str(model.decision_)
    assert adjusted_rand_score(TRUTH, model.labels_) == 1


def test_a_kind_needs_labels():
    class Nothing(MemberKind):
        """Has a name and no method."""

        name = "nothing"

    with pytest.raises(TypeError, match="labels"):
        Nothing()
