"""Read a plan from a TOML file or from one of the presets."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import Any

from graphtailor.baselines.registry import METHODS, get_method
from graphtailor.bench.objects import is_import_path
from graphtailor.bench.plan import (
    CHOICES,
    RANDOMNESS,
    Plan,
    PlannedData,
    PlannedMethod,
)
from graphtailor.bench.scores import METRICS
from graphtailor.datasets import list_datasets
from graphtailor.joint.scaling import SCALINGS
from graphtailor.tables.messages import did_you_mean

PRESETS = ("quick", "paper")
_SETTINGS = ("reference", "grid", "seeds", "limits", "scaling", "method", "data")
_KEYS = ("name", "description", "methods", "datasets", "metrics", "choices", *_SETTINGS)
_SCALINGS = (*SCALINGS, "none")


def load_plan(
    source: str | os.PathLike[str],
    *,
    methods: list[str] | str | None = None,
    datasets: list[str] | str | None = None,
) -> Plan:
    """The plan of a preset's name or a TOML file.

    A file may say ``methods = "all"`` and ``datasets = "all"``; a table
    ``[method.NAME]`` with `uses`, `params`, `grid` and `randomness` adds a method or
    changes one, and a table ``[data.NAME]`` with `file` and `label` adds a data set.

    Parameters
    ----------
    source : str or path-like
        "quick", "paper" or a path.
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
    >>> len(plan.report_seeds), len(plan.method("GraphTailor").settings())
    (20, 36)
    """
    values, folder = _read(source)
    if methods is not None:
        values["methods"] = methods
        # The plan's reference may not be among them.
        if values.get("reference") not in [entry.name for entry in _methods(values)]:
            values.pop("reference", None)
    if datasets is not None:
        values["datasets"] = datasets
    return parse_plan(values, folder)


def _read(source: str | os.PathLike[str]) -> tuple[dict[str, Any], Path]:
    """The values of a plan, and where its relative paths start."""
    if str(source) in PRESETS:
        text = (files("graphtailor.bench") / "presets" / f"{source}.toml").read_text()
        return tomllib.loads(text), Path()
    path = Path(source)
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} is neither a plan's file nor a preset ({', '.join(PRESETS)})."
        )
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} is not a TOML file: {error}") from error
    return {"name": path.stem, **values}, path.parent


def parse_plan(values: Mapping[str, Any], folder: Path = Path()) -> Plan:
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
    _refuse_unknown(values, _KEYS, "the plan")
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
    _refuse_unknown(limits, ("seconds", "megabytes"), "[limits]")
    metrics = tuple(values.get("metrics", METRICS))
    for metric in metrics:
        if metric not in METRICS and not is_import_path(metric):
            raise ValueError(f"metrics: {_unknown(metric, METRICS)}")
    choices = tuple(values.get("choices", CHOICES))
    for choice in choices:
        if choice not in CHOICES:
            raise ValueError(f"choices: {_unknown(choice, CHOICES)}")
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


def _methods(values: Mapping[str, Any]) -> tuple[PlannedMethod, ...]:
    entries = values.get("method", {})
    wanted = values.get("methods", list(entries))
    names = [*METHODS, *entries] if wanted == "all" else wanted
    # A table for a known method changes it, and does not add it once more.
    return tuple(
        _method(name, entries.get(name, {}), values.get("grid"))
        for name in dict.fromkeys(names)
    )


def _method(
    name: str, entry: Mapping[str, Any], values: list[Any] | None
) -> PlannedMethod:
    where = f"[method.{name!r}]"
    known = [item.name for item in fields(PlannedMethod) if item.name != "name"]
    _refuse_unknown(entry, known, where)
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
    own = {
        key: entry[key] for key in entry if key in ("randomness", "needs_nonnegative")
    }
    planned = PlannedMethod(**{**of_method, **own}, params=params, grid=grid)
    if planned.randomness not in RANDOMNESS:
        said = _unknown(planned.randomness, RANDOMNESS)
        raise ValueError(f"{where} randomness: {said}")
    for key, points in grid.items():
        if not isinstance(points, list) or not points:
            raise ValueError(f"{where}: the grid of {key} must be a list of values.")
    return planned


def _datasets(values: Mapping[str, Any], folder: Path) -> tuple[PlannedData, ...]:
    entries, scaling = values.get("data", {}), dict(values.get("scaling", {}))
    known = [info.name for info in list_datasets()]
    wanted = values.get("datasets", list(entries))
    names = [*known, *entries] if wanted == "all" else list(dict.fromkeys(wanted))
    _refuse_unknown(scaling, ["default", *names, *known], "[scaling]")
    for name, how in scaling.items():
        if how not in _SCALINGS:
            raise ValueError(f"[scaling] {name}: {_unknown(how, _SCALINGS)}")
    planned = []
    for name in names:
        entry = entries.get(name, {})
        _refuse_unknown(entry, ("file", "label"), f"[data.{name!r}]")
        how = str(scaling.get(name, scaling.get("default", "maxabs")))
        if "file" not in entry and name not in known:
            raise ValueError(f"datasets: {_unknown(name, [*known, *entries])}")
        source = str((folder / entry["file"]).resolve()) if "file" in entry else name
        planned.append(PlannedData(name, source, how, entry.get("label")))
    return tuple(planned)


def _seeds(entry: Mapping[str, Any]) -> dict[str, Any]:
    _refuse_unknown(entry, ("search", "report"), "[seeds]")
    seeds: dict[str, Any] = {}
    for phase, said in entry.items():
        if not isinstance(said, dict) or set(said) != {"first", "count"}:
            raise ValueError(
                f"[seeds] {phase} must look like {{ first = 0, count = 5 }}, "
                f"got {said!r}."
            )
        first, count = said["first"], said["count"]
        seeds[f"{phase}_seeds"] = tuple(range(first, first + count))
    return seeds


def _refuse_unknown(
    entry: Mapping[str, Any], known: Collection[str], where: str
) -> None:
    for key in entry:
        if key not in known:
            raise ValueError(f"{where}: {_unknown(key, known)}")


def _unknown(name: Any, known: Collection[str]) -> str:
    return (
        f"{name!r} is not known.{did_you_mean(str(name), known)} Known: "
        + ", ".join(known)
    )
