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

from graphtailor import GraphTailor
from graphtailor.dask.collection import labelled_frame
from graphtailor.graphs.ensemble.members import KMeansMembers, SpectralMembers
from graphtailor.io.models import load_model, save_model

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
    """A quick model; 1,500 rows are more than its representatives."""
    quick = {"members": [KMeansMembers(), SpectralMembers()], "representatives": 60}
    return GraphTailor(**{"n_clusters": 4, "random_state": 5, **quick, **parameters})


@pytest.fixture(scope="module")
def local(X: np.ndarray) -> GraphTailor:
    return make_model().fit(X)


def assert_same(ours: GraphTailor, local: GraphTailor) -> None:
    """Equal to the last bit."""
    labels = ours.labels_.compute()
    assert labels.dtype == local.labels_.dtype
    np.testing.assert_array_equal(labels, local.labels_)
    np.testing.assert_array_equal(ours.indicator_.compute(), local.indicator_)
    assert ours.indicator_.dtype == local.indicator_.dtype
    masses = ours.representatives_.masses, local.representatives_.masses
    np.testing.assert_array_equal(*masses)
    np.testing.assert_array_equal(ours.objective_, local.objective_)
    assert ours.decision_ == local.decision_


@pytest.mark.parametrize(
    "chunks", [(1500,), (500,) * 3, (1, 900, 0, 98, 501), (100,) * 15]
)
@pytest.mark.parametrize("columns", [6, 4])
def test_any_blocks_give_the_labels_of_one_machine(
    X: np.ndarray, local: GraphTailor, chunks: tuple[int, ...], columns: int
) -> None:
    ours = make_model().fit(da.from_array(X, chunks=(chunks, columns)))
    assert ours.labels_.chunks == (chunks,)
    assert_same(ours, local)


@pytest.mark.parametrize(
    "parameters",
    [
        {"scaling": "minmax"},
        {"scaling": "standard"},
        {"scaling": None},
        {"metric": "cosine"},
        {"n_clusters": "auto"},
        {"representatives": 2000},
        {"members": "auto"},
    ],
    ids=str,
)
def test_parameters(X: np.ndarray, parameters: dict[str, Any]) -> None:
    rows = np.vstack([X[:300], X[:100]])
    ours = make_model(**parameters).fit(da.from_array(rows, chunks=(130, 6)))
    assert_same(ours, make_model(**parameters).fit(rows))


@pytest.mark.parametrize("dtype", [np.float64, np.int16])
def test_types(X: np.ndarray, dtype: Any) -> None:
    data = (10 * X).astype(dtype)
    ours = make_model().fit(da.from_array(data, chunks=(400, 6)))
    assert_same(ours, make_model().fit(data))
    assert ours.indicator_.dtype == np.float64


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


def test_frames_with_names(X: np.ndarray) -> None:
    frame = pd.DataFrame(X, columns=list("abcdef"))
    frame["f"] = frame["f"].round().astype("Int64")
    rows = dd.from_pandas(frame, npartitions=4)
    ours, local = make_model().fit(rows), make_model().fit(frame)
    assert_same(ours, local)
    assert ours.feature_names_in_.tolist() == list("abcdef")
    np.testing.assert_array_equal(ours.predict(rows).compute(), local.labels_)
    np.testing.assert_array_equal(ours.predict(frame), local.labels_)
    with pytest.raises(ValueError, match="feature names should match"):
        ours.predict(rows[list("abcdfe")])
    found = labelled_frame(ours, rows[list("fedcba")], keep=["b"]).compute()
    assert found.columns.tolist() == ["b", "label", "certainty"]
    np.testing.assert_array_equal(found["label"], local.labels_)
    np.testing.assert_array_equal(found["certainty"], local.indicator_.max(axis=1))


def test_partitions_with_columns_in_another_order(
    X: np.ndarray, local: GraphTailor
) -> None:
    """Columns are taken by their names, as partitions of several files may have."""
    frame = pd.DataFrame(X, columns=list("abcdef"))
    parts = [frame[:700], frame[700:][list("fbdeca")]]
    rows = dd.from_map(lambda number: parts[number], range(2), meta=frame[:0])
    ours = make_model().fit(rows)
    np.testing.assert_array_equal(ours.labels_.compute(), local.labels_)
    np.testing.assert_array_equal(ours.predict(rows).compute(), local.labels_)


def test_frames_with_gaps_or_text_are_refused(X: np.ndarray) -> None:
    frame = pd.DataFrame(X, columns=list("abcdef")).astype({"f": "Float32"})
    frame.loc[700, "f"] = pd.NA
    with pytest.raises(ValueError, match="Input X contains NaN"):
        make_model().fit(dd.from_pandas(frame, npartitions=4))
    frame["g"] = "text"
    with pytest.raises(ValueError, match="not numeric: 'g'"):
        make_model().fit(dd.from_pandas(frame, npartitions=4))


def test_masked_entries_are_refused(X: np.ndarray, local: GraphTailor) -> None:
    rows = da.ma.masked_greater(da.from_array(X, chunks=(500, 6)), 3.0)
    with pytest.raises(ValueError, match=r"masked entries.*dask\.array\.ma\.filled"):
        make_model().fit(rows)
    with pytest.raises(ValueError, match="masked entries"):
        local.predict(rows).compute()


@pytest.mark.parametrize(
    ("value", "words"), [(np.nan, "contains NaN"), (np.inf, "contains infinity")]
)
def test_values_that_are_not_finite(
    X: np.ndarray, local: GraphTailor, value: float, words: str
) -> None:
    bad = X.copy()
    bad[1234, 3] = value
    rows = da.from_array(bad, chunks=(500, 6))
    with pytest.raises(ValueError, match=words):
        make_model().fit(rows)
    prediction = local.predict(rows)
    with pytest.raises(ValueError, match=words):
        prediction.compute()


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"metric": "precomputed"}, r"metric='precomputed'.*X\.compute\(\)"),
        ({"metric": "affinity"}, r"metric='affinity'.*X\.compute\(\)"),
        ({"n_clusters": 0}, "n_clusters"),
        (
            {"n_clusters": 1501, "representatives": 2000},
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


def test_two_threads_of_a_cluster(X: np.ndarray, local: GraphTailor) -> None:
    with distributed.Client(
        processes=False,
        n_workers=1,
        threads_per_worker=2,
        dashboard_address="127.0.0.1:0",
    ):
        assert_same(make_model().fit(da.from_array(X, chunks=(200, 6))), local)


def test_killed_workers_are_survived(
    X: np.ndarray, local: GraphTailor, tmp_path: Path
) -> None:
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
