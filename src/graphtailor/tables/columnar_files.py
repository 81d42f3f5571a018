"""Tables in Parquet, Arrow and Feather files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd

from graphtailor.io.arrow_decoder import is_list, is_text, plain_places
from graphtailor.io.decoder_process import decoded_apart
from graphtailor.io.limits import clear_errors
from graphtailor.tables.source_table import RawTable, stem

# Stands in each row of a column that is not read, because no feature is made of it.
_NOT_READ = ("not read",)


def read_parquet(path: Path) -> RawTable:
    """Read a Parquet file; an index other than 0, 1, ... holds the ids."""
    with clear_errors(lambda why: f"source: {path} is damaged or not Parquet: {why}."):
        return _indexed(path, columnar_frame(path, "parquet"))


def read_arrow(path: Path) -> RawTable:
    """Read an Arrow file, also called Feather, or an Arrow stream."""
    with clear_errors(lambda why: f"source: {path} is damaged or not Arrow: {why}."):
        return _indexed(path, columnar_frame(path, "arrow"))


def columnar_frame(path: Path, form: str) -> pd.DataFrame:
    """The table in a Parquet or Arrow file.

    Columns of bytes and of nested values, apart from lists of numbers and texts, are
    not decoded: each of their values is the tuple ``("not read",)``.
    """
    import pyarrow as pa

    n_rows, schema, batches = decoded_apart(path, form)
    plain = plain_places(schema)
    taken = [schema.field(place) for place in plain]
    for place, field in enumerate(taken):
        # Arrow makes no views of a dictionary, and pandas takes no lists of views.
        if is_text(field.type):
            taken[place] = field.with_type(pa.large_string())
        elif is_list(field.type) and is_text(field.type.value_type):
            taken[place] = field.with_type(pa.large_list(pa.large_string()))
    wanted = pa.schema(taken, schema.metadata)
    if plain:
        whole = pa.Table.from_batches(batches, None if batches else wanted)
        frame = whole.cast(wanted).to_pandas()
    else:
        frame = pd.DataFrame(index=range(n_rows))
    attributes = (schema.metadata or {}).get(b"PANDAS_ATTRS")
    if attributes is not None:
        frame.attrs = json.loads(attributes)
    for place in sorted({*range(len(schema))} - {*plain}):
        blank = np.empty(len(frame), dtype=object)
        blank.fill(_NOT_READ)
        # An index is a column of the file and not of the frame.
        frame.insert(min(place, frame.shape[1]), schema.field(place).name, blank)
    return frame


def _indexed(path: Path, frame: pd.DataFrame) -> RawTable:
    if isinstance(frame.index, pd.RangeIndex):
        return RawTable(stem(path), frame)
    if frame.index.nlevels > 1:
        return RawTable(stem(path), frame.reset_index())
    index = str(frame.index.name or "index")
    values = frame.index.to_numpy()
    return RawTable(stem(path), frame.reset_index(drop=True), {index: values}, id=index)
