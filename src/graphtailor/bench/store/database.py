"""The SQLite file of a benchmark: how it is opened, read and written."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import pandas as pd

from graphtailor.bench.store.schema import (
    APPLICATION,
    APPLICATION_PLACE,
    VERSION,
    create_tables,
    find_damage,
)

FILE_NAME = "bench.sqlite"
_WAIT_FOR_OTHERS = 10.0
_ROOM_BESIDE = 2**16
_MOST_REASON = 200
# What SQLite calls by a number of its own, in the system's words.
_SYSTEM_ERRORS = {
    sqlite3.SQLITE_FULL: (errno.ENOSPC, os.strerror(errno.ENOSPC)),
    sqlite3.SQLITE_IOERR: (errno.EIO, os.strerror(errno.EIO)),
    sqlite3.SQLITE_READONLY: (errno.EACCES, "it may not be written to"),
    sqlite3.SQLITE_CANTOPEN: (errno.EACCES, "it cannot be opened"),
    sqlite3.SQLITE_BUSY: (
        errno.EBUSY,
        "another process holds it. Wait until that has ended, and start again",
    ),
}
_DAMAGES = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class DamagedStore(ValueError):
    """A file of results that cannot be read any more, or not all of it.

    Attributes
    ----------
    path : Path
        The file.
    """

    def __init__(self, path: Path, reason: str) -> None:
        short = " ".join(reason.split())[:_MOST_REASON]
        super().__init__(
            f"{path} is damaged: {short}. 'graphtailor bench' with the same plan and "
            "folder saves what is whole and runs the rest again."
        )
        self.path = path


class Database:
    """A file with the tables of a benchmark.

    Several processes may use one file. Every method is safe to call from any thread.

    Parameters
    ----------
    path : path-like
        A folder, in which the file is called bench.sqlite, or the file itself.
    create : bool, default=True
        Whether to make it if there is none.
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True) -> None:
        self.path = _file(Path(path))
        if not self.path.exists():
            if not create:
                raise FileNotFoundError(
                    f"There are no results at {self.path}. Make them by "
                    "'graphtailor bench'."
                )
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self._lock = threading.RLock()
        with self._clear_errors():
            self._connection = sqlite3.connect(
                self.path,
                timeout=_WAIT_FOR_OTHERS,
                isolation_level=None,
                check_same_thread=False,
            )
        try:
            with self._clear_errors():
                self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA trusted_schema = OFF")
        if self._is_empty():
            self._create()
        if self._pragma("application_id") != APPLICATION:
            raise ValueError(f"{self.path} is not a store of benchmark results.")
        found = self._pragma("user_version")
        if found > VERSION:
            raise ValueError(
                f"{self.path} has version {found}, and this graphtailor knows version "
                f"{VERSION}. Install a newer graphtailor."
            )
        damage = self.damage() if found == VERSION else f"it has version {found}"
        if damage is not None:
            raise DamagedStore(self.path, damage)
        self._connection.execute("PRAGMA synchronous = NORMAL")

    def damage(self) -> str | None:
        """What is wrong with the file or with a value in it; None if nothing is."""
        return find_damage(self._connection)

    def _is_empty(self) -> bool:
        query = "SELECT 1 FROM sqlite_schema"
        return self._connection.execute(query).fetchone() is None

    def _pragma(self, name: str) -> Any:
        return self._connection.execute(f"PRAGMA {name}").fetchone()[0]

    def _create(self) -> None:
        # Write-ahead logging: a killed process loses nothing, readers never wait. Two
        # processes that begin at once do not queue for this one: try again.
        for _ in range(100):
            with suppress(sqlite3.OperationalError):
                if self._pragma("journal_mode = WAL") == "wal":
                    break
            time.sleep(0.05)
        with self.transaction() as db:
            if self._is_empty():
                create_tables(db)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock, self._clear_errors():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                # After some errors SQLite has done so itself.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def frame(self, query: str, values: Iterable[Any] = ()) -> pd.DataFrame:
        with self._lock, self._clear_errors():
            cursor = self._connection.execute(query, tuple(values))
            names = [column[0] for column in cursor.description]
            return pd.DataFrame(cursor.fetchall(), columns=names)

    def first(self, query: str, *values: Any) -> Any:
        """The first row of an answer, or None."""
        with self._lock, self._clear_errors():
            return self._connection.execute(query, values).fetchone()

    def insert(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        """Add whole rows to a table; those whose keys are there are left alone."""
        with self.transaction() as db:
            for row in rows:
                places = ", ".join("?" * len(row))
                db.execute(f"INSERT OR IGNORE INTO {table} VALUES ({places})", row)

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        """Say what is wrong with the file, in words that name it."""
        try:
            yield
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # The lower byte is the kind of error, the others say more about it.
            kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if kind == sqlite3.SQLITE_IOERR and self._is_disk_full():
                kind = sqlite3.SQLITE_FULL
            if kind in _SYSTEM_ERRORS:
                raise OSError(*_SYSTEM_ERRORS[kind], str(self.path)) from error
            # Text that is no UTF-8 is found by Python, and has no number.
            is_bad_text = kind == 0 and isinstance(
                error, sqlite3.OperationalError | UnicodeDecodeError
            )
            if kind not in _DAMAGES and not is_bad_text:
                raise
            if not _is_marked(self.path):
                raise ValueError(
                    f"{self.path} is not a store of benchmark results."
                ) from error
            reason = "a text is no UTF-8" if is_bad_text else str(error)
            raise DamagedStore(self.path, reason) from error

    def _is_disk_full(self) -> bool:
        """Whether there is no room for what SQLite keeps beside a file it reads."""
        return shutil.disk_usage(self.path.parent).free < _ROOM_BESIDE


def _is_marked(path: Path) -> bool:
    """Whether a file says that it is ours, even if SQLite cannot read it."""
    with open(path, "rb") as file:
        mark = file.read(APPLICATION_PLACE.stop)[APPLICATION_PLACE]
    return mark == APPLICATION.to_bytes(4, "big")


def _file(path: Path) -> Path:
    is_file = path.is_file() or path.suffix in (".sqlite", ".db")
    return path if is_file else path / FILE_NAME
