"""The SQLite file of a benchmark: how it is opened, read and written."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Self

import pandas as pd

FILE_NAME = "bench.sqlite"
# Marks a file as ours; the version grows when the tables change.
_APPLICATION, _VERSION = 0x67746C72, 1
_WAIT_FOR_OTHERS = 60.0
_SCHEMA = """
CREATE TABLE datasets (
    hash TEXT PRIMARY KEY, name TEXT NOT NULL, scaling TEXT NOT NULL,
    n_samples INTEGER NOT NULL, n_features INTEGER NOT NULL,
    n_classes INTEGER NOT NULL, minimum REAL NOT NULL, target BLOB NOT NULL
);
CREATE TABLE sessions (
    id INTEGER PRIMARY KEY, started TEXT NOT NULL, plan TEXT NOT NULL,
    environment TEXT NOT NULL, machine TEXT NOT NULL, missing TEXT NOT NULL
);
CREATE TABLE runs (
    key TEXT PRIMARY KEY, method TEXT NOT NULL, params TEXT NOT NULL,
    data_hash TEXT NOT NULL REFERENCES datasets (hash), seed INTEGER NOT NULL,
    environment TEXT NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL,
    seconds REAL NOT NULL, n_iter INTEGER, labels BLOB, finished TEXT NOT NULL
);
CREATE INDEX runs_by_setting ON runs (method, data_hash, params);
CREATE TABLE scores (
    key TEXT NOT NULL REFERENCES runs (key), metric TEXT NOT NULL, value REAL NOT NULL,
    PRIMARY KEY (key, metric)
) WITHOUT ROWID;
"""


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
        self._connection = sqlite3.connect(
            self.path,
            timeout=_WAIT_FOR_OTHERS,
            isolation_level=None,
            check_same_thread=False,
        )
        try:
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
        try:
            if self._is_empty():
                self._create()
            application = self._pragma("application_id")
            found = self._pragma("user_version")
        except sqlite3.OperationalError as error:
            raise ValueError(f"{self.path} cannot be used: {error}.") from error
        except sqlite3.DatabaseError:
            application, found = None, 0
        if application != _APPLICATION:
            raise ValueError(f"{self.path} is not a store of benchmark results.")
        if found != _VERSION:
            raise ValueError(
                f"{self.path} has version {found}, and this graphtailor knows version "
                f"{_VERSION}. Install a newer graphtailor."
            )
        self._connection.execute("PRAGMA synchronous = NORMAL")

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
                for statement in _SCHEMA.split(";"):
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {_APPLICATION}")
                db.execute(f"PRAGMA user_version = {_VERSION}")

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def frame(self, query: str, values: Iterable[Any] = ()) -> pd.DataFrame:
        with self._lock:
            cursor = self._connection.execute(query, tuple(values))
            names = [column[0] for column in cursor.description]
            return pd.DataFrame(cursor.fetchall(), columns=names)

    def first(self, query: str, *values: Any) -> Any:
        """The first row of an answer, or None."""
        with self._lock:
            return self._connection.execute(query, values).fetchone()

    def insert(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        """Add whole rows to a table; those whose keys are there are left alone."""
        with self.transaction() as db:
            for row in rows:
                places = ", ".join("?" * len(row))
                db.execute(f"INSERT OR IGNORE INTO {table} VALUES ({places})", row)


def _file(path: Path) -> Path:
    is_file = path.is_file() or path.suffix in (".sqlite", ".db")
    return path if is_file else path / FILE_NAME
