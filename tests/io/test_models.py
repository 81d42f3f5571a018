"""Saved models predict to the last bit what they did, and nothing else is loaded."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.datasets import make_blobs
from sklearn.metrics import pairwise_distances

from graphtailor import GraphTailor, NeighborGraph
from graphtailor.baselines import KMeansClustering
from graphtailor.graphs import PrecomputedGraph
from graphtailor.io.models import FORMAT_VERSION, load_model, load_notes, save_model

POINTS = make_blobs(70, n_features=4, centers=3, cluster_std=2.0, random_state=1)[0]
FITTED, NEW = POINTS[:50], POINTS[50:]
ATTRIBUTES = (
    "labels_",
    "indicator_",
    "affinity_matrix_",
    "representation_",
    "given_graph_",
    "objective_",
    "n_iter_",
    "converged_",
    "n_features_in_",
)


def tailor(**parameters: Any) -> GraphTailor:
    return GraphTailor(**{"n_clusters": 3, "n_init": 2, "random_state": 0} | parameters)


def same(a: Any, b: Any) -> bool:
    if sparse.issparse(a):
        parts = ("indptr", "indices", "data")
        return type(a) is type(b) and all(
            same(getattr(a, part), getattr(b, part)) for part in parts
        )
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return type(a) is type(b) and a == b


def round_trip(model: GraphTailor, folder: Path) -> GraphTailor:
    save_model(model, folder / "model.npz")
    return load_model(folder / "model.npz")


def distances(new: bool) -> np.ndarray:
    return pairwise_distances(NEW if new else FITTED, FITTED)


CASES: dict[str, tuple[dict[str, Any], Any, Any]] = {
    "maxabs": ({}, FITTED, NEW),
    "minmax": ({"scaling": "minmax"}, FITTED, NEW),
    "standard": ({"scaling": "standard"}, FITTED, NEW),
    "unscaled": ({"scaling": None}, FITTED, NEW),
    "float32": ({}, FITTED.astype(np.float32), NEW.astype(np.float32)),
    "sparse array": ({}, sparse.csr_array(FITTED), sparse.csr_array(NEW)),
    "sparse matrix": (
        {"scaling": "standard"},
        sparse.csr_matrix(FITTED),
        sparse.csr_matrix(NEW),
    ),
    "duplicates": ({}, np.repeat(FITTED[:20], 2, axis=0), NEW),
    "diffusion": ({"diffusion": 4}, FITTED, NEW),
    "full": ({"tier": "full"}, FITTED, NEW),
    "number chosen": ({"n_clusters": "auto"}, FITTED, NEW),
    "rbf": ({"kernel": "rbf"}, FITTED, NEW),
    "rbf, float32": (
        {"kernel": "rbf", "gamma": 0.5},
        FITTED.astype(np.float32),
        NEW.astype(np.float32),
    ),
    "poly, sparse": (
        {"kernel": "poly", "degree": 2},
        sparse.csr_array(FITTED),
        sparse.csr_array(NEW),
    ),
    "cosine": ({"kernel": "cosine"}, FITTED, NEW),
    "laplacian": ({"kernel": "laplacian", "scaling": None}, FITTED, NEW),
    "kernel matrix": ({"kernel": "precomputed"}, FITTED @ FITTED.T, NEW @ FITTED.T),
    "anchors": ({"tier": "anchors"}, FITTED, NEW),
    "anchors, unscaled": ({"tier": "anchors", "scaling": None}, FITTED, NEW),
    "anchors, sparse": (
        {"tier": "anchors", "scaling": "standard", "anchors": 12},
        sparse.csr_array(FITTED),
        sparse.csr_array(NEW),
    ),
    "own anchors, float32": (
        {"tier": "anchors", "anchors": FITTED[::3].astype(np.float32)},
        FITTED.astype(np.float32),
        NEW.astype(np.float32),
    ),
    "metric": ({"metric": "cityblock"}, FITTED, NEW),
    "distances": ({"metric": "precomputed"}, distances(False), distances(True)),
    "affinities": (
        {"graph": "precomputed"},
        np.exp(-distances(False)),
        np.exp(-distances(True)),
    ),
    "affinity builder": (
        {"graph": PrecomputedGraph()},
        np.exp(-distances(False)),
        np.exp(-distances(True)),
    ),
    "local builder": (
        {"graph": NeighborGraph(n_neighbors=5, bandwidth="local", symmetrize="max")},
        FITTED,
        NEW,
    ),
    "radius builder": ({"graph": NeighborGraph(radius=0.4)}, FITTED, NEW),
    "multiplicative": ({"solver": "multiplicative", "max_iter": 2000}, FITTED, NEW),
    "given start": ({"init": np.arange(50) % 3}, FITTED, NEW),
    "numpy scalars": (
        {"n_clusters": np.int64(2), "alpha": np.float32(5)},
        FITTED,
        NEW,
    ),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_round_trip_is_exact(case: str, tmp_path: Path) -> None:
    parameters, X, X_new = CASES[case]
    model = tailor(**parameters).fit(X)
    loaded = round_trip(model, tmp_path)
    for name in ATTRIBUTES:
        assert same(getattr(loaded, name), getattr(model, name)), name
    assert same(loaded.predict_proba(X_new), model.predict_proba(X_new))
    assert same(loaded.predict(X), model.labels_)
    assert [(s.kind, s.objective) for s in loaded.starts_] == [
        (s.kind, s.objective) for s in model.starts_
    ]
    for name, value in model.get_params(deep=True).items():
        if name != "graph":
            np.testing.assert_array_equal(loaded.get_params()[name], value)


def test_names_and_notes(tmp_path: Path) -> None:
    frame = pd.DataFrame(FITTED, columns=["a", "b", "c", "d"])
    model = tailor().fit(frame)
    notes = {"id": "name", "fill": {"a": 0.1}}
    save_model(model, tmp_path / "model.npz", notes=notes)
    loaded = load_model(tmp_path / "model.npz")
    assert same(loaded.feature_names_in_, model.feature_names_in_)
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[["b", "a", "c", "d"]])
    assert load_notes(tmp_path / "model.npz") == notes


def test_loaded_model_can_be_fitted_and_saved_again(tmp_path: Path) -> None:
    model = tailor().fit(FITTED)
    loaded = round_trip(model, tmp_path)
    again = round_trip(loaded.fit(FITTED), tmp_path)
    assert same(again.indicator_, model.indicator_)


def test_random_state_object_is_saved_as_none(tmp_path: Path) -> None:
    model = tailor(random_state=np.random.RandomState(0)).fit(FITTED)
    assert round_trip(model, tmp_path).random_state is None


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    def city(a: np.ndarray, b: np.ndarray) -> float:
        return float(np.abs(a - b).sum())

    class MyGraph(NeighborGraph):
        pass

    path = tmp_path / "model.npz"
    for parameters, match in [
        ({"metric": city}, "metric is a function"),
        ({"graph": NeighborGraph(metric=city)}, "graph's metric is a function"),
        ({"kernel": np.dot}, "kernel is a function.*kernel matrix"),
        ({"graph": MyGraph()}, "graph is a MyGraph"),
    ]:
        with pytest.raises(ValueError, match=match):
            save_model(tailor(**parameters).fit(FITTED), path)
    other: BaseEstimator = KMeansClustering(3, random_state=0).fit(FITTED)
    with pytest.raises(ValueError, match="KMeansClustering"):
        save_model(other, path)
    assert not any(tmp_path.iterdir())


def rewrite(path: Path, **changes: Any) -> None:
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    header = json.loads(arrays.pop("header").tobytes()) | changes
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, header=text, **arrays)


def test_files_that_are_no_model(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    save_model(tailor().fit(FITTED), path)
    whole = path.read_bytes()
    for length in (0, 10, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match="damaged"):
            load_model(path)
    path.write_bytes(whole)
    rewrite(path, version=FORMAT_VERSION + 1)
    with pytest.raises(
        ValueError, match=rf"reads format {FORMAT_VERSION}\. Use the graphtailor"
    ):
        load_model(path)
    path.write_bytes(whole)
    rewrite(path, fitted={"$dict": {}})
    with pytest.raises(ValueError, match="damaged"):
        load_model(path)
    np.savez(path, X=FITTED)
    with pytest.raises(ValueError, match="is not a graphtailor model"):
        load_model(path)
    with pytest.raises(FileNotFoundError):
        load_model(tmp_path / "nowhere.npz")


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    np.savez(path, header=np.array([{"format": "graphtailor-model"}], dtype=object))
    with pytest.raises(ValueError, match="is not a graphtailor model"):
        load_model(path)


@pytest.mark.parametrize("tier", ["sparse", "anchors"])
def test_graph_of_a_file_cannot_point_outside(tmp_path: Path, tier: str) -> None:
    path = tmp_path / "model.npz"
    save_model(tailor(tier=tier).fit(FITTED), path)
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    arrays["tier.given_graph.indices"][0] = 10**6
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match="damaged"):
        load_model(path)


@pytest.mark.parametrize("part", ["tier.indicator", "tier.anchors"])
def test_parts_of_anchors_must_fit(tmp_path: Path, part: str) -> None:
    path = tmp_path / "model.npz"
    save_model(tailor(tier="anchors").fit(FITTED), path)
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    arrays[part] = arrays[part][:-1]
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match="damaged"):
        load_model(path)


def test_failed_save_keeps_the_older_model(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    model = tailor().fit(FITTED)
    save_model(model, path)
    before = path.read_bytes()
    model.metric = len
    with pytest.raises(ValueError, match="function"):
        save_model(model, path)
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["model.npz"]
