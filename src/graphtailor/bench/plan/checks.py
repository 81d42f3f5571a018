"""Whether the names and values of a plan are right, before they are used."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from graphtailor.columns.messages import did_you_mean
from graphtailor.io.limits import MOST_SEEDS, MOST_SETTINGS


def _is_number(value: Any) -> bool:
    is_real = isinstance(value, int | float) and not isinstance(value, bool)
    return is_real and math.isfinite(value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is(kind: type) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, kind)


def _every(kind: type, holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Whether a value is a list or table, all of whose values are as they must be."""

    def check(value: Any) -> bool:
        parts: Any = value.values() if isinstance(value, Mapping) else value
        return isinstance(value, kind) and all(map(holds, parts))

    return check


Form = tuple[Callable[[Any], bool], str]
_TEXT: Form = (_is(str), "a text")
_COUNT: Form = (_is_count, "a whole number")
_TABLE: Form = (_is(Mapping), "a table")
_NAMES: Form = (_every(list, _is(str)), "a list of names")
_TABLES: Form = (_every(Mapping, _is(Mapping)), "tables")
_POINTS: Form = (
    _every(Mapping, _is(list)),
    "a table with a list of values for each name",
)
_NAMES_OR_ALL: Form = (
    lambda value: value == "all" or _NAMES[0](value),
    'a list of names, or "all"',
)
_PLAN: dict[str, Form] = {
    "name": _TEXT,
    "description": _TEXT,
    "methods": _NAMES_OR_ALL,
    "datasets": _NAMES_OR_ALL,
    "metrics": _NAMES,
    "choices": _NAMES,
    "reference": _TEXT,
    "grid": (_is(list), "a list of values"),
    "seeds": _TABLE,
    "limits": (
        _every(Mapping, lambda value: _is_number(value) and value > 0),
        "a table of numbers above zero",
    ),
    "scaling": (_every(Mapping, _is(str)), "a table of texts"),
    "method": _TABLES,
    "data": _TABLES,
}
_LARGE: dict[str, Form] = {
    "above": _COUNT,
    "grid": _POINTS,
    "also": _POINTS,
    "search_params": _TABLE,
}
_METHOD: dict[str, Form] = {
    "uses": _TEXT,
    "params": _TABLE,
    "grid": _POINTS,
    "randomness": _TEXT,
    "needs_nonnegative": (_is(bool), "true or false"),
    "also": _POINTS,
    "search_params": _TABLE,
    "large": _TABLE,
    "note": _TEXT,
}
_DATA: dict[str, Form] = {"file": _TEXT, "label": _TEXT, "impute": _TEXT}
_ENTRIES: Form = (
    _every(list, lambda e: isinstance(e, Mapping) and isinstance(e.get("name"), str)),
    "a list of tables with names",
)
_SEEDS: Form = (_every(list, _is_count), "a list of numbers")
_LIMIT: Form = (lambda value: value is None or _is_number(value), "a number")
_STORED: dict[str, Form] = {
    **{key: _PLAN[key] for key in ("name", "description", "reference")},
    **{"metrics": _NAMES, "choices": _NAMES, "methods": _ENTRIES},
    **{"datasets": _ENTRIES, "search_seeds": _SEEDS, "report_seeds": _SEEDS},
    **{"seconds": _LIMIT, "megabytes": _LIMIT},
}


def check_forms(values: Mapping[str, Any]) -> None:
    """Refuse the values of a TOML file that have another form than a plan's.

    Unknown names are left to :func:`refuse_unknown`.

    Examples
    --------
    >>> check_forms({"methods": "SC"})
    Traceback (most recent call last):
    ValueError: methods must be a list of names, or "all", got 'SC'.
    """
    _check(values, _PLAN, "")
    for name, entry in values.get("method", {}).items():
        where = f"[method.{name!r}] "
        _check(entry, _METHOD, where)
        _check(entry.get("large", {}), _LARGE, f"{where}large: ")
        for grid in (entry.get("grid", {}), entry.get("large", {}).get("grid", {})):
            _check_settings(grid, where)
    for name, entry in values.get("data", {}).items():
        _check(entry, _DATA, f"[data.{name!r}] ")
    for phase, entry in values.get("seeds", {}).items():
        _check_seeds(phase, entry)


def check_stored(values: Any) -> None:
    """Refuse a stored plan that does not have the form of :meth:`Plan.to_json`."""
    if not isinstance(values, Mapping):
        raise ValueError("it is not a table")
    _check(values, _STORED, "")
    for method in values.get("methods", ()):
        where = f"[method.{method['name']!r}] "
        _check(method, _METHOD, where)
        _check_settings(method.get("grid", {}), where)


def _check(entry: Mapping[str, Any], forms: Mapping[str, Form], where: str) -> None:
    for key, (is_right, words) in forms.items():
        if key in entry and not is_right(entry[key]):
            raise ValueError(f"{where}{key} must be {words}, got {_shown(entry[key])}.")


def _check_settings(grid: Mapping[str, list[Any]], where: str) -> None:
    n_settings = math.prod(len(points) for points in grid.values())
    if n_settings > MOST_SETTINGS:
        raise ValueError(
            f"{where}grid: {n_settings:,} settings, over {MOST_SETTINGS:,}. Take fewer "
            "values."
        )


def _check_seeds(phase: str, entry: Any) -> None:
    is_table = isinstance(entry, Mapping) and set(entry) == {"first", "count"}
    if not is_table or not all(map(_is_count, entry.values())):
        raise ValueError(
            f"[seeds] {phase} must look like {{ first = 0, count = 5 }}, "
            f"got {_shown(entry)}."
        )
    if not 0 <= entry["first"] < 2**32 - MOST_SEEDS or entry["count"] > MOST_SEEDS:
        raise ValueError(
            f"[seeds] {phase}: seeds must be 0 or larger, and at most "
            f"{MOST_SEEDS:,} in number, got {_shown(entry)}."
        )


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}..."


def refuse_unknown(
    entry: Mapping[str, Any], known: Collection[str], where: str
) -> None:
    """Raise a ValueError that names the first key that is not known."""
    for key in entry:
        if key not in known:
            raise ValueError(f"{where}: {unknown(key, known)}")


def unknown(name: Any, known: Collection[str]) -> str:
    """Say that a name is not known, what it may have meant, and what is known."""
    return (
        f"{name!r} is not known.{did_you_mean(str(name), known)} Known: "
        + ", ".join(known)
    )


def is_import_path(text: str) -> bool:
    """Whether the text has the form "module:name"."""
    module, colon, name = text.partition(":")
    return bool(module and colon and name.isidentifier())


@cache
def imported(path: str) -> Any:
    """The object at "module:name".

    Examples
    --------
    >>> from graphtailor.bench.plan.checks import imported
    >>> imported("sklearn.cluster:Birch").__name__
    'Birch'
    """
    module, _, name = path.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{path!r} cannot be imported: {error}.") from error
