"""Where a table comes from: a bundled set or a file, by its ending."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from graphtailor.datasets import list_datasets, load_dataset
from graphtailor.tables.delimited import read_delimited
from graphtailor.tables.messages import did_you_mean, listed


@dataclass(frozen=True)
class RawTable:
    """A table as it was found, before columns are chosen.

    Attributes
    ----------
    name : str
        Name of the set, or of the file without its endings.
    values : DataFrame or csr_array
        The columns.
    beside : dict of str to ndarray
        Columns that stand apart: a bundled set's classes, an npz file's other vectors.
    label, id : str or None
        Which of those are the classes and the ids, unless the user says otherwise.
    is_named : bool
        Whether the columns have names of their own.
    notes : tuple of str
        What the user should know.
    """

    name: str
    values: Any
    beside: Mapping[str, np.ndarray] = field(default_factory=dict)
    label: str | None = None
    id: str | None = None
    is_named: bool = True
    notes: tuple[str, ...] = ()


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
    """
    known = [info.name for info in list_datasets()]
    if source in known:
        return _bundled(source)
    path = Path(source).expanduser()
    if not path.is_file():
        raise ValueError(_not_found(source, path, known))
    ending = [end.lower() for end in path.suffixes if end.lower() != ".gz"][-1:]
    reader = _READERS.get(ending[0] if ending else "")
    if reader is None:
        raise ValueError(
            f"DATA: {source} has an unknown ending. Known are {', '.join(_READERS)} "
            "(text also with .gz)."
        )
    return reader(path, **text_options)


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
        notes=notes,
    )


def _stem(path: Path) -> str:
    return path.name.split(".")[0] or path.name


def _text(path: Path, **text_options: Any) -> RawTable:
    if path.suffixes[-1].lower() in (".tsv", ".tab"):
        text_options["delimiter"] = text_options.get("delimiter") or "\t"
    frame = read_delimited(path, **text_options)
    first = frame.columns[0]
    # What pandas.DataFrame.to_csv writes for the index: no feature of anything.
    if str(first) == "Unnamed: 0" and is_row_count(frame[first]):
        note = "The first column has no name and counts the rows: it is used as id."
        ids = frame.pop(first).to_numpy()
        beside = {"row": ids}
        return RawTable(_stem(path), frame, beside, id="row", notes=(note,))
    return RawTable(_stem(path), frame)


def is_row_count(column: pd.Series) -> bool:
    """Whether a column holds 0, 1, 2, ... or 1, 2, 3, ..."""
    if not pd.api.types.is_integer_dtype(column) or len(column) < 2:
        return False
    counted = np.arange(len(column))
    values = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.array_equal(values, counted) or np.array_equal(values, counted + 1)


def _parquet(path: Path, **text_options: Any) -> RawTable:
    try:
        frame = pd.read_parquet(path)
    except (ValueError, OSError) as error:
        raise ValueError(f"DATA: {path} is damaged or not Parquet: {error}.") from error
    if isinstance(frame.index, pd.RangeIndex):
        return RawTable(_stem(path), frame)
    index = str(frame.index.name or "index")
    return RawTable(_stem(path), frame, {index: frame.index.to_numpy()}, id=index)


def _npz(path: Path, **text_options: Any) -> RawTable:
    try:
        # numpy.load takes what is not an archive for a pickle, and says so.
        with zipfile.ZipFile(path), np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        if {"format", "shape", "data"} <= set(arrays):
            return RawTable(
                _stem(path), sparse.csr_array(sparse.load_npz(path)), is_named=False
            )
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError) as error:
        raise ValueError(
            f"DATA: {path} is damaged, holds Python objects or is not an npz file: "
            f"{error}."
        ) from error
    matrices = [name for name, array in arrays.items() if array.ndim == 2]
    if "X" not in matrices and len(matrices) != 1:
        raise ValueError(
            f"DATA: {path} must hold a two-dimensional array X; it holds "
            f"{listed(arrays) or 'nothing'}."
        )
    X = arrays.pop("X" if "X" in matrices else matrices[0])
    names = arrays.pop("feature_names", None)
    is_named = names is not None and names.shape == (X.shape[1],)
    columns = names.astype(str) if is_named else [f"f{j + 1}" for j in range(len(X.T))]
    beside = {name: a for name, a in arrays.items() if a.shape == (len(X),)}
    return RawTable(
        name=_stem(path),
        values=pd.DataFrame(X, columns=columns),
        beside=beside,
        label="y" if "y" in beside else None,
        id="ids" if "ids" in beside else None,
        is_named=is_named,
    )


_READERS: dict[str, Callable[..., RawTable]] = {
    ".csv": _text,
    ".tsv": _text,
    ".tab": _text,
    ".txt": _text,
    ".parquet": _parquet,
    ".pq": _parquet,
    ".npz": _npz,
}
