"""A damaged store: every run that is whole is saved into a new one."""

from __future__ import annotations

import math
import os
import shutil
import sqlite3
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from graphtailor.bench.results.scores import METRICS
from graphtailor.bench.run.work_units import stored_key
from graphtailor.bench.store.packed_labels import unpack_labels
from graphtailor.bench.store.store import Store

# A row takes more bytes than this, so a file has no more rows than that.
_LEAST_BYTES_A_ROW = 16
_STATES = ("done", "error", "diverged", "timeout", "memory", "crashed")
_ADDED = ("-wal", "-shm")


class Recovery(NamedTuple):
    """What could be saved.

    Attributes
    ----------
    n_runs : int
        Runs in the new store.
    kept : Path
        The damaged file, under another name.
    """

    n_runs: int
    kept: Path


def recover_store(path: str | os.PathLike[str]) -> Recovery:
    """Put a new store in the place of a damaged one, with all that is whole in it.

    A run is whole if its key is the checksum of its method, setting, data, seed and
    versions, and its labels unpack to as many as the data have samples (the packing
    has a checksum of its own). Scores are computed again from the labels. The damaged
    file is kept beside the new one.

    Parameters
    ----------
    path : path-like
        The file, which nobody else may be using.

    Returns
    -------
    Recovery
        How many runs were saved, and where the damaged file is.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from graphtailor.bench import Store, recover_store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Store(folder).close()
    ...     found = recover_store(Path(folder, "bench.sqlite"))
    ...     sorted(path.name for path in Path(folder).iterdir()) # doctest: +ELLIPSIS
    ['bench.sqlite', 'bench.sqlite.damaged-...']
    >>> found.n_runs
    0
    """
    path = Path(path)
    with tempfile.TemporaryDirectory(dir=path.parent, prefix=".recovery-") as folder:
        # Reading may write what is still in the log: the damaged file stays as it is.
        copy, fresh = Path(folder, "damaged.sqlite"), Path(folder, "fresh.sqlite")
        for ending in ("", "-wal"):
            if (source := _beside(path, ending)).exists():
                shutil.copy(source, _beside(copy, ending))
        with Store(fresh) as store:
            n_runs = _save(copy, store)
        stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        kept = path.with_name(f"{path.name}.damaged-{stamp}")
        for ending in ("", *_ADDED):
            with suppress(FileNotFoundError):
                os.replace(_beside(path, ending), _beside(kept, ending))
        os.replace(fresh, path)
    return Recovery(n_runs, kept)


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _save(damaged: Path, store: Store) -> int:
    """Copy what is whole; the number of runs."""
    with closing(sqlite3.connect(damaged, isolation_level=None)) as db:
        with suppress(sqlite3.Error):
            db.execute("PRAGMA trusted_schema = OFF")
        most = damaged.stat().st_size // _LEAST_BYTES_A_ROW
        store.insert("sessions", _rows(db, "sessions", 6, most))
        sizes = {}
        for row in _rows(db, "datasets", 8, most):
            if _n_labels(row[7]) == row[3]:
                sizes[row[0]] = row[3]
                store.insert("datasets", [row])
        n_runs = 0
        for row in _rows(db, "runs", 12, most):
            if _is_whole(row, sizes):
                n_runs += 1
                store.insert("runs", [row])
                store.insert("scores", _own_scores(db, row[0]))
    return n_runs


def _rows(
    db: sqlite3.Connection, table: str, width: int, most: int
) -> Iterator[tuple[Any, ...]]:
    """Rows one by one, so that a bad page costs its own rows only."""
    last = most
    with suppress(sqlite3.Error, TypeError):
        last = min(db.execute(f"SELECT max(rowid) FROM {table}").fetchone()[0], most)
    for number in range(1, last + 1):
        row = None
        with suppress(sqlite3.Error, UnicodeError):
            query = f"SELECT * FROM {table} NOT INDEXED WHERE rowid = ?"
            row = db.execute(query, (number,)).fetchone()
        if row is not None and len(row) == width:
            yield row


def _is_whole(row: tuple[Any, ...], sizes: dict[str, int]) -> bool:
    key, method, params, data_hash, seed, environment, status, *_ = row
    try:
        is_named = key == stored_key(method, params, data_hash, seed, environment)
    except TypeError:
        return False
    if not is_named or status not in _STATES or data_hash not in sizes:
        return False
    if not isinstance(row[8], float) or not math.isfinite(row[8]):
        return False
    return _n_labels(row[10]) == (sizes[data_hash] if status == "done" else None)


def _n_labels(content: Any) -> int | None:
    """How many labels were packed; None if there are none, -1 if they are damaged."""
    try:
        return None if content is None else len(unpack_labels(content))
    except (zlib.error, TypeError, ValueError):
        return -1


def _own_scores(db: sqlite3.Connection, key: str) -> list[tuple[Any, ...]]:
    """Scores by metrics that are not ours; ours are computed from the labels."""
    with suppress(sqlite3.Error, UnicodeError):
        query = "SELECT key, metric, value FROM scores WHERE key = ?"
        rows = db.execute(query, (key,)).fetchall()
        return [
            row for row in rows if row[2] is not None and str(row[1]) not in METRICS
        ]
    return []
