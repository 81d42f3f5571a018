"""What the user says about columns: which to take, and as what."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd

from graphtailor.tables.column_kinds import Guess, guess_kind
from graphtailor.tables.messages import did_you_mean, listed
from graphtailor.tables.parse_values import numbers, texts
from graphtailor.tables.source_table import RawTable

_BY_DROP = "by --drop"
_BY_COLUMNS = "not in --columns"


@dataclass(frozen=True)
class Choices:
    """What the user says about columns; a name may also be several, with commas.

    Attributes
    ----------
    columns : sequence of str or None
        Take only these.
    drop : sequence of str
        Leave these out.
    categorical, numeric : sequence of str
        Take these for categories, or for numbers, whatever they look like.
    """

    columns: Sequence[str] | None = None
    drop: Sequence[str] = ()
    categorical: Sequence[str] = ()
    numeric: Sequence[str] = field(default=())


def take_columns(
    frame: pd.DataFrame, raw: RawTable, choices: Choices, aside: Sequence[str | None]
) -> tuple[pd.DataFrame, dict[str, Guess]]:
    """Tell of each column what it is taken for.

    Parameters
    ----------
    frame : DataFrame
        The table, its columns plain.
    raw : RawTable
        Where it comes from.
    choices : Choices
        What the user says.
    aside : sequence of str or None
        Columns of classes and ids, of which there is nothing to tell.

    Returns
    -------
    frame : DataFrame
        The table; columns that are categories by the user's word as they are written.
    guesses : dict of str to Guess
        By name, in the order of the table, without those aside.
    """
    known = [*frame.columns, *raw.beside]
    columns = None
    if choices.columns is not None:
        columns = {*named("--columns", choices.columns, known)}
    drop = {*named("--drop", choices.drop, known)}
    categorical = {*named("--categorical", choices.categorical, known)}
    numeric = {*named("--numeric", choices.numeric, known)}
    both = sorted(categorical & numeric)
    if both:
        raise ValueError(f"--categorical: {listed(both)} are --numeric too. Choose.")
    guesses: dict[str, Guess] = {}
    for name in frame:
        if name in aside:
            continue
        if name in drop:
            guesses[name] = Guess("dropped", why=_BY_DROP)
        elif columns is not None and name not in columns:
            guesses[name] = Guess("dropped", why=_BY_COLUMNS)
        elif name in categorical:
            if raw.as_written is not None:
                frame = frame.assign(**{name: raw.as_written(name, True)})
            guesses[name] = Guess("category", "levels")
        elif name in numeric:
            guesses[name] = Guess("numeric", "number")
        else:
            guesses[name] = _guess(frame[name], raw)
    return frame, _without_twins(frame, guesses, asked=categorical)


def _without_twins(
    frame: pd.DataFrame, guesses: dict[str, Guess], asked: Collection[str]
) -> dict[str, Guess]:
    """Leave out categories that say the same as another one, like names and codes."""
    seen: dict[tuple[int, bytes], str] = {}
    for name, guess in guesses.items():
        if guess.form != "levels":
            continue
        # Numbered in the order of the rows, the same levels have the same numbers.
        codes, levels = pd.factorize(texts(frame[name]))
        twin = seen.setdefault((len(levels), codes.tobytes()), name)
        if twin != name and name not in asked:
            guesses[name] = Guess(guess.kind, why=f"says the same as {twin!r}")
    return guesses


def _guess(column: pd.Series, raw: RawTable) -> Guess:
    if not raw.is_array:
        return guess_kind(column, raw.decimal)
    has_value = column.notna().any()
    return Guess("numeric", "number") if has_value else Guess("empty", why="no value")


def named(option: str, given: Sequence[str], known: Sequence[str]) -> list[str]:
    """The columns that an option names, each alone or several with commas.

    Examples
    --------
    >>> named("--drop", ["a,b", "x, y"], ["a", "b", "x, y"])
    ['a', 'b', 'x, y']
    """
    found = []
    for text in given:
        names = [text] if text in known else [name.strip() for name in text.split(",")]
        for name in filter(None, names):
            if name not in known:
                refuse_unknown(option, name, known)
            found.append(name)
    return found


def refuse_unknown(option: str, name: str, known: Sequence[str]) -> None:
    """Refuse a name of a column that is not there."""
    raise ValueError(
        f"{option}: there is no column {name!r}.{did_you_mean(name, known)} "
        f"The columns are {listed(known)}."
    )


def row_names(frame: pd.DataFrame, guesses: Mapping[str, Guess]) -> str | None:
    """The column that names the rows best: words before numbers, the first of them."""
    ids = [name for name, guess in guesses.items() if guess.kind == "id"]
    ids = [name for name in ids if frame[name].notna().all() and frame[name].is_unique]
    words = [name for name in ids if pd.isna(numbers(frame[name])).any()]
    return next(iter([*words, *ids]), None)
