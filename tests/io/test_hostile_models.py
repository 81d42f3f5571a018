"""A model file with one hostile value is refused in one line, or predicts as before."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from graphtailor import GraphTailor
from graphtailor.io.models import load_model, load_notes, save_model

X = make_blobs(60, n_features=3, centers=3, random_state=0)[0]


def change(path: Path, edit: Callable[[dict[str, Any], dict[str, Any]], None]) -> None:
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    header = json.loads(arrays.pop("header").tobytes())
    edit(header, arrays)
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez_compressed(path, header=text, **arrays)


def set_value(path: Path, place: str, value: object) -> None:
    def edit(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        *above, last = place.split("/")
        inside = header
        for name in above:
            inside = inside[name]["$dict"]
        inside[last] = value

    change(path, edit)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("models")
    makers: dict[str, dict[str, Any]] = {
        "knn": {"graph": "knn"},
        "kernel": {"kernel": "rbf"},
        "anchors": {"tier": "anchors"},
    }
    found = {}
    for name, parameters in makers.items():
        model = GraphTailor(3, n_init=1, random_state=0, **parameters).fit(X)
        save_model(model, folder / "model.npz")
        found[name] = (folder / "model.npz").read_bytes()
    return found


VALUES = [
    ("knn", "tier/builder/n_neighbors_", 2**62),
    ("knn", "tier/builder/n_neighbors_", 0),
    ("knn", "tier/builder/n_neighbors_", 2.5),
    ("knn", "tier/builder/engine_", "magic"),
    ("knn", "tier/builder/_search_state", [0, [5, 7, 1.0]]),
    ("knn", "tier/builder/_search_state", [0]),
    ("knn", "tier/builder/_search_state", [-1, None]),
    ("knn", "tier/builder/bandwidth_", "wide"),
    ("knn", "tier/builder/to_new", 1),
    ("knn", "tier/norm", 0),
    ("knn", "tier/norm", -1.0),
    ("knn", "tier/norm", float("nan")),
    ("knn", "tier/samples", None),
    ("knn", "tier/scaler", 5),
    ("knn", "parameters/metric", "pyfunc"),
    ("knn", "parameters/metric", "no such metric"),
    ("knn", "parameters/support", 2**62),
    ("knn", "parameters/n_clusters", "many"),
    ("knn", "parameters/no_such_parameter", 1),
    ("knn", "fitted/alpha_", "x"),
    ("knn", "fitted/alpha_", -1),
    ("knn", "fitted/n_clusters_", 2**62),
    ("knn", "fitted/predict", 1),
    ("knn", "fitted/_tier", 1),
    ("knn", "fitted/converged_", "yes"),
    ("knn", "fitted/feature_names_in_", 3),
    ("knn", "starts", [{"$dict": {"kind": "x"}}]),
    ("knn", "starts", 5),
    ("knn", "tier", []),
    ("knn", "fitted", None),
    ("kernel", "tier/kernel_map/learned/gamma_", "x"),
    ("kernel", "tier/kernel_map/learned/gamma_", -1),
    ("kernel", "tier/kernel_map/learned/transform", 1),
    ("kernel", "fitted/gamma_", "x"),
    ("anchors", "tier/k", 2**62),
    ("anchors", "tier/k", -1),
    ("anchors", "tier/bandwidth", -1),
    ("anchors", "tier/bandwidth", "x"),
    ("anchors", "tier/shifts", "no"),
]


@pytest.mark.parametrize(("kind", "place", "value"), VALUES)
def test_one_hostile_value(
    saved: dict[str, bytes], tmp_path: Path, kind: str, place: str, value: object
) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(saved[kind])
    set_value(path, place, value)
    with pytest.raises(ValueError, match=r"model\.npz is damaged: .{1,300}$"):
        load_model(path)


@pytest.mark.parametrize("kind", ["knn", "anchors"])
@pytest.mark.parametrize("row", [-1.0, 0.0])
def test_memberships_that_are_not_shares(
    saved: dict[str, bytes], tmp_path: Path, kind: str, row: float
) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(saved[kind])

    def edit(header: dict[str, Any], arrays: dict[str, Any]) -> None:
        arrays["tier.indicator"][0] = row

    change(path, edit)
    with pytest.raises(ValueError, match="indicator"):
        load_model(path)


def test_a_scaler_that_divides_by_zero(saved: dict[str, bytes], tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    path.write_bytes(saved["knn"])
    change(path, lambda _, arrays: arrays["tier.scaler.scale_"].fill(0))
    with pytest.raises(ValueError, match="scale_ holds a zero"):
        load_model(path)


@pytest.mark.parametrize("filler", [b"[],", b"0,", b"{},", b'{"a":[]},'])
def test_a_header_that_would_grow_in_memory(tmp_path: Path, filler: bytes) -> None:
    path = tmp_path / "model.npz"
    text = b'{"format": "graphtailor-model", "notes": [' + filler * (
        2**25 // len(filler)
    )
    np.savez_compressed(path, header=np.frombuffer(text, dtype=np.uint8))
    assert path.stat().st_size < 100_000
    for load in (load_model, load_notes):
        with pytest.raises(ValueError, match="the limit is 4,000,000"):
            load(path)


def test_notes_that_could_not_be_loaded_are_not_saved(tmp_path: Path) -> None:
    model = GraphTailor(3, n_init=1, random_state=0).fit(X)
    deep: list[Any] = []
    for _ in range(40):
        deep = [deep]
    for notes, reason in (
        ({"mine": deep}, "nested"),
        ({"label": 5}, r"model\.notes\.label is 5, not text"),
    ):
        with pytest.raises(ValueError, match=reason):
            save_model(model, tmp_path / "model.npz", notes=notes)
    assert not any(tmp_path.iterdir())
