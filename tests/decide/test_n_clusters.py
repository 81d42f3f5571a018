"""How many clusters: the path of cuts, its best number and the short list."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs, make_circles, make_moons

from graphtailor import GraphTailor
from graphtailor.decide.n_clusters import Path, numbers_to_try


def path(scores):
    numbers = tuple(range(2, 2 + len(scores)))
    return Path((), numbers, tuple(scores))


def test_the_best_number_is_the_finer_of_two_equals():
    assert path([0.1, 0.5, 0.2, 0.5, 0.3]).best == 5


def test_the_short_list_has_the_local_maxima():
    assert path([0.4, 0.1, 0.5, 0.2, 0.3, 0.25, 0.28]).suggestions == (4, 2, 6)


def test_numbers_to_try():
    assert numbers_to_try(7, 100) == [7]
    assert numbers_to_try(7, 3) == [3]
    assert numbers_to_try("auto", 1_000) == list(range(2, 21))
    assert numbers_to_try("auto", 24) == [2, 3, 4, 5, 6]
    assert numbers_to_try("auto", 2) == [2]


@pytest.mark.parametrize(
    ("X", "c"),
    [
        (make_blobs(300, 4, centers=5, cluster_std=0.5, random_state=1)[0], 5),
        (make_blobs([200, 80, 40], 3, centers=8 * np.eye(3), random_state=2)[0], 3),
        (make_moons(400, noise=0.05, random_state=0)[0], 2),
        (make_circles(400, factor=0.5, noise=0.04, random_state=0)[0], 2),
    ],
    ids=["blobs", "unequal blobs", "moons", "rings"],
)
def test_clear_clusters_are_counted(X, c):
    model = GraphTailor(random_state=0).fit(X)
    assert model.n_clusters_ == c
    assert len(np.unique(model.labels_)) == c
