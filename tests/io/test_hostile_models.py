"""A model file with one hostile value is refused in one line, or predicts in order."""

import copy
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.metrics import pairwise_distances

from graphtailor import DiffusedGraph, EnsembleGraph, GraphTailor, JointModel
from graphtailor.graphs import NeighborGraph
from graphtailor.graphs.ensemble.members import SpectralMembers
from graphtailor.io.models import load_model, load_notes, save_model

POINTS = make_blobs(44, n_features=3, centers=3, random_state=0)[0]
X, NEW = POINTS[:40], POINTS[40:]
FEW: dict[str, Any] = {
    "views": ("as it is",),
    "members": [SpectralMembers(1, 1)],
    "random_state": 0,
}
LOCAL = NeighborGraph(bandwidth="local")


def joint(**parameters: Any) -> JointModel:
    return JointModel(3, n_init=1, random_state=0, **parameters)


def tailor(**parameters: Any) -> GraphTailor:
    return GraphTailor(**{"n_clusters": 3, **FEW, **parameters})


def distances(rows: np.ndarray) -> np.ndarray:
    return pairwise_distances(rows, X)


# Models that hold every kind of part, each with what it makes of rows.
MAKERS: dict[str, tuple[Any, Callable[[np.ndarray], Any]]] = {
    "knn": (joint(), np.asarray),
    "spread": (joint(graph=DiffusedGraph(LOCAL), scaling="standard"), np.asarray),
    "sparse": (joint(), sparse.csr_array),
    "distances": (joint(graph=NeighborGraph(metric="precomputed")), distances),
    "ensemble": (joint(graph=EnsembleGraph(**FEW)), np.asarray),
    "tailor": (tailor(n_clusters="auto", scaling="minmax"), np.asarray),
    "anchors": (tailor(representatives=15), np.asarray),
    "sparse tailor": (tailor(), sparse.csr_array),
    "affinities": (tailor(metric="affinity"), lambda rows: np.exp(-distances(rows))),
    "known": (joint(), np.asarray),
    "known tailor": (tailor(), np.asarray),
}
# What is known of rows, which some of them are fitted with.
KNOWN = {
    "known": np.array(["a", "b", *[None] * 38], dtype=object),
    "must_link": [[2, 3]],
    "cannot_link": [[4, 5]],
}


class Saved(NamedTuple):
    header: dict[str, Any]
    arrays: dict[str, np.ndarray]
    fitted: Any
    new: Any

    def write(self, path: Path) -> None:
        text = np.frombuffer(json.dumps(self.header).encode(), dtype=np.uint8)
        entries: dict[str, Any] = {"header": text, **self.arrays}
        np.savez(path, **entries)

    def changed(self, place: str, value: object) -> "Saved":
        """The same with another value at a place of the header, like state/norm."""
        header = copy.deepcopy(self.header)
        *above, last = place.split("/")
        inside: Any = header
        for name in above:
            inside = inside[name]
            inside = inside.get("$dict", inside) if isinstance(inside, dict) else inside
        inside[last] = value
        return self._replace(header=header)

    def with_array(self, name: str, array: np.ndarray) -> "Saved":
        assert name in self.arrays
        return self._replace(arrays={**self.arrays, name: array})


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Saved]:
    path = tmp_path_factory.mktemp("models") / "model.npz"
    found = {}
    for name, (model, prepared) in MAKERS.items():
        known = KNOWN if name.startswith("known") else {}
        save_model(model.fit(prepared(X), **known), path)
        with np.load(path) as archive:
            arrays = {key: archive[key] for key in archive.files}
        header = json.loads(arrays.pop("header").tobytes())
        found[name] = Saved(header, arrays, prepared(X), prepared(NEW))
    return found


def verdict(**changes: Any) -> dict[str, Any]:
    """A verdict as a file holds it, with changes."""
    fields = {"level": "clear", "statistic": 0.5, "expected": 0.6, "p_value": 1e-9}
    return {"$dict": {**fields, "n_copies": 19, **changes}}


