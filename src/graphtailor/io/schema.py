"""Rules for values that were read from a file: their types, ranges and lengths.

A rule is a function that takes a value and its place in the file. It returns what the
value stands for, or raises a ValueError that names place and value. Rules are built
from each other and from the types of dataclasses, so that one expression describes a
whole file:

>>> person = complete({"name": text(), "age": whole(0, 150)})
>>> person({"name": "Ada", "age": 36}, "person")
{'name': 'Ada', 'age': 36}
>>> person({"name": "Ada", "age": -1}, "person")
Traceback (most recent call last):
ValueError: person.age is -1, not a whole number from 0 to 150
"""

import math
import reprlib
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import fields
from types import NoneType, UnionType
from typing import Any, Literal, NoReturn, get_args, get_origin, get_type_hints

import numpy as np
from scipy import sparse

from graphtailor.columns.messages import did_you_mean

Rule = Callable[[object, str], Any]
# numpy calculates with larger whole numbers as with Python objects.
_MOST_BITS = 63
_LONGEST_NAME = 100


def refuse(value: object, place: str, expected: str) -> NoReturn:
    """Raise the error that all rules raise."""
    raise ValueError(f"{place} is {reprlib.repr(value)}, not {expected}")


def anything(value: object, place: str) -> Any:
    """Accept every value."""
    return value


def truth(value: object, place: str) -> bool:
    """Accept true and false."""
    return value if isinstance(value, bool) else refuse(value, place, "true or false")


def whole(least: int = 0, most: int = 2**31 - 1) -> Rule:
    """Accept whole numbers from `least` to `most`."""

    def rule(value: Any, place: str) -> int:
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole or not least <= value <= most:
            refuse(value, place, f"a whole number from {least} to {most}")
        return value

    return rule


def number(
    least: float = -math.inf, most: float = math.inf, *, above: float = -math.inf
) -> Rule:
    """Accept finite numbers from `least` to `most` that are greater than `above`."""

    def rule(value: object, place: str) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            refuse(value, place, "a number")
        is_huge = isinstance(value, int) and value.bit_length() > _MOST_BITS
        is_finite = not is_huge and math.isfinite(value)
        if is_finite and least <= value <= most and value > above:
            return value
        bound = f" above {above:g}" if above > least else f" from {least:g} on"
        where = "" if max(least, above) == -math.inf else bound
        where = where if most == math.inf else f"{where} to {most:g}"
        refuse(value, place, f"a finite number{where}")

    return rule


def text(most: int = 10_000) -> Rule:
    """Accept text of up to `most` characters."""

    def rule(value: object, place: str) -> str:
        if isinstance(value, str) and len(value) <= most:
            return value
        refuse(value, place, f"text of at most {most:,} characters")

    return rule


def one_of(*choices: str | None) -> Rule:
    """Accept the given values."""

    def rule(value: object, place: str) -> str | None:
        if (value is None or isinstance(value, str)) and value in choices:
            return value
        few = ", ".join(repr(choice) for choice in choices[:8])
        meant = _meant(value, [str(choice) for choice in choices])
        refuse(value, place, f"one of {few}{', ...' if choices[8:] else ''}{meant}")

    return rule


def either(*rules: Rule) -> Rule:
    """Accept what one of the rules accepts; the last one words the error."""

    def rule(value: object, place: str) -> Any:
        for each in rules[:-1]:
            with suppress(ValueError):
                return each(value, place)
        return rules[-1](value, place)

    return rule


def worded(rule: Rule, expected: str) -> Rule:
    """Accept what the rule accepts; the error says what was expected in these words."""

    def check(value: object, place: str) -> Any:
        try:
            return rule(value, place)
        except ValueError:
            refuse(value, place, expected)

    return check


def optional(rule: Rule) -> Rule:
    """Accept None, and what the rule accepts."""
    return lambda value, place: None if value is None else rule(value, place)


def array_of(
    rule: Rule, *, most: int = 1_000_000, distinct: bool = False, into: type = list
) -> Rule:
    """Accept lists whose members satisfy a rule; `distinct` members are hashable."""

    def check(value: object, place: str) -> Any:
        if not isinstance(value, list) or len(value) > most:
            refuse(value, place, f"a list of at most {most:,} members")
        found = [rule(member, f"{place}.{k}") for k, member in enumerate(value)]
        if distinct and len(set(found)) < len(found):
            raise ValueError(f"{place} holds a value twice")
        return into(found)

    return check


