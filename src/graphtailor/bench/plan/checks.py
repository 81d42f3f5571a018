"""Whether the names and values of a plan are right, before they are used."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from graphtailor.io.limits import MOST_SEEDS, MOST_SETTINGS
from graphtailor.tables.messages import did_you_mean


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    is_real = isinstance(value, int | float) and not isinstance(value, bool)
    return is_real and math.isfinite(value)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_table(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_tables(value: Any) -> bool:
    return _is_table(value) and all(_is_table(entry) for entry in value.values())


def _is_points(value: Any) -> bool:
    return _is_table(value) and all(isinstance(v, list) for v in value.values())


Form = tuple[Callable[[Any], bool], str]
_TEXT: Form = (_is_text, "a text")
_COUNT: Form = (_is_count, "a whole number")
_TABLE: Form = (_is_table, "a table")
_NAMES: Form = (_is_names, "a list of names")
_TABLES: Form = (_is_tables, "tables")
_POINTS: Form = (_is_points, "a table with a list of values for each name")
_NAMES_OR_ALL: Form = (
    lambda value: value == "all" or _is_names(value),
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
    "grid": (lambda value: isinstance(value, list), "a list of values"),
    "seeds": _TABLE,
    "limits": (
        lambda value: (
            _is_table(value)
            and all(_is_number(limit) and limit > 0 for limit in value.values())
        ),
        "a table of numbers above zero",
    ),
    "scaling": (
        lambda value: _is_table(value) and all(map(_is_text, value.values())),
        "a table of texts",
    ),
    "method": _TABLES,
    "data": _TABLES,
}
_METHOD: dict[str, Form] = {
    "uses": _TEXT,
    "params": _TABLE,
    "grid": _POINTS,
    "randomness": _TEXT,
    "needs_nonnegative": (lambda value: isinstance(value, bool), "true or false"),
    "also": _POINTS,
    "search_params": _TABLE,
    "large": _TABLE,
    "note": _TEXT,
}
_LARGE: dict[str, Form] = {"above": _COUNT, "grid": _POINTS, "also": _POINTS}
_LARGE["search_params"] = _TABLE
_DATA: dict[str, Form] = {"file": _TEXT, "label": _TEXT, "impute": _TEXT}
_ENTRIES: Form = (
    lambda value: (
        isinstance(value, list)
        and all(_is_table(entry) and _is_text(entry.get("name")) for entry in value)
    ),
    "a list of tables with names",
)
_SEEDS: Form = (
    lambda value: isinstance(value, list) and all(map(_is_count, value)),
    "a list of numbers",
)
_LIMIT: Form = (lambda value: value is None or _is_number(value), "a number")
_STORED: dict[str, Form] = {
    **{key: _PLAN[key] for key in ("name", "description", "reference")},
    **{"metrics": _NAMES, "choices": _NAMES, "methods": _ENTRIES},
    **{"datasets": _ENTRIES, "search_seeds": _SEEDS, "report_seeds": _SEEDS},
    **{"seconds": _LIMIT, "megabytes": _LIMIT},
}


def check_forms(values: Mapping[str, Any]) -> None:
    """Refuse values of another form than a plan has.

    Parameters
    ----------
    values : dict
        As :mod:`tomllib` reads them. Names that are not known are left to others.

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
    """Refuse a plan from a store that is not of the form in which it was put there."""
    if not _is_table(values):
        raise ValueError("it is no table")
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
    is_table = _is_table(entry) and set(entry) == {"first", "count"}
    if not is_table or not all(map(_is_count, entry.values())):
        raise ValueError(
            f"[seeds] {phase} must look like {{ first = 0, count = 5 }}, "
            f"got {_shown(entry)}."
        )
    if not 0 <= entry["first"] < 2**32 - MOST_SEEDS or entry["count"] > MOST_SEEDS:
        raise ValueError(
            f"[seeds] {phase}: seeds are from 0 up, and at most {MOST_SEEDS:,} of "
            f"them, got {_shown(entry)}."
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

    Parameters
    ----------
    path : str
        Module and name, with a colon between them.

    Returns
    -------
    object
        The object.

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
