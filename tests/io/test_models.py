"""Saved models predict to the last bit what they did, and nothing else is loaded."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import pairwise_distances

from graphtailor import DiffusedGraph, EnsembleGraph, GraphTailor, JointModel
from graphtailor.baselines import KMeansClustering
from graphtailor.graphs import GraphBuilder, NeighborGraph, PrecomputedGraph
from graphtailor.graphs.ensemble.members import (
    Draw,
    KMeansMembers,
    LayoutMembers,
    MemberKind,
    MixtureMembers,
    SpectralMembers,
)
from graphtailor.graphs.ensemble.views import View
from graphtailor.io.model_parts import plain_parameter
from graphtailor.io.models import FORMAT_VERSION, load_model, load_notes, save_model
from graphtailor.models.joint_members import JointMembers
from graphtailor.solvers import Descent, Multiplicative

Model = GraphTailor | JointModel

POINTS = make_blobs(70, n_features=4, centers=3, cluster_std=2.0, random_state=1)[0]
FITTED, NEW = POINTS[:50], POINTS[50:]
MOONS = make_moons(140, noise=0.05, random_state=0)[0]
TWICE = np.repeat(FITTED[:20], 2, axis=0)
PAIRS = pairwise_distances(FITTED), pairwise_distances(NEW, FITTED)
WEIGHTS = np.exp(-PAIRS[0]), np.exp(-PAIRS[1])
SINGLE = FITTED.astype(np.float32), NEW.astype(np.float32)
SPARSE = sparse.csr_array(FITTED), sparse.csr_array(NEW)
MATRIX = sparse.csr_matrix(FITTED), sparse.csr_matrix(NEW)
WIDE = np.hstack([FITTED] * 20), np.hstack([NEW] * 20)

Case = tuple[dict[str, Any], Any, Any]
OF_BOTH = ("labels_", "indicator_", "affinity_matrix_", "objective_", "n_iter_")
MORE_OF_BOTH = ("converged_", "n_features_in_")
JOINT: dict[str, Case] = {
    "maxabs": ({}, FITTED, NEW),
    "minmax": ({"scaling": "minmax"}, FITTED, NEW),
    "standard": ({"scaling": "standard"}, FITTED, NEW),
    "length": ({"scaling": "length"}, FITTED, NEW),
    "unscaled": ({"scaling": None, "alpha": 0.5, "beta": 2}, FITTED, NEW),
    "float32": ({}, *SINGLE),
    "sparse array": ({}, *SPARSE),
    "sparse matrix": ({"scaling": "standard"}, *MATRIX),
    "duplicates": ({}, TWICE, NEW),
    "neighbor graph": ({"graph": NeighborGraph(4)}, FITTED, NEW),
    "cosine": ({"graph": NeighborGraph(metric="cosine")}, FITTED, NEW),
    "cityblock": ({"graph": NeighborGraph(metric="cityblock")}, FITTED, NEW),
    "local": (
        {"graph": NeighborGraph(5, bandwidth="local", symmetrize="max")},
        FITTED,
        NEW,
    ),
    "radius": ({"graph": NeighborGraph(radius=0.4, weights="binary")}, FITTED, NEW),
    "distances": ({"graph": NeighborGraph(metric="precomputed")}, *PAIRS),
    "precomputed": ({"graph": "precomputed"}, *WEIGHTS),
    "precomputed object": ({"graph": PrecomputedGraph()}, *WEIGHTS),
    "diffused": ({"graph": DiffusedGraph(steps=4)}, FITTED, NEW),
    "diffused twice": (
        {"graph": DiffusedGraph(DiffusedGraph(NeighborGraph(4)))},
        FITTED,
        NEW,
    ),
    "diffused affinities": ({"graph": DiffusedGraph("precomputed")}, *WEIGHTS),
    "ensemble": (
        {
            "graph": EnsembleGraph(
                views=("as it is",), members=[KMeansMembers(3)], random_state=0
            )
        },
        FITTED,
        NEW,
    ),
    "multiplicative": ({"solver": "multiplicative", "max_iter": 2000}, FITTED, NEW),
    "Algorithm 1": ({"solver": Multiplicative(), "max_iter": 500}, FITTED, NEW),
    "wide support": ({"solver": Descent(support=None)}, FITTED, NEW),
    "given labels": ({"init": np.arange(50) % 3}, FITTED, NEW),
    "given indicator": ({"init": np.eye(3)[np.arange(50) % 3]}, FITTED, NEW),
    "numpy scalars": (
        {"n_clusters": np.int64(2), "alpha": np.float32(5)},
        FITTED,
        NEW,
    ),
}
TAILOR: dict[str, Case] = {
    "maxabs": ({}, FITTED, NEW),
    "minmax": ({"scaling": "minmax"}, FITTED, NEW),
    "standard": ({"scaling": "standard"}, FITTED, NEW),
    "unscaled": ({"scaling": None}, FITTED, NEW),
    "number chosen": ({"n_clusters": "auto"}, FITTED, NEW),
    "shapes": ({"n_clusters": "auto"}, MOONS[:120], MOONS[120:]),
    "float32": ({}, *SINGLE),
    "sparse array": ({}, *SPARSE),
    "sparse matrix": ({"scaling": "standard"}, *MATRIX),
    "many features": ({}, *WIDE),
    "duplicates": ({}, TWICE, NEW),
    "anchors": ({"representatives": 20}, FITTED, NEW),
    "anchors, float32": ({"representatives": 20}, *SINGLE),
    "anchors, sparse": ({"representatives": 20}, *SPARSE),
    "cosine": ({"metric": "cosine"}, FITTED, NEW),
    "distances": ({"metric": "precomputed"}, *PAIRS),
    "affinities": ({"metric": "affinity"}, *WEIGHTS),
    "sparse affinities": (
        {"metric": "affinity"},
        sparse.csr_array(np.where(WEIGHTS[0] > 0.01, WEIGHTS[0], 0)),
        sparse.csr_array(WEIGHTS[1]),
    ),
    "every kind of member": (
        {
            "members": (
                SpectralMembers(n_cuts=1),
                KMeansMembers(1),
                MixtureMembers(),
                JointMembers(n_numbers=1),
                LayoutMembers(n_kmeans=2),
            )
        },
        FITTED,
        NEW,
    ),
    "one cluster": ({"n_clusters": 1}, FITTED, NEW),
}


def joint(**parameters: Any) -> JointModel:
    return JointModel(**{"n_clusters": 3, "n_init": 2, "random_state": 0} | parameters)


def tailor(**parameters: Any) -> GraphTailor:
    """A GraphTailor with few members, which is quick."""
    few = {"views": ("as it is", "unit rows"), "members": [SpectralMembers()]}
    return GraphTailor(**{"n_clusters": 3, "random_state": 0} | few | parameters)


def same(a: Any, b: Any) -> bool:
    if sparse.issparse(a):
        parts = ("indptr", "indices", "data")
        return type(a) is type(b) and all(
            same(getattr(a, part), getattr(b, part)) for part in parts
        )
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b)
    return type(a) is type(b) and a == b


def round_trip(model: Model, folder: Path) -> Any:
    save_model(model, folder / "model.npz")
    return load_model(folder / "model.npz")


def check_same(loaded: Any, model: Any, case: Case) -> None:
    _, X, X_new = case
    for name in (*OF_BOTH, *MORE_OF_BOTH):
        assert same(getattr(loaded, name), getattr(model, name)), name
    assert same(loaded.predict_proba(X_new), model.predict_proba(X_new))
    assert same(loaded.predict_proba(X), model.predict_proba(X))
    assert same(loaded.predict(X), model.labels_)
    np.testing.assert_equal(plain_parameters(loaded), plain_parameters(model))


def plain_parameters(model: Any) -> dict[str, Any]:
    values = model.get_params(deep=False)
    return {name: plain_parameter(name, value) for name, value in values.items()}


def check_same_joint(loaded: JointModel, model: JointModel) -> None:
    assert same(loaded.representation_, model.representation_)
    assert same(loaded.graph_.affinity_, model.graph_.affinity_)
    assert type(loaded.graph_) is type(model.graph_)
    assert [(s.kind, s.objective) for s in loaded.starts_] == [
        (s.kind, s.objective) for s in model.starts_
    ]
    for mine, theirs in zip(model.starts_, loaded.starts_, strict=True):
        assert same(mine.labels, theirs.labels)


@pytest.mark.parametrize("case", JOINT)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_joint_models_come_back_to_the_last_bit(case: str, tmp_path: Path) -> None:
    parameters, X, _ = JOINT[case]
    model = joint(**parameters).fit(X)
    loaded = round_trip(model, tmp_path)
    check_same(loaded, model, JOINT[case])
    check_same_joint(loaded, model)


@pytest.mark.parametrize("case", TAILOR)
def test_graph_tailors_come_back_to_the_last_bit(case: str, tmp_path: Path) -> None:
    parameters, X, _ = TAILOR[case]
    model = tailor(**parameters).fit(X)
    loaded = round_trip(model, tmp_path)
    check_same(loaded, model, TAILOR[case])
    check_same_joint(loaded.model_, model.model_)
    assert loaded.n_clusters_ == model.n_clusters_
    assert loaded.decision_ == model.decision_
    assert str(loaded.decision_) == str(model.decision_)
    assert same(loaded.representatives_.masses, model.representatives_.masses)
    check_same_ensemble(loaded.ensemble_, model.ensemble_)


def check_same_ensemble(loaded: EnsembleGraph, ensemble: EnsembleGraph) -> None:
    assert [(m.kind, m.view) for m in loaded.members_] == [
        (m.kind, m.view) for m in ensemble.members_
    ]
    for mine, theirs in zip(ensemble.members_, loaded.members_, strict=True):
        np.testing.assert_array_equal(mine.labels, theirs.labels)
    assert loaded.views_ == ensemble.views_
    assert same(loaded.ensemble_.codes, ensemble.ensemble_.codes)
    for number in (2, 4):
        found = zip(ensemble.cuts().at(number), loaded.cuts().at(number), strict=True)
        for mine, theirs in found:
            assert same(mine.labels, theirs.labels)
            assert (mine.kind, mine.agreement) == (theirs.kind, theirs.agreement)


def test_a_graph_tailor_with_all_its_members_comes_back(tmp_path: Path) -> None:
    model = GraphTailor(3, random_state=0).fit(FITTED)
    loaded = round_trip(model, tmp_path)
    check_same(loaded, model, ({}, FITTED, NEW))
    assert loaded.decision_ == model.decision_
    check_same_ensemble(loaded.ensemble_, model.ensemble_)


def test_a_fit_on_dask_is_saved_without_labels(tmp_path: Path) -> None:
    arrays = pytest.importorskip("dask.array")
    X = arrays.from_array(FITTED, chunks=(20, 4))
    model = tailor().fit(X)
    loaded = round_trip(model, tmp_path)
    assert not hasattr(loaded, "labels_")
    assert not hasattr(loaded, "indicator_")
    assert loaded.decision_ == model.decision_
    assert same(loaded.predict(FITTED), model.labels_.compute())
    assert same(loaded.predict_proba(NEW), model.predict_proba(NEW))


@pytest.mark.parametrize("make", [joint, tailor])
def test_names_and_notes(make: Callable[..., Model], tmp_path: Path) -> None:
    frame = pd.DataFrame(FITTED, columns=["a", "b", "c", "d"])
    model = make().fit(frame)
    notes = {"id": "name", "fill": {"a": 0.1}}
    save_model(model, tmp_path / "model.npz", notes=notes)
    loaded = load_model(tmp_path / "model.npz")
    assert same(loaded.feature_names_in_, model.feature_names_in_)
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(frame[["b", "a", "c", "d"]])
    assert load_notes(tmp_path / "model.npz") == notes


@pytest.mark.parametrize("make", [joint, tailor])
def test_loaded_model_can_be_fitted_and_saved_again(
    make: Callable[..., Model], tmp_path: Path
) -> None:
    model = make().fit(FITTED)
    loaded = round_trip(model, tmp_path)
    again = round_trip(loaded.fit(FITTED), tmp_path)
    assert same(again.indicator_, model.indicator_)


def test_random_state_object_is_saved_as_none(tmp_path: Path) -> None:
    model = joint(random_state=np.random.RandomState(0)).fit(FITTED)
    assert round_trip(model, tmp_path).random_state is None


class MyGraph(NeighborGraph):
    pass


class MyBuilder(GraphBuilder):
    def fit(self, X: Any, y: Any = None) -> "MyBuilder":
        return self._take(NeighborGraph().fit(X).weights_)

    def to_new(self, X_new: Any) -> sparse.csr_array:
        raise NotImplementedError


class MyMembers(MemberKind):
    name = "mine"

    def labels(self, view: View, draw: Draw) -> list[np.ndarray]:
        return [np.arange(view.n_samples) % 3]


def city(a: np.ndarray, b: np.ndarray) -> float:
    return float(np.abs(a - b).sum())


@pytest.mark.parametrize(
    ("model", "match"),
    [
        (joint(graph=NeighborGraph(metric=city)), "metric is a function"),
        (joint(graph=MyGraph()), "MyGraph is a class of your own"),
        (joint(graph=MyBuilder()), "MyBuilder is a class of your own"),
        (joint(graph=DiffusedGraph(MyGraph())), "MyGraph is a class of your own"),
        (
            tailor(members=[SpectralMembers(), MyMembers()]),
            "MyMembers is a class of your own",
        ),
        (KMeansClustering(3, random_state=0), "KMeansClustering"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_what_cannot_be_saved(model: BaseEstimator, match: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=match):
        save_model(model.fit(FITTED), tmp_path / "model.npz")
    assert not any(tmp_path.iterdir())


def rewrite(path: Path, **changes: Any) -> None:
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    header = json.loads(arrays.pop("header").tobytes()) | changes
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, header=text, **arrays)


def test_files_that_are_no_model(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    save_model(joint().fit(FITTED), path)
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
    rewrite(path, state={"$dict": {}})
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


def test_failed_save_keeps_the_older_model(tmp_path: Path) -> None:
    path = tmp_path / "model.npz"
    model = joint().fit(FITTED)
    save_model(model, path)
    before = path.read_bytes()
    model.solver = len
    with pytest.raises(ValueError, match="function"):
        save_model(model, path)
    assert path.read_bytes() == before
    assert [found.name for found in tmp_path.iterdir()] == ["model.npz"]
