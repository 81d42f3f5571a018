"""The methods of a plan: from the registry, changed or added by a plan's file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from graphtailor.bench.plan.import_path import is_import_path
from graphtailor.bench.plan.names import refuse_unknown, unknown
from graphtailor.bench.plan.plan import RANDOMNESS, PlannedMethod
from graphtailor.registry import METHODS, get_method

_REDUCIBLE = ("grid", "also", "search_params", "search", "report")


def parse_methods(values: Mapping[str, Any]) -> tuple[PlannedMethod, ...]:
    """The methods of a plan.

    Parameters
    ----------
    values : dict
        Of a plan's file: `methods` (names, or "all"), `grid` (values of every weight)
        and `method` (the tables ``[method.NAME]``).

    Returns
    -------
    tuple of PlannedMethod
        In the order of the names.
    """
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
        said = unknown(planned.randomness, RANDOMNESS)
        raise ValueError(f"{where} randomness: {said}")
    _check_reductions(planned, where)
    return planned


def _check_reductions(method: PlannedMethod, where: str) -> None:
    """What is reduced must make sense, and be said."""
    large = method.large
    if large:
        refuse_unknown(large, ("above", *_REDUCIBLE), f"{where} large")
        if not isinstance(large.get("above"), int):
            raise ValueError(
                f"{where} large: above must be a number of samples, for instance 1000."
            )
    for grid in (method.grid, method.also, large.get("grid", {})):
        for key, points in grid.items():
            if key not in method.grid:
                raise ValueError(f"{where}: {unknown(key, method.grid)}")
            if not isinstance(points, list) or not points:
                raise ValueError(
                    f"{where}: the grid of {key} must be a list of values."
                )
    for entry in ({"search": method.search, "report": method.report}, large):
        for phase in ("search", "report"):
            count = entry.get(phase)
            if count is not None and (not isinstance(count, int) or count < 1):
                raise ValueError(
                    f"{where}: {phase} must be a number of seeds, got {count!r}."
                )
    reduced = (method.search_params, method.search, method.report, large)
    if any(reduced) and not method.note:
        raise ValueError(
            f"{where}: say in a note what is reduced; the report prints it beside the "
            "name."
        )
