"""The SQLite file of a benchmark: its tables, how it is read and written."""

import errno
import hashlib
import os
import shutil
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, Self

FILE_NAME = "bench.sqlite"
# The first number marks a file as ours; the second grows when the tables change.
APPLICATION, VERSION = 0x67746C72, 2
# The bytes of the file in which SQLite keeps the mark.
_APPLICATION_PLACE = slice(68, 72)


def _columns(kind: str, *names: str) -> dict[str, str]:
    return dict.fromkeys(names, f"{kind} NOT NULL")


# Every table has one more column: the checksum of the row.
TABLES: dict[str, dict[str, str]] = {
    "datasets": {
        "hash": "TEXT PRIMARY KEY",
        **_columns("TEXT", "name", "scaling"),
        **_columns("INTEGER", "n_samples", "n_features", "n_classes"),
        **_columns("REAL", "minimum"),
        **_columns("BLOB", "target"),
    },
    "sessions": _columns(
        "TEXT", "started", "plan", "environment", "machine", "missing", "sources"
    ),
    "runs": {
        "key": "TEXT PRIMARY KEY",
        **_columns("TEXT", "method", "params", "data_hash"),
        **_columns("INTEGER", "seed"),
        **_columns("TEXT", "environment", "source", "status", "reason"),
        **_columns("REAL", "seconds"),
        "n_iter": "INTEGER",
        **_columns("TEXT", "finished", "scores"),
        "labels": "BLOB",
    },
}
_KINDS = {"TEXT": str, "INTEGER": int, "REAL": float, "BLOB": bytes}
_WAIT_FOR_OTHERS = 10.0
_ROOM_BESIDE = 2**16
_MOST_REASON = 200
# SQLite's error numbers, in the words of the operating system.
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

Value = str | int | float | bytes | None
# A row without its checksum: the value of every column by its name.
Row = Mapping[str, Any]


class DamagedStore(ValueError):
    """A file of results, `path`, of which some part cannot be read or was changed."""

    def __init__(self, path: Path, reason: str) -> None:
        short = " ".join(reason.split())[:_MOST_REASON]
        super().__init__(
            f"{path} is damaged: {short}. 'graphtailor bench' with the same plan and "
            "folder keeps every whole run and repeats the others."
        )
        self.path = path


