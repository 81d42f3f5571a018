"""GraphTailor: its decision, its promises about labels, every kind of input."""

import dataclasses
import inspect
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from graphtailor import GraphTailor
from graphtailor.decide.sizes import REPRESENTATIVES
from graphtailor.graphs.ensemble.members import KMeansMembers, SpectralMembers

# A few quick members: what is tested does not depend on their number.
QUICK = [KMeansMembers(), SpectralMembers()]
X, Y = make_blobs(150, centers=3, n_features=4, cluster_std=0.8, random_state=1)


def quick(n_clusters=3, **params):
    return GraphTailor(n_clusters, **{"members": QUICK, "random_state": 0} | params)


@pytest.fixture(scope="module")
def fitted():
    return GraphTailor(random_state=0).fit(X)


def same_partition(one, other):
    """Whether labels are equal up to their names."""
    return len(set(zip(one, other, strict=True))) == len(set(one)) == len(set(other))


def check_sound(model, rows):
    n, c = rows.shape[0], model.n_clusters_
    assert model.labels_.shape == (n,)
    assert set(model.labels_) <= set(range(c))
    assert model.indicator_.shape == (n, c)
    np.testing.assert_array_equal(model.predict(rows), model.labels_)
    P = model.predict_proba(rows)
    assert P.min() >= 0
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-5)
    np.testing.assert_array_equal(P, model.indicator_)
    assert model.decision_.n_rows == n


# --- The decision --------------------------------------------------------------------


def test_few_parameters():
    assert len(inspect.signature(GraphTailor).parameters) <= 8


def test_a_decision_is_frozen(fitted):
    with pytest.raises(dataclasses.FrozenInstanceError):
        fitted.decision_.n_clusters = 7


def test_a_decision_is_complete(fitted):
    decision = fitted.decision_
    assert (decision.n_rows, decision.n_representatives) == (150, 150)
    assert decision.every_row
    assert decision.n_clusters == fitted.n_clusters_ == decision.suggestions[0] == 3
    assert [level.n_clusters for level in decision.levels] == list(range(2, 21))
    assert max(decision.levels, key=lambda level: level.score).n_clusters == 3
    assert decision.n_members == len(fitted.ensemble_.members_)
    assert set(decision.members) == {
        member.kind for member in fitted.ensemble_.members_
    }
    assert not decision.shapes
    assert (decision.alpha, decision.beta) == (fitted.model_.alpha, fitted.model_.beta)


def test_a_decision_prints_as_sentences(fitted):
    sentences = fitted.decision_.sentences()
    assert str(fitted.decision_) == "\n".join(sentences)
    assert all(sentence[0].isupper() or sentence[0].isdigit() for sentence in sentences)
    assert all(sentence.endswith(".") for sentence in sentences)
    text = str(fitted.decision_)
    assert "Each of the 150 rows represents itself." in text
    assert f"{fitted.decision_.n_members} quick clusterings" in text
    assert "3 clusters are what near neighbours separate" in text
    assert f"{fitted.decision_.cut_agreement:.3f}" in text


def test_a_decision_tells_of_anchors_copies_and_a_number_asked_for():
    anchors = quick(representatives=60).fit(X).decision_
    assert not anchors.every_row
    assert "60 weighted anchors represent 150 rows" in str(anchors)
    copies = quick().fit(np.vstack([X, X])).decision_
    assert copies.every_row
    assert "150 distinct rows represent all 300" in str(copies)
    assert "3 clusters were asked for." in str(copies)
    assert copies.suggestions == ()


def test_shapes_are_found_and_told():
    moons, y = make_moons(300, noise=0.06, random_state=0)
    model = GraphTailor(2, random_state=0).fit(moons)
    assert adjusted_rand_score(y, model.labels_) == 1
    assert model.decision_.shapes
    assert "not compact" in str(model.decision_)
    assert set(model.decision_.members) == {"spectral"}


# --- Labels --------------------------------------------------------------------------


def test_clusters_of_blobs_are_found_without_their_number(fitted):
    assert adjusted_rand_score(Y, fitted.labels_) == 1
    check_sound(fitted, X)
    new, y = make_blobs(150, centers=3, n_features=4, cluster_std=0.9, random_state=1)
    assert adjusted_rand_score(y, fitted.predict(new)) == 1


@pytest.mark.parametrize("representatives", [REPRESENTATIVES, 60])
def test_equal_rows_have_equal_labels(representatives):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(100, 3))[rng.integers(0, 100, size=400)]
    model = quick(4, representatives=representatives).fit(rows)
    _, group = np.unique(rows, axis=0, return_inverse=True)
    assert len(set(zip(group, model.labels_, strict=True))) == group.max() + 1
    check_sound(model, rows)


