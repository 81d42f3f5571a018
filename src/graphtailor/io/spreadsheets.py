r"""CSV files that are safe to open in a spreadsheet, and read back as they were.

A spreadsheet takes a cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a
carriage return for a formula, and a formula can send a table to a stranger. In what is
written here a text that begins so has an apostrophe before it, which spreadsheets take
for "this is text"; numbers are left alone. So that nothing is lost, a text that has
apostrophes of its own before such a character gets one more; :func:`plain_text` takes
one away again.
"""

import csv
import os
import re
from collections.abc import Iterable
from typing import Any

import pandas as pd

from graphtailor.io.limits import clear_errors

_FORMULA = re.compile(r"'*[=+\-@\t\r]")
_MARKED = re.compile(r"'+[=+\-@\t\r]")


def safe_text(value: object) -> Any:
    """A text that no spreadsheet takes for a formula; numbers stay as they are.

    Examples
    --------
    >>> from graphtailor.io.spreadsheets import safe_text
    >>> [safe_text(value) for value in ("oak", "=1+1", "'=1+1", "-5", -5)]
    ['oak', "'=1+1", "''=1+1", "'-5", -5]
    """
    return f"'{value}" if isinstance(value, str) and _FORMULA.match(value) else value


def plain_text(value: object) -> Any:
    """The text of which :func:`safe_text` made a safe one.

    Examples
    --------
    >>> from graphtailor.io.spreadsheets import plain_text
    >>> [plain_text(value) for value in ("oak", "'=1+1", "''=1+1", "'tis")]
    ['oak', '=1+1', "'=1+1", "'tis"]
    """
    return value[1:] if isinstance(value, str) and _MARKED.match(value) else value


def safe_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """A table with safe texts and safe names of columns and rows."""
    changed = frame.rename(columns=safe_text, index=safe_text)
    for place, dtype in enumerate(frame.dtypes):
        if not pd.api.types.is_numeric_dtype(dtype):
            column = frame.iloc[:, place].map(safe_text, na_action="ignore")
            changed.isetitem(place, column.to_numpy())
    return changed


def read_labels(path: str | os.PathLike[str]) -> pd.DataFrame:
    """Read a labels.csv of ``graphtailor fit``, ``compare`` or ``predict``.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    DataFrame
        The column `id` is text, as it stood in the data; the others are numbers.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from graphtailor.io.spreadsheets import read_labels
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "labels.csv").write_text("id,label\\n'=1+1,0\\n007,1\\n")
    ...     read_labels(Path(folder, "labels.csv"))["id"].tolist()
    ['=1+1', '007']
    """
    with clear_errors(lambda why: f"{os.fspath(path)} is not a file of labels: {why}."):
        # Of a text with a NUL in it some versions of pandas lose the end.
        with open(path, newline="", encoding="utf-8") as file:
            names, *rows = csv.reader(file)
        columns = dict(zip(names, zip(*rows, strict=True), strict=True))
        ids = pd.Series([plain_text(text) for text in columns.pop("id")], dtype=object)
        return pd.DataFrame(
            {"id": ids, **{name: _numbers(c) for name, c in columns.items()}}
        )


def _numbers(texts: Iterable[str]) -> pd.Series:
    """A column of labels or certainties, which a method may lack."""
    return pd.to_numeric(pd.Series([text or None for text in texts], dtype=object))
