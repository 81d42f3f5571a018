"""How many anchors, and which."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from graphtailor.representatives import choice as choice_module
from graphtailor.representatives.choice import (
    choose_anchors,
    first_number,
    most_anchors,
    place_anchors,
)

ROWS = np.random.default_rng(0).normal(size=(2000, 3))


@pytest.mark.parametrize(
    ("n", "n_clusters", "first", "most"),
    [
        (10**6, 5, 1000, 8000),
        (10**6, 100, 2000, 16_000),
        (30_000, 5, 1000, 3000),
        (5000, 5, 1000, 1000),
        (300, 5, 300, 300),
        (1, 1, 1, 1),
    ],
)
def test_numbers(n, n_clusters, first, most):
    assert first_number(n, n_clusters) == first
    assert most_anchors(n, n_clusters) == most


class Partitions:
    """Stands in for trial fits: labels by the number of anchors."""

    def __init__(self, labels):
        self.labels = labels
        self.asked = []

    def __call__(self, links):
        self.asked.append(len(links.anchors))
        return self.labels(len(links.anchors))


def halves(share, seed=0):
    """Two clusters, with a share of the rows drawn anew."""
    rng = np.random.default_rng(seed)
    labels = np.arange(1000) % 2
    moved = rng.uniform(size=1000) < share
    labels[moved] = rng.integers(0, 2, moved.sum())
    return labels


def choose(labels, first=10, most=80):
    partitions = Partitions(labels)
    choice = choose_anchors(ROWS, partitions, first, most, seed=0)
    return choice, partitions.asked


def test_partitions_that_agree_end_it_at_once():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        choice, asked = choose(lambda m: halves(0))
    assert asked == [10, 20]
    assert len(choice.links.anchors) == 10
    assert choice.stability == 1


def test_more_anchors_where_they_help():
    """Only from 40 on do partitions agree."""
    choice, asked = choose(lambda m: halves(0 if m >= 40 else 1, seed=m))
    assert asked == [10, 20, 40, 80]
    assert len(choice.links.anchors) == 40
    assert choice.stability == 1


def test_clusters_that_overlap_do_not_ask_for_more():
    """Agreement of a middling kind that twice as many anchors do not better."""
    choice, asked = choose(lambda m: halves(0.1, seed=m))
    assert asked == [10, 20, 40]
    assert len(choice.links.anchors) == 10
    assert 0.5 < choice.stability < 0.9


def test_partitions_that_never_agree_are_told_of():
    with pytest.warns(ConvergenceWarning, match=r"(?s)number of anchors.*anchors=160"):
        choice, asked = choose(lambda m: halves(1, seed=m))
    assert asked == [10, 20, 40, 80]
    assert choice.stability < 0.5


def scripted(monkeypatch, *agreements):
    """The choice, where partitions agree as told from one doubling to the next."""
    told = iter(agreements)
    monkeypatch.setattr(choice_module, "adjusted_rand_score", lambda *_: next(told))
    return choose(lambda m: halves(0))


def test_partitions_that_come_nearer_ask_for_more(monkeypatch):
    """Nearer, but not there yet: four times as many may be."""
    choice, asked = scripted(monkeypatch, 0.25, 0.45, 1.0)
    assert asked == [10, 20, 40, 80]
    assert len(choice.links.anchors) == 40
    assert choice.stability == 1


def test_an_agreement_that_does_not_last_is_not_trusted(monkeypatch):
    """Too few anchors may agree by being wrong alike, as on rings."""
    with pytest.warns(ConvergenceWarning, match="number of anchors"):
        scripted(monkeypatch, 0.75, 0.25, 0.45)


@pytest.mark.parametrize("most", [10, 19])
def test_no_room_for_a_comparison(most):
    choice, asked = choose(lambda m: halves(1, seed=m), most=most)
    assert asked == []
    assert len(choice.links.anchors) == 10
    assert choice.stability is None


def test_few_different_rows_are_all_anchors():
    rows = np.repeat(ROWS[:7], 50, axis=0)
    partitions = Partitions(lambda m: halves(0))
    choice = choose_anchors(rows, partitions, 10, 80, seed=0)
    assert partitions.asked == []
    assert choice.stability is None
    np.testing.assert_array_equal(choice.links.anchors, np.unique(ROWS[:7], axis=0))


def test_different_rows_may_run_out_on_the_way():
    """15 different rows: 20 anchors are 15, and so are 30."""
    rows = ROWS[np.random.default_rng(0).integers(0, 15, 900)]
    partitions = Partitions(lambda m: halves(1, seed=m))
    with pytest.warns(ConvergenceWarning, match="anchors"):
        choice = choose_anchors(rows, partitions, 10, 25, seed=0)
    assert partitions.asked == [10, 15]
    assert len(choice.links.anchors) == 10


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_anchors_are_means_of_rows_near_them(container, dtype):
    links = place_anchors(container(ROWS.astype(dtype)), 40, seed=0)
    assert links.anchors.shape == (40, 3)
    assert links.anchors.dtype == dtype
    assert links.anchors.flags.c_contiguous
    assert np.abs(links.anchors).max() <= np.abs(ROWS).max()
    spread = np.linalg.norm(ROWS[:, None] - links.anchors, axis=2).min(axis=1).mean()
    random = np.linalg.norm(ROWS[:, None] - ROWS[:40], axis=2).min(axis=1).mean()
    assert spread < random
    assert links.bandwidth > 0


def test_a_seed_decides_the_anchors():
    one, two, other = (place_anchors(ROWS, 30, seed).anchors for seed in (1, 1, 2))
    assert one.tobytes() == two.tobytes()
    assert not np.array_equal(one, other)


def test_no_anchor_twice_where_rows_repeat():
    """As many different rows as anchors, hidden behind very many equal ones."""
    rows = np.vstack([np.zeros((3000, 3)), ROWS[:19]])
    links = place_anchors(rows, 320, seed=0)
    assert len(links.anchors) == len(np.unique(rows, axis=0)) == 20


@pytest.mark.parametrize("n", [15, 400])
def test_no_anchor_twice_where_sparse_rows_repeat(n):
    rows = sparse.csr_array(ROWS[np.arange(n) % 5])
    anchors = place_anchors(rows, 40, seed=0).anchors
    assert len(anchors) == len(np.unique(anchors, axis=0)) == 5


def test_as_many_anchors_as_rows():
    for wanted in (50, 60):
        anchors = place_anchors(ROWS[:50], wanted, seed=0).anchors
        np.testing.assert_array_equal(anchors, np.unique(ROWS[:50], axis=0))


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_equal_rows(container):
    links = place_anchors(container(np.ones((30, 2))), 10, seed=0)
    np.testing.assert_array_equal(links.anchors, [[1, 1]])
    assert links.bandwidth == 0
