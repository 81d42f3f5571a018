"""Read a plan from a TOML file or from one of the presets."""

import os
import tomllib
from collections.abc import Collection, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeAlias, get_args

from graphtailor.bench.plan import plan
from graphtailor.bench.results.scores import METRICS, is_import_path
from graphtailor.columns.messages import did_you_mean
from graphtailor.datasets import list_datasets
from graphtailor.datasets._loaders import Imputation
from graphtailor.io import schema as s
from graphtailor.io.limits import MOST_PLAN, MOST_SEEDS, clear_errors, file_size
from graphtailor.linalg.scaling import SCALINGS
from graphtailor.registry import METHODS, get_method

# A table of a TOML file.
Table: TypeAlias = Mapping[str, Any]
PRESETS = ("quick", "paper-small", "paper")


def _metric(value: object, place: str) -> str:
    if isinstance(value, str) and is_import_path(value):
        return value
    return s.one_of(*METRICS)(value, place)


_TEXT = s.text(1_000_000)
_NAMES = s.worded(s.array_of(_TEXT), "a list of names")
_NAMES_OR_ALL = s.worded(s.either(s.one_of("all"), _NAMES), 'a list of names, or "all"')
_OWN_METHOD = {name: rule for name, rule in plan.OF_METHOD.items() if name != "name"}
_OWN_DATA = s.record({"file": _TEXT, "label": _TEXT}, required=["file"])
_KNOWN_DATA = s.record({"impute": s.one_of(*get_args(Imputation))})
_SEEDS = s.worded(
    s.complete(
        {"first": s.whole(0, 2**32 - MOST_SEEDS - 1), "count": s.whole(0, MOST_SEEDS)}
    ),
    f"like {{ first = 0, count = 5 }} with at most {MOST_SEEDS:,} seeds from 0 on",
)
_LIMIT = s.number(above=0.0)


def _data(value: object, place: str) -> Any:
    is_own = isinstance(value, dict) and "file" in value
    return (_OWN_DATA if is_own else _KNOWN_DATA)(value, place)


_RULES: dict[str, s.Rule] = {
    "name": _TEXT,
    "description": _TEXT,
    "methods": _NAMES_OR_ALL,
    "datasets": _NAMES_OR_ALL,
    "metrics": s.array_of(_metric, into=tuple),
    "choices": s.array_of(s.one_of(*plan.CHOICES), into=tuple),
    "reference": _TEXT,
    "grid": s.worded(s.array_of(s.anything), "a list of values"),
    "seeds": s.record({"search": _SEEDS, "report": _SEEDS}),
    "limits": s.record({"seconds": _LIMIT, "megabytes": _LIMIT}),
    "scaling": s.mapping_of(s.one_of(*SCALINGS, "none")),
    "method": s.mapping_of(s.record(_OWN_METHOD)),
    "data": s.mapping_of(_data),
}


def load_plan(
    source: str | os.PathLike[str],
    *,
    methods: list[str] | str | None = None,
    datasets: list[str] | str | None = None,
) -> plan.Plan:
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
        preset = files("graphtailor.bench.plan") / "presets" / f"{source}.toml"
        return tomllib.loads(preset.read_text()), Path()
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


def parse_plan(values: Table, folder: Path = Path()) -> plan.Plan:
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
    values = s.record(_RULES)(values, "plan")
    methods = _methods(values)
    if not methods:
        raise ValueError("The plan has no methods: name at least one.")
    names = [method.name for method in methods]
    reference = values.get("reference", names[-1])
    if reference not in names:
        raise ValueError(
            f"reference: {reference!r} is not one of the plan's methods. Give one of "
            f"{', '.join(names)}."
        )
    seeds: dict[str, Any] = {
        f"{phase}_seeds": tuple(range(each["first"], each["first"] + each["count"]))
        for phase, each in values.get("seeds", {}).items()
    }
    return plan.Plan(
        name=values.get("name", "plan"),
        description=values.get("description", ""),
        methods=methods,
        datasets=_datasets(values, folder),
        metrics=values.get("metrics", tuple(METRICS)),
        choices=values.get("choices", plan.CHOICES),
        reference=reference,
        **seeds,
        **values.get("limits", {}),
    )


def _refuse_unknown(names: Collection[str], known: Collection[str], where: str) -> None:
    for name in names:
        if name not in known:
            raise ValueError(
                f"{where}: {name!r} is not known.{did_you_mean(name, known)} Known: "
                f"{', '.join(known)}"
            )


def _datasets(values: Table, folder: Path) -> tuple[plan.PlannedData, ...]:
    entries, scaling = values.get("data", {}), values.get("scaling", {})
    known = list(dict.fromkeys([*(info.name for info in list_datasets()), *entries]))
    wanted = values.get("datasets", list(entries))
    names = known if wanted == "all" else list(dict.fromkeys(wanted))
    _refuse_unknown(names, known, "datasets")
    _refuse_unknown(scaling, ["default", *known], "[scaling]")
    planned = []
    for name in names:
        entry = dict(entries.get(name, {}))
        file = entry.pop("file", None)
        source = name if file is None else str((folder / file).resolve())
        how = scaling.get(name, scaling.get("default", "maxabs"))
        planned.append(plan.PlannedData(name, source, how, **entry))
    return tuple(planned)


def _methods(values: Table) -> tuple[plan.PlannedMethod, ...]:
    """The methods of a plan's values, in the order of their names."""
    entries = values.get("method", {})
    wanted = values.get("methods", list(entries))
    names = [*METHODS, *entries] if wanted == "all" else wanted
    # A table for a known method changes it, and does not add it once more.
    return tuple(
        _planned_method(name, entries.get(name, {}), values.get("grid"))
        for name in dict.fromkeys(names)
    )


def _planned_method(
    name: str, entry: Table, values: list[Any] | None
) -> plan.PlannedMethod:
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
    planned = plan.PlannedMethod(**{**of_method, **own}, params=params, grid=grid)
    where = f"[method.{name!r}]"
    for values_of in (planned.also, planned.large.get("grid", {})):
        _refuse_unknown(values_of, planned.grid, where)
    reduced = (planned.search_params, planned.search, planned.report, planned.large)
    if any(reduced) and not planned.note:
        raise ValueError(
            f"{where}: say in a note what is reduced; the report prints it beside the "
            "name."
        )
    return planned