VALUES: list[tuple[str, str, Any]] = [
    ("knn", "class", "GraphTailor"),
    ("knn", "class", "os.system"),
    ("knn", "parameters", None),
    ("knn", "parameters/metric", "cosine"),
    ("knn", "parameters/n_clusters", "many"),
    ("knn", "parameters/n_clusters", 2**62),
    ("knn", "parameters/n_clusters", 4),
    ("knn", "parameters/alpha", -1),
    ("knn", "parameters/alpha", float("nan")),
    ("knn", "parameters/n_jobs", 0),
    ("knn", "parameters/n_jobs", 10**6),
    ("knn", "parameters/graph", {"$dict": {"class": "Descent"}}),
    ("knn", "parameters/graph", {"$dict": {"class": "os.system"}}),
    ("knn", "parameters/graph", {"$dict": {}}),
    ("knn", "parameters/solver", {"$dict": {"class": "Descent", "support": -1}}),
    ("knn", "parameters/scaling", None),
    ("knn", "parameters/scaling", "standard"),
    ("knn", "parameters/no_such_parameter", 1),
    ("knn", "state", []),
    ("knn", "state/predict", 1),
    ("knn", "state/rows", None),
    ("knn", "state/rows", {"$array": "state.objective"}),
    ("knn", "state/norm", 0),
    ("knn", "state/norm", -1.0),
    ("knn", "state/norm", float("nan")),
    ("knn", "state/norm", 10**300),
    ("knn", "state/input", "affinities"),
    ("knn", "state/input", "x"),
    ("knn", "state/scaler", None),
    ("knn", "state/scaler", 5),
    ("knn", "state/scaler/transform", {"$array": "state.scaler.scale_"}),
    ("knn", "state/scaler/scale_", 1.0),
    ("knn", "state/scaler/n_features_in_", 2),
    ("knn", "state/features/number", 4),
    ("knn", "state/features/number", 2**31),
    ("knn", "state/features/names", 3),
    ("knn", "state/features/names", {"$array": "state.rows"}),
    ("knn", "state/converged", "yes"),
    ("knn", "state/objective", 5),
    ("knn", "state/starts", 5),
    ("knn", "state/starts", []),
    ("knn", "state/starts", [{"$dict": {"kind": "x"}}]),
    ("knn", "state/graph", None),
    ("knn", "state/graph/parameters/class", "PrecomputedGraph"),
    ("knn", "state/graph/parameters/class", "x"),
    ("knn", "state/graph/parameters/metric", "pyfunc"),
    ("knn", "state/graph/parameters/metric", "precomputed"),
    ("knn", "state/graph/parameters/n_jobs", 0),
    ("knn", "state/graph/parameters/no_such", 1),
    ("knn", "state/graph/fitted/n_neighbors_", 0),
    ("knn", "state/graph/fitted/n_neighbors_", 2.5),
    ("knn", "state/graph/fitted/n_neighbors_", 2**31),
    ("knn", "state/graph/fitted/engine_", "magic"),
    ("knn", "state/graph/fitted/_search_state", [0]),
    ("knn", "state/graph/fitted/_search_state", [-1, None]),
    ("knn", "state/graph/fitted/_search_state", [0, [5, 7, 1.0]]),
    ("knn", "state/graph/fitted/_search_state", [0, [5, 0]]),
    ("knn", "state/graph/fitted/bandwidth_", "wide"),
    ("knn", "state/graph/fitted/bandwidth_", -1.0),
    ("knn", "state/graph/fitted/recall_", float("inf")),
    ("knn", "state/graph/fitted/to_new", 1),
    ("knn", "state/graph/fitted/weights_", {"$array": "state.indicator"}),
    ("spread", "state/graph/fitted/graph_", None),
    ("spread", "state/graph/fitted/affinity_", 1),
    ("spread", "state/graph/fitted/graph_/fitted/n_neighbors_", -1),
    ("distances", "state/input", "samples"),
    ("ensemble", "state/graph/fitted/n_neighbors_", 0),
    ("ensemble", "state/graph/fitted/members_", []),
    ("ensemble", "state/graph/fitted/members_", [["spectral"]]),
    ("ensemble", "state/graph/fitted/views_", "as it is"),
    ("tailor", "class", "JointModel"),
    ("tailor", "parameters/metric", "affinity"),
    ("tailor", "parameters/metric", "cityblock"),
    ("tailor", "parameters/scaling", "maxabs"),
    ("tailor", "parameters/representatives", 0),
    ("tailor", "parameters/members", 1),
    ("tailor", "parameters/members", [{"$dict": {"class": "os.system"}}]),
    ("tailor", "state/sparse", 1),
    ("tailor", "state/scaler", None),
    ("tailor", "state/representatives", {"$dict": {}}),
    ("tailor", "state/representatives/links/k", 0),
    ("tailor", "state/representatives/links/k", 2**31 - 1),
    ("tailor", "state/representatives/links/bandwidth", -1),
    ("tailor", "state/representatives/links/bandwidth", 10**300),
    ("tailor", "state/representatives/links/exact", False),
    ("tailor", "state/representatives/links/directions", {"$array": "state.shares"}),
    ("tailor", "state/ensemble/parameters/class", "NeighborGraph"),
    ("tailor", "state/ensemble/fitted/labels", None),
    ("tailor", "state/decision", None),
    ("tailor", "state/decision/verdict", "clear"),
    ("tailor", "state/decision/verdict", verdict(level="loud")),
    ("tailor", "state/decision/verdict", verdict(level="none")),
    ("tailor", "state/decision/verdict", verdict(statistic=-0.5)),
    ("tailor", "state/decision/verdict", verdict(expected=float("nan"))),
    ("tailor", "state/decision/verdict", verdict(p_value=-0.1)),
    ("tailor", "state/decision/verdict", verdict(level="none", p_value=1.5)),
    ("tailor", "state/decision/verdict", verdict(n_copies=0)),
    ("affinities", "state/decision/verdict", verdict()),
    ("tailor", "state/decision/n_rows", 39),
    ("tailor", "state/decision/n_rows", -1),
    ("tailor", "state/decision/n_representatives", 2),
    ("tailor", "state/decision/isolated", 2),
    ("tailor", "state/decision/every_row", False),
    ("tailor", "state/decision/views", []),
    ("tailor", "state/decision/members", {"$dict": {"spectral": 1}}),
    ("tailor", "state/decision/leaving", None),
    ("tailor", "state/decision/separated", 1),
    ("tailor", "state/decision/shapes", 1),
    ("tailor", "state/decision/levels", [[2]]),
    ("tailor", "state/decision/levels", [{"$dict": {"score": 1.0}}]),
    ("tailor", "state/decision/model_agreement", "high"),
    ("tailor", "state/decision/alpha", -1),
    ("tailor", "state/separated", [1]),
    ("tailor", "state/separated", [{"$array": "state.shares"}]),
    ("tailor", "state/memberships", [{"$array": "state.shares"}]),
    ("tailor", "state/memberships", {"$array": "state.shares"}),
    ("tailor", "state/decision/leaving", float("nan")),
    ("tailor", "state/decision/n_clusters", 2**31 - 1),
    ("tailor", "state/decision/n_clusters", 0),
    ("tailor", "state/decision/suggestions", [-1]),
    ("tailor", "state/decision/cut", 1),
    ("tailor", "state/decision/cut_agreement", float("inf")),
    ("tailor", "state/decision/beta", -1),
    ("tailor", "state/joint", None),
    ("tailor", "state/joint/init", None),
    ("tailor", "state/joint/norm", 0),
    ("tailor", "state/joint/starts", []),
    ("affinities", "parameters/metric", "euclidean"),
    ("affinities", "parameters/metric", "precomputed"),
    ("affinities", "state/representatives/graph", None),
    ("tailor", "state/constraints", {"$dict": {}}),
    ("tailor", "state/classes", {"$array": "state.shares"}),
    ("known", "state/constraints/classes", ["a"]),
    ("known", "state/constraints/classes", ["a", "a"]),
    ("known", "state/constraints/classes", ["a", "b", "c", "d"]),
    ("known", "state/constraints/known", None),
    ("known tailor", "state/memberships", None),
    ("known tailor", "state/classes", None),
]


