"""The middle of the road: from weighted representatives to their clusters."""

import dataclasses
import sys

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from graphtailor import GraphTailor
from graphtailor.decide.separation import Separation
from graphtailor.graphs.ensemble.members import KMeansMembers, SpectralMembers
from graphtailor.models.consensus import Request, reach_consensus
from graphtailor.models.progress import FitProgress
from graphtailor.representatives import Representatives
from graphtailor.representatives.given import GivenPairs
from graphtailor.representatives.rows import Rows

X, Y = make_blobs(120, 3, centers=3, cluster_std=0.7, random_state=1)
CONSENSUS = sys.modules[reach_consensus.__module__]
QUICK = (KMeansMembers(), SpectralMembers())


class Stages(FitProgress):
    """Remembers the names of the stages."""

    def __init__(self):
        self.names = []

    def begin(self, name, n_steps=None):
        """Remember the stage."""
        self.names.append(name)

    def step(self, name):
        """Go on."""
        return False


def consensus(given, n_clusters=3, views="auto", members=QUICK, n_jobs=1):
    progress = Stages()
    request = Request(n_clusters, views, members, 0, n_jobs)
    return reach_consensus(given, request, progress), progress.names


def represent(X, most=4000):
    return Representatives.of(Rows(X), most, 0, 1)


def lifted(found, memberships):
    return memberships.lift(found.shares).argmax(axis=1)


def test_stages():
    points = represent(X)[0]
    assert consensus(points)[1] == ["members", "cut", "model"]
    assert consensus(points, "auto")[1] == ["members", "cut", "model"]


@pytest.mark.parametrize("most", [40, 4000])
def test_what_is_found(most):
    points, memberships = represent(X, most)
    found, _ = consensus(points)
    decision = found.decision
    assert adjusted_rand_score(Y, lifted(found, memberships)) == 1
    assert (decision.n_rows, decision.n_representatives) == (120, len(points))
    assert decision.every_row == (most == 4000)
    assert found.shares.shape == (len(points), 3)
    assert found.shares.min() >= 0
    assert found.shares.max() <= 1 + 1e-9
    assert found.model.labels_.shape == (len(points),)
    assert found.model.graph_.affinity_ is found.layers.ensemble.affinity_
    np.testing.assert_array_equal(found.layers.ensemble.ensemble_.masses, points.masses)


def test_the_cut_gives_the_shares_and_the_model_is_compared_with_it():
    rows = np.random.default_rng(0).normal(size=(60, 3))
    found, _ = consensus(represent(rows)[0], 4)
    ensemble, cut = found.layers.ensemble.ensemble_, found.layers.cut(4)
    np.testing.assert_array_equal(found.shares.argmax(axis=1), cut.labels)
    assert found.decision.cut_agreement == ensemble.agreement(cut.labels)
    agreement = ensemble.agreement(found.model.labels_)
    assert found.decision.model_agreement == agreement


def test_the_verdict_says_what_is_there_and_changes_nothing(monkeypatch):
    points = represent(X)[0]
    found, _ = consensus(points)
    assert found.decision.verdict.level == "clear"
    noise = np.random.default_rng(0).normal(size=(60, 3))
    assert consensus(represent(noise)[0])[0].decision.verdict.level == "none"
    monkeypatch.setattr(CONSENSUS, "find_verdict", lambda *args, **kwargs: None)
    without, _ = consensus(points)
    assert without.decision == dataclasses.replace(found.decision, verdict=None)
    assert without.shares.tobytes() == found.shares.tobytes()


def test_a_number_left_open_is_found_and_then_as_if_asked_for():
    points = represent(X)[0]
    found, asked = consensus(points, "auto")[0], consensus(points, 3)[0]
    assert found.decision.n_clusters == found.decision.suggestions[0] == 3
    assert [level.n_clusters for level in found.decision.levels] == list(range(2, 21))
    assert found.shares.tobytes() == asked.shares.tobytes()
    assert asked.decision.levels == ()


@pytest.mark.parametrize(
    ("n_clusters", "views"), [(2, "auto"), (2, ("standard",)), ("auto", "auto")]
)
def test_shapes_leave_the_spectral_members_of_the_plain_view(n_clusters, views):
    """Also where the plain view was not among those that were asked for."""
    moons, y = make_moons(200, noise=0.05, random_state=0)
    points, memberships = represent(moons)
    found, _ = consensus(points, n_clusters, views)
    assert found.decision.shapes
    assert found.decision.views == ("as it is",)
    assert set(found.decision.members) == {"spectral"}
    assert found.decision.cut == "the graph of neighbours"
    assert adjusted_rand_score(y, lifted(found, memberships)) == 1


def test_views_and_members_that_were_asked_for():
    found, _ = consensus(represent(X)[0], views=("ranks",), members=[KMeansMembers()])
    assert found.decision.views == ("ranks",)
    assert set(found.decision.members) == {"k-means"}
    found, _ = consensus(represent(X)[0], members="auto")
    assert set(found.decision.members) == {
        *("spectral", "mixture", "k-means", "joint", "layout")
    }


def test_a_graph_leaves_out_members_that_need_points():
    given = GivenPairs.of(rbf_kernel(X, gamma=0.5), "affinity", 1)
    found, _ = consensus(given, members="auto")
    assert found.decision.views == ("given graph",)
    assert set(found.decision.members) == {"spectral", "joint", "layout"}
    assert adjusted_rand_score(Y, found.shares.argmax(axis=1)) == 1


def test_members_that_all_need_points_are_refused_for_a_graph():
    kernel = rbf_kernel(X, gamma=0.5)
    with pytest.raises(ValueError, match=r"members=.*SpectralMembers"):
        GraphTailor(3, metric="affinity", members=[KMeansMembers()]).fit(kernel)


def test_threads_do_not_change_a_byte():
    rows = np.random.default_rng(0).normal(size=(80, 4))
    points = represent(rows)[0]
    one, two = (consensus(points, 4, n_jobs=n)[0] for n in (1, 2))
    assert one.decision == two.decision
    assert one.shares.tobytes() == two.shares.tobytes()
    assert one.model.indicator_.tobytes() == two.model.indicator_.tobytes()


def test_the_verdict_shuffles_the_levels_of_a_category_together():
    """Six columns of categories that have nothing to do with each other."""
    rng = np.random.default_rng(1)
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({name: rng.choice(list("abc"), 300) for name in "uvwxyz"})
    model = GraphTailor(2, random_state=0).fit(table)
    assert model.decision_.verdict.level == "none"
    features = model.blocks_.transform(table).to_numpy()
    alone = GraphTailor(2, scaling=None, random_state=0).fit(features)
    assert alone.decision_.verdict.level == "clear"  # each level is a column of its own
    of_feature = model.blocks_.block_of_feature_
    given = GraphTailor(2, scaling=None, random_state=0).fit(
        features, blocks=of_feature
    )
    assert given.decision_.verdict == model.decision_.verdict


@pytest.mark.parametrize(("asked", "number"), [(2, 2), (3, 3), (7, 3)])
def test_what_separates_the_number_asked_for_is_taken(monkeypatch, asked, number):
    """Anchors have two graphs; one may show few clusters, the other more."""
    seen = []

    def find(view, points, most):
        number = 2 + len(seen)
        seen.append(view.name)
        labels = np.arange(len(points)) % number
        return Separation(view, {number: labels}, number, 0.0, 1.0)

    monkeypatch.setattr(CONSENSUS, "find_separation", find)
    found, _ = consensus(represent(X, 60)[0], asked)
    assert seen == ["as it is", "shared rows"]
    assert found.decision.separated == number
