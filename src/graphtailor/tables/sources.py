"""Where a table comes from: a bundled set or a file, by its ending."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from graphtailor.datasets import list_datasets, load_dataset
from graphtailor.tables.array_files import read_npy, read_npz
from graphtailor.tables.columnar_files import read_arrow, read_parquet
from graphtailor.tables.delimited import read_delimited
from graphtailor.tables.messages import did_you_mean
from graphtailor.tables.source_table import RawTable
from graphtailor.tables.text_files import OPENERS
from graphtailor.tables.workbooks import read_excel

_TEXT = (".csv", ".tsv", ".tab", ".txt", ".dat", ".data", ".psv")
_READERS: dict[str, Callable[[Path], RawTable]] = {
    ".parquet": read_parquet,
    ".pq": read_parquet,
    ".feather": read_arrow,
    ".arrow": read_arrow,
    ".xlsx": read_excel,
    ".xlsm": read_excel,
    ".xls": read_excel,
    ".npz": read_npz,
    ".npy": read_npy,
}


def read_source(source: str, **text_options: Any) -> RawTable:
    """Read a bundled set by its name, or a file.

    Parameters
    ----------
    source : str
        Name or path.
    **text_options
        For :func:`~graphtailor.tables.delimited.read_delimited`.

    Returns
    -------
    RawTable
        What was found.

    Examples
    --------
    >>> read_source("iris").values.shape
    (150, 4)
    """
    known = [info.name for info in list_datasets()]
    if source in known:
        return _bundled(source)
    path = Path(source).expanduser()
    if not path.is_file():
        raise ValueError(_not_found(source, path, known))
    endings = [end.lower() for end in path.suffixes]
    if endings and endings[-1] in OPENERS:
        endings.pop()
    ending = endings[-1] if endings else ""
    if ending in _TEXT:
        return read_delimited(path, **text_options)
    if ending not in _READERS:
        raise ValueError(
            f"DATA: {source} has an unknown ending. Known are "
            f"{', '.join((*_TEXT, *_READERS))}; text also with {', '.join(OPENERS)}."
        )
    return _READERS[ending](path)


def _not_found(source: str, path: Path, known: list[str]) -> str:
    if path.is_dir():
        return f"DATA: {source} is a folder. Name a file in it."
    if path.suffix or path.parent != Path("."):
        near = []
        if path.parent.is_dir():
            near = [found.name for found in path.parent.iterdir() if found.is_file()]
        return f"DATA: there is no file {source}.{did_you_mean(path.name, near)}"
    return (
        f"DATA: there is no data set or file {source!r}.{did_you_mean(source, known)} "
        f"Known are {', '.join(known)}."
    )


def _bundled(name: str) -> RawTable:
    bunch = load_dataset(name)
    notes: tuple[str, ...] = ()
    if bunch.imputation:
        notes = (f"Missing values of {name} were filled with the {bunch.imputation}.",)
    return RawTable(
        name=name,
        values=pd.DataFrame(bunch.data, columns=bunch.feature_names),
        beside={"class": bunch.target_names[bunch.target]},
        label="class",
        is_array=True,
        notes=notes,
    )
