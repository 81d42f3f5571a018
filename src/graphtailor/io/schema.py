"""Rules for values that were read from a file: their types, ranges and lengths.

A rule is a function that takes a value and its place in the file, and raises a
ValueError that names both. Rules are built from each other, so that one expression
describes a whole file:

>>> person = record({"name": text(), "age": whole(0, 150)}, required=["name"])
>>> person({"name": "Ada", "age": 36}, "person")
>>> person({"name": "Ada", "age": -1}, "person")
Traceback (most recent call last):
ValueError: person.age is -1, not a whole number from 0 to 150
"""

from __future__ import annotations

import json
import math
import re
import reprlib
from collections.abc import Callable, Collection, Mapping
from typing import Any, NoReturn

import numpy as np
from scipy import sparse

Rule = Callable[[object, str], None]

# A string in JSON, also one that is cut off at the end of the file.
_STRING = re.compile(rb'"(?:[^"\\]|\\.?)*+"?', re.DOTALL)
# numpy calculates with larger whole numbers as with Python objects.
_MOST_BITS = 63
_NO_BRACKETS = re.compile(rb"[^][{}]+")


def parse_json(text: bytes, *, depth: int, values: int) -> Any:
    """Parse JSON whose nesting and number of values are counted first.

    A parsed value takes up to 40 times the bytes of its text, so that the size of a
    file says little about the memory that it needs.
    """
    bare = _STRING.sub(b"", text)
    count = 1 + sum(bare.count(mark) for mark in (b",", b":", b"[", b"{"))
    if count > values:
        raise ValueError(
            f"its JSON holds up to {count:,} values, and the limit is {values:,}"
        )
    # Too many closing brackets are an error that the parser reports itself.
    brackets = _NO_BRACKETS.sub(b"", bare)[: 2 * count]
    steps = np.where(np.isin(np.frombuffer(brackets, np.uint8), list(b"[{")), 1, -1)
    deepest = int(np.cumsum(steps).max(initial=0))
    if deepest > depth:
        raise ValueError(
            f"its JSON is nested {deepest:,} levels deep, and the limit is {depth}"
        )
    return json.loads(text)


def refuse(value: object, place: str, expected: str) -> NoReturn:
    """Raise the error that all rules raise."""
    raise ValueError(f"{place} is {reprlib.repr(value)}, not {expected}")


def anything(value: object, place: str) -> None:
    """Accept every value."""


def truth(value: object, place: str) -> None:
    """Accept true and false."""
    if not isinstance(value, bool):
        refuse(value, place, "true or false")


def whole(least: int = 0, most: int = 2**31 - 1) -> Rule:
    """Accept whole numbers from `least` to `most`."""

    def rule(value: object, place: str) -> None:
        if (
            isinstance(value, bool)
            or not isinstance(value, int)
            or not least <= value <= most
        ):
            refuse(value, place, f"a whole number from {least} to {most}")

    return rule


def number(least: float = -math.inf, *, above: float = -math.inf) -> Rule:
    """Accept finite numbers from `least` on that are greater than `above`."""

    def rule(value: object, place: str) -> None:
        if isinstance(value, bool) or not isinstance(value, int | float):
            refuse(value, place, "a number")
        is_huge = isinstance(value, int) and value.bit_length() > _MOST_BITS
        if is_huge or not math.isfinite(value) or value < least or value <= above:
            bound = f" above {above:g}" if above > least else f" from {least:g} on"
            where = "" if max(least, above) == -math.inf else bound
            refuse(value, place, f"a finite number{where}")

    return rule


def text(most: int = 10_000) -> Rule:
    """Accept text of up to `most` characters."""

    def rule(value: object, place: str) -> None:
        if not isinstance(value, str) or len(value) > most:
            refuse(value, place, f"text of at most {most:,} characters")

    return rule


def one_of(*choices: str | None) -> Rule:
    """Accept the given values."""

    def rule(value: object, place: str) -> None:
        if not (value is None or isinstance(value, str)) or value not in choices:
            few = ", ".join(repr(choice) for choice in choices[:8])
            refuse(value, place, f"one of {few}{', ...' if choices[8:] else ''}")

    return rule


