"""Numbers as people write them: 1,234.5 and 1.234,5, with currency or percent signs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pandas as pd

# Words for a gap in a column of numbers; in a column of words they may be a level.
GAP_WORDS = frozenset(
    {"-", "--", ".", "..", "?", "na", "n/a", "n.a.", "nil", "missing", "unknown"}
)
_SIGNS = r"[$€£¥₹₽₩%]|\b(?:USD|EUR|GBP|CHF|JPY|SEK|NOK|DKK)\b"
_PLAIN = r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?"
# 1.00794(4): the last digit is uncertain by 4.
_UNCERTAINTY = r"(?<=[0-9.,])\([0-9]+\)(?=$|[eE])"
_MOST_LOOKED_AT = 1000


def parse_numbers(texts: pd.Series, decimal: str = ".") -> np.ndarray:
    """Texts as numbers; NaN where a text is none.

    Currency and percent signs are taken off; a group of three digits may be set off by
    a space, an apostrophe, and a comma or (with a decimal comma) a point. An
    uncertainty in brackets behind the last digits is left out.

    Parameters
    ----------
    texts : Series of str
        Without gaps.
    decimal : {".", ","}, default="."
        The decimal mark.

    Returns
    -------
    ndarray of float64
        One number each.

    Examples
    --------
    >>> import pandas as pd
    >>> parse_numbers(pd.Series(["1,234.5", "$ 7", "-12 %", "1,5", "x"]))
    array([1234.5,    7. ,  -12. ,    nan,    nan])
    >>> parse_numbers(pd.Series(["1.234,5", "1,5", "0,75(2)"]), decimal=",")
    array([1.2345e+03, 1.5000e+00, 7.5000e-01])
    """
    bare = texts.astype("str").str.replace("\u2212", "-", regex=False)
    bare = bare.str.replace(_SIGNS, "", regex=True).str.strip()
    bare = bare.str.replace(_UNCERTAINTY, "", regex=True)
    mark, group = (r"\.", ",") if decimal == "." else (",", r"\.")
    # The characters themselves: not every engine of expressions knows their numbers.
    gap = f"[{group}'\u00a0\u202f ]"
    grouped = rf"[-+]?[0-9]{{1,3}}(?:{gap}[0-9]{{3}})+(?:{mark}[0-9]+)?"
    is_grouped = bare.str.fullmatch(grouped)
    bare = bare.where(~is_grouped, bare.str.replace(gap, "", regex=True))
    if decimal == ",":
        # A point is no decimal mark here: what still has one is no number.
        bare = bare.where(~bare.str.contains(".", regex=False), "")
        bare = bare.str.replace(",", ".", regex=False)
    is_number = bare.str.fullmatch(_PLAIN).to_numpy(dtype=bool)
    numbers = np.full(len(bare), np.nan)
    # Python rounds to the nearest number; pandas may miss it by the last bit.
    numbers[is_number] = [float(text) for text in bare[is_number]]
    return numbers


def has_uncertainty(texts: pd.Series) -> bool:
    """Whether numbers are written with an uncertainty in brackets.

    Examples
    --------
    >>> import pandas as pd
    >>> has_uncertainty(pd.Series(["1.00794(4)"])), has_uncertainty(pd.Series(["(4)"]))
    (True, False)
    """
    return bool(texts.str.contains(_UNCERTAINTY, regex=True).any())


def guess_decimal(columns: Iterable[pd.Series]) -> str:
    """The decimal mark by which more of the texts are numbers; a point if in doubt.

    Examples
    --------
    >>> import pandas as pd
    >>> guess_decimal([pd.Series(["1,5", "2,25"]), pd.Series(["ash", "oak"])])
    ','
    >>> guess_decimal([pd.Series(["1,500"])])
    '.'
    """
    found = {".": 0, ",": 0}
    for column in columns:
        texts = spaced_sample(column.dropna().drop_duplicates())
        for mark in found:
            found[mark] += int(np.isfinite(parse_numbers(texts, mark)).sum())
    return "," if found[","] > found["."] else "."


def spaced_sample(column: pd.Series) -> pd.Series:
    """About a thousand values, evenly spaced over a column."""
    return column.iloc[:: max(1, len(column) // _MOST_LOOKED_AT)]
