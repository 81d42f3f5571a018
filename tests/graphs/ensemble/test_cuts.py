"""Cuts of an ensemble: every way, any number of clusters, the silhouette chooses."""

import numpy as np
import pytest
from scipy.cluster.hierarchy import cut_tree
from sklearn.metrics import adjusted_rand_score

from graphtailor.graphs.ensemble import cuts as cuts_module
from graphtailor.graphs.ensemble.co_association import CoAssociation
from graphtailor.graphs.ensemble.cuts import ConsensusCuts

TRUTH = np.repeat([0, 1, 2], [40, 25, 10])


def astray(rng, share):
    """The truth with this share of the samples in random clusters."""
    others = rng.integers(0, 3, len(TRUTH))
    return np.where(rng.random(len(TRUTH)) < share, others, TRUTH)


@pytest.fixture(scope="module")
def cuts():
    rng = np.random.default_rng(0)
    members = CoAssociation([astray(rng, 0.2) for _ in range(12)])
    return ConsensusCuts(members, 20)


def test_every_way_finds_what_members_agree_on(cuts):
    found = cuts.at(3)
    assert {cut.kind for cut in found} == {"spectral", "linkage"}
    for cut in found:
        assert adjusted_rand_score(TRUTH, cut.labels) > 0.9
        assert cut.agreement == pytest.approx(cuts.ensemble.agreement(cut.labels))


@pytest.mark.parametrize("c", [1, 2, 3, 7, 20])
def test_cuts_have_as_many_clusters_as_asked_for(cuts, c):
    for cut in cuts.at(c):
        assert len(np.unique(cut.labels)) == c


@pytest.mark.parametrize("c", [1, 2, 3, 7, 75])
def test_the_tree_is_cut_into_as_many_parts_as_asked_for(cuts, c):
    labels = cuts._average_linkage(c)
    assert len(np.unique(labels)) == c
    assert adjusted_rand_score(cut_tree(cuts._tree, c).ravel(), labels) == 1


def test_the_silhouette_chooses_among_all_ways_with_and_without_moves(cuts):
    found = cuts.at(5)
    assert [cut.kind for cut in found].count("spectral") == 2
    assert [cut.kind for cut in found].count("linkage") == 2
    silhouettes = [cut.silhouette for cut in found]
    assert silhouettes == sorted(silhouettes, reverse=True)
    assert found[0].silhouette > found[-1].silhouette


def test_a_cut_with_too_few_clusters_is_the_last(cuts, monkeypatch):
    joined = np.minimum(TRUTH, 1)
    monkeypatch.setattr(cuts, "_spectral", lambda c: joined)
    assert [cut.kind for cut in cuts.at(3)][2:] == ["spectral", "spectral"]


def test_many_samples_are_cut_without_their_pairs(cuts, monkeypatch):
    monkeypatch.setattr(cuts_module, "LINKAGE_UP_TO", len(TRUTH) - 1)
    assert {cut.kind for cut in cuts.at(3)} == {"spectral"}


def test_cuts_need_no_random_numbers():
    rng = np.random.default_rng(1)
    members = CoAssociation([astray(rng, 0.7) for _ in range(6)])
    one, two = (ConsensusCuts(members, 9).at(6) for _ in range(2))
    for a, b in zip(one, two, strict=True):
        assert (a.kind, a.agreement) == (b.kind, b.agreement)
        np.testing.assert_array_equal(a.labels, b.labels)


def test_members_without_clusters_give_one():
    nothing = ConsensusCuts(CoAssociation([np.zeros(6, dtype=int)]), 3)
    for cut in nothing.at(1):
        np.testing.assert_array_equal(cut.labels, 0)