@pytest.mark.parametrize(("kind", "place", "value"), VALUES)
def test_one_hostile_value(
    saved: dict[str, Saved], tmp_path: Path, kind: str, place: str, value: object
) -> None:
    path = tmp_path / "model.npz"
    saved[kind].changed(place, value).write(path)
    with pytest.raises(ValueError, match=r"model\.npz is damaged: .{1,400}$"):
        load_model(path)


ARRAYS: list[tuple[str, str, Callable[[np.ndarray], np.ndarray]]] = [
    ("knn", "state.rows", lambda a: a[:-1]),
    ("knn", "state.rows", lambda a: a[:, :1]),
    ("knn", "state.rows", lambda a: a.astype(np.float32)),
    ("knn", "state.rows", lambda a: a.astype(">f8")),
    ("knn", "state.rows", lambda a: np.full_like(a, np.nan)),
    ("knn", "state.scaler.scale_", np.zeros_like),
    ("knn", "state.scaler.scale_", lambda a: a[:-1]),
    ("knn", "state.indicator", lambda a: a[:, :-1]),
    ("knn", "state.indicator", np.zeros_like),
    ("knn", "state.indicator", lambda a: -a),
    ("knn", "state.indicator", lambda a: np.full_like(a, 1e308)),
    ("knn", "state.representation.data", lambda a: -a),
    ("knn", "state.representation.indices", lambda a: a + 10**6),
    ("knn", "state.representation.indices", lambda a: a - 1),
    ("knn", "state.representation.indices", lambda a: a.astype(str)),
    ("knn", "state.representation.indptr", lambda a: a[:-1]),
    ("knn", "state.representation.indptr", lambda a: a + 0.5),
    ("knn", "state.graph.fitted.weights_.data", lambda a: np.full_like(a, 1e308)),
    ("knn", "state.graph.fitted.weights_.data", lambda a: -a),
    ("knn", "state.graph.fitted._sample_scale", lambda a: a[:-1]),
    ("knn", "state.starts.0.labels", lambda a: a + 3),
    ("knn", "state.starts.0.labels", lambda a: a - 3),
    ("knn", "state.objective", lambda a: a[:0]),
    ("sparse", "state.rows.indices", lambda a: a + 3),
    ("distances", "state.rows", lambda a: -a),
    ("distances", "state.rows", lambda a: a[:, :-1]),
    ("ensemble", "state.graph.fitted.labels", lambda a: a[:, :-1]),
    ("ensemble", "state.graph.fitted.labels", lambda a: a[:-1]),
    ("ensemble", "state.graph.fitted.labels", lambda a: -a - 1),
    ("ensemble", "state.graph.fitted.labels", lambda a: a.astype(float)),
    ("ensemble", "state.graph.fitted.masses", lambda a: a[:-1]),
    ("tailor", "state.representatives.links.points", lambda a: a[:-1]),
    ("tailor", "state.representatives.masses", lambda a: -a),
    ("tailor", "state.representatives.masses", lambda a: a[:-1]),
    ("tailor", "state.shares", lambda a: a[:, :-1]),
    ("tailor", "state.shares", lambda a: -a),
    ("tailor", "state.shares", np.zeros_like),
    ("tailor", "state.ensemble.fitted.weights_.indices", lambda a: a + 10**6),
    ("tailor", "state.ensemble.fitted.labels", lambda a: a[:-1]),
    ("tailor", "state.joint.init", lambda a: a + 100),
    ("tailor", "state.joint.indicator", lambda a: a[:-1]),
    ("tailor", "state.memberships.0", lambda a: a + 100),
    ("tailor", "state.memberships.0", lambda a: a[:-1]),
    ("tailor", "state.memberships.1", np.zeros_like),
    ("tailor", "state.memberships.1", lambda a: a[:, :-1]),
    ("sparse tailor", "state.representatives.links.directions", lambda a: a[:-1]),
    ("sparse tailor", "state.representatives.links.points.indices", lambda a: a + 3),
    ("affinities", "state.representatives.rows", lambda a: -a),
    ("known", "state.constraints.known", lambda a: a[:-1]),
    ("known", "state.constraints.known", lambda a: a + 2),
    ("known", "state.constraints.known", lambda a: a - 1),
    ("known", "state.constraints.must", lambda a: a + 100),
    ("known", "state.constraints.cannot", lambda a: a[:, :1]),
    ("known tailor", "state.classes", lambda a: a + 3),
    ("known tailor", "state.classes", np.zeros_like),
    ("known tailor", "state.ensemble.fitted.trust_", lambda a: a[:-1]),
]


