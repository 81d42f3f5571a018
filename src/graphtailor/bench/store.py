"""The runs of a benchmark in one SQLite file."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from graphtailor.bench.data import BenchData
from graphtailor.bench.execute import Run
from graphtailor.bench.units import Unit, environment, params_text

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
# What is done stays; what failed may be tried again.
_ADD_RUN = """
INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET
    status = excluded.status, reason = excluded.reason, seconds = excluded.seconds,
    n_iter = excluded.n_iter, labels = excluded.labels, finished = excluded.finished
WHERE runs.status <> 'done'
"""


@dataclass(frozen=True)
class Session:
    """One start of a benchmark: its plan, versions, machine, and data not found."""

    started: str
    plan: str
    environment: str
    machine: str
    missing: str


class Store:
    """Runs, scores, data sets and sessions, kept as they are finished.

    Several processes may use one file. Every method is safe to call from any thread.

    Parameters
    ----------
    path : path-like
        A folder, in which the file is called bench.sqlite, or the file itself.
    create : bool, default=True
        Whether to make it if there is none.

    Examples
    --------
    >>> import tempfile
    >>> from graphtailor.bench import Store
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
    ...     len(store.runs())
    0
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
        with self._transaction() as db:
            if self._is_empty():
                for statement in _SCHEMA.split(";"):
                    db.execute(statement)
                db.execute(f"PRAGMA application_id = {_APPLICATION}")
                db.execute(f"PRAGMA user_version = {_VERSION}")

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
            except BaseException:
                self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def _frame(self, query: str, values: Iterable[Any] = ()) -> pd.DataFrame:
        with self._lock:
            cursor = self._connection.execute(query, tuple(values))
            names = [column[0] for column in cursor.description]
            return pd.DataFrame(cursor.fetchall(), columns=names)

    def begin_session(self, session: Session) -> None:
        """Write down that a plan is run."""
        content = (
            session.started,
            session.plan,
            session.environment,
            session.machine,
            session.missing,
        )
        with self._transaction() as db:
            db.execute("INSERT INTO sessions VALUES (NULL, ?, ?, ?, ?, ?)", content)

    def last_session(self) -> Session:
        """The newest session."""
        with self._lock:
            row = self._connection.execute(
                "SELECT started, plan, environment, machine, missing FROM sessions "
                "ORDER BY id DESC LIMIT 1"
            ).fetchone()
        if row is None:
            raise ValueError(f"{self.path} holds no runs yet. Run 'graphtailor bench'.")
        return Session(*row)

    def add_data(self, data: BenchData) -> None:
        """Keep the classes of a data set, so that runs can be scored again."""
        sizes = (*data.X.shape, data.n_clusters, float(data.X.min()))
        content = (data.hash, data.name, data.scaling, *sizes, pack_labels(data.y))
        with self._transaction() as db:
            db.execute(
                "INSERT OR IGNORE INTO datasets VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                content,
            )

    def datasets(self) -> pd.DataFrame:
        """The data sets without their classes, indexed by checksum."""
        table = self._frame(
            "SELECT hash, name, scaling, n_samples, n_features, n_classes, minimum "
            "FROM datasets ORDER BY rowid"
        )
        return table.set_index("hash")

    def target(self, data_hash: str) -> np.ndarray:
        """The classes of a data set."""
        with self._lock:
            row = self._connection.execute(
                "SELECT target FROM datasets WHERE hash = ?", (data_hash,)
            ).fetchone()
        return unpack_labels(row[0])

    def add(self, unit: Unit, runs: Iterable[Run]) -> None:
        """Keep the runs of a unit, all or none of them."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        by_seed = dict(zip(unit.seeds, unit.keys(), strict=True))
        setting = (unit.method.uses, params_text(unit.params), unit.data_hash)
        with self._transaction() as db:
            for run in runs:
                key = by_seed[run.seed]
                labels = None if run.labels is None else pack_labels(run.labels)
                content = (run.status, run.reason, run.seconds, run.n_iter, labels)
                row = (key, *setting, run.seed, environment(), *content, now)
                db.execute(_ADD_RUN, row)
                scores = [(key, name, value) for name, value in run.scores.items()]
                db.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?, ?)", scores)

    def add_scores(self, scores: Iterable[tuple[str, str, float]]) -> None:
        """Keep scores: key of the run, metric, value."""
        with self._transaction() as db:
            db.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?, ?)", scores)

    def status(self, key: str) -> str | None:
        """What became of a run; None if there is none of that key."""
        with self._lock:
            row = self._connection.execute(
                "SELECT status FROM runs WHERE key = ?", (key,)
            ).fetchone()
        return None if row is None else row[0]

    def labels(self, key: str) -> np.ndarray | None:
        """The labels of a run, if it has any."""
        with self._lock:
            row = self._connection.execute(
                "SELECT labels FROM runs WHERE key = ?", (key,)
            ).fetchone()
        return None if row is None or row[0] is None else unpack_labels(row[0])

    def runs(self) -> pd.DataFrame:
        """All runs without their labels, with the data sets' names."""
        return self._frame(
            "SELECT key, method, params, datasets.name AS dataset, scaling, data_hash, "
            "seed, environment, status, reason, seconds, n_iter, finished "
            "FROM runs JOIN datasets ON datasets.hash = data_hash ORDER BY runs.rowid"
        )

    def scores(self) -> pd.DataFrame:
        """All scores: a row for each run, a column for each metric."""
        table = self._frame("SELECT key, metric, value FROM scores")
        return table.pivot(index="key", columns="metric", values="value")


def pack_labels(labels: np.ndarray) -> bytes:
    """Labels as few bytes; see :func:`unpack_labels`."""
    labels = np.asarray(labels)
    is_short = labels.size == 0 or np.abs(labels).max() < 2**15
    kind, dtype = (b"h", "<i2") if is_short else (b"i", "<i4")
    return kind + zlib.compress(labels.astype(dtype).tobytes(), 1)


def unpack_labels(content: bytes) -> np.ndarray:
    """The labels that :func:`pack_labels` packed.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.bench.store import pack_labels, unpack_labels
    >>> unpack_labels(pack_labels(np.array([0, 70000, -1])))
    array([    0, 70000,    -1], dtype=int32)
    """
    dtype = "<i2" if content[:1] == b"h" else "<i4"
    return np.frombuffer(zlib.decompress(content[1:]), dtype=dtype).astype(np.int32)


def _file(path: Path) -> Path:
    is_file = path.is_file() or path.suffix in (".sqlite", ".db")
    return path if is_file else path / FILE_NAME
