"""Read a plan from a TOML file or from one of the presets."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias, get_args

from graphtailor.bench.plan.checks import (
    check_forms,
    is_import_path,
    refuse_unknown,
    unknown,
)
from graphtailor.bench.plan.plan import (
    CHOICES,
    RANDOMNESS,
    Plan,
    PlannedData,
    PlannedMethod,
)
from graphtailor.bench.results.scores import METRICS
from graphtailor.datasets import list_datasets
from graphtailor.datasets._loaders import Imputation
from graphtailor.io.limits import MOST_PLAN, clear_errors, file_size
from graphtailor.linalg.scaling import SCALINGS
from graphtailor.registry import METHODS, get_method

# A table of a TOML file.
Table: TypeAlias = Mapping[str, Any]
PRESETS = ("quick", "paper-small", "paper")
_SETTINGS = ("reference", "grid", "seeds", "limits", "scaling", "method", "data")
_KEYS = ("name", "description", "methods", "datasets", "metrics", "choices", *_SETTINGS)
_SCALINGS = (*SCALINGS, "none")
_REDUCIBLE = ("grid", "also", "search_params", "search", "report")


def load_plan(
    source: str | os.PathLike[str],
    *,
    methods: list[str] | str | None = None,
    datasets: list[str] | str | None = None,
) -> Plan:
    """The plan of a preset's name or a TOML file.

    A file may say ``methods = "all"`` and ``datasets = "all"``; a table
    ``[method.NAME]`` with attributes of :class:`PlannedMethod` adds a method or changes
    one, and a table ``[data.NAME]`` with `file` and `label` adds a data set, or says
    with `impute` what replaces the missing values of a known one. What
    makes a method's search or repeats fewer than the plan's needs a `note`, which the
    report prints beside the name.

    Parameters
    ----------
    source : str or path-like
        "quick", "paper-small", "paper" or a path.
    methods, datasets : list of str, "all" or None, default=None
        Take these instead of the plan's own.

    Returns
    -------
    Plan
        The plan.

    Examples
    --------
    >>> from graphtailor.bench import load_plan
    >>> plan = load_plan("paper")
    >>> len(plan.report_seeds), len(plan.method("JointModel").settings())
    (20, 36)
    """
    values, folder = _read(source)
    with clear_errors(lambda why: f"{source}: {why}."):
        if methods is not None:
            values["methods"] = methods
            names = [entry.name for entry in _methods(values)]
            # The plan's reference may not be among them.
            if values.get("reference") not in names:
                values.pop("reference", None)
        if datasets is not None:
            values["datasets"] = datasets
        return parse_plan(values, folder)


def _read(source: str | os.PathLike[str]) -> tuple[dict[str, Any], Path]:
    """The values of a plan, and where its relative paths start."""
    if str(source) in PRESETS:
        text = (
            files("graphtailor.bench.plan") / "presets" / f"{source}.toml"
        ).read_text()
        return tomllib.loads(text), Path()
    path = Path(source)
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} is neither a plan's file nor a preset ({', '.join(PRESETS)})."
        )
    return {"name": path.stem, **read_toml(path)}, path.parent


def read_toml(path: Path) -> dict[str, Any]:
    """The values of a TOML file."""
    with clear_errors(lambda why: f"{path} is not a TOML file: {why}."):
        if file_size(path) > MOST_PLAN:
            raise ValueError(f"it has over {MOST_PLAN:,} bytes")
        return tomllib.loads(path.read_text(encoding="utf-8"))


def parse_plan(values: Table, folder: Path = Path()) -> Plan:
    """The plan of the values in a TOML file.

    Parameters
    ----------
    values : dict
        As :mod:`tomllib` reads them.
    folder : Path, default=Path()
        Where relative paths of data start.

    Returns
    -------
    Plan
        The plan.
    """
    refuse_unknown(values, _KEYS, "the plan")
    check_forms(values)
    methods = _methods(values)
    if not methods:
        raise ValueError("The plan has no methods: name at least one.")
    reference = values.get("reference", methods[-1].name)
    if reference not in [method.name for method in methods]:
        raise ValueError(
            f"reference: {reference!r} is not one of the plan's methods. Give one of "
            f"{', '.join(method.name for method in methods)}."
        )
    limits = values.get("limits", {})
    refuse_unknown(limits, ("seconds", "megabytes"), "[limits]")
    metrics = tuple(values.get("metrics", METRICS))
    for metric in metrics:
        if metric not in METRICS and not is_import_path(metric):
            raise ValueError(f"metrics: {unknown(metric, METRICS)}")
    choices = tuple(values.get("choices", CHOICES))
    for choice in choices:
        if choice not in CHOICES:
            raise ValueError(f"choices: {unknown(choice, CHOICES)}")
    return Plan(
        name=str(values.get("name", "plan")),
        description=str(values.get("description", "")),
        methods=methods,
        datasets=_datasets(values, folder),
        metrics=metrics,
        choices=choices,
        reference=reference,
        **_seeds(values.get("seeds", {})),
        **limits,
    )


def _datasets(values: Table, folder: Path) -> tuple[PlannedData, ...]:
    entries, scaling = values.get("data", {}), dict(values.get("scaling", {}))
    known = [info.name for info in list_datasets()]
    wanted = values.get("datasets", list(entries))
    names = list(dict.fromkeys([*known, *entries] if wanted == "all" else wanted))
    refuse_unknown(scaling, ["default", *names, *known], "[scaling]")
    for name, how in scaling.items():
        if how not in _SCALINGS:
            raise ValueError(f"[scaling] {name}: {unknown(how, _SCALINGS)}")
    planned = []
    for name in names:
        entry = entries.get(name, {})
        own = ("file", "label") if "file" in entry else ("impute",)
        refuse_unknown(entry, own, f"[data.{name!r}]")
        how = str(scaling.get(name, scaling.get("default", "maxabs")))
        if "file" not in entry and name not in known:
            raise ValueError(f"datasets: {unknown(name, [*known, *entries])}")
        source = str((folder / entry["file"]).resolve()) if "file" in entry else name
        impute = entry.get("impute", "median")
        if impute not in get_args(Imputation):
            raise ValueError(
                f"[data.{name!r}] impute: {unknown(impute, get_args(Imputation))}"
            )
        planned.append(PlannedData(name, source, how, entry.get("label"), impute))
    return tuple(planned)


def _seeds(entry: Table) -> dict[str, Any]:
    refuse_unknown(entry, ("search", "report"), "[seeds]")
    return {
        f"{phase}_seeds": tuple(range(seeds["first"], seeds["first"] + seeds["count"]))
        for phase, seeds in entry.items()
    }


def _methods(values: Table) -> tuple[PlannedMethod, ...]:
    """The methods of a plan's values, in the order of their names."""
    entries = values.get("method", {})
    wanted = values.get("methods", list(entries))
    names = [*METHODS, *entries] if wanted == "all" else wanted
    # A table for a known method changes it, and does not add it once more.
    return tuple(
        _planned_method(name, entries.get(name, {}), values.get("grid"))
        for name in dict.fromkeys(names)
    )


