"""Indices without labels, and counts of classes in clusters."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.metrics import (
    calinski_harabasz_score,
    davies_bouldin_score,
    silhouette_score,
)

from graphtailor.diagnostics.quality import (
    confusion_view,
    quality_indices,
    sample_sentence,
)
from graphtailor.graphs import NeighborGraph


def test_indices_by_definition():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 60)
    X = rng.normal(size=(60, 3)) + labels[:, None]
    A = rng.random((60, 60)) * (rng.random((60, 60)) < 0.3)
    A = A + A.T
    found = quality_indices(labels, features=X, graph=sparse.csr_array(A))
    values = {index.name: index.value for index in found}
    assert values["silhouette"] == pytest.approx(silhouette_score(X, labels))
    assert values["Davies-Bouldin"] == pytest.approx(davies_bouldin_score(X, labels))
    assert values["Calinski-Harabasz"] == pytest.approx(
        calinski_harabasz_score(X, labels)
    )
    d, total = A.sum(axis=1), A.sum()
    same = labels[:, None] == labels[None, :]
    modularity = ((A - np.outer(d, d) / total) * same).sum() / total
    assert values["modularity"] == pytest.approx(modularity)
    cuts = [
        A[np.ix_(labels == k, labels != k)].sum() / d[labels == k].sum()
        for k in range(3)
    ]
    assert values["normalised cut"] == pytest.approx(np.mean(cuts))


@pytest.mark.parametrize("labels", [np.zeros(5, dtype=int), np.arange(5)])
def test_indices_that_have_no_meaning_are_left_out(labels):
    found = quality_indices(labels, features=np.arange(10.0).reshape(5, 2))
    assert found == []
    assert quality_indices(labels, graph=np.zeros((5, 5))) == []
    assert sample_sentence(5) == ""
    assert "5,000 of the 9,000" in sample_sentence(9000)


def test_confusion_puts_partners_on_the_diagonal():
    y = np.array(["c", "c", "a", "a", "b", "b", "d"])
    labels = np.array([0, 0, 1, 1, 2, 0, 2])
    view = confusion_view(y, labels)
    assert view["classes"][:2] == ["c", "a"]
    assert set(view["classes"]) == set("abcd")
    assert [row["cluster"] for row in view["rows"]] == [0, 1, 2]
    assert sum(c["count"] for row in view["rows"] for c in row["cells"]) == 7
    many = confusion_view(np.arange(100).astype(str), np.arange(100) % 50)
    assert len(many["classes"]) == 30
    assert many["n_left"] == 70


def test_modularity_of_noise_is_not_called_structure():
    """Neighbour graphs of noise have a modularity that random graphs do not reach."""
    X = np.random.default_rng(0).normal(size=(400, 2))
    labels = KMeans(6, n_init=1, random_state=0).fit_predict(X)
    found = quality_indices(labels, graph=NeighborGraph().fit(X).affinity_)
    modularity = next(index for index in found if index.name == "modularity")
    assert modularity.value > 0.5
    assert "structure" not in modularity.meaning
    assert "noise" in modularity.meaning
