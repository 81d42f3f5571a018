"""Whether the names and values of a plan are right, before they are used."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from functools import cache
from importlib import import_module
from typing import Any

from graphtailor.columns.messages import did_you_mean
from graphtailor.io.limits import MOST_SEEDS, MOST_SETTINGS
from graphtailor.io.schema import (
    Rule,
    anything,
    array_of,
    complete,
    either,
    mapping_of,
    number,
    one_of,
    optional,
    record,
    refuse,
    text,
    truth,
    whole,
    worded,
)

_TEXT = text(1_000_000)
_TABLE = worded(mapping_of(anything), "a table")
_NAMES = worded(array_of(_TEXT), "a list of names")
_NAMES_OR_ALL = worded(either(one_of("all"), _NAMES), 'a list of names, or "all"')
_LISTS = "a table with a list of values for each name"
_GRID = worded(mapping_of(array_of(anything)), _LISTS)
_SEEDS = optional(worded(whole(1), "a number of seeds from 1 on"))
_NUMBERS = worded(array_of(whole(0, 2**32 - 1)), "a list of numbers")
_LIMIT = optional(number())


def _points(value: Any, place: str) -> None:
    """Accept a grid whose settings can be run."""
    _GRID(value, place)
    n_settings = math.prod(len(points) for points in value.values())
    if n_settings == 0:
        refuse(value, place, _LISTS)
    if n_settings > MOST_SETTINGS:
        raise ValueError(
            f"{place}: {n_settings:,} settings, over {MOST_SETTINGS:,}. Take fewer "
            "values."
        )


def _known(rules: Mapping[str, Rule]) -> Rule:
    """Accept objects with these fields; others are left to `refuse_unknown`."""
    return record(rules, others=anything)


_REDUCIBLE = {
    "grid": _points,
    "also": _points,
    "search_params": _TABLE,
    "search": _SEEDS,
    "report": _SEEDS,
}
_NOTHING = complete({})
_LARGE = record({"above": whole(), **_REDUCIBLE}, required=["above"], others=anything)
_METHOD = {
    **_REDUCIBLE,
    "uses": _TEXT,
    "params": _TABLE,
    "randomness": _TEXT,
    "needs_nonnegative": truth,
    "large": either(_NOTHING, _LARGE),
    "note": _TEXT,
}
_PHASE_SEEDS = worded(
    complete(
        {"first": whole(0, 2**32 - MOST_SEEDS - 1), "count": whole(0, MOST_SEEDS)}
    ),
    f"like {{ first = 0, count = 5 }} with at most {MOST_SEEDS:,} seeds from 0 on",
)
_COMMON = {
    "name": _TEXT,
    "description": _TEXT,
    "metrics": _NAMES,
    "choices": _NAMES,
    "reference": _TEXT,
}
_PLAN = _known(
    {
        **_COMMON,
        "methods": _NAMES_OR_ALL,
        "datasets": _NAMES_OR_ALL,
        "grid": worded(array_of(anything), "a list of values"),
        "seeds": mapping_of(_PHASE_SEEDS),
        "limits": worded(
            mapping_of(number(above=0.0)), "a table of numbers above zero"
        ),
        "scaling": worded(mapping_of(_TEXT), "a table of texts"),
        "method": mapping_of(_known(_METHOD)),
        "data": mapping_of(_known({"file": _TEXT, "label": _TEXT, "impute": _TEXT})),
    }
)
_STORED = _known(
    {
        **_COMMON,
        "methods": array_of(
            record({"name": _TEXT, **_METHOD}, required=["name"], others=anything)
        ),
        "datasets": array_of(
            record({"name": _TEXT}, required=["name"], others=anything)
        ),
        "search_seeds": _NUMBERS,
        "report_seeds": _NUMBERS,
        "seconds": _LIMIT,
        "megabytes": _LIMIT,
    }
)


def check_forms(values: Mapping[str, Any]) -> None:
    """Refuse the values of a TOML file that have another form than a plan's.

    Unknown names are left to :func:`refuse_unknown`.

    Examples
    --------
    >>> check_forms({"methods": "SC"})
    Traceback (most recent call last):
    ValueError: plan.methods is 'SC', not a list of names, or "all"
    """
    _PLAN(values, "plan")


def check_stored(values: object) -> None:
    """Refuse a stored plan that does not have the form of :meth:`Plan.to_json`."""
    _STORED(values, "plan")


def refuse_unknown(
    entry: Mapping[str, Any], known: Collection[str], where: str
) -> None:
    """Raise a ValueError that names the first key that is not known."""
    for key in entry:
        if key not in known:
            raise ValueError(f"{where}: {unknown(key, known)}")


def unknown(name: object, known: Collection[str]) -> str:
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
    >>> imported("sklearn.cluster:Birch").__name__
    'Birch'
    """
    module, _, name = path.partition(":")
    try:
        return getattr(import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"{path!r} cannot be imported: {error}.") from error
