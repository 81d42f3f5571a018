"""Tables in LaTeX, to copy into a paper."""

from collections.abc import Mapping
from types import MappingProxyType

import pandas as pd

from graphtailor.bench.results.scores import short_name

_SYMBOLS = {"better": r"$\diamond$", "same": r"$\bullet$", "worse": r"$\downarrow$"}
_SPECIAL = {
    **{character: f"\\{character}" for character in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\~{}", "^": r"\^{}"},
    # LaTeX has no letter for these in its text fonts.
    **{"Δ": r"$\Delta$", "±": r"$\pm$"},
}
# Letters of a cell and of a head, and rows of a table, that run off a page.
_LONG_TEXT, _LONG_HEAD, _LONG_TABLE = 40, 8, 50


def escape(text: str) -> str:
    r"""Text in which LaTeX finds no commands."""
    return "".join(_SPECIAL.get(character, character) for character in text)


def dataset_latex(
    table: pd.DataFrame, caption: str, notes: Mapping[str, str] = MappingProxyType({})
) -> str:
    """A data set's table as in the study: means, deviations, marks.

    The best is shaded, second and third are bold, fourth and fifth underlined; a method
    with a note has a dagger. The text needs the packages booktabs and colortbl.
    """
    metrics = dict.fromkeys(metric for metric, _ in table.columns)
    cells = pd.DataFrame(
        {
            escape(short_name(m)): [_cell(row) for _, row in table[m].iterrows()]
            for m in metrics
        }
    )
    marks = {name: r"$^\dagger$" if name in notes else "" for name in table.index}
    cells.index = [escape(str(name)) + mark for name, mark in marks.items()]
    text = " ".join([f"{caption}.", *(f"{m}: {note}." for m, note in notes.items())])
    return _latex(cells, text, "r" * len(metrics), "table")


def plain_latex(table: pd.DataFrame, caption: str) -> str:
    """A table with plain heads and three decimals; it needs the package booktabs.

    Long texts are set as paragraphs. A table that no page holds is a longtable, which
    needs the package of that name.
    """
    texts = table.map(_value)
    widths = [max(map(len, texts[name]), default=0) for name in texts]
    columns = ["p{7cm}" if width > _LONG_TEXT else "r" for width in widths]
    cells = texts.map(escape).rename(index=_escaped, columns=_head)
    environment = "longtable" if len(table) > _LONG_TABLE else "table"
    return _latex(cells, caption, "".join(columns), environment)


def _escaped(name: object) -> str:
    return escape(str(name))


def _head(name: object) -> str:
    """A long head in two lines."""
    head = _escaped(name)
    first, _, last = head.rpartition(" ")
    two_lines = first and len(head) > _LONG_HEAD
    return rf"\shortstack[r]{{{first}\\{last}}}" if two_lines else head


def _value(value: object) -> str:
    if pd.isna(value):
        return "--"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


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


def _latex(cells: pd.DataFrame, caption: str, columns: str, environment: str) -> str:
    """A table of texts that are LaTeX already."""
    table = cells.rename_axis("Method").reset_index()
    return table.style.hide(axis="index").to_latex(
        column_format="l" + columns,
        environment=environment,
        position_float="centering" if environment == "table" else None,
        hrules=True,
        caption=escape(caption),
    )
