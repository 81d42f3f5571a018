"""Write a file whole or not at all, under a name that is safe."""

import hashlib
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

_MOST_OF_NAME = 200
_UNSAFE = re.compile(r"[^\w.,+ ()=-]|^[. -]|[. ]$")


@contextmanager
def atomic_open(path: str | os.PathLike[str], mode: str = "wb") -> Iterator[IO]:
    """Open a file that appears under its name only when it is complete.

    What is written goes to a temporary name in the same folder, which takes the place
    of `path` at the end. If anything goes wrong before, Ctrl-C included, the temporary
    file is removed and an older file at `path` is left as it was.
    """
    if mode not in ("wb", "w"):
        raise ValueError(f"mode must be 'wb' or 'w', got {mode!r}.")
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        # Renaming over a folder fails late, and over a device it replaces the device.
        raise ValueError(f"{path} cannot be written: it is not a regular file.")
    target.parent.mkdir(parents=True, exist_ok=True)
    # File systems take 255 bytes, which a name may use up.
    start = target.name.encode()[:_MOST_OF_NAME].decode(errors="ignore")
    temporary = target.with_name(f".{start}.{secrets.token_hex(4)}.part")
    text: dict[str, Any] = {} if mode == "wb" else {"encoding": "utf-8", "newline": ""}
    try:
        with open(temporary, mode.replace("w", "x"), **text) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as error:
        # The error of a full disk names no file, or the temporary one.
        if error.filename in (None, str(temporary)) and error.errno is not None:
            raise OSError(error.errno, os.strerror(error.errno), str(path)) from error
        raise
    finally:
        temporary.unlink(missing_ok=True)


def file_name(text: str) -> str:
    """A name for a file, of a text that anybody may have chosen.

    Of an unsafe text its safe characters are taken and a few of its checksum, so that
    different texts stay different. A name has no folder and is not hidden.
    """
    safe = _UNSAFE.sub("_", text)
    if safe == text and len(text.encode()) <= _MOST_OF_NAME:
        return text
    stem, dot, ending = safe.rpartition(".")
    if not dot or len(ending) > 8:
        stem, ending = safe, ""
    start = stem.encode()[: _MOST_OF_NAME - 20].decode(errors="ignore")
    checksum = hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{start}-{checksum}{dot if ending else ''}{ending}"
