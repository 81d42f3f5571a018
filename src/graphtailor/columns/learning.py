"""What is learned of a column: its levels, its middle, its gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NoReturn

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfTransformer

from graphtailor.columns.column import OTHER, Column
from graphtailor.columns.cycles import CYCLES
from graphtailor.columns.guess import MAX_LEVELS, Guess
from graphtailor.columns.kinds import enough_missing
from graphtailor.columns.messages import Message, listed
from graphtailor.columns.parts import WORDS, split_parts
from graphtailor.linalg.magnitude import mean_of

_YEAR = 365.2425
# Most parts of lists and words of short texts with a feature of their own, and the
# share of the rows that has each at least. Rare words weigh more, so they are more.
_PARTS, _WORDS = (30, 0.02), (100, 0.005)
AS_IS = "a number"


def refuse_infinite(names: Sequence[str], *, in_new: bool = False) -> None:
    """Refuse columns with infinite values, if there are any; or such new rows."""
    if names:
        rather = ", or leave the columns out with {dropped}" * (not in_new)
        what = "{source}: infinite values in {bad}. Correct them" + rather + "."
        raise ValueError(Message(what, bad=listed(names), dropped=names))


def refuse_nothing(columns: Sequence[Column]) -> NoReturn:
    """Refuse a table of which every column is left out."""
    if not columns:
        raise ValueError("source: there are no columns.")
    kinds: dict[str, list[str]] = {}
    for column in columns:
        kinds.setdefault(column.kind, []).append(column.name)
    found = "; ".join(f"{kind}: {listed(names)}" for kind, names in kinds.items())
    raise ValueError(
        Message(
            "{source}: no column is left to cluster by ({found}). If one of them tells "
            "rows apart, name it with {categorical} or {numeric}.",
            found=found,
        )
    )


def learned_column(
    values: pd.Series, guess: Guess, decimal: str
) -> tuple[str, Column | None]:
    """A column with its levels or its middle; None if it has infinite values."""
    name = str(values.name)
    if guess.form is None:
        return name, Column(name, guess.kind, f"left out: {guess.why}")
    column = Column(
        name,
        guess.kind,
        guess.why,
        guess.form,
        date_format=guess.date_format,
        separator=guess.separator,
        levels=guess.levels,
    )
    read = column.read(values, decimal)
    if guess.form == "number" and np.isinf(read).any():
        return name, None
    if column.has_levels:
        column = _with_levels(column, read, values)
    elif column.form == "parts":
        column = _with_parts(column, read)
    else:
        column = _with_middle(column, read)
    missing = np.asarray(pd.isna(read))
    count = int(missing.sum())
    if count and enough_missing(count, len(missing)):
        said = "one more level" if column.has_levels else "in the middle, and flagged"
        treatment = f"{column.treatment}; {count:,} missing: {said}"
        column = replace(column, treatment=treatment, flags_missing=True)
    elif count:
        treatment = f"{column.treatment}; {count:,} missing: in the middle"
        column = replace(column, treatment=treatment)
    if not column.feature_names():  # a category by the user's word, of one level
        same = repr(column.levels[0]) if column.levels else "different parts"
        column = Column(name, "constant", f"left out: always {same:.40}")
    return name, column


def _with_levels(column: Column, read: pd.Series, raw: pd.Series) -> Column:
    levels = _commonest(read)
    pools = len(levels) > MAX_LEVELS
    treatment = f"a category of {len(levels)} levels"
    if pools:
        treatment = (
            f"a category: the {MAX_LEVELS - 1} commonest of {len(levels):,} levels, "
            "the rest as one"
        )
        levels = levels[levels != OTHER].iloc[: MAX_LEVELS - 1]
    elif len(levels) == 1:
        treatment = f"given or not (always {levels.iloc[0]!r:.40})"
    if column.treatment:
        treatment = f"{treatment}, {column.treatment}"
    is_text = not pd.api.types.is_numeric_dtype(raw.dtype)
    return replace(
        column,
        treatment=treatment,
        levels=tuple(map(str, levels)),
        pools=pools,
        from_text=is_text and column.form == "levels",
    )


def _commonest(read: pd.Series) -> pd.Series:
    """Levels, the commonest first, and equally common ones by their names."""
    counts = read.value_counts().rename_axis("level").reset_index(name="rows")
    return counts.sort_values(["rows", "level"], ascending=[False, True])["level"]


def _with_parts(column: Column, read: pd.Series) -> Column:
    found = split_parts(read, str(column.separator))
    counts = found.value_counts()
    most, share = _WORDS if column.separator == WORDS else _PARTS
    least = max(2, share * len(read))
    varies = (counts >= least) & (counts < read.notna().sum())
    parts = _commonest(found[found.map(varies)]).iloc[:most]
    column = replace(column, levels=tuple(map(str, parts)))
    if column.separator != WORDS:
        treatment = f"its {len(parts)} commonest parts of the lists"
        return replace(column, treatment=treatment)
    treatment = f"its {len(parts)} commonest words, rare ones weighing more (TF-IDF)"
    rarity = TfidfTransformer().fit(column.features(read)).idf_.tolist()
    return replace(column, treatment=treatment, rarity=tuple(rarity))


def _with_middle(column: Column, read: np.ndarray) -> Column:
    present = np.sort(read[~np.isnan(read)])
    if len(present) == 0:
        raise ValueError(
            Message(
                "{numeric}: no value of column {name!r} is a number. Leave it out, or "
                "give {categorical}.",
                name=column.name,
            )
        )
    if column.form == "cycle":
        cycle = CYCLES[str(column.date_format)]
        treatment = f"{cycle.words}, a cycle: the last is next to the first"
        return replace(column, treatment=treatment, periods=(cycle.period,))
    middle = mean_of(present)
    if column.form == "order":
        treatment = f"levels in order: {' < '.join(column.levels)}"
        return replace(column, middle=middle, treatment=treatment, from_text=True)
    if column.form == "number":
        return replace(column, middle=middle, treatment=column.treatment or AS_IS)
    has_times = bool((present % 1 != 0).mean() > 0.5)
    is_long = bool(present[-1] - present[0] >= _YEAR)
    periods = (_YEAR,) * is_long + (1.0,) * has_times
    treatment = "days since the first"
    treatment += ", place in the year" * is_long + ", time of the day" * has_times
    first = float(present[0])
    return replace(
        column, middle=middle, shift=first, treatment=treatment, periods=periods
    )


def sharing_flags(
    frame: pd.DataFrame, columns: list[Column], decimal: str
) -> list[Column]:
    """Numbers that miss the same rows share one flag."""
    owners: dict[bytes, str] = {}
    shared = []
    for column in columns:
        if column.flags_missing and not column.has_levels:
            missing = pd.isna(column.read(frame[column.name], decimal))
            pattern = np.packbits(np.asarray(missing)).tobytes()
            owner = owners.setdefault(pattern, column.name)
            if owner != column.name:
                treatment = f"{column.treatment} with {owner!r}"
                column = replace(column, treatment=treatment, flags_missing=False)
        shared.append(column)
    return shared
