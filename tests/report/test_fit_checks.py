"""Indices, stability, tables of classes, curves and small pictures."""

import re
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import (
    calinski_harabasz_score,
    davies_bouldin_score,
    silhouette_score,
)

from graphtailor.diagnostics.class_view import confusion_view
from graphtailor.diagnostics.curves import objective_curve
from graphtailor.diagnostics.model_access import full_weight, graph_of
from graphtailor.diagnostics.quality import quality_indices, sample_sentence
from graphtailor.diagnostics.stability import stability_sentence, start_stability
from graphtailor.report.charts import line_chart
from graphtailor.report.matrix_svg import matrix_svg


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


def test_stability_ranks_starts_by_their_objective():
    kept = np.array([0, 0, 1, 1, 2, 2])
    starts = [
        SimpleNamespace(kind="random", objective=9.0, labels=np.array([0, 1] * 3)),
        SimpleNamespace(kind="spectral", objective=1.0, labels=2 - kept),
        SimpleNamespace(kind="k-means", objective=2.0, labels=kept),
    ]
    found = start_stability(SimpleNamespace(labels_=kept, starts_=starts))
    assert found.kinds == ["spectral", "k-means", "random"]
    assert found.with_kept[:2].tolist() == [1, 1]
    assert found.agreement[0, 1] == 1
    assert found.agreement[0, 2] == found.agreement[2, 0] < 0.2
    told = stability_sentence(found)
    assert told.startswith("2 of 3 starts")
    assert "from random (agreement" in told
    assert "800.00% higher" in told
    assert "from k-means" not in told
    starts[0].labels = kept
    agreed = start_stability(SimpleNamespace(labels_=kept, starts_=starts))
    assert "Starts of every kind do" in stability_sentence(agreed)
    alike = [SimpleNamespace(**{**vars(s), "kind": "random"}) for s in starts]
    single = start_stability(SimpleNamespace(labels_=kept, starts_=alike))
    assert "of one kind (random)" in stability_sentence(single)
    one = SimpleNamespace(labels_=kept, starts_=starts[:1])
    assert start_stability(one) is None


def test_the_kept_start_counts_as_itself():
    """It is followed on alone, and may leave what all starts had found by then."""
    then, later = np.repeat([0, 1], 6), np.tile([0, 1], 6)
    starts = [
        SimpleNamespace(kind="spectral", objective=1.0, labels=later),
        SimpleNamespace(kind="k-means", objective=2.0, labels=then),
        SimpleNamespace(kind="random", objective=3.0, labels=1 - then),
    ]
    # By anchors the start that is kept has not always the lowest objective.
    model = SimpleNamespace(
        labels_=later, starts_=starts, objective_=np.array([5.0, 2.0, 1.5])
    )
    found = start_stability(model)
    assert found.with_kept[1:].tolist() == [1, 1]
    assert found.with_kept[0] < 0.2
    assert found.at_the_end == found.with_kept[0]
    told = stability_sentence(found)
    assert told.startswith("2 of 3 starts")
    assert "followed to the end (agreement -0.10)" in told


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


def test_given_graph_is_not_called_learned():
    graph = np.ones((2, 2))
    cut = SimpleNamespace(affinity_matrix_=graph, given_graph_=graph)
    assert graph_of(cut, "learned") is None
    assert graph_of(cut, "given") is graph


def test_objective_of_every_habit():
    def curve(values, n_iter):
        model = SimpleNamespace(objective_=np.array(values), n_iter_=n_iter)
        return objective_curve(model)[0].tolist()

    assert curve([3.0, 2, 1], 2) == [0, 1, 2]
    assert curve([3.0, 2, 1], 3) == [1, 2, 3]
    assert curve([3.0], 7) == [7]
    assert curve([3.0, 2, 1], 20) == [0, 10, 20]


@pytest.mark.parametrize(
    "values",
    [[5.0], [1.0, 1.0], [1e9, 1.0, 1e-3], [-3.0, -4.0], [1e-12, 2e-12], []],
)
def test_charts_stay_inside_their_frame(values):
    chart = line_chart(
        range(len(values)), values, x_name="<x>", y_name="y", description='"d"'
    )
    assert "<x>" not in chart
    assert "nan" not in chart
    path = re.search(r'class="curve" d="M(.*?)"', chart)[1]
    points = [tuple(map(float, p.split())) for p in path.split("L") if p]
    assert len(points) == len(values)
    assert all(0 <= x <= 480 and 0 <= y <= 250 for x, y in points)


def test_ticks_are_told_apart():
    chart = line_chart(
        range(3), [196.21, 196.3, 196.9], x_name="x", y_name="y", description=""
    )
    ticks = re.findall(r'text-anchor="end">(.*?)<', chart)
    assert len(set(ticks)) == len(ticks) > 2
    steps = np.diff([float(tick) for tick in ticks])
    np.testing.assert_allclose(steps, steps[0], rtol=1e-6)


def test_matrices_share_a_scale():
    weak, strong = np.full((3, 3), 0.1), np.full((3, 3), 1.0)
    top = full_weight([weak, strong])
    assert top == 1.0
    sizes = np.array([2, 0, 1])
    pictures = [matrix_svg(image, sizes, top, "<t>") for image in (weak, strong)]
    assert pictures[0] != pictures[1]
    assert all("<t>" not in picture for picture in pictures)
    assert pictures[0].count("<g ") == 2
    assert matrix_svg(np.zeros((2, 2)), sizes, full_weight([np.zeros((2, 2))]), "")
