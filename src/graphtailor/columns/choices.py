"""Which columns the user chose, and which of them say the same as another one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from graphtailor.columns.frames import ALL_NUMBERS
from graphtailor.columns.guess import CALENDAR, NUMBER, REPEATED, Guess
from graphtailor.columns.kinds import guess_kind
from graphtailor.columns.messages import Message, did_you_mean, listed
from graphtailor.columns.parse_values import numbers, texts

# Rank correlation from which on two columns of numbers say the same. It is looked for
# on so many rows and columns: wider tables are measurements along an axis.
_SAME_RANKS, _FEWEST_RANKED = 0.99, 20
_MOST_RANKED, _MOST_COLUMNS = 2_000, 200
_DROPPED = "as you asked"
_NOT_CHOSEN = "not among the columns you chose"


@dataclass(frozen=True)
class Choices:
    """The columns that the user named; one text may hold several names, with commas."""

    columns: Sequence[str] | None = None  # take only these
    drop: Sequence[str] = ()  # leave these out
    # categorical and numeric: take these for categories, or for numbers, whatever they
    # look like.
    categorical: Sequence[str] = ()
    numeric: Sequence[str] = ()


def take_columns(
    frame: pd.DataFrame, choices: Choices, decimal: str = "."
) -> dict[str, Guess]:
    """What each column is taken for, by name, in the order of the table."""
    known = list(frame.columns)
    columns = None
    if choices.columns is not None:
        columns = {*named("columns", choices.columns, known)}
    drop = {*named("drop", choices.drop, known)}
    categorical = {*named("categorical", choices.categorical, known)}
    numeric = {*named("numeric", choices.numeric, known)}
    both = sorted(categorical & numeric)
    if both:
        raise ValueError(
            Message(
                "{categorical}: {both} are {numeric} too. Name each in one of the two.",
                both=listed(both),
            )
        )
    guesses: dict[str, Guess] = {}
    for name in known:
        if name in drop:
            guesses[name] = Guess("dropped", why=_DROPPED)
        elif columns is not None and name not in columns:
            guesses[name] = Guess("dropped", why=_NOT_CHOSEN)
        elif name in categorical:
            guesses[name] = Guess("category", "levels")
        else:
            guesses[name] = _guess(frame, name, decimal, asked=name in numeric)
    asked = categorical | numeric
    if not frame.attrs.get(ALL_NUMBERS):
        guesses |= _same_order(frame, guesses, asked, decimal)
    return guesses | _same_levels(frame, guesses, asked)


def _guess(frame: pd.DataFrame, name: str, decimal: str, *, asked: bool) -> Guess:
    """What a column is; numbers and dates count where the user asked for that."""
    if not asked and frame.attrs.get(ALL_NUMBERS):
        # Columns of an array of numbers are what they are, if they hold a value.
        return NUMBER if frame[name].notna().any() else Guess("empty", why="no value")
    guess = guess_kind(frame[name], decimal)
    if not asked:
        return guess
    return (
        replace(guess, kind="date", form="date") if guess.kind == CALENDAR else NUMBER
    )


def _same_levels(
    frame: pd.DataFrame, guesses: Mapping[str, Guess], asked: Collection[str]
) -> dict[str, Guess]:
    """Categories that say the same as another one, like names and codes."""
    found: dict[str, Guess] = {}
    seen: dict[tuple[int, bytes], str] = {}
    for name, guess in guesses.items():
        if guess.form in ("levels", "order"):
            # Numbered in the order of the rows, the same levels have the same numbers.
            codes, levels = pd.factorize(texts(frame[name]))
            twin = seen.setdefault((len(levels), codes.tobytes()), name)
            if twin != name and name not in asked:
                found[name] = Guess(guess.kind, why=f"says the same as {twin!r}")
    return found


def _same_order(
    frame: pd.DataFrame,
    guesses: Mapping[str, Guess],
    asked: Collection[str],
    decimal: str,
) -> dict[str, Guess]:
    """Numbers that put the rows into the order of another column, like x and log x."""
    names = [
        name
        for name, guess in guesses.items()
        if guess.form == "number" and guess.separator is None  # a unit
    ]
    if not 2 <= len(names) <= _MOST_COLUMNS or len(frame) < _FEWEST_RANKED:
        return {}
    rows = frame.iloc[:: max(1, len(frame) // _MOST_RANKED)]
    ranks = pd.DataFrame({n: numbers(rows[n], decimal) for n in names}).rank()
    alike = ranks.corr().abs().to_numpy() >= _SAME_RANKS
    found: dict[str, Guess] = {}
    for place, name in enumerate(names):
        twin = names[int(alike[place].argmax())] if alike[place].any() else name
        if names.index(twin) < place and twin not in found and name not in asked:
            found[name] = Guess(REPEATED, why=f"orders the rows like {twin!r}")
    return found


def named(argument: str, given: Sequence[str], known: Sequence[str]) -> list[str]:
    """The columns that an argument names, each alone or several with commas.

    Examples
    --------
    >>> named("drop", ["a,b", "x, y"], ["a", "b", "x, y"])
    ['a', 'b', 'x, y']
    """
    found = []
    for text in given:
        names = [text] if text in known else [name.strip() for name in text.split(",")]
        for name in filter(None, names):
            if name not in known:
                refuse_unknown(argument, name, known)
            found.append(name)
    return found


def refuse_unknown(argument: str, name: str, known: Sequence[str]) -> None:
    """Refuse a name of a column that is not there."""
    raise ValueError(
        Message(
            "{about}: there is no column {name!r}.{meant} The columns are {known}.",
            about=argument,
            name=name,
            meant=did_you_mean(name, known),
            known=listed(known),
        )
    )


def row_names(frame: pd.DataFrame, guesses: Mapping[str, Guess]) -> str | None:
    """The column that names the rows best: words before numbers, the first of them."""
    ids = [name for name, guess in guesses.items() if guess.kind == "id"]
    ids = [name for name in ids if frame[name].notna().all()]
    words = [name for name in ids if pd.isna(numbers(frame[name])).any()]
    unique = [name for name in ids if frame[name].is_unique]
    return next(iter([*words, *unique]), None)