@pytest.mark.parametrize("scaling", ["maxabs", "minmax", "standard", None])
def test_shuffled_rows_give_the_same_partition(scaling):
    """Exactly, with overlapping clusters and copies among the rows."""
    rng = np.random.default_rng(1)
    rows = np.vstack([rng.normal(size=(100, 3)), rng.normal(size=(30, 3)) + 2])
    rows = rows[np.r_[np.arange(130), rng.integers(0, 130, 20)]]
    order = rng.permutation(150)
    model = GraphTailor(4, scaling=scaling, random_state=0)
    one, two = clone(model).fit(rows), clone(model).fit(rows[order])
    assert same_partition(one.labels_[order], two.labels_)


def test_shuffled_rows_of_many_features_give_the_same_partition():
    """They are compared in a projection, which must not depend on the order."""
    rng = np.random.default_rng(2)
    rows = rng.normal(size=(200, 90)) + rng.integers(0, 2, (200, 1))
    order = rng.permutation(200)
    one, two = quick(4).fit(rows), quick(4).fit(rows[order])
    assert same_partition(one.labels_[order], two.labels_)


@pytest.mark.parametrize("representatives", [REPRESENTATIVES, 60])
def test_threads_do_not_change_a_byte(representatives):
    rows = np.random.default_rng(0).normal(size=(250, 5))
    model = GraphTailor(random_state=3, representatives=representatives)
    one, two = (clone(model).set_params(n_jobs=k).fit(rows) for k in (1, 2))
    assert one.decision_ == two.decision_
    assert one.indicator_.tobytes() == two.indicator_.tobytes()
    assert one.objective_.tobytes() == two.objective_.tobytes()
    new = rows * 1.01
    assert one.predict_proba(new).tobytes() == two.predict_proba(new).tobytes()


@pytest.mark.parametrize("representatives", [REPRESENTATIVES, 60])
@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_a_row_is_predicted_alike_alone_and_in_company(representatives, container):
    rows = np.random.default_rng(0).normal(size=(150, 5))
    model = quick(4, representatives=representatives).fit(container(rows))
    new = container(rows[:20] + 0.05)
    together = model.predict_proba(new)
    alone = np.vstack([model.predict_proba(new[i : i + 1]) for i in range(20)])
    np.testing.assert_array_equal(alone, together)


# --- Input ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "given"),
    [
        ("euclidean", X),
        ("cosine", X),
        ("precomputed", cdist(X, X)),
        ("affinity", rbf_kernel(X, gamma=0.5)),
        ("euclidean", sparse.csr_array(X)),
        ("cosine", sparse.csr_array(X)),
        ("affinity", sparse.csr_array(rbf_kernel(X, gamma=0.5))),
    ],
    ids=str,
)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_every_metric(metric, given, dtype):
    given = given.astype(dtype)
    model = quick("auto", metric=metric).fit(given)
    check_sound(model, given)
    assert adjusted_rand_score(Y, model.labels_) == 1
    assert model.indicator_.dtype == model.predict_proba(given).dtype == dtype
    pairwise = metric in ("precomputed", "affinity")
    assert model.__sklearn_tags__().input_tags.pairwise == pairwise
    if pairwise:
        part = quick(3, metric=metric).fit(given[:100, :100])
        labels = np.r_[part.labels_, part.predict(given[100:, :100])]
        assert adjusted_rand_score(Y, labels) == 1


def test_cosine_compares_directions():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 40)
    rows = (np.eye(3)[y] + 0.05 * rng.normal(size=(120, 3))) * np.exp(
        3 * rng.normal(size=(120, 1))
    )
    cosine = quick(metric="cosine", scaling=None).fit(rows)
    assert adjusted_rand_score(y, cosine.labels_) == 1
    longer = cosine.predict(rows * np.exp(rng.normal(size=(120, 1))))
    np.testing.assert_array_equal(longer, cosine.labels_)


def test_frames_and_pipelines():
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = quick().fit(frame)
    np.testing.assert_array_equal(model.feature_names_in_, list("abcd"))
    np.testing.assert_array_equal(model.labels_, quick().fit(X).labels_)
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[list("dcba")])
    labels = make_pipeline(StandardScaler(), quick()).fit_predict(frame)
    assert adjusted_rand_score(Y, labels) == 1


def test_samples_and_parameters_are_left_alone():
    before, model = X.copy(), quick()
    params = model.get_params()
    model.fit(X)
    np.testing.assert_array_equal(X, before)
    assert model.get_params() == params


