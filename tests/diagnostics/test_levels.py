"""Levels: groups that stay, split, or are not nested."""

import numpy as np

from graphtailor.diagnostics.levels import Levels, distinct_groups

COARSE = np.array([0, 0, 0, 0, 1, 1])
FINE = np.array([2, 2, 2, 1, 0, 0])


def test_the_labels_that_were_taken_replace_their_level():
    other = 1 - COARSE
    found = Levels.of(COARSE, 2, {2: other, 3: FINE}, (3,))
    assert found.numbers == (2, 3)
    np.testing.assert_array_equal(found.labels[found.chosen], COARSE)
    assert found.suggested == (3,)


def test_a_group_that_stays_whole_is_one_group():
    groups = distinct_groups(Levels((2, 3), (COARSE, FINE)))
    assert groups.member.shape == (4, 6)
    assert groups.of_level[0].tolist() == [0, 1]
    assert groups.of_level[1][0] == 1
    assert groups.rows(0).tolist() == [0, 1, 2, 3]
    assert groups.sizes.tolist() == [4, 2, 1, 3]


def test_an_empty_cluster_has_no_group():
    groups = distinct_groups(Levels((2,), (np.array([0, 2, 2]),)))
    assert groups.of_level[0].tolist() == [0, -1, 1]


def test_colours_follow_the_largest_part_and_differ():
    rng = np.random.default_rng(0)
    labels = tuple(rng.integers(0, k, 500) for k in (2, 5, 9))
    for colors, k in zip(Levels((2, 5, 9), labels).colors(), (2, 5, 9), strict=True):
        assert len(set(colors.tolist())) == k
