"""Tables in LaTeX, to copy into a paper."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from graphtailor.bench.results.scores import short_name

_SYMBOLS = {"better": r"$\diamond$", "same": r"$\bullet$", "worse": r"$\downarrow$"}
_SPECIAL = {character: f"\\{character}" for character in "&%$#_{}"}


def escape(text: str) -> str:
    r"""Text with the characters that LaTeX takes for commands made harmless.

    Examples
    --------
    >>> escape("50 % of a_b")
    '50 \\% of a\\_b'
    """
    replaced = {**_SPECIAL, "\\": r"\textbackslash{}", "~": r"\~{}", "^": r"\^{}"}
    return "".join(replaced.get(character, character) for character in text)


def dataset_latex(
    table: pd.DataFrame, caption: str, notes: Mapping[str, str] = MappingProxyType({})
) -> str:
    """A data set's table as in the study: means, deviations, marks.

    Parameters
    ----------
    table : DataFrame
        From :func:`graphtailor.bench.results.tables.dataset_table`.
    caption : str
        Says which data and how settings were chosen.
    notes : mapping of str to str, default={}
        What is special about a method, by its name.

    Returns
    -------
    str
        Needs the packages booktabs and colortbl. The best is shaded, second and third
        are bold, fourth and fifth underlined.
    """
    metrics = list(dict.fromkeys(metric for metric, _ in table.columns))
    lines = [
        [_name(str(method), notes), *(_cell(row[metric]) for metric in metrics)]
        for method, row in table.iterrows()
    ]
    text = " ".join([f"{caption}.", *(f"{m}: {note}." for m, note in notes.items())])
    return _tabular(["Method", *map(short_name, metrics)], lines, text)


def _name(method: str, notes: Mapping[str, str]) -> str:
    return escape(method) + (r"$^\dagger$" if method in notes else "")


def plain_latex(table: pd.DataFrame, caption: str) -> str:
    """A table with plain heads, its values as they are.

    Parameters
    ----------
    table : DataFrame
        With plain column names.
    caption : str
        What it shows.

    Returns
    -------
    str
        Needs the package booktabs.
    """
    lines = [
        [escape(str(name)), *("--" if pd.isna(v) else _value(v) for v in row)]
        for name, row in zip(table.index, table.to_numpy(dtype=object), strict=True)
    ]
    return _tabular(["Method", *map(str, table.columns)], lines, caption)


def _value(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) else escape(str(value))


def _cell(cell: pd.Series) -> str:
    if pd.isna(cell["mean"]):
        return "---"
    text = f"{cell['mean']:.3f}"
    if cell["rank"] == 1:
        text = rf"\cellcolor[gray]{{0.85}}{text}"
    elif cell["rank"] <= 3:
        text = rf"\textbf{{{text}}}"
    elif cell["rank"] <= 5:
        text = rf"\underline{{{text}}}"
    if not pd.isna(cell["std"]):
        text += rf" $\pm$ {cell['std']:.3f}"
    verdict = cell["versus_reference"]
    return text if pd.isna(verdict) else f"{text} {_SYMBOLS[verdict]}"


def _tabular(heads: list[str], lines: list[list[str]], caption: str) -> str:
    rows = [" & ".join(line) + r" \\" for line in [[escape(h) for h in heads], *lines]]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{escape(caption)}}}",
            rf"\begin{{tabular}}{{l{'r' * (len(heads) - 1)}}}",
            r"\toprule",
            rows[0],
            r"\midrule",
            *rows[1:],
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )
