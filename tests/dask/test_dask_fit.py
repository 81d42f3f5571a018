"""Dask collections: the same labels as on one machine, whatever happens to workers."""

import os
import signal
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from graphtailor import GraphTailor
from graphtailor.io.models import load_model, save_model
from graphtailor.representatives import choice

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")
dask = pytest.importorskip("dask")


@pytest.fixture(scope="module")
def X() -> np.ndarray:
    points, _ = make_blobs(
        1500, n_features=6, centers=4, cluster_std=3.0, random_state=1
    )
    return points.astype(np.float32)


def make_model(**parameters: Any) -> GraphTailor:
    defaults = {"n_clusters": 4, "anchors": 60, "n_init": 3, "random_state": 5}
    return GraphTailor(**{"tier": "anchors", **defaults, **parameters})


def assert_same(ours: GraphTailor, local: GraphTailor) -> None:
    """Equal to the last bit."""
    labels = ours.labels_.compute()
    assert labels.dtype == local.labels_.dtype
    np.testing.assert_array_equal(labels, local.labels_)
    np.testing.assert_array_equal(ours.indicator_.compute(), local.indicator_)
    np.testing.assert_array_equal(ours.anchors_, local.anchors_)
    np.testing.assert_array_equal(ours.anchor_masses_, local.anchor_masses_)
    np.testing.assert_array_equal(ours.objective_, local.objective_)


@pytest.mark.parametrize(
    "chunks", [(1500,), (500,) * 3, (1, 900, 0, 98, 501), (100,) * 15]
)
@pytest.mark.parametrize("columns", [6, 4])
def test_any_blocks_give_the_labels_of_one_machine(
    X: np.ndarray, chunks: tuple[int, ...], columns: int
) -> None:
    rows = da.from_array(X, chunks=(chunks, columns))
    ours = make_model(tier="auto").fit(rows)
    assert ours.tier_ == "anchors"
    assert ours.labels_.chunks == (chunks,)
    assert_same(ours, make_model().fit(X))


@pytest.mark.parametrize("scaling", ["minmax", "standard", None])
@pytest.mark.parametrize("dtype", [np.float64, np.int16])
def test_scalings_and_types(X: np.ndarray, scaling: str | None, dtype: Any) -> None:
    data = (10 * X).astype(dtype)
    ours = make_model(scaling=scaling).fit(da.from_array(data, chunks=(400, 6)))
    assert_same(ours, make_model(scaling=scaling).fit(data))
    assert ours.indicator_.dtype == np.float64


@pytest.mark.parametrize("scaling", ["maxabs", "standard"])
def test_own_anchors_are_in_the_units_of_the_rows(X: np.ndarray, scaling: str) -> None:
    how = {"anchors": X[:40].astype(np.float64), "scaling": scaling}
    ours = make_model(**how).fit(da.from_array(X, chunks=(400, 6)))
    assert_same(ours, make_model(**how).fit(X))


def test_many_clusterings_of_the_anchors(X: np.ndarray) -> None:
    model = make_model(graph="ensemble")
    blocks = da.from_array(X, chunks=(400, 6))
    ours = make_model(graph="ensemble").fit(blocks)
    assert ours.graph_ == "ensemble"
    assert_same(ours, model.fit(X))


def test_growing_number_of_anchors(
    X: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choice, "_FIRST", 30)
    monkeypatch.setattr(choice, "_FIRST_PER_CLUSTER", 1)
    ours = make_model(anchors="auto").fit(da.from_array(X, chunks=(400, 6)))
    local = make_model(anchors="auto").fit(X)
    assert local.anchor_stability_ is not None
    assert ours.anchor_stability_ == local.anchor_stability_
    assert_same(ours, local)


def test_warnings_of_workers_reach_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choice, "_FIRST", 20)
    monkeypatch.setattr(choice, "_FIRST_PER_CLUSTER", 1)
    noise = np.random.default_rng(0).uniform(size=(600, 8))
    model = make_model(anchors="auto", n_clusters=6)
    with pytest.warns(ConvergenceWarning, match="depend on the number of anchors"):
        model.fit(da.from_array(noise, chunks=(200, 8)))


def test_unknown_lengths_and_empty_blocks(X: np.ndarray) -> None:
    rows = da.from_array(X, chunks=(300, 6))
    kept = rows[rows[:, 0] > 0]
    assert np.isnan(kept.shape[0])
    ours = make_model().fit(kept)
    local = make_model().fit(X[X[:, 0] > 0])
    assert ours.labels_.shape == local.labels_.shape
    assert_same(ours, local)
    np.testing.assert_array_equal(ours.predict(kept).compute(), local.labels_)
    np.testing.assert_array_equal(
        ours.predict_proba(kept).compute(), local.predict_proba(X[X[:, 0] > 0])
    )


def test_sparse_blocks(X: np.ndarray) -> None:
    data = sparse.csr_array(np.where(X > 2, X, 0).astype(np.float64))
    rows = da.from_array(data.toarray(), chunks=(400, 6)).map_blocks(sparse.csr_array)
    assert_same(make_model().fit(rows), make_model().fit(data))
    with pytest.raises(ValueError, match="would make sparse X dense"):
        make_model(scaling="minmax").fit(rows)