def either(*rules: Rule) -> Rule:
    """Accept what one of the rules accepts; the last one words the error."""

    def rule(value: object, place: str) -> None:
        for each in rules[:-1]:
            try:
                return each(value, place)
            except ValueError:
                continue
        return rules[-1](value, place)

    return rule


def worded(rule: Rule, expected: str) -> Rule:
    """Accept what the rule accepts; the error says what was expected in these words."""

    def check(value: object, place: str) -> None:
        try:
            rule(value, place)
        except ValueError:
            refuse(value, place, expected)

    return check


def optional(rule: Rule) -> Rule:
    """Accept None, and what the rule accepts."""

    def check(value: object, place: str) -> None:
        if value is not None:
            rule(value, place)

    return check


def array_of(rule: Rule, *, most: int = 1_000_000, distinct: bool = False) -> Rule:
    """Accept lists whose members satisfy a rule; `distinct` members are hashable."""

    def check(value: object, place: str) -> None:
        if not isinstance(value, list) or len(value) > most:
            refuse(value, place, f"a list of at most {most:,} members")
        for index, member in enumerate(value):
            rule(member, f"{place}.{index}")
        if distinct and len(set(value)) < len(value):
            raise ValueError(f"{place} holds a value twice")

    return check


def tuple_of(*rules: Rule) -> Rule:
    """Accept lists with one member for each rule."""

    def check(value: object, place: str) -> None:
        if not isinstance(value, list) or len(value) != len(rules):
            refuse(value, place, f"a list of {len(rules)} members")
        for index, (rule, member) in enumerate(zip(rules, value, strict=True)):
            rule(member, f"{place}.{index}")

    return check


def mapping_of(rule: Rule, *, most: int = 1000) -> Rule:
    """Accept objects with any names, whose values satisfy a rule."""

    def check(value: object, place: str) -> None:
        if not isinstance(value, dict) or len(value) > most:
            refuse(value, place, f"an object with at most {most:,} entries")
        for name, member in value.items():
            rule(member, f"{place}.{reprlib.repr(name)[1:-1]}")

    return check


def record(
    rules: Mapping[str, Rule],
    *,
    required: Collection[str] = (),
    others: Rule | None = None,
) -> Rule:
    """Accept objects with the given fields; `others` None refuses further ones."""

    def check(value: object, place: str) -> None:
        if not isinstance(value, dict):
            refuse(value, place, "an object")
        for name in required:
            if name not in value:
                raise ValueError(f"{place} lacks {name!r}")
        for name, member in value.items():
            if name in rules:
                rules[name](member, f"{place}.{name}")
            elif others is not None:
                others(member, f"{place}.{reprlib.repr(name)[1:-1]}")
            else:
                raise ValueError(f"{place} has an unknown field {reprlib.repr(name)}")

    return check


def complete(rules: Mapping[str, Rule]) -> Rule:
    """Accept objects with exactly the given fields."""
    return record(rules, required=rules)


def numbers_array(
    *,
    kinds: str = "f",
    ndim: int = 2,
    least: float = -math.inf,
    may_be_sparse: bool = False,
) -> Rule:
    """Accept arrays of finite numbers of the given kinds, dimensions and range."""

    def rule(value: Any, place: str) -> None:
        is_sparse = may_be_sparse and sparse.issparse(value)
        if not (is_sparse or isinstance(value, np.ndarray)):
            refuse(value, place, "an array")
        if value.dtype.kind not in kinds or value.dtype.itemsize not in (4, 8):
            raise ValueError(f"{place} holds {value.dtype}, not numbers")
        if value.ndim != ndim or 0 in value.shape:
            raise ValueError(f"{place} has shape {value.shape}, not {ndim} dimensions")
        values = value.data if is_sparse else value
        if not np.isfinite(values).all():
            raise ValueError(f"{place} holds a value that is not finite")
        if values.size and values.min() < least:
            raise ValueError(f"{place} holds a value below {least:g}")

    return rule
