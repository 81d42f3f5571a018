"""Names of groups, made of their strongest traits."""

import re
from collections.abc import Sequence

import numpy as np

from graphtailor.diagnostics.profile import Trait, cluster_profiles
from graphtailor.linalg.types import MatrixLike

# Differences in standard deviations: enough for a name, and for the word "very".
_LEAST, _VERY = 0.3, 1.5
_USUAL, _MOST = 2, 4
_LONGEST = 28
_ORDINARY = "near the average"
_YES, _NO = {"yes", "true", "y", "t", "1"}, {"no", "false", "n", "f", "0"}
_TIMES = re.compile(r"year|yr|jahr|date|born|birth|built|founded|since", re.IGNORECASE)
# A unit at the end of a column's name belongs to its numbers: "bill_length_mm".
_UNIT = re.compile(
    r"[ _]+(in[ _]+)?[(\[]?(mm|cm|km|mg|g|kg|lbs?|ms|mph|kwh|usd|eur|pct)[)\]]?$",
    re.IGNORECASE,
)
# What high and low mean on a map.
_COMPASS = dict.fromkeys(("longitude", "lon", "lng"), ("east", "west"))
_COMPASS |= dict.fromkeys(("latitude", "lat"), ("north", "south"))


def group_names(groups: Sequence[Sequence[Trait]]) -> list[str]:
    """Name the groups of one level by their traits, of which the strongest come first.

    A name holds two traits, more where two groups would have the same name, and a
    number where their traits do not differ at all.
    """
    phrases = [
        [_phrase(trait) for trait in traits if abs(trait.effect) >= _LEAST]
        for traits in groups
    ]
    names = [_name(each[:_USUAL]) for each in phrases]
    for length in range(_USUAL + 1, _MOST + 1):
        twice = {name for name in names if names.count(name) > 1}
        for k, name in enumerate(names):
            if name in twice:
                names[k] = _name(phrases[k][:length])
    counted: dict[str, int] = {}
    for k, name in enumerate(names):
        counted[name] = counted.get(name, 0) + 1
        if names.count(name) > 1 or counted[name] > 1:
            names[k] = f"{name} ({counted[name]})" if counted[name] > 1 else name
    return names


def class_names(
    classes: np.ndarray | Sequence[str | None] | None, names: Sequence[str]
) -> list[str]:
    """Names of clusters, replaced by the known class of each that has one."""
    known = dict(enumerate([] if classes is None else classes))
    return [
        name if not name or known.get(k) is None else str(known[k])
        for k, name in enumerate(names)
    ]


def cluster_names(X: MatrixLike, labels: np.ndarray) -> list[str]:
    """Name clusters by their strongest traits; one without rows has an empty name."""
    profiles = cluster_profiles(X, labels)
    names = [""] * (int(labels.max()) + 1)
    found = group_names([profile.traits for profile in profiles])
    for profile, name in zip(profiles, found, strict=True):
        names[profile.cluster] = name
    return names


def _name(phrases: list[str]) -> str:
    return ", ".join(phrases) or _ORDINARY


def _phrase(trait: Trait) -> str:
    if trait.kind == "share":
        column = _short(trait.column)
        return _level_phrase(column, str(trait.level), trait.inside)
    is_very, is_low = abs(trait.effect) >= _VERY, trait.effect < 0
    if trait.column.lower() in _COMPASS:
        side = _COMPASS[trait.column.lower()][is_low]
        return f"far {side}" if is_very else side
    is_time = trait.kind == "date" or (
        trait.kind == "year" and _TIMES.search(trait.column)
    )
    words = ("late", "early") if is_time else ("high", "low")
    column = _short(_UNIT.sub("", trait.column))
    return f"{'very ' if is_very else ''}{words[is_low]} {column}"


def _level_phrase(column: str, level: str, share: float) -> str:
    often = "" if share >= 0.5 else "often "
    if level.lower() in _YES:
        return f"{often}{column}"
    if level.lower() in _NO:
        return f"{often}not {column}"
    if level == "missing":
        return f"{column} missing"
    is_number = level.replace(".", "").replace(",", "").isdigit()
    return f"{often}{column} {level}" if is_number else f"{often}{_short(level)}"


def _short(text: str) -> str:
    text = " ".join(text.replace("_", " ").split())
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
