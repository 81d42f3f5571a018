"""Decode Parquet and Arrow files, batch by batch and only if they fit their size.

:mod:`graphtailor.io.decoder_process` runs this in a process of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from graphtailor.io.limits import MOST_COLUMNS, Budget
from graphtailor.io.unpacked_size import (
    ColumnPages,
    charge_arrow_messages,
    parquet_pages,
)

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet

# What a value takes at least in a frame; what one takes that is a Python object.
_BYTES_A_VALUE, _BYTES_AN_OBJECT = 8, 120
# Texts that repeat the one before are unpacked in batches of about this size.
_BATCH_BYTES = 64 * 2**20
_ARROW_FILE = b"ARROW1"
# What a message begins with, and where the second one is looked for.
_MARK, _MOST_OF_A_SCHEMA = b"\xff\xff\xff\xff", 2**20


class Decoded(NamedTuple):
    """A table; the batches hold those of its columns that :func:`is_plain` allows."""

    n_rows: int
    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]


def decode_parquet(path: Path) -> Decoded:
    """The table in a Parquet file."""
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        metadata, schema = file.metadata, file.schema_arrow
    n_rows = metadata.num_rows
    budget = Budget(path)
    _check_shape(n_rows, len(schema), budget)
    plain = plain_places(schema)
    pages = parquet_pages(path, _chunks(metadata, schema, plain), Budget(path))
    names = [schema.field(place).name for place in plain]
    repeated = []
    for place, column in zip(plain, pages, strict=True):
        budget.spend(_charge(schema.field(place).type, n_rows, column.n_values))
        if column.has_dictionary and is_text(schema.field(place).type):
            repeated.append(schema.field(place).name)
    batches = _decoded(path, metadata, names, repeated, _batch_rows(pages), budget)
    return Decoded(n_rows, schema, batches)


def plain_places(schema: pa.Schema) -> list[int]:
    """Places of the columns that are decoded."""
    return [place for place, field in enumerate(schema) if _is_plain(field.type)]


def _check_shape(n_rows: int, n_columns: int, budget: Budget) -> None:
    if n_rows < 0 or n_columns > MOST_COLUMNS:
        raise ValueError(f"it says it has {n_rows:,} rows and {n_columns:,} columns")
    budget.spend(n_rows * n_columns * _BYTES_A_VALUE)


def _is_plain(kind: pa.DataType) -> bool:
    """Whether values are numbers, times or texts, or lists of numbers or texts."""
    from pyarrow import types

    # Pandas keeps periods as numbers of days or months.
    kind = getattr(kind, "storage_type", kind)
    if types.is_dictionary(kind):
        value = kind.value_type
        return not types.is_dictionary(value) and _is_plain(value)
    if is_list(kind):
        inside = kind.value_type
        return types.is_integer(inside) or types.is_floating(inside) or is_text(inside)
    known = (types.is_integer, types.is_floating, types.is_boolean, types.is_null)
    times = (types.is_temporal, types.is_decimal)
    return is_text(kind) or any(is_so(kind) for is_so in (*known, *times))


def is_text(kind: pa.DataType) -> bool:
    from pyarrow import types

    views = types.is_string_view(kind)
    return types.is_string(kind) or types.is_large_string(kind) or views


def is_list(kind: pa.DataType) -> bool:
    from pyarrow import types

    return types.is_list(kind) or types.is_large_list(kind)


def _charge(kind: pa.DataType, n_rows: int, n_values: int) -> int:
    """Bytes beyond those that each value of a frame takes."""
    from pyarrow import types

    if is_list(kind):  # one array of numbers or texts a row
        each = _BYTES_AN_OBJECT if is_text(kind.value_type) else _BYTES_A_VALUE
        return n_rows * _BYTES_AN_OBJECT + n_values * each
    is_object = types.is_decimal(kind) or types.is_date(kind)
    is_object |= types.is_time(kind) or types.is_interval(kind)
    return max(n_rows, n_values) * _BYTES_AN_OBJECT if is_object else 0


def _chunks(
    metadata: parquet.FileMetaData, schema: pa.Schema, plain: Sequence[int]
) -> list[list[tuple[int, int]]]:
    """Where in the file the pages of each plain column are."""
    widths = [_n_leaves(field.type) for field in schema]
    starts = np.concatenate([[0], np.cumsum(widths)])
    paths = [metadata.schema.column(j).path for j in range(metadata.num_columns)]
    leaves = [int(starts[place]) for place in plain]
    heads = {schema.field(place).name for place in plain}
    # Arrow finds columns by name, and "a.b" may be a part of "a" or a name.
    found = [j for j, path in enumerate(paths) if _heads_of(path) & heads]
    if starts[-1] != metadata.num_columns or found != leaves:
        raise ValueError("two of its columns have one name")
    groups = [metadata.row_group(i) for i in _groups_with_rows(metadata)]
    return [[_place_of_pages(g.column(leaf)) for g in groups] for leaf in leaves]


def _groups_with_rows(metadata: parquet.FileMetaData) -> list[int]:
    """An empty group has no page, and says that it begins where the file does."""
    groups = range(metadata.num_row_groups)
    return [i for i in groups if metadata.row_group(i).num_rows]


def _n_leaves(kind: pa.DataType) -> int:
    from pyarrow import types

    kind = getattr(kind, "storage_type", kind)
    if types.is_dictionary(kind) or kind.num_fields == 0:
        return 1
    return sum(_n_leaves(kind.field(i).type) for i in range(kind.num_fields))


def _heads_of(path: str) -> set[str]:
    """All that a path may begin with: of "a.b" both "a" and "a.b"."""
    parts = path.split(".")
    return {".".join(parts[:length]) for length in range(1, len(parts) + 1)}


def _place_of_pages(chunk: parquet.ColumnChunkMetaData) -> tuple[int, int]:
    start, before = chunk.data_page_offset, chunk.dictionary_page_offset
    if before is not None and 0 < before < start:
        start = before
    return start, start + chunk.total_compressed_size


def _batch_rows(pages: Sequence[ColumnPages]) -> int | None:
    """Rows to decode at once, so that texts with repeated beginnings stay few."""
    largest = sum(column.largest_prefixed for column in pages)
    return max(1, _BATCH_BYTES // largest) if largest else None


def _decoded(
    path: Path,
    metadata: parquet.FileMetaData,
    names: list[str],
    repeated: list[str],
    batch_rows: int | None,
    budget: Budget,
) -> Iterator[pa.RecordBatch]:
    """Decode columns, and charge their texts before each is written out."""
    from pyarrow import parquet

    # A dictionary keeps a text that stands in a million rows once.
    with parquet.ParquetFile(
        path, metadata=metadata, read_dictionary=repeated, pre_buffer=True
    ) as file:
        for number in _groups_with_rows(metadata) if names else ():
            size = batch_rows or metadata.row_group(number).num_rows
            for batch in file.iter_batches(size, row_groups=[number], columns=names):
                _charge_texts(batch, budget)
                yield batch


def _charge_texts(batch: pa.RecordBatch, budget: Budget) -> None:
    """Check a batch, and charge each text as often as it stands there."""
    # Arrow believes the places of texts that a file names; wrong ones crash it.
    batch.validate(full=True)
    for column in batch.columns:
        budget.spend(_text_bytes(column))


def _text_bytes(column: pa.Array) -> int:
    import pyarrow as pa
    from pyarrow import compute, types

    if types.is_dictionary(column.type):
        if not is_text(column.type.value_type):
            return 0
        lengths = _text_lengths(column.dictionary)
        return compute.sum(lengths.take(column.indices)).as_py() or 0
    if is_list(column.type):
        return _text_bytes(column.flatten())
    if not is_text(column.type):
        return 0
    total = compute.sum(pa.compute.cast(_text_lengths(column), pa.int64())).as_py()
    return total or 0


def _text_lengths(texts: pa.Array) -> pa.Array:
    import pyarrow as pa
    from pyarrow import compute, types

    if not types.is_string_view(texts.type):
        return compute.binary_length(texts).cast(pa.int64())
    # A view takes 16 bytes and begins with the length.
    views = np.frombuffer(texts.buffers()[1], dtype=np.int32)[4 * texts.offset :: 4]
    return pa.array(np.maximum(views[: len(texts)], 0).astype(np.int64))


def decode_arrow(path: Path) -> Decoded:
    """The table in an Arrow file, also called Feather, or in an Arrow stream."""
    import pyarrow as pa

    with pa.memory_map(str(path)) as file:
        content = file.read_buffer()
    # A file is a stream between two marks, and a list of places that is not needed.
    if content.slice(0, len(_ARROW_FILE)).to_pybytes() == _ARROW_FILE:
        content = _with_marks(content.slice(8))
    n_rows = charge_arrow_messages(content, Budget(path))
    schema = pa.ipc.open_stream(content).schema
    budget = Budget(path)
    _check_shape(n_rows, len(schema), budget)
    return Decoded(n_rows, schema, _arrow_batches(content, schema, budget))


def _with_marks(content: pa.Buffer) -> pa.Buffer:
    """Messages with a mark and a length each, which polars leaves out at the first."""
    import pyarrow as pa

    start = content.slice(0, min(_MOST_OF_A_SCHEMA, content.size)).to_pybytes()
    places = range(0, len(start), 8)
    length = next((at for at in places if start.startswith(_MARK, at)), 0)
    if not length:
        return content
    head = _MARK + length.to_bytes(4, "little")
    return pa.py_buffer(head + content.to_pybytes())


def _arrow_batches(
    content: pa.Buffer, schema: pa.Schema, budget: Budget
) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    if not (plain := plain_places(schema)):
        return
    options = pa.ipc.IpcReadOptions(included_fields=plain)
    for batch in pa.ipc.open_stream(content, options=options):
        _charge_texts(batch, budget)
        for column in batch.columns:
            n_values = len(column.flatten()) if is_list(column.type) else len(column)
            budget.spend(_charge(column.type, len(column), n_values))
        yield batch