def test_frame_with_names_and_missing_rows(X: np.ndarray) -> None:
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["f"] = frame["f"].round().astype("Int64")
    rows = dd.from_pandas(frame, npartitions=4)
    ours, local = make_model().fit(rows), make_model().fit(frame)
    assert_same(ours, local)
    assert ours.feature_names_in_.tolist() == list("abcdef")
    assert ours.n_features_in_ == 6
    np.testing.assert_array_equal(ours.predict(rows).compute(), local.labels_)
    np.testing.assert_array_equal(ours.predict(frame), local.labels_)
    with pytest.raises(ValueError, match="feature names should match"):
        ours.predict(rows[list("abcdfe")])
    frame.loc[700, "f"] = pd.NA
    with pytest.raises(ValueError, match="Input X contains NaN"):
        make_model().fit(dd.from_pandas(frame, npartitions=4))
    frame["g"] = "text"
    with pytest.raises(ValueError, match="not numeric: 'g'"):
        make_model().fit(dd.from_pandas(frame, npartitions=4))


def test_any_model_predicts_blocks(X: np.ndarray) -> None:
    model = GraphTailor(4, n_init=2, random_state=0).fit(X[:400])
    assert model.tier_ == "sparse"
    found = model.predict(da.from_array(X, chunks=(500, 6)))
    np.testing.assert_array_equal(found.compute(), model.predict(X))


@pytest.mark.parametrize(
    ("value", "words"), [(np.nan, "contains NaN"), (np.inf, "contains infinity")]
)
def test_values_that_are_not_finite(X: np.ndarray, value: float, words: str) -> None:
    bad = X.copy()
    bad[1234, 3] = value
    rows = da.from_array(bad, chunks=(500, 6))
    with pytest.raises(ValueError, match=words):
        make_model().fit(rows)
    prediction = make_model().fit(X).predict(rows)
    with pytest.raises(ValueError, match=words):
        prediction.compute()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"tier": "sparse"}, "tier is 'sparse'.*X.compute"),
        ({"solver": "multiplicative"}, "solver is 'multiplicative'"),
        ({"metric": "cosine"}, "metric is 'cosine'"),
        ({"init": np.zeros(1500, dtype=int)}, "init is an array"),
        ({"warm_start": True}, "warm_start is True"),
        ({"anchors": np.ones((3, 6))}, "anchors has shape"),
        ({"n_clusters": 0}, "n_clusters"),
        (
            {"n_clusters": 1501, "anchors": "auto"},
            "n_samples=1500 should be >= n_clusters=1501",
        ),
    ],
)
def test_parameters_that_do_not_go_with_blocks(
    X: np.ndarray, parameters: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words):
        make_model(**parameters).fit(da.from_array(X, chunks=(500, 6)))


def test_what_is_no_table(X: np.ndarray) -> None:
    for thing in (da.ones(20), dask.delayed(X)):
        with pytest.raises(ValueError, match="two-dimensional"):
            make_model().fit(thing)


def test_two_threads_of_a_cluster(X: np.ndarray) -> None:
    with distributed.Client(
        processes=False,
        n_workers=1,
        threads_per_worker=2,
        dashboard_address="127.0.0.1:0",
    ):
        ours = make_model().fit(da.from_array(X, chunks=(200, 6)))
        assert_same(ours, make_model().fit(X))


def test_killed_workers_are_survived(X: np.ndarray, tmp_path: Path) -> None:
    folder = str(tmp_path)

    def read(number: int, rows: np.ndarray) -> np.ndarray:
        """Rows of a block; the third reading of one ends its worker."""
        path = os.path.join(folder, f"block-{number}")
        with open(path, "ab") as file:
            file.write(b".")
        if number == 4 and os.path.getsize(path) == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return rows

    blocks = [
        da.from_delayed(dask.delayed(read)(number, part), part.shape, part.dtype)
        for number, part in enumerate(np.array_split(X, 6))
    ]
    local = make_model().fit(X)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
        warnings.catch_warnings(action="error", category=UserWarning),
    ):
        before = set(client.run(os.getpid).values())
        ours = make_model().fit(da.concatenate(blocks))
        client.wait_for_workers(2)
        after = set(client.run(os.getpid).values())
        assert len(before - after) == 1
        assert (tmp_path / "block-4").stat().st_size >= 4
        # The labels live on the workers: they too come back after a death.
        os.kill(min(after), signal.SIGKILL)
        np.testing.assert_array_equal(ours.labels_.compute(), local.labels_)


def test_a_saved_model_predicts_the_labels_again(X: np.ndarray, tmp_path: Path) -> None:
    ours = make_model().fit(da.from_array(X, chunks=(300, 6)))
    save_model(ours, tmp_path / "model.npz")
    loaded = load_model(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.predict(X), ours.labels_.compute())
