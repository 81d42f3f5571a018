"""What Parquet and Arrow files will unpack to, by the headers of their parts.

Arrow takes as much memory as a file asks for. The functions here read the headers that
Arrow obeys, of Parquet's pages and of Arrow's messages, and refuse the file first.
"""

from __future__ import annotations

import mmap
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from graphtailor.io.limits import Budget

if TYPE_CHECKING:
    import pyarrow as pa

# Thrift's types: the end of a struct, two truths, integers, bytes, a struct.
_STOP, _TRUTHS, _INTEGERS, _BINARY, _STRUCT = 0, (1, 2), (3, 4, 5, 6), 8, 12
_DEEPEST = 4
# Places in Parquet's PageHeader, and the value for values as prefix and rest.
_TYPE, _UNPACKED, _PACKED, _DATA, _DATA_V2 = 1, 2, 3, 5, 8
_ENCODING = {_DATA: 2, _DATA_V2: 4}
_DICTIONARY_PAGE, _DELTA_BYTE_ARRAY = 2, 7
# Arrow's kinds of messages.
_DICTIONARY_BATCH, _RECORD_BATCH = 2, 3

_Header = dict[int, "int | _Header"]


@dataclass
class ColumnPages:
    """What the pages of one column of a Parquet file hold."""

    n_values: int = 0  # their values; a list counts as many as it holds
    has_dictionary: bool = False  # whether values are stored once and then referred to
    # Bytes of the largest page whose values repeat the beginning of the one before; 0
    # if there is none.
    largest_prefixed: int = 0


def parquet_pages(
    path: Path, chunks: list[list[tuple[int, int]]], budget: Budget
) -> list[ColumnPages]:
    """Look at the headers of all pages, and refuse pages that unpack to too much.

    The sizes in the file's footer may be wrong, and Arrow believes the pages. `chunks`
    has for each column the bytes, from and to, where its pages are.
    """
    with path.open("rb") as file, _mapped(file.fileno()) as data:
        return [_column_pages(data, places, budget) for places in chunks]


def _mapped(descriptor: int) -> mmap.mmap:
    return mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)


def _column_pages(
    data: mmap.mmap, places: list[tuple[int, int]], budget: Budget
) -> ColumnPages:
    found = ColumnPages()
    for start, stop in places:
        for page in _page_headers(data, start, stop):
            n_unpacked = _number(page, _UNPACKED)
            budget.spend(n_unpacked)
            found.has_dictionary |= page.get(_TYPE) == _DICTIONARY_PAGE
            for kind, encoding in _ENCODING.items():
                values = page.get(kind)
                if isinstance(values, dict):
                    found.n_values += _number(values, 1)
                    if values.get(encoding) == _DELTA_BYTE_ARRAY:
                        largest = max(found.largest_prefixed, n_unpacked)
                        found.largest_prefixed = largest
    return found


def _page_headers(data: mmap.mmap, start: int, stop: int) -> Iterator[_Header]:
    if not 0 <= start <= stop <= len(data):
        raise ValueError("its pages lie outside of it")
    while start < stop:
        header, start = _thrift_struct(data, start)
        yield header
        start += _number(header, _PACKED)


def _number(header: _Header, place: int) -> int:
    value = header.get(place)
    if not isinstance(value, int) or value < 0:
        raise ValueError("one of its pages has no size")
    return value


def _thrift_struct(data: mmap.mmap, at: int, depth: int = 0) -> tuple[_Header, int]:
    """The fields of a struct in Thrift's compact protocol, and where it ends."""
    fields: _Header = {}
    place = 0
    while (head := data[at]) != _STOP:
        at += 1
        kind, step = head & 15, head >> 4
        if step:
            place += step
        else:
            place, at = _thrift_integer(data, at)
        if kind in _TRUTHS:
            fields[place] = kind
        elif kind in _INTEGERS:
            fields[place], at = _thrift_integer(data, at)
        elif kind == _BINARY:
            length, at = _varint(data, at)
            at += length
        elif kind == _STRUCT and depth < _DEEPEST:
            fields[place], at = _thrift_struct(data, at, depth + 1)
        else:
            raise ValueError("the header of one of its pages is damaged")
    return fields, at + 1


def _thrift_integer(data: mmap.mmap, at: int) -> tuple[int, int]:
    value, at = _varint(data, at)
    return (value >> 1) ^ -(value & 1), at


def _varint(data: mmap.mmap, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        value |= (data[at] & 127) << shift
        at += 1
        if data[at - 1] < 128:
            return value, at
    raise ValueError("the header of one of its pages is damaged")


def charge_arrow_messages(content: pa.Buffer, budget: Budget) -> int:
    """Charge the unpacked buffers of an Arrow stream; its number of rows."""
    import pyarrow as pa

    n_rows = 0
    for message in pa.ipc.MessageReader.open_stream(pa.BufferReader(content)):
        head = _Flatbuffer(memoryview(message.metadata))
        batch = head.table(2)
        kind = head.value(1, "<B")
        if kind == _RECORD_BATCH:
            n_rows += batch.value(0, "<q")
        elif kind == _DICTIONARY_BATCH:
            batch = batch.table(1)
        else:
            continue
        body = memoryview(message.body) if message.body is not None else b""
        is_packed = batch.place(3) is not None
        for start, length in batch.pairs(2):
            if is_packed and length >= 8:
                (unpacked,) = struct.unpack_from("<q", body, start)
                # -1 stands before a buffer that was not worth packing.
                length = unpacked if unpacked >= 0 else length
            budget.spend(max(length, 0))
    return n_rows


class _Flatbuffer:
    """A table of a flatbuffer; by default the one at its root."""

    def __init__(self, data: memoryview, at: int | None = None) -> None:
        self._data = data
        self._at = self._unpacked("<I", 0) if at is None else at

    def _unpacked(self, form: str, at: int) -> int:
        if at < 0:
            raise ValueError("the header of one of its messages is damaged")
        return int(struct.unpack_from(form, self._data, at)[0])

    def place(self, field: int) -> int | None:
        """Where a field is; None if it is left out."""
        index = self._at - self._unpacked("<i", self._at)
        if 4 + 2 * field >= self._unpacked("<H", index):
            return None
        step = self._unpacked("<H", index + 4 + 2 * field)
        return self._at + step if step else None

    def value(self, field: int, form: str) -> int:
        """A number; 0 if it is left out."""
        at = self.place(field)
        return 0 if at is None else self._unpacked(form, at)

    def table(self, field: int) -> _Flatbuffer:
        at = self.place(field)
        if at is None:
            raise ValueError("one of its messages is not complete")
        return _Flatbuffer(self._data, at + self._unpacked("<I", at))

    def pairs(self, field: int) -> Iterator[tuple[int, int]]:
        """The structs of two long integers in a vector."""
        at = self.place(field)
        if at is None:
            return
        at += self._unpacked("<I", at)
        count = self._unpacked("<I", at)
        for each in range(count):
            start, length = struct.unpack_from("<qq", self._data, at + 4 + 16 * each)
            yield start, length
