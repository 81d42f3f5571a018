"""Read npy and npz files: nothing runs, and nothing is believed before it is checked.

numpy allocates what the header of an array announces before it reads the array. Here
the header is first compared with the number of bytes in the file.
"""

import math
import os
import stat
import zipfile
from collections.abc import Container
from typing import IO, Any

import numpy as np
from numpy.lib import format as npy

from graphtailor.io.limits import (
    MOST_ARRAY_HEADER,
    MOST_ENTRIES,
    file_size,
    refuse_bomb,
)

_ENDING = ".npy"
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1


def read_npy(path: str | os.PathLike[str]) -> np.ndarray:
    """Read the array of an npy file; it never holds Python objects."""
    with open(path, "rb") as file:
        _check_array(file, file_size(path))
        file.seek(0)
        return _array(file)


def read_npz(
    path: str | os.PathLike[str], only: Container[str] | None = None
) -> dict[str, np.ndarray]:
    """Read the arrays of an npz file, or those of the names in `only`."""
    arrays = {}
    with zipfile.ZipFile(path) as archive:
        for entry in checked_entries(archive, file_size(path)):
            if not entry.filename.endswith(_ENDING):
                raise ValueError(f"its entry {entry.filename!r} is not an array")
            name = entry.filename.removesuffix(_ENDING)
            if only is not None and name not in only:
                continue
            try:
                with archive.open(entry) as file:
                    _check_array(file, entry.file_size)
                with archive.open(entry) as file:
                    arrays[name] = _array(file)
                    # The checksum is compared at the end, and only there.
                    if file.read(1):
                        raise ValueError("it has more bytes than it says")
            except ValueError as error:
                raise ValueError(f"array {name!r}: {error}") from error
    return arrays


def checked_entries(archive: zipfile.ZipFile, n_bytes: int) -> list[zipfile.ZipInfo]:
    """The entries of a zip archive, none of which is hostile.

    Their names are relative and different from each other; they are neither links nor
    encrypted, and together no bomb.
    """
    entries = archive.infolist()
    if len(entries) > MOST_ENTRIES:
        raise ValueError(f"it has {len(entries):,} entries, over {MOST_ENTRIES:,}")
    names = [entry.filename for entry in entries]
    for entry in entries:
        _check_entry(entry)
    if len(set(names)) < len(names):
        raise ValueError("two of its entries have one name")
    refuse_bomb(n_bytes, sum(entry.file_size for entry in entries))
    return entries


def _check_entry(entry: zipfile.ZipInfo) -> None:
    name = entry.filename
    parts = name.replace("\\", "/").split("/")
    if ".." in parts or not parts[0] or ":" in parts[0]:
        raise ValueError(f"its entry {name!r} points outside")
    if stat.S_ISLNK(entry.external_attr >> 16):
        raise ValueError(f"its entry {name!r} is a link")
    if entry.flag_bits & _ENCRYPTED:
        raise ValueError(f"its entry {name!r} is encrypted")
    if entry.compress_type not in _METHODS:
        raise ValueError(f"its entry {name!r} is compressed in an unknown way")


def _check_array(file: IO[bytes], n_bytes: int) -> None:
    """Refuse an array that is smaller than its header says, or of objects."""
    version = npy.read_magic(file)
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise ValueError(f"its format {version} is unknown")
    # The third version differs from the second in the letters of names only.
    read_header: Any = (
        npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
    )
    shape, _, dtype = read_header(file, max_header_size=MOST_ARRAY_HEADER)
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which could run anything")
    if any(length < 0 for length in shape):
        raise ValueError(f"its shape {shape} is impossible")
    expected = math.prod(shape) * dtype.itemsize
    found = n_bytes - file.tell()
    if expected > found:
        raise ValueError(
            f"its header says shape {_short(shape)} of {dtype}, {expected:,} bytes, "
            f"and there are {found:,}"
        )
    # An array of length 0 in one dimension may be this long in the others.
    if expected == 0 and math.prod(max(length, 1) for length in shape) > 1_000_000:
        raise ValueError(f"its shape {_short(shape)} is absurd: it holds nothing")


def _short(shape: tuple[int, ...]) -> str:
    text = str(shape)
    return text if len(text) <= 80 else f"{text[:80]}..."


def _array(file: IO[bytes]) -> np.ndarray:
    return npy.read_array(file, allow_pickle=False, max_header_size=MOST_ARRAY_HEADER)