class Database:
    """A file with the tables of a benchmark.

    Several processes may use one file. Every method is safe to call from any thread.
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = True) -> None:
        self.path = store_file(path)
        if not self.path.exists():
            if not create:
                raise FileNotFoundError(
                    f"There are no results at {self.path}. Make them by "
                    "'graphtailor bench'."
                )
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.touch()
        self._lock = threading.RLock()
        with self._clear_errors():
            self._connect()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def _connect(self) -> None:
        self._inode = os.stat(self.path).st_ino
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

    def _prepare(self) -> None:
        self._connection.execute("PRAGMA trusted_schema = OFF")
        if not _objects(self._connection):
            self._create()
        if self._pragma("application_id") != APPLICATION:
            raise ValueError(f"{self.path} is not a store of benchmark results.")
        found = self._pragma("user_version")
        if found > VERSION:
            raise ValueError(
                f"{self.path} has version {found}, and this graphtailor knows version "
                f"{VERSION}. Install a newer graphtailor."
            )
        if found < VERSION:
            raise DamagedStore(self.path, f"it has version {found}")
        self.check()
        self._connection.execute("PRAGMA synchronous = NORMAL")

    def check(self) -> None:
        """Raise :class:`DamagedStore` if the tables or a row of them are not whole."""
        # A stranger's file may have views and triggers, which run when it is read.
        if _objects(self._connection) != _expected_objects():
            raise DamagedStore(self.path, "its tables are not those of a benchmark")
        state = self._pragma("integrity_check(1)")
        if state != "ok":
            raise DamagedStore(self.path, str(state))

    def _pragma(self, name: str) -> Any:
        return self._connection.execute(f"PRAGMA {name}").fetchone()[0]

    def _create(self) -> None:
        # Write-ahead logging: a killed process loses nothing, readers never wait.
        # SQLite does not queue two processes that switch it on at once: try again.
        for _ in range(100):
            with suppress(sqlite3.OperationalError):
                if self._pragma("journal_mode = WAL") == "wal":
                    break
            time.sleep(0.05)
        with self.transaction() as db:
            if not _objects(db):
                _create_tables(db)

    @contextmanager
    def transaction(self) -> Iterator[sqlite3.Connection]:
        """Everything in the block is written, or nothing."""
        with self._lock, self._clear_errors():
            self._begin()
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                # After some errors SQLite has rolled back already.
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def _begin(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        # Another process may have put a recovered store in the place of this one.
        while os.stat(self.path).st_ino != self._inode:
            self._connection.close()
            self._connect()
            self._connection.execute("BEGIN IMMEDIATE")

    def rows(self, table: str, where: str = "", *values: Value) -> list[Row]:
        """Rows of a table in the order of their insertion, checked for changes."""
        with self._lock, self._clear_errors():
            query = f"SELECT * FROM {table} {where} ORDER BY rowid"
            found = self._connection.execute(query, values).fetchall()
        if not all(map(is_unchanged, found)):
            raise DamagedStore(self.path, f"a row of the table {table} was changed")
        return [named(table, each) for each in found]

    def insert(self, table: str, rows: Iterable[Row], update: str = "NOTHING") -> int:
        """Add rows to a table; the number of rows that were added or changed.

        `update` is what SQLite does with a row whose key exists.
        """
        # SQLite gives values back in the types that the columns declare.
        kinds = {n: _KINDS[kind.split()[0]] for n, kind in TABLES[table].items()}
        marks = ", ".join("?" * (len(kinds) + 1))
        query = f"INSERT INTO {table} VALUES ({marks}) ON CONFLICT DO {update}"
        n_written = 0
        with self.transaction() as db:
            for row in rows:
                values = tuple(
                    None if row[name] is None else kind(row[name])
                    for name, kind in kinds.items()
                )
                n_written += db.execute(query, (*values, checksum(values))).rowcount
        return n_written

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        """Raise errors of SQLite in words that name the file and what to do."""
        try:
            yield
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            # The lower byte is the kind of error, the others are details.
            kind = getattr(error, "sqlite_errorcode", 0) & 0xFF
            if kind == sqlite3.SQLITE_IOERR:
                # The files that SQLite keeps beside the database may have no room.
                free = shutil.disk_usage(self.path.parent).free
                kind = sqlite3.SQLITE_FULL if free < _ROOM_BESIDE else kind
            if kind in _SYSTEM_ERRORS:
                raise OSError(*_SYSTEM_ERRORS[kind], str(self.path)) from error
            # Python finds text that is not UTF-8, and gives the error no number.
            is_bad_text = kind == 0 and isinstance(
                error, sqlite3.OperationalError | UnicodeDecodeError
            )
            if kind not in _DAMAGES and not is_bad_text:
                raise
            with open(self.path, "rb") as file:
                mark = file.read(_APPLICATION_PLACE.stop)[_APPLICATION_PLACE]
            if mark != APPLICATION.to_bytes(4, "big"):
                raise ValueError(
                    f"{self.path} is not a store of benchmark results."
                ) from error
            reason = "a text is not UTF-8" if is_bad_text else str(error)
            raise DamagedStore(self.path, reason) from error


def checksum(values: tuple[Value, ...]) -> str:
    """The checksum of the values of a row, which depends on their types too."""
    return hashlib.blake2b(ascii(values).encode(), digest_size=12).hexdigest()


def is_unchanged(values: tuple[Value, ...]) -> bool:
    """Whether the last value is the checksum of the others."""
    return values[-1] == checksum(values[:-1])


def named(table: str, values: tuple[Value, ...]) -> Row:
    """A row of a table, without its checksum."""
    return dict(zip(TABLES[table], values, strict=False))


def store_file(path: str | os.PathLike[str]) -> Path:
    """The file of a store that is named by its folder or by itself."""
    path = Path(path)
    is_file = path.is_file() or path.suffix in (".sqlite", ".db")
    return path if is_file else path / FILE_NAME


def _create_tables(db: sqlite3.Connection) -> None:
    for table, columns in TABLES.items():
        declared = ", ".join(f"{name} {kind}" for name, kind in columns.items())
        db.execute(f"CREATE TABLE {table} ({declared}, checksum TEXT NOT NULL)")
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.execute(f"PRAGMA user_version = {VERSION}")


def _objects(db: sqlite3.Connection) -> set[tuple[str, ...]]:
    query = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
    # SQLite keeps statistics of its own in tables whose names are reserved.
    return {
        row for row in db.execute(query) if not str(row[1]).startswith("sqlite_stat")
    }


@cache
def _expected_objects() -> set[tuple[str, ...]]:
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as db:
        _create_tables(db)
        return _objects(db)
