"""Files that may be compressed, read as long as they do not unpack without end."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import zipfile
from pathlib import Path
from typing import IO, Any

from graphtailor.io.limits import file_size, refuse_bomb


def _open_zipped(path: Path, mode: str) -> IO[bytes]:
    """The only file in a zip archive."""
    archive = zipfile.ZipFile(path)
    names = [name for name in archive.namelist() if not name.startswith("__MACOSX")]
    if len(names) != 1:
        raise ValueError(f"the archive holds {len(names)} files. Unpack it first")
    # Text of short lines takes more memory than its bytes, so it is refused unread.
    refuse_bomb(file_size(path), archive.getinfo(names[0]).file_size)
    return archive.open(names[0])


OPENERS: dict[str, Any] = {
    ".gz": gzip.open,
    ".bz2": bz2.open,
    ".xz": lzma.open,
    ".zip": _open_zipped,
}


def is_compressed(path: Path) -> bool:
    """Whether a file is compressed, by its ending."""
    return path.suffix.lower() in OPENERS


def open_unpacked(path: Path) -> IO[bytes]:
    """Open a file that may be compressed; a bomb is a ValueError when it goes off."""
    if not is_compressed(path):
        return open(path, "rb")
    packed = OPENERS[path.suffix.lower()](path, "rb")
    return io.BufferedReader(_Unpacked(packed, file_size(path)))


class _Unpacked(io.RawIOBase):
    """The bytes of a compressed file, as long as they are not absurdly many."""

    def __init__(self, packed: Any, n_bytes: int) -> None:
        self._packed, self._n_bytes = packed, n_bytes
        self._n_unpacked = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        found = self._packed.readinto(buffer)
        self._n_unpacked += found
        refuse_bomb(self._n_bytes, self._n_unpacked)
        return found

    def close(self) -> None:
        self._packed.close()
        super().close()