def tuple_of(*rules: Rule) -> Rule:
    """Accept lists with one member for each rule."""

    def check(value: object, place: str) -> tuple[Any, ...]:
        if not isinstance(value, list) or len(value) != len(rules):
            refuse(value, place, f"a list of {len(rules)} members")
        pairs = zip(rules, value, strict=True)
        return tuple(r(member, f"{place}.{k}") for k, (r, member) in enumerate(pairs))

    return check


def mapping_of(rule: Rule, *, most: int = 1000) -> Rule:
    """Accept objects with any names, whose values satisfy a rule."""

    def check(value: object, place: str) -> dict[str, Any]:
        if not isinstance(value, dict) or len(value) > most:
            refuse(value, place, f"an object with at most {most:,} entries")
        return record({}, others=rule)(value, place)

    return check


def record(
    rules: Mapping[str, Rule],
    *,
    required: Collection[str] = (),
    others: Rule | None = None,
    into: type = dict,
) -> Rule:
    """Accept objects with the given fields; `others` None refuses further ones."""

    def check(value: object, place: str) -> Any:
        if not isinstance(value, dict):
            refuse(value, place, "an object")
        for name in required:
            if name not in value:
                raise ValueError(f"{place} lacks {name!r}")
        found: dict[str, Any] = {}
        for name, member in value.items():
            rule, short = rules.get(name, others), reprlib.repr(name)
            if rule is None:
                raise ValueError(
                    f"{place}: {short} is not known.{_meant(name, rules)} "
                    f"Known: {', '.join(rules)}"
                )
            found[name] = rule(member, f"{place}.{short[1:-1]}")
        return into(**found)

    return check


def _meant(value: object, known: Collection[str]) -> str:
    """The known name that a wrong one may have meant, as a question."""
    return did_you_mean(str(value)[:_LONGEST_NAME], known)


def complete(rules: Mapping[str, Rule]) -> Rule:
    """Accept objects with exactly the given fields."""
    return record(rules, required=rules)


def fields_of(kind: type, /, **own: Rule) -> dict[str, Rule]:
    """Rules for the fields of a dataclass by their types, but for those given."""
    hints = get_type_hints(kind)
    return {f.name: own.get(f.name) or _of_type(hints[f.name]) for f in fields(kind)}


def built(kind: type, /, **own: Rule) -> Rule:
    """Accept objects with the fields of a dataclass, and build it."""
    rules = fields_of(kind, **own)
    return record(rules, required=rules, into=kind)


def _of_type(hint: Any) -> Rule:
    """The rule for a type."""
    inside, kind = get_args(hint), get_origin(hint)
    if kind is UnionType and inside[1] is NoneType:
        return optional(_of_type(inside[0]))
    if kind is Literal:
        return one_of(*inside)
    if kind in (list, tuple):
        return array_of(_of_type(inside[0]), into=kind)
    if kind in (dict, Mapping):
        return mapping_of(_of_type(inside[1]))
    return _SIMPLE[hint] if hint in _SIMPLE else built(hint)


_SIMPLE: dict[Any, Rule] = {
    bool: truth,
    int: whole(0, 2**53),
    float: number(),
    str: text(1_000_000),
    Any: anything,
}


def numbers_array(
    *,
    kinds: str = "f",
    ndim: int = 2,
    least: float = -math.inf,
    may_be_sparse: bool = False,
    may_be_empty: bool = False,
) -> Rule:
    """Accept arrays of finite numbers of the given kinds, dimensions and range."""

    def rule(value: Any, place: str) -> Any:
        is_sparse = may_be_sparse and sparse.issparse(value)
        if not (is_sparse or isinstance(value, np.ndarray)):
            refuse(value, place, "an array")
        if value.dtype.kind not in kinds or value.dtype.itemsize not in (4, 8):
            raise ValueError(f"{place} holds {value.dtype}, not numbers")
        if value.ndim != ndim or (0 in value.shape and not may_be_empty):
            raise ValueError(f"{place} has shape {value.shape}, not {ndim} dimensions")
        values = value.data if is_sparse else value
        if not np.isfinite(values).all():
            raise ValueError(f"{place} holds a value that is not finite")
        if values.size and values.min() < least:
            raise ValueError(f"{place} holds a value below {least:g}")
        return value

    return rule
