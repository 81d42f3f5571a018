"""Read a table: features, ids and, where they are known, classes."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pandas as pd
from scipy import sparse

from graphtailor.columns.blocks import TableBlocks
from graphtailor.columns.choices import Choices
from graphtailor.columns.frames import ALL_NUMBERS, as_frame
from graphtailor.columns.messages import Message, did_you_mean, listed
from graphtailor.columns.scales import SCALES
from graphtailor.datasets import list_datasets, load_dataset
from graphtailor.io.limits import TOO_LARGE, clear_errors, file_size, refuse_bomb
from graphtailor.tables.array_files import read_npy, read_npz
from graphtailor.tables.columnar_files import read_arrow, read_parquet
from graphtailor.tables.delimited import read_delimited
from graphtailor.tables.ods import read_ods
from graphtailor.tables.packed import OPENERS, open_unpacked
from graphtailor.tables.source_table import RawTable, stem
from graphtailor.tables.table import Table, fresh_table, repeated_table, sparse_table
from graphtailor.tables.workbooks import read_excel


def read_table(
    source: str | Sequence[str],
    *,
    label: str | None = None,
    id: str | None = None,
    known: str | None = None,
    columns: Sequence[str] | None = None,
    drop: Sequence[str] = (),
    categorical: Sequence[str] = (),
    numeric: Sequence[str] = (),
    scale: str = "auto",
    delimiter: str | None = None,
    decimal: str | None = None,
    header: bool | None = None,
    sheet: str | None = None,
    blocks: TableBlocks | None = None,
) -> Table:
    """Read a bundled data set or a file, and make features of its columns.

    Text and JSON (perhaps compressed), Parquet, Arrow, Excel, ODS, npy and npz files
    are read.
    An npz file holds X and perhaps `y`, `ids` and `feature_names`, or it holds one
    sparse matrix as :func:`scipy.sparse.save_npz` writes it. Nothing is ever unpickled.

    :func:`~graphtailor.columns.kinds.guess_kind` says what a column is taken for,
    :class:`~graphtailor.TableBlocks` what is done to it; `Table.columns` lists both.

    Parameters
    ----------
    source : str or sequence of str
        Name of a data set (:func:`graphtailor.datasets.list_datasets`), path, or "-"
        for text on the standard input; or several of them with the same columns, whose
        rows are put below each other.
    label, id : str or None, default=None
        Columns with the classes and with the names of the rows.
    known : str or None, default=None
        Column with classes that guide the clusters; its gaps are unknown.
    columns, drop, categorical, numeric
        Names of columns, as in :class:`~graphtailor.TableBlocks`.
    scale : {"auto", "maxabs", "minmax", "standard", "none"}, default="auto"
        Scaling of numeric columns; "auto" is "maxabs" for a table of numbers, and
        "standard" beside categories, dates or gaps.
    delimiter, decimal, header
        How text is written; guessed if None.
    sheet : str or None, default=None
        Name of the sheet of a workbook; by default the first that holds a table.
    blocks : TableBlocks or None, default=None
        Those of the table that a model was fitted to. Columns are found by their names
        (in arrays by their places), and others are left out.

    Returns
    -------
    Table
        The samples.

    Raises
    ------
    ValueError
        If the data cannot be read or used; the message names the argument and says
        what to do.

    Examples
    --------
    >>> from graphtailor.tables import read_table
    >>> wine = read_table("wine")
    >>> wine.X.shape, wine.label, len(set(wine.y))
    ((178, 13), 'class', 3)
    """
    _check_known("scale", scale, ("auto", *SCALES))
    text = {"delimiter": delimiter, "decimal": decimal, "header": header}
    sources = [source] if isinstance(source, str) else list(source)
    source = sources_in_words(sources)
    with ExitStack() as open_sources:
        open_sources.enter_context(_naming(source))
        paths = [open_sources.enter_context(local_source(each)) for each in sources]
        raw = read_sources(paths, sheet=sheet, **text)
        n = raw.values.shape[0]
        if n == 0 or (n == 1 and blocks is None):
            amount = "only one row: there is nothing to cluster" if n else "no rows"
            raise ValueError(f"source: {source} has {amount}.")
        if sparse.issparse(raw.values):
            left = "maxabs" if scale == "auto" else scale
            return sparse_table(raw, label, id, left, known)
        raw.values.attrs = {ALL_NUMBERS: raw.is_array}
        frame = as_frame(raw.values)
        if blocks is not None:
            return repeated_table(frame, raw, blocks, label, id)
        choices = Choices(columns, drop, categorical, numeric)
        sides = (label, id)
        return fresh_table(frame, raw, choices, *sides, scale=scale, known=known)


@contextmanager
def _naming(source: str) -> Iterator[None]:
    """Name the source in each error about it."""
    try:
        yield
    except (ValueError, MemoryError) as error:
        wrong = error
        if not isinstance(wrong, ValueError):
            wrong = ValueError(f"source: {TOO_LARGE}.")
        message = Message.of_error(wrong, source)
        if message is None:
            raise
        raise ValueError(message) from error


def _check_known(argument: str, given: str, known: Sequence[str]) -> None:
    if given not in known:
        raise ValueError(
            Message(
                "{about}: {given!r} is unknown.{meant} Use {known}.",
                about=argument,
                given=given,
                meant=did_you_mean(given, known),
                known=", ".join(known),
            )
        )


@contextmanager
def local_source(source: str) -> Iterator[str]:
    """The source; what comes from the standard input is in a file for a while."""
    if source != "-":
        yield source
        return
    with TemporaryDirectory() as folder:
        path = Path(folder, "stdin.csv")
        with path.open("wb") as file:
            shutil.copyfileobj(sys.stdin.buffer, file)
        yield str(path)


def sources_in_words(sources: Sequence[str]) -> str:
    """The name of the only source, or that of the first and how many there are.

    Examples
    --------
    >>> sources_in_words(["a.csv", "b.csv", "c.csv"])
    'a.csv and 2 more'
    """
    more = len(sources) - 1
    return f"{sources[0]} and {more} more" if more else sources[0]


# A frame of this many lines has a column for every name in them: with one name a line
# it takes at most as many times the room of the file as a bomb would.
_JSON_LINES = 200
_BETWEEN = re.compile(r"\s*,?\s*")
_BYTES_A_CELL = 8


def _read_json(path: Path) -> RawTable:
    """Read JSON objects: one a line, or all in one list."""
    wrong = f"source: {path} is damaged or not lines or a list of JSON objects"
    frames: list[pd.DataFrame] = []
    names: dict[str, None] = {}
    n_rows = 0
    with clear_errors(lambda why: f"{wrong}: {why}."), open_unpacked(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8-sig")
        # Pandas rounds numbers otherwise, and refuses integers of many digits.
        rows = _json_objects(iter(text))
        while some := list(islice(rows, _JSON_LINES)):
            frames.append(pd.DataFrame(some))
            n_rows += len(some)
            names.update(dict.fromkeys(frames[-1].columns))
            # Every row gets a cell for every name that stands in any row.
            refuse_bomb(file_size(path), _BYTES_A_CELL * n_rows * len(names))
        values = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
    return RawTable(stem(path), values)


def _json_objects(lines: Iterator[str]) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(lines):
        found: Iterable[Any] = ()
        if number == 0 and line.lstrip().startswith("["):
            found = _listed("".join([line, *lines]))
        elif line.strip():
            found = [json.loads(line)]
        for each in found:
            if not isinstance(each, dict):
                raise ValueError(f"in the place of an object is {each!r:.40}")
            yield each


def _listed(text: str) -> Iterator[Any]:
    """What a list holds, one after the other: all together take much more room."""
    decoder, text, end = json.JSONDecoder(), text.strip(), 1
    while True:
        start = next(_BETWEEN.finditer(text, end)).end()
        if text[start : start + 2] == "]":
            return
        found, end = decoder.raw_decode(text, start)
        yield found


def read_sources(
    sources: Sequence[str], sheet: str | None = None, **text_options: Any
) -> RawTable:
    """Read one source, or several with the same columns below each other.

    Parameters
    ----------
    sources : sequence of str
        Names or paths.
    sheet : str or None, default=None
        Name of the sheet of workbooks.
    **text_options
        For :func:`~graphtailor.tables.delimited.read_delimited`.

    Returns
    -------
    RawTable
        It has the name of the first source.
    """
    parts = [read_source(each, sheet, **text_options) for each in sources]
    if len(parts) == 1:
        return parts[0]
    for source, part in zip(sources, parts, strict=True):
        _refuse_other_columns(source, part, sources[0], parts[0])
    if len({part.decimal for part in parts}) > 1:
        # A file of whole numbers does not show its decimal mark.
        return read_sources(sources, sheet, **{**text_options, "decimal": ","})
    names = list(parts[0].values.columns)
    values = pd.concat([part.values[names] for part in parts], ignore_index=True)
    readers = [part.as_written for part in parts if part.as_written is not None]

    def as_written(name: str, has_gaps: bool) -> pd.Series:
        read = [reader(name, has_gaps) for reader in readers]
        return pd.concat(read, ignore_index=True)

    is_text = len(readers) == len(parts)
    for name in names if is_text else ():
        if len({part.values[name].dtype.kind in "iuf" for part in parts}) > 1:
            values[name] = as_written(str(name), True)
    together = f"{len(parts)} files with the same columns are one table."
    notes = dict.fromkeys(note for part in parts for note in part.notes)
    return replace(
        parts[0],
        values=values,
        notes=(together, *notes),
        first_row=0,
        as_written=as_written if is_text else None,
    )


def _refuse_other_columns(
    source: str, part: RawTable, source_of_first: str, first: RawTable
) -> None:
    if part.is_array:
        raise ValueError(
            f"source: {source} is an array or a bundled set. Only tables with names of "
            "columns are put below each other: give one source."
        )
    known, found = list(first.values.columns), list(part.values.columns)
    lacks = [name for name in known if name not in found]
    has = [name for name in found if name not in known]
    if lacks or has:
        differences = [f"lacks {listed(lacks)}"] * bool(lacks)
        differences += [f"also has {listed(has)}"] * bool(has)
        raise ValueError(
            f"source: the columns of {source} are not those of {source_of_first}: it "
            f"{' and '.join(differences)}. Give files with the same columns."
        )


_TEXT = (".csv", ".tsv", ".tab", ".txt", ".dat", ".data", ".psv")
_WORKBOOKS = (".xlsx", ".xlsm", ".xls", ".ods")
_READERS: dict[str, Callable[[Path], RawTable]] = {
    ".parquet": read_parquet,
    ".pq": read_parquet,
    ".feather": read_arrow,
    ".arrow": read_arrow,
    ".json": _read_json,
    ".jsonl": _read_json,
    ".ndjson": _read_json,
    ".npz": read_npz,
    ".npy": read_npy,
}


def read_source(source: str, sheet: str | None = None, **text_options: Any) -> RawTable:
    """Read a bundled set by its name, or a file.

    Options of text are those of :func:`~graphtailor.tables.delimited.read_delimited`.

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
    default = ""
    if endings and endings[-1] in OPENERS:
        default = ".csv" if endings.pop() == ".zip" else ""
    ending = endings[-1] if endings else default
    if ending in _TEXT:
        return read_delimited(path, **text_options)
    if ending not in (*_READERS, *_WORKBOOKS):
        known_endings = ", ".join((*_TEXT, *_READERS, *_WORKBOOKS))
        raise ValueError(
            f"source: {source} has an unknown ending. Known are {known_endings}; text "
            f"also with {', '.join(OPENERS)}."
        )
    if ending in _WORKBOOKS:
        return read_ods(path, sheet) if ending == ".ods" else read_excel(path, sheet)
    return _READERS[ending](path)


def _not_found(source: str, path: Path, known: list[str]) -> str:
    if path.is_dir():
        return f"source: {source} is a folder. Name a file in it."
    if path.suffix or path.parent != Path("."):
        near = []
        if path.parent.is_dir():
            near = [found.name for found in path.parent.iterdir() if found.is_file()]
        return f"source: there is no file {source}.{did_you_mean(path.name, near)}"
    meant = did_you_mean(source, known)
    return (
        f"source: there is no data set or file {source!r}.{meant} "
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
