"""A damaged store: every run that is whole is copied into a new one."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from graphtailor.bench.store.database import (
    TABLES,
    DamagedStore,
    Row,
    is_unchanged,
    named,
    store_file,
)
from graphtailor.bench.store.store import Store, is_whole_data, is_whole_run

# A row takes more bytes than this, which bounds the number of rows in a file.
_LEAST_BYTES_A_ROW = 64


class Recovery(NamedTuple):
    """What could be recovered."""

    n_runs: int  # runs in the new store
    kept: Path  # the damaged file, under another name


def recover_store(path: str | os.PathLike[str]) -> Recovery | None:
    """Put a new store in the place of a damaged one, with every row that is whole.

    A row is whole if its checksum is right and its labels can be unpacked. The damaged
    file is kept beside the new one. Several processes may call this at once, and may
    be using the store: one recovers it, and the others go on with the new file.

    Parameters
    ----------
    path : path-like
        A folder, in which the file is called bench.sqlite, or the file itself.

    Returns
    -------
    Recovery or None
        The number of runs that were recovered, and where the damaged file is; None if
        the store is not damaged, for instance because another process recovered it.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from graphtailor.bench import Store, recover_store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Store(folder).close()
    ...     file = Path(folder, "bench.sqlite")
    ...     _ = file.write_bytes(file.read_bytes()[:8192])
    ...     found = recover_store(folder)
    ...     sorted(p.name for p in Path(folder).glob("b*"))  # doctest: +ELLIPSIS
    ['bench.sqlite', 'bench.sqlite.damaged-...']
    >>> found.n_runs
    0
    """
    path = store_file(path)
    # SQLite's own locks work on every system and end with their process.
    lock = path.with_name(f".{path.name}.lock")
    with closing(sqlite3.connect(lock, 600.0)) as db:
        db.execute("BEGIN EXCLUSIVE")
        try:
            Store(path, create=False).close()
        except DamagedStore:
            return _recover(path)
    return None


def _recover(path: Path) -> Recovery:
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    kept = path.with_name(f"{path.name}.damaged-{stamp}")
    with (
        tempfile.TemporaryDirectory(dir=path.parent, prefix=".recovery-") as folder,
        closing(sqlite3.connect(path)) as holder,
    ):
        # Others that use the store wait from here on, and then go on with the new file.
        # A file that is too damaged to be locked cannot be written to by them either.
        with suppress(sqlite3.Error):
            holder.execute("BEGIN IMMEDIATE")
        # Reading may write what is still in the log, so it reads another copy.
        copy, fresh = Path(folder, "damaged.sqlite"), Path(folder, "fresh.sqlite")
        for ending in ("", "-wal"):
            source = Path(f"{path}{ending}")
            # The holder makes an empty log, if there was none.
            if source.exists() and source.stat().st_size:
                shutil.copy(source, f"{kept}{ending}")
                shutil.copy(source, f"{copy}{ending}")
        with Store(fresh) as store, closing(sqlite3.connect(copy)) as damaged:
            n_runs = _copy_whole_rows(damaged, store, copy.stat().st_size)
        for ending in ("-wal", "-shm"):
            Path(f"{path}{ending}").unlink(missing_ok=True)
        os.replace(fresh, path)
    return Recovery(n_runs, kept)


def _copy_whole_rows(damaged: sqlite3.Connection, store: Store, n_bytes: int) -> int:
    """Copy every row that opening a store accepts; the number of runs."""
    with suppress(sqlite3.Error):
        damaged.execute("PRAGMA trusted_schema = OFF")
        # Otherwise SQLite reads nothing of a file that is shorter than its header says.
        damaged.execute("PRAGMA writable_schema = ON")
    most = n_bytes // _LEAST_BYTES_A_ROW
    store.insert("sessions", _unchanged_rows(damaged, "sessions", most))
    rows = _unchanged_rows(damaged, "datasets", most)
    datasets = [row for row in rows if is_whole_data(row)]
    store.insert("datasets", datasets)
    n_samples = {data["hash"]: data["n_samples"] for data in datasets}
    runs = _unchanged_rows(damaged, "runs", most)
    return store.insert("runs", (run for run in runs if is_whole_run(run, n_samples)))


def _unchanged_rows(db: sqlite3.Connection, table: str, most: int) -> Iterator[Row]:
    """Rows that are read one by one, so that a bad page costs only its own rows."""
    # A stranger's view under this name might never end.
    kind = "SELECT 1 FROM sqlite_schema WHERE name = ? AND sql LIKE 'CREATE TABLE%'"
    with suppress(sqlite3.Error, UnicodeError):
        if not db.execute(kind, (table,)).fetchone():
            return
    query = f"SELECT * FROM {table} NOT INDEXED WHERE rowid = ?"
    for number in range(1, most + 1):
        values = None
        with suppress(sqlite3.Error, UnicodeError):
            values = db.execute(query, (number,)).fetchone()
        if values and len(values) == len(TABLES[table]) + 1 and is_unchanged(values):
            yield named(table, values)