HARD = {
    "two samples": (np.eye(2), 2),
    "two samples, one cluster": (np.eye(2), 1),
    "three samples": (np.eye(3), "auto"),
    "as many clusters as samples": (X[:9], 9),
    "all equal": (np.full((30, 3), 0.1), 2),
    "all zero": (np.zeros((20, 2)), "auto"),
    "two different": (np.repeat(np.eye(2), 20, axis=0), "auto"),
    "few different": (np.repeat(X[:4], 15, axis=0), 3),
    "huge outlier": (np.r_[X[:, 0], 1e150][:, None], 2),
    "constant features": (np.c_[X, np.full(150, 7.0), np.zeros(150)], 3),
    "orthogonal": (np.eye(40), "auto"),
    "wide": (X[:15] @ np.random.default_rng(0).normal(size=(4, 200)), 3),
    "whole numbers": (np.random.default_rng(0).integers(0, 2, (40, 3)), "auto"),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("case", HARD)
@pytest.mark.parametrize("params", [{}, {"representatives": 20}], ids=str)
def test_hard_inputs(case, params):
    rows, n_clusters = HARD[case]
    model = GraphTailor(n_clusters, random_state=0, **params).fit(rows)
    check_sound(model, rows)
    assert np.isfinite(model.indicator_).all()
    n_distinct = len(np.unique(rows, axis=0))
    # A cluster of anchors may be no row's first choice.
    found = len(set(model.labels_))
    assert found <= model.n_clusters_ <= n_distinct
    assert found == model.n_clusters_ or "representatives" in params
    if n_clusters != "auto":
        assert model.n_clusters_ == min(n_clusters, n_distinct)
    new = model.predict_proba(np.asarray(rows, dtype=float) * 1.1 + 0.01)
    assert np.isfinite(new).all()
    if case.endswith("unit"):
        assert adjusted_rand_score(Y, model.labels_) == 1


def test_fewer_distinct_rows_than_clusters_are_told():
    rows = np.repeat(np.eye(2), 5, axis=0)
    with pytest.warns(ConvergenceWarning, match=r"Only 2 rows.*n_clusters=3"):
        model = quick(3).fit(rows)
    assert model.n_clusters_ == 2
    assert "Each distinct row is a cluster of its own." in str(model.decision_)


# --- Refusals ------------------------------------------------------------------------


@pytest.mark.parametrize(
    "params",
    [
        {"n_clusters": 0},
        {"n_clusters": "many"},
        {"metric": "manhattan"},
        {"scaling": "length"},
        {"views": ("upside down",)},
        {"members": "all"},
        {"members": ["spectral"]},
        {"representatives": 1},
        {"n_clusters": 9, "representatives": 8},
    ],
    ids=str,
)
def test_bad_parameters_are_named(params):
    with pytest.raises(ValueError, match=next(iter(params))):
        GraphTailor(**params).fit(X)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (np.eye(3), r"n_samples=3.*n_clusters=4"),
        (np.ones((1, 2)), "minimum of 2"),
        (np.full((5, 2), np.nan), "NaN"),
        (np.full((5, 2), np.inf), "infinity"),
        (np.ones(5), "Expected 2D"),
    ],
)
def test_bad_samples_are_refused(rows, message):
    with pytest.raises(ValueError, match=message):
        GraphTailor(4).fit(rows)


@pytest.mark.parametrize("metric", ["precomputed", "affinity"])
def test_bad_matrices_of_pairs(metric):
    with pytest.raises(ValueError, match="must be square"):
        quick(2, metric=metric).fit(np.ones((4, 3)))
    with pytest.raises(ValueError, match="must not be negative"):
        quick(2, metric=metric).fit(-np.ones((4, 4)))


def test_sparse_rows_are_not_shifted():
    with pytest.raises(ValueError, match=r"scaling='minmax'.*maxabs"):
        quick(2, scaling="minmax").fit(sparse.csr_array(X))


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
def test_as_given_too_large_squares_are_refused(metric):
    rows = (1e19 * X).astype(np.float32)
    with pytest.raises(ValueError, match=r"largest value of X.*scaling='maxabs'"):
        quick(scaling=None, metric=metric).fit(rows)


@pytest.mark.parametrize("container", [np.asarray, pd.DataFrame])
def test_rows_far_from_all_fitted_ones_are_counted(container):
    rows = make_blobs(60, centers=2, random_state=0)[0]
    model = quick(2).fit(container(rows))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(container(rows))
    rows[:4] *= 1000
    rows[5] = 1e200
    with pytest.warns(UserWarning, match="5 of 60 rows are more than 3 times as far"):
        model.predict(container(rows))


def test_predictions_are_checked(fitted):
    with pytest.raises(NotFittedError):
        GraphTailor().predict(X)
    with pytest.raises(ValueError, match="expecting 4 features"):
        fitted.predict(X[:, :3])
