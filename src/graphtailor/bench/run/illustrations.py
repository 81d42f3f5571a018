"""Fits that the figures need beside the runs: graphs, and objectives by iteration."""

import json
import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning

from graphtailor.bench.plan.plan import Plan, PlannedData, PlannedMethod, Setting
from graphtailor.bench.results.chosen_setting import choose_setting, searched_scores
from graphtailor.bench.run.data import BenchData, load_data
from graphtailor.bench.run.execute import unfitted
from graphtailor.bench.store.store import Store
from graphtailor.io.atomic import atomic_open, file_name
from graphtailor.io.limits import clear_errors
from graphtailor.io.npz import read_npz
from graphtailor.linalg.sparse import to_dense
from graphtailor.linalg.threads import single_threaded
from graphtailor.registry import get_method

# Makes the arrays of a file from a data set and the settings of the fits.
Maker = Callable[[BenchData, Any], dict[str, np.ndarray]]
FOLDER = "illustrations"
# As in the study's Fig. 3: its own alpha and beta, one random start for both solvers.
_CURVE = {"alpha": 1.0, "beta": 1.0, "scaling": None, "init": "random", "n_init": 1}
SOLVERS = ("descent", "multiplicative")
# The study shows its graphs on this one.
_GRAPH_DATA = "iris"
_GRAPH_METHODS = ("SC", "SymNMF", "L2-Graph", "L2-SymNMF", "Proposed")


@dataclass(frozen=True)
class Illustration:
    """What one fit, or a few, left for a figure."""

    about: Mapping[str, Any]
    arrays: Mapping[str, np.ndarray]


def illustrate(store: Store, jobs: int) -> list[Path]:
    """Fit what the figures of graphs and objectives need, unless it is there.

    The graphs have the settings of the oracle, or the defaults where nothing was
    searched; the objectives have the weights 1 and run until each solver's rule is met.
    """
    plan = store.last_plan()
    searched = searched_scores(store, plan, store.last_session())
    folder = store.path.parent / FOLDER
    tasks: list[tuple[Path, dict[str, Any], Maker]] = []

    def setting(name: str, data: BenchData) -> Setting:
        method = _planned(plan, name).on(len(data.y))
        found = choose_setting(method, data.hash, "oracle", searched)
        return dict(method.params if found is None else found)

    for planned in plan.datasets:
        try:
            data = load_data(planned)
        except FileNotFoundError:
            continue
        common = {"dataset": planned.name, "data_hash": data.hash}
        if planned.source == _GRAPH_DATA:
            settings = {name: setting(name, data) for name in _GRAPH_METHODS}
            path = folder / file_name(f"graphs-{planned.name}.npz")
            tasks.append((path, {**common, "settings": settings}, _graphs))
        for solver in SOLVERS:
            about = {**_CURVE, "solver": solver}
            path = folder / file_name(f"objective-{planned.name}-{solver}.npz")
            tasks.append((path, {**common, "settings": about}, _objective))
    planned_data = {data.name: data for data in plan.datasets}
    Parallel(jobs)(
        delayed(_keep)(path, about, planned_data[about["dataset"]], make)
        for path, about, make in tasks
    )
    return [path for path, _, _ in tasks]


def _planned(plan: Plan, uses: str) -> PlannedMethod:
    """The plan's method, or one with the defaults."""
    for method in plan.methods:
        if method.uses == uses:
            return method
    return PlannedMethod(uses, uses, params=get_method(uses).fixed)


def _keep(path: Path, about: dict[str, Any], planned: PlannedData, make: Maker) -> None:
    """Make a file, unless it is there with the same settings."""
    text = json.dumps(about, sort_keys=True)
    if path.is_file() and read_illustration(path).about == json.loads(text):
        return
    with single_threaded():
        arrays: dict[str, Any] = make(load_data(planned), about["settings"])
    with atomic_open(path) as file:
        np.savez_compressed(file, about=np.array(text), **arrays)


def _fit(name: str, data: BenchData, params: Setting) -> BaseEstimator:
    model = unfitted(name, data, params, 0)
    with warnings.catch_warnings():
        # The objective is drawn up to its last iteration, and the page says whether
        # it converged.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(data.X.copy())


def _objective(data: BenchData, settings: Setting) -> dict[str, np.ndarray]:
    model = _fit("JointModel", data, settings)
    return {"objective": model.objective_.astype(np.float64)}


def _graphs(data: BenchData, settings: Mapping[str, Setting]) -> dict[str, np.ndarray]:
    """Graphs and indicators, the samples ordered by class."""
    models = {name: _fit(name, data, params) for name, params in settings.items()}
    order = np.argsort(data.y, kind="stable")
    ours = models["Proposed"]
    graphs = {
        "given": ours.graph_.affinity_,
        "L2-Graph": models["L2-Graph"].affinity_matrix_,
        "learned": ours.affinity_matrix_,
    }
    indicators = {
        **{name: models[name].embedding_ for name in ("SC", "L2-Graph")},
        **{name: models[name].indicator_ for name in ("SymNMF", "L2-SymNMF")},
        "Proposed": ours.indicator_,
        "truth": np.eye(data.n_clusters)[data.y],
    }
    arrays = {}
    for name, graph in graphs.items():
        ordered = to_dense(graph)[np.ix_(order, order)]
        arrays[f"graph {name}"] = ordered.astype(np.float32)
    for name, indicator in indicators.items():
        arrays[f"indicator {name}"] = np.asarray(indicator)[order].astype(np.float32)
    return arrays


def read_illustration(path: str | os.PathLike[str]) -> Illustration:
    """What :func:`illustrate` wrote into one file."""
    with clear_errors(
        lambda why: (
            f"{os.fspath(path)} is damaged: {why}. Remove it, and make it "
            "again with 'graphtailor bench --illustrate'."
        )
    ):
        arrays = read_npz(path)
        about = json.loads(str(arrays.pop("about")))
        if not isinstance(about, dict):
            raise ValueError("it does not say what it shows")
        return Illustration(about, arrays)


def read_illustrations(folder: str | os.PathLike[str]) -> list[Illustration]:
    """Everything that :func:`illustrate` left in a folder; nothing if there is none."""
    return [read_illustration(path) for path in sorted(Path(folder).glob("*.npz"))]