@pytest.mark.parametrize(("kind", "name", "change"), ARRAYS)
def test_one_hostile_array(
    saved: dict[str, Saved],
    tmp_path: Path,
    kind: str,
    name: str,
    change: Callable[[np.ndarray], np.ndarray],
) -> None:
    path = tmp_path / "model.npz"
    saved[kind].with_array(name, change(saved[kind].arrays[name])).write(path)
    with pytest.raises(ValueError, match=r"model\.npz is damaged: .{1,400}$"):
        load_model(path)


# What any value of a header may be turned into.
ANYTHING: list[Any] = [
    *(None, -1, 0, 1, 2**31, 2**70, 0.5, -1.0, 1e308, 5e-324, float("nan"), True),
    *("", "x", "precomputed", [], {}, [1], ["x"], [[1, 2]], {"$dict": {}}),
    *({"$array": "state.indicator"}, {"$array": "state.shares"}),
    {"$sparse": {"place": "state.rows", "shape": [2**60, 2], "kind": "csr_array"}},
]


def places(value: Any, above: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield from ((*above, key) for key in value)
    for key, inside in value.items():
        if isinstance(inside, dict):
            yield from places(inside, (*above, key))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", MAKERS)
def test_any_value_anywhere(kind: str, saved: dict[str, Saved], tmp_path: Path) -> None:
    """Every value of the header with two others, drawn at random."""
    whole, path = saved[kind], tmp_path / "model.npz"
    rng, refused = np.random.RandomState(0), 0
    for above, last in ((place[:-1], place[-1]) for place in places(whole.header)):
        for number in rng.choice(len(ANYTHING), 2, replace=False):
            header = copy.deepcopy(whole.header)
            inside = header
            for key in above:
                inside = inside[key]
            inside[last] = ANYTHING[number]
            whole._replace(header=header).write(path)
            refused += is_refused_or_predicts(path, whole, f"{above} {last} {number}")
    assert refused > 50


def is_refused_or_predicts(path: Path, whole: Saved, what: str) -> bool:
    """Whether a file is refused; if it is not, its predictions must be memberships."""
    try:
        model = load_model(path)
    except ValueError as error:
        reason = str(error)
    else:
        check_predictions(model, whole, what)
        return False
    assert reason.startswith(str(path)), what
    assert "\n" not in reason, what
    return True


def check_predictions(model: GraphTailor | JointModel, whole: Saved, what: str) -> None:
    try:
        memberships = model.predict_proba(whole.new)
        model.predict(whole.fitted)
        str(getattr(model, "decision_", ""))
    except ValueError:  # a metric that does not suit the rows, for instance
        return
    assert np.isfinite(memberships).all(), what
    np.testing.assert_allclose(memberships.sum(axis=1), 1, rtol=1e-4, err_msg=what)


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
    model = joint().fit(X)
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
