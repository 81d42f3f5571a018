"""Categories with an order: low, medium, high; S, M, L; 1st, 2nd, 3rd; 18-24, 25-34."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

# Words for the same place of a scale stand together, from the least to the most.
_SCALES = (
    "very low|lowest, low, medium|moderate|mid|middle|average|normal, high,"
    " very high|highest",
    "xxs, xs|extra small, s|small, m|medium, l|large, xl|extra large, xxl, xxxl",
    "very small, small, medium, large|big, very large|very big, huge",
    "very bad|very poor|terrible, bad|poor, fair|medium|average|ok|okay, good,"
    " very good, excellent",
    "never, rarely|seldom, sometimes|occasionally, often|frequently, usually, always",
    "strongly disagree, disagree, neutral|undecided|neither agree nor disagree, agree,"
    " strongly agree",
    "none|no, minimal, mild|light, moderate|medium, severe|heavy, very severe",
    "first, second, third, fourth, fifth, sixth",
)
_PLACES = [
    {
        word.strip(): place
        for place, words in enumerate(scale.split(","))
        for word in words.split("|")
    }
    for scale in _SCALES
]
_NUMBERED = re.compile(r"([0-9]+)(?:st|nd|rd|th)\b.*", re.IGNORECASE)
_RANGE = re.compile(
    r"(?P<below><|<=|≤|under |below |up to )?(?P<first>[0-9]+(?:\.[0-9]+)?)"
    r"(?P<last>\s*(?:-|–|to)\s*<?[0-9]+(?:\.[0-9]+)?)?(?P<above>\+| and over)?"
)
# Two levels have the same distance in either order.
_FEWEST = 3


def order_of(levels: Sequence[str]) -> tuple[str, ...] | None:
    """The levels from the least to the most; None where their order is not known.

    Examples
    --------
    >>> order_of(["High", "Low", "Medium"])
    ('Low', 'Medium', 'High')
    >>> order_of(["65+", "18-24", "25-64"])
    ('18-24', '25-64', '65+')
    >>> order_of(["oak", "elm", "ash"]) is None
    True
    """
    if len(levels) < _FEWEST:
        return None
    for place_of in (*map(_on_scale, _PLACES), _by_number, _by_range):
        places = [place_of(level) for level in levels]
        known = [place for place in places if place is not None]
        if len(set(known)) == len(levels):
            pairs = sorted(zip(known, levels, strict=True))
            return tuple(level for _, level in pairs)
    return None


def _on_scale(scale: dict[str, int]) -> Callable[[str], float | None]:
    return lambda level: scale.get(" ".join(level.lower().replace("-", " ").split()))


def _by_number(level: str) -> float | None:
    found = _NUMBERED.fullmatch(level)
    return None if found is None else float(found[1])


def _by_range(level: str) -> float | None:
    """Where a range begins; an open one is just below or just above its number."""
    found = _RANGE.fullmatch(level.lower().replace(",", "").strip())
    if found is None or not (found["below"] or found["last"] or found["above"]):
        return None
    return float(found["first"]) - 0.5 * bool(found["below"])
