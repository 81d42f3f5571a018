"""GraphTailor on anchors: promises about labels, hard inputs, curved clusters."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import sparse
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from graphtailor import GraphTailor
from graphtailor.metrics import clustering_accuracy
from graphtailor.representatives import choice, rows
from graphtailor.solvers.starts import unit_rows


def anchored(n_clusters=3, **params):
    defaults = {"tier": "anchors", "n_init": 3, "random_state": 0}
    return GraphTailor(n_clusters, **defaults | params)


@parametrize_with_checks([GraphTailor(n_clusters=2, tier="anchors", n_init=3)])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def blobs(n=1500, d=6, std=1.0, dtype=np.float64):
    X, y = make_blobs(n, centers=3, n_features=d, random_state=1, cluster_std=std)
    return X.astype(dtype), y


def check_sound(model, X, n_clusters):
    """What holds for every fit, however odd the input."""
    n = X.shape[0]
    m = len(model.anchors_)
    assert model.tier_ == "anchors"
    assert model.labels_.shape == (n,)
    assert 0 <= model.labels_.min() <= model.labels_.max() < n_clusters
    assert model.indicator_.shape == (n, n_clusters)
    assert np.isfinite(model.indicator_).all()
    assert model.indicator_.min() >= 0
    assert (model.indicator_.max(axis=1) > 0).all()
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    step = max(n // 25, 1)
    for i in range(0, n, step):
        np.testing.assert_array_equal(model.predict(X[i : i + 1]), model.labels_[i])
    P = model.predict_proba(X)
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-5)
    assert model.anchor_labels_.shape == model.anchor_masses_.shape == (m,)
    assert np.isfinite(model.anchors_).all()
    assert model.anchor_masses_.min() >= 0
    for S in (model.affinity_matrix_, model.representation_, model.given_graph_):
        assert S.shape == (m, m)
        assert np.isfinite(S.data).all()
        assert S.data.min(initial=0) >= 0
    assert len(model.objective_) == model.n_iter_ + 1
    assert (np.diff(model.objective_) <= 1e-9 * model.objective_[:-1] + 1e-12).all()


CONTAINERS = {
    "array": np.asarray,
    "column order": np.asfortranarray,
    "sparse array": sparse.csr_array,
    "sparse matrix": sparse.csr_matrix,
}


@pytest.mark.parametrize("scaling", ["maxabs", "standard", "minmax", None])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("container", CONTAINERS)
def test_a_fitted_row_keeps_its_label(container, dtype, scaling):
    X, y = blobs(600, std=3.0, dtype=dtype)
    X = CONTAINERS[container](X)
    if scaling == "minmax" and sparse.issparse(X):
        with pytest.raises(ValueError, match=r"scaling='minmax'.*maxabs"):
            anchored(scaling=scaling, anchors=60).fit(X)
        return
    model = anchored(scaling=scaling, anchors=60).fit(X)
    check_sound(model, X, 3)
    assert adjusted_rand_score(y, model.labels_) > 0.8
    for name in ("indicator_", "anchors_"):
        assert getattr(model, name).dtype == dtype
    rng = np.random.default_rng(0)
    for size in (2, 30, 599):
        some = rng.choice(600, size, replace=False)
        np.testing.assert_array_equal(model.predict(X[some]), model.labels_[some])


def test_whole_numbers_keep_their_labels_alone():
    """Nearly all distances are tied."""
    X = np.random.default_rng(0).integers(0, 2, (3000, 12)).astype(float)
    model = anchored(5, anchors=1000).fit(X)
    alone = [model.predict(X[i : i + 1])[0] for i in range(300)]
    np.testing.assert_array_equal(alone, model.labels_[:300])


@pytest.mark.parametrize("scaling", ["maxabs", "standard", "minmax", None])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_mapped_file_gives_what_an_array_gives(tmp_path, monkeypatch, dtype, scaling):
    monkeypatch.setattr(rows, "_ROWS_PER_BLOCK", 97)
    X, _ = blobs(800, std=3.0, dtype=dtype)
    X.tofile(tmp_path / "rows")
    mapped = np.memmap(tmp_path / "rows", dtype=dtype, mode="r", shape=X.shape)
    model = anchored(scaling=scaling, anchors=60)
    plain = clone(model).fit(X)
    model.fit(mapped)
    assert model.indicator_.tobytes() == plain.indicator_.tobytes()
    np.testing.assert_array_equal(model.predict(mapped), model.labels_)
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_the_order_of_memory_and_the_blocks_change_nothing(monkeypatch):
    X, _ = blobs(500, std=4.0)
    plain = anchored(anchors=50).fit(X)
    columns = anchored(anchors=50).fit(np.asfortranarray(X))
    monkeypatch.setattr(rows, "_ROWS_PER_BLOCK", 33)
    blocks = anchored(anchors=50).fit(X)
    frame = anchored(anchors=50).fit(pd.DataFrame(X))
    for other in (columns, blocks, frame):
        assert other.indicator_.tobytes() == plain.indicator_.tobytes()
        assert other.objective_.tobytes() == plain.objective_.tobytes()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("anchors", ["auto", 80])
def test_a_seed_decides_everything_on_any_number_of_threads(monkeypatch, anchors):
    monkeypatch.setattr(rows, "_ROWS_PER_BLOCK", 100)
    monkeypatch.setattr(choice, "_FIRST", 40)
    monkeypatch.setattr(choice, "_FIRST_PER_CLUSTER", 2)
    X = np.random.default_rng(0).normal(size=(2000, 5))
    fits = [
        anchored(4, anchors=anchors, n_jobs=n_jobs, random_state=seed).fit(X)
        for n_jobs, seed in ((1, 7), (2, 7), (-1, 7), (1, 8))
    ]
    for other in fits[1:3]:
        assert fits[0].indicator_.tobytes() == other.indicator_.tobytes()
        assert fits[0].anchors_.tobytes() == other.anchors_.tobytes()
        assert fits[0].anchor_stability_ == other.anchor_stability_
    assert not np.array_equal(fits[0].anchors_, fits[3].anchors_)


def test_the_global_random_state_and_the_samples_are_left_alone():
    X, _ = blobs(300)
    before = X.copy()
    state = np.random.get_state()[1].copy()  # noqa: NPY002 (it must not move)
    anchored(random_state=None).fit(X)
    np.testing.assert_array_equal(np.random.get_state()[1], state)  # noqa: NPY002
    np.testing.assert_array_equal(X, before)


def test_a_stored_model_predicts_alike():
    X, _ = blobs(400, std=3.0)
    model = anchored(anchors=50).fit(X)
    stored = pickle.loads(pickle.dumps(model))
    assert (
        stored.predict_proba(X + 0.1).tobytes()
        == model.predict_proba(X + 0.1).tobytes()
    )


def test_anchors_are_told_in_the_units_of_the_samples():
    X, _ = blobs()
    for scaling in ("maxabs", "standard", "minmax", None):
        model = anchored(scaling=scaling, anchors=40).fit(1000 * X + 5000)
        low, high = (1000 * X + 5000).min(axis=0), (1000 * X + 5000).max(axis=0)
        assert (model.anchors_ >= low - 1e-6).all()
        assert (model.anchors_ <= high + 1e-6).all()


def test_rows_of_an_anchor_follow_it():
    X, y = blobs()
    model = anchored(anchors=60).fit(X)
    agree = model.predict(model.anchors_) == model.anchor_labels_
    assert agree[model.anchor_masses_ > 0].mean() > 0.95
    assert model.anchor_masses_.sum() > 0
    assert adjusted_rand_score(y, model.labels_) == 1


@pytest.mark.parametrize("given_as", [np.asarray, list, pd.DataFrame])
def test_anchors_of_the_users_own(given_as):
    X, y = blobs()
    own = X[::25]
    model = anchored(anchors=given_as(own.tolist())).fit(X)
    np.testing.assert_allclose(model.anchors_, own, rtol=1e-12)
    assert model.anchor_stability_ is None
    assert adjusted_rand_score(y, model.labels_) == 1
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("m", [3, 57, np.int64(57), 10**6])
def test_a_number_of_anchors(m):
    X, _ = blobs(400)
    model = anchored(anchors=m).fit(X)
    assert len(model.anchors_) == min(m, 400)
    check_sound(model, X, 3)


@pytest.mark.parametrize(
    ("anchors", "message"),
    [
        (np.ones((9, 5)), r"anchors has shape \(9, 5\).*6 features"),
        (np.ones((2, 6)), r"anchors has shape \(2, 6\).*n_clusters=3"),
        (np.full((9, 6), np.nan), "anchors contains NaN"),
        (np.ones(6), "2D array"),
        (2, "anchors=2.*n_clusters=3"),
        (0, "anchors"),
        ("many", "anchors"),
        (2.5, "anchors"),
    ],
    ids=["narrow", "few", "nan", "one row", "small number", "0", "text", "half"],
)
def test_bad_anchors_are_named(anchors, message):
    with pytest.raises(ValueError, match=message):
        anchored(anchors=anchors).fit(blobs(100)[0])


def test_own_anchors_far_from_all_rows_do_no_harm():
    X, y = blobs()
    own = np.vstack([X[::25], np.full((4, 6), 1e5)])
    model = anchored(anchors=own).fit(X)
    check_sound(model, X, 3)
    np.testing.assert_array_equal(model.anchor_masses_[60:], 0)
    assert adjusted_rand_score(y, model.labels_) == 1


def test_the_number_of_anchors_grows_as_needed(monkeypatch):
    """Rings that 40 anchors cannot follow, and 160 can."""
    monkeypatch.setattr(choice, "_FIRST", 40)
    monkeypatch.setattr(choice, "_FIRST_PER_CLUSTER", 2)
    X, y = rings(6000, 3)
    model = anchored(3).fit(X)
    assert len(model.anchors_) == 160
    assert model.anchor_stability_ > 0.9
    assert adjusted_rand_score(y, model.labels_) > 0.99
    easy = anchored(3).fit(blobs(6000)[0])
    assert len(easy.anchors_) == 40
    assert easy.anchor_stability_ > 0.9


def test_the_user_is_told_where_anchors_do_not_settle(monkeypatch):
    monkeypatch.setattr(choice, "_FIRST", 20)
    monkeypatch.setattr(choice, "_FIRST_PER_CLUSTER", 2)
    X = np.random.default_rng(0).uniform(size=(3000, 8))
    with pytest.warns(ConvergenceWarning, match="depend on the number of anchors"):
        model = anchored(7).fit(X)
    assert model.anchor_stability_ < 0.5
    np.testing.assert_array_equal(model.predict(X), model.labels_)


HARD = {
    "one sample": (np.array([[3.0, 4.0]]), 1),
    "two samples": (np.array([[0.0], [1.0]]), 2),
    "as many clusters as samples": (np.random.default_rng(0).normal(size=(9, 2)), 9),
    "one cluster": (np.random.default_rng(0).normal(size=(80, 2)), 1),
    "zeros": (np.zeros((20, 6)), 1),
    "half the rows equal": (
        np.vstack([np.ones((60, 6)), np.random.default_rng(0).normal(size=(60, 6))]),
        3,
    ),
    "few different rows": (
        np.repeat(np.random.default_rng(0).normal(size=(4, 3)), 30, axis=0),
        3,
    ),
    "huge outlier": (
        np.r_[np.random.default_rng(0).normal(size=90), 1e150][:, None],
        2,
    ),
    "huge outliers, many features": (
        np.vstack(
            [np.random.default_rng(0).normal(size=(90, 6)), np.full((2, 6), 1e150)]
        ),
        2,
    ),
    "constant feature": (
        np.c_[np.random.default_rng(0).normal(size=(90, 2)), np.full(90, 7.0)],
        2,
    ),
    "far apart": (
        (np.arange(160) % 8 * 1e4 + np.linspace(0, 1, 160))[:, None],
        3,
    ),
    "wide": (np.random.default_rng(0).normal(size=(30, 200)), 3),
    "orthogonal": (np.eye(40), 4),
    "whole numbers": (np.random.default_rng(0).integers(0, 2, (200, 7)), 3),
    "plain noise": (np.random.default_rng(0).normal(size=(3000, 2)), 3),
}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    "params",
    [
        {},
        {"beta": 0.0},
        {"alpha": 50.0, "beta": 1.0},
        {"diffusion": 0},
        {"diffusion": 7, "scaling": None},
        {"scaling": "standard", "anchors": 25},
    ],
    ids=str,
)
@pytest.mark.parametrize("case", HARD)
def test_hard_inputs(case, params):
    X, n_clusters = HARD[case]
    model = anchored(n_clusters, max_iter=40, **params).fit(X)
    check_sound(model, np.asarray(X, dtype=float), n_clusters)
    new = model.predict_proba(np.asarray(X, dtype=float) * 1.1 + 0.01)
    assert np.isfinite(new).all()


@pytest.mark.parametrize("container", [np.asarray, sparse.csr_array])
def test_all_rows_equal(container):
    X = container(np.full((50, 3), 0.1))
    with pytest.warns(ConvergenceWarning, match="Only 1 samples are different"):
        model = anchored(2).fit(X)
    check_sound(model, X, 2)
    assert len(set(model.labels_)) == 1


@pytest.mark.parametrize("d", [2, 6])
@pytest.mark.parametrize("far", [1e3, 1e100, 1e160, 1e300])
def test_a_far_sample_gets_a_finite_answer(far, d):
    model = anchored(anchors=30).fit(blobs(200, d=d)[0])
    P = model.predict_proba(np.full((1, d), far))
    assert np.isfinite(P).all()
    assert P.sum() == pytest.approx(1)


@pytest.mark.parametrize("scale", [1e-150, 1e20, 1e150])
@pytest.mark.parametrize("scaling", ["maxabs", None])
def test_extreme_units(scale, scaling):
    X, y = blobs(600)
    model = anchored(scaling=scaling, anchors=60).fit(scale * X)
    check_sound(model, scale * X, 3)
    assert adjusted_rand_score(y, model.labels_) == 1


def test_a_power_of_two_as_unit_changes_nothing():
    X, _ = blobs(600, std=4.0)
    one, two = (anchored(anchors=60).fit(unit * X) for unit in (1.0, 1024.0))
    assert one.indicator_.tobytes() == two.indicator_.tobytes()


awkward = st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.1, 1e-8, 1e8, 3.7])


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@settings(max_examples=40)
@given(st.data())
def test_awkward_tables(data):
    n, d = data.draw(st.integers(3, 40)), data.draw(st.sampled_from([1, 2, 6]))
    dtype = data.draw(st.sampled_from([np.float64, np.float32]))
    X = data.draw(arrays(np.float64, (n, d), elements=awkward)).astype(dtype)
    X = data.draw(st.sampled_from([np.asarray, sparse.csr_array]))(X)
    n_clusters = data.draw(st.integers(1, 3))
    scaling = data.draw(st.sampled_from(["maxabs", "standard", None]))
    m = data.draw(st.sampled_from(["auto", n_clusters, 5, 12]))
    model = anchored(n_clusters, scaling=scaling, anchors=m, n_init=2, max_iter=30)
    check_sound(model.fit(X), X, n_clusters)
    _, group = np.unique(
        X.toarray() if sparse.issparse(X) else X, axis=0, return_inverse=True
    )
    for number in range(group.max() + 1):
        assert len(set(model.labels_[group == number])) == 1


@pytest.mark.parametrize("as_indicator", [False, True])
def test_a_start_of_the_users_own(as_indicator):
    X, y = blobs()
    init = np.eye(3)[y] + 0.01 if as_indicator else y
    model = anchored(init=init, anchors=60).fit(X)
    np.testing.assert_array_equal(model.labels_, y)
    assert [start.kind for start in model.starts_] == ["given"]


@pytest.mark.parametrize(
    "init", [np.zeros(300), np.ones((300, 2)), -np.ones((300, 3)), np.full(300, 3)]
)
def test_bad_starts_are_refused(init):
    with pytest.raises(ValueError, match="init"):
        anchored(init=init).fit(blobs(300)[0])


def test_warm_start_goes_on_from_the_last_solution():
    X, _ = blobs(std=4.0)
    model = anchored(anchors=60, warm_start=True).fit(X)
    last, labels = model.objective_[-1], model.labels_
    model.fit(X)
    assert [start.kind for start in model.starts_] == ["warm"]
    assert model.objective_[-1] <= last * (1 + 1e-3)
    assert adjusted_rand_score(labels, model.labels_) > 0.9
    with pytest.raises(ValueError, match="warm_start"):
        model.fit(X[:200])


def test_warm_start_from_another_tier():
    X, y = blobs(300)
    model = GraphTailor(3, tier="sparse", warm_start=True, random_state=0).fit(X)
    model.set_params(tier="anchors", anchors=60).fit(X)
    assert adjusted_rand_score(y, model.labels_) == 1
    check_sound(model, X, 3)


class Recorder:
    """Counts finished tasks by name, and stops where it is told to."""

    def __init__(self, stop_at=None):
        self.ended = []
        self.stop_at = stop_at

    def setup(self, estimator, context):
        pass

    def teardown(self, estimator, context):
        self.ended.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        pass

    def on_fit_task_end(self, estimator, context):
        self.ended.append(context.task_name)
        return context.task_name == self.stop_at


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_callbacks():
    X, _ = blobs(std=4.0)
    recorder = Recorder()
    model = anchored(n_init=5, anchors=60, beta=0.5, max_iter=30)
    model.set_callbacks(recorder).fit(X)
    assert recorder.ended.count("start") == 5 == len(model.starts_)
    assert recorder.ended[-2:] == ["fit", "teardown"]


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_callback_stops_the_starts(n_jobs):
    X, _ = blobs(300)
    recorder = Recorder(stop_at="start")
    model = anchored(n_init=9, anchors=60, n_jobs=n_jobs).set_callbacks(recorder)
    model.fit(X)
    assert len(model.starts_) == recorder.ended.count("start") == 1
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def rings(n, k, noise=0.03, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, k, n)
    angle = rng.uniform(0, 2 * np.pi, n)
    radius = 1.0 + y + noise * rng.normal(size=n)
    return np.c_[radius * np.cos(angle), radius * np.sin(angle)], y


def spirals(n, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    angle = np.sqrt(rng.uniform(0.05, 1, n)) * 3 * np.pi
    X = angle[:, None] * np.c_[np.cos(angle + np.pi * y), np.sin(angle + np.pi * y)]
    return X + 0.15 * rng.normal(size=(n, 2)), y


def bananas(n, seed=0):
    X, y = make_moons(n, noise=0.08, random_state=seed)
    return X, y


CURVED = {
    "rings": (rings(20_000, 3), 3),
    "spirals": (spirals(20_000), 2),
    "bananas": (bananas(20_000), 2),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("case", CURVED)
def test_curved_clusters_are_found(case, dtype):
    """No worse than k-means on the eigenvectors that a spectral start takes."""
    (X, y), n_clusters = CURVED[case]
    X = X.astype(dtype)
    model = anchored(n_clusters).fit(X)
    accuracy = clustering_accuracy(y, model.labels_)
    assert accuracy > 0.95
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    W = model.given_graph_.toarray()
    rows = unit_rows(np.linalg.eigh(W)[1][:, -n_clusters:])
    spectral = KMeans(n_clusters, n_init=10, random_state=0).fit_predict(rows)
    nearest = np.argmin(
        np.linalg.norm(X[:2000, None] - model.anchors_.astype(dtype), axis=2), axis=1
    )
    assert accuracy > clustering_accuracy(y[:2000], spectral[nearest]) - 0.01
