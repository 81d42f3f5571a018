"""Lists in a cell and short texts, by their parts."""

from __future__ import annotations

import pandas as pd

from graphtailor.columns.parse_values import TEXT, spaced_sample

# In the place of a separator: the parts are words.
WORDS = "words"
_SEPARATORS = ("|", ";", ", ", ",")
_MOST_DIFFERENT_PARTS = 200
# Words in more texts than this share tell none of them apart.
_NOT_ALL = 0.95


def split_parts(read: pd.Series, separator: str) -> pd.Series:
    """The distinct parts of each text, with the number of the row as index.

    Examples
    --------
    >>> split_parts(pd.Series(["a|b", None, "b|b"]), "|").tolist()
    ['a', 'b', 'b']
    """
    plain = read.reset_index(drop=True).dropna()
    if separator == WORDS:
        found = plain.str.lower().str.findall(r"[^\W\d_]{3,}").explode()
    else:
        found = plain.str.strip("[](){} ").str.split(separator, regex=False).explode()
        found = found.str.strip(" '\"")
    found = found[found.notna() & (found != "")].astype(TEXT)
    rows = found.reset_index().drop_duplicates()
    return rows.set_index(rows.columns[0]).iloc[:, 0]


def find_separator(present: pd.Series) -> str | None:
    """What stands between the parts of lists, if the parts come again and again."""
    sample = spaced_sample(present)
    for separator in _SEPARATORS:
        if sample.str.contains(separator, regex=False).mean() < 0.3:
            continue
        parts = split_parts(sample, separator)
        if parts.nunique() <= min(_MOST_DIFFERENT_PARTS, len(parts) / 5):
            return separator
    return None


def count_parts(present: pd.Series, separator: str) -> int:
    """How many different parts there are.

    Examples
    --------
    >>> count_parts(pd.Series(["ash, oak", "oak, ash", "ash"]), ", ")
    2
    """
    return split_parts(spaced_sample(present), separator).nunique()


def share_words(present: pd.Series) -> bool:
    """Whether most of the texts have a word that some others have, but not all."""
    sample = spaced_sample(present).reset_index(drop=True)
    words = split_parts(sample, WORDS)
    if words.empty:
        return False
    share = words.map(words.value_counts()) / len(sample)
    common = words[(share >= 0.05) & (share <= _NOT_ALL)]
    return common.index.nunique() > len(sample) / 2
