"""Write a file whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any


@contextmanager
def atomic_open(path: str | os.PathLike[str], mode: str = "wb") -> Iterator[IO[Any]]:
    """Open a file that appears under its name only when it is complete.

    What is written goes to a temporary name in the same folder, which takes the place
    of `path` at the end. If anything goes wrong before, Ctrl-C included, the temporary
    file is removed and an older file at `path` is left as it was.

    Parameters
    ----------
    path : path-like
        The file to write. Missing folders are made.
    mode : {"wb", "w"}, default="wb"
        Bytes, or UTF-8 text with its line ends left alone.

    Yields
    ------
    file
        Open for writing.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from graphtailor.files import atomic_open
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with atomic_open(Path(folder, "note.txt"), "w") as file:
    ...         _ = file.write("done")
    ...     [found.name for found in Path(folder).iterdir()]
    ['note.txt']
    """
    if mode not in ("wb", "w"):
        raise ValueError(f"mode must be 'wb' or 'w', got {mode!r}.")
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        # Renaming over a folder fails late, and over a device it replaces the device.
        raise ValueError(f"{path} cannot be written: it is not a regular file.")
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    text: dict[str, Any] = {} if mode == "wb" else {"encoding": "utf-8", "newline": ""}
    try:
        with open(temporary, mode.replace("w", "x"), **text) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)