def _planned_method(name: str, entry: Table, values: list[Any] | None) -> PlannedMethod:
    where = f"[method.{name!r}]"
    known = [item.name for item in fields(PlannedMethod) if item.name != "name"]
    refuse_unknown(entry, known, where)
    params, grid = dict(entry.get("params", {})), dict(entry.get("grid", {}))
    uses = entry.get("uses", name)
    of_method: dict[str, Any] = {"name": name, "uses": uses}
    if not is_import_path(uses):
        method = get_method(uses)
        params = {**method.fixed, **params}
        grid = grid or {
            key: list(values or points)
            for key, points in method.grid.items()
            if key not in params
        }
        of_method = {
            "name": name if "uses" in entry else method.name,
            "uses": method.name,
            "randomness": method.randomness,
            "needs_nonnegative": method.needs_nonnegative,
        }
    own = {key: entry[key] for key in entry if key not in ("uses", "params", "grid")}
    planned = PlannedMethod(**{**of_method, **own}, params=params, grid=grid)
    if planned.randomness not in RANDOMNESS:
        raise ValueError(
            f"{where} randomness: {unknown(planned.randomness, RANDOMNESS)}"
        )
    _check_reductions(planned, where)
    return planned


def _check_reductions(method: PlannedMethod, where: str) -> None:
    """A method whose search or repeats are reduced must have a note about it."""
    large = method.large
    if large:
        refuse_unknown(large, ("above", *_REDUCIBLE), f"{where} large")
    for grid in (method.also, large.get("grid", {})):
        refuse_unknown(grid, method.grid, where)
    reduced = (method.search_params, method.search, method.report, large)
    if any(reduced) and not method.note:
        raise ValueError(
            f"{where}: say in a note what is reduced; the report prints it beside the "
            "name."
        )
