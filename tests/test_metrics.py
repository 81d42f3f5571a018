"""The metrics against brute force, their own definitions, and their symmetries."""

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import normalized_mutual_info_score

from graphtailor.metrics import (
    adjusted_rand_score,
    clustering_accuracy,
    clustering_scores,
    normalized_mutual_info,
    purity,
)

METRICS = [
    clustering_accuracy,
    normalized_mutual_info,
    purity,
    adjusted_rand_score,
]


@st.composite
def labelings(draw):
    """Two labelings of the same samples, with up to five labels each."""
    n = draw(st.integers(1, 25))
    both = [
        draw(st.lists(st.integers(0, draw(st.integers(0, 4))), min_size=n, max_size=n))
        for _ in range(2)
    ]
    return np.array(both[0]), np.array(both[1])


def brute_force_accuracy(y_true, labels):
    """Best share of equal labels over all ways to name the clusters."""
    names = np.array(list(permutations(range(5))))
    return max(np.mean(naming[labels] == y_true) for naming in names)


def entropy(counts):
    shares = counts[counts > 0] / counts.sum()
    return -np.sum(shares * np.log(shares))


@given(labelings())
def test_accuracy_equals_brute_force(pair):
    y_true, labels = pair
    assert clustering_accuracy(y_true, labels) == pytest.approx(
        brute_force_accuracy(y_true, labels)
    )


@given(labelings())
def test_nmi_equals_its_formula(pair):
    y_true, labels = pair
    joint = np.zeros((5, 5))
    np.add.at(joint, (y_true, labels), 1)
    h_true, h_labels = entropy(joint.sum(axis=1)), entropy(joint.sum(axis=0))
    information = h_true + h_labels - entropy(joint.ravel())
    largest = max(h_true, h_labels)
    expected = 1.0 if largest == 0 else information / largest
    assert normalized_mutual_info(y_true, labels) == pytest.approx(expected, abs=1e-12)


@given(labelings())
def test_purity_equals_its_definition(pair):
    y_true, labels = pair
    right = sum(np.bincount(y_true[labels == k]).max() for k in np.unique(labels))
    assert purity(y_true, labels) == pytest.approx(right / len(labels))


@given(labelings())
def test_bounds_and_order(pair):
    scores = clustering_scores(*pair)
    assert list(scores) == ["ACC", "NMI", "PUR", "ARI"]
    assert all(type(score) is float for score in scores.values())
    assert 0 < scores["ACC"] <= scores["PUR"] <= 1
    assert 0 <= scores["NMI"] <= 1
    assert -1 <= scores["ARI"] <= 1


@pytest.mark.parametrize("metric", METRICS)
@given(pair=labelings(), data=st.data())
def test_names_and_order_of_samples_do_not_matter(metric, pair, data):
    y_true, labels = pair
    score = metric(y_true, labels)
    naming = np.array(data.draw(st.permutations(range(5))))
    order = np.array(data.draw(st.permutations(range(len(labels)))))
    strings = np.array(list("vwxyz"))
    assert metric(y_true, naming[labels]) == pytest.approx(score, abs=1e-12)
    assert metric(strings[y_true], strings[labels]) == pytest.approx(score, abs=1e-12)
    assert metric(y_true[order], labels[order]) == pytest.approx(score, abs=1e-12)


@given(labelings())
def test_the_truth_scores_one(pair):
    y_true, _ = pair
    assert clustering_scores(y_true, y_true) == pytest.approx(
        {"ACC": 1, "NMI": 1, "PUR": 1, "ARI": 1}
    )


def test_unequal_numbers_of_clusters_and_classes():
    classes = np.repeat([0, 1, 2], 4)
    merged = np.repeat([0, 1, 1], 4)
    split = np.repeat(np.arange(6), 2)
    assert clustering_accuracy(classes, merged) == pytest.approx(8 / 12)
    assert purity(classes, merged) == pytest.approx(8 / 12)
    assert clustering_accuracy(classes, split) == pytest.approx(6 / 12)
    assert purity(classes, split) == 1
    # No smoothing for the unequal numbers: that would give 0.590.
    assert normalized_mutual_info(classes, merged) == pytest.approx(0.5794, abs=1e-4)


def test_nmi_of_a_skewed_clustering_depends_on_the_normalisation():
    y_true, labels = [0, 0, 0, 1, 1, 1], [0, 0, 0, 0, 0, 1]
    largest = normalized_mutual_info(y_true, labels)
    assert largest < normalized_mutual_info_score(y_true, labels)


def test_constant_labelings():
    constant, halves = [0, 0, 0, 0], [0, 0, 1, 1]
    assert clustering_scores(constant, constant) == {
        "ACC": 1.0,
        "NMI": 1.0,
        "PUR": 1.0,
        "ARI": 1.0,
    }
    assert clustering_scores(halves, constant) == {
        "ACC": 0.5,
        "NMI": 0.0,
        "PUR": 0.5,
        "ARI": 0.0,
    }


def test_a_clustering_worse_than_chance_has_negative_ari():
    assert clustering_scores([0, 0, 1, 1], [0, 1, 0, 1])["ARI"] == pytest.approx(-0.5)


def test_series_and_columns_are_accepted():
    y_true = pd.Series(["a", "a", "b"], index=[7, 3, 5])
    assert clustering_accuracy(y_true, np.array([[1], [1], [0]])) == 1


@pytest.mark.parametrize("metric", [*METRICS[:3], clustering_scores])
@pytest.mark.parametrize(
    ("y_true", "labels", "message"),
    [
        ([0, 1], [0, 1, 1], "same length, got 2 and 3"),
        ([], [], "y_true is empty"),
        ([0], [], "labels is empty"),
        ([[0, 1], [1, 0]], [0, 1], "y_true must hold one label for each sample"),
        ([0, 1], [0, np.nan], "labels contains NaN"),
    ],
)
def test_bad_input_is_named(metric, y_true, labels, message):
    with pytest.raises(ValueError, match=message):
        metric(y_true, labels)
