"""The tables of a benchmark's file, and whether a file has them and nothing else."""

from __future__ import annotations

import sqlite3
from functools import cache

# Marks a file as ours; the version grows when the tables change.
APPLICATION, VERSION = 0x67746C72, 1
# Where SQLite keeps the mark, from the beginning of the file.
APPLICATION_PLACE = slice(68, 72)
SCHEMA = """
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


def create_tables(db: sqlite3.Connection) -> None:
    """Make the tables, and mark the file."""
    for statement in SCHEMA.split(";"):
        db.execute(statement)
    db.execute(f"PRAGMA application_id = {APPLICATION}")
    db.execute(f"PRAGMA user_version = {VERSION}")


def has_our_tables(db: sqlite3.Connection) -> bool:
    """Whether the tables are ours, and only they are there.

    A stranger's file may have views and triggers, which would run what he likes when
    the tables are read.
    """
    return _objects(db) == _expected()


def find_damage(db: sqlite3.Connection) -> str | None:
    """What is wrong with the file or with a value in it; None if nothing is.

    SQLite itself keeps any value in any column.
    """
    if not has_our_tables(db):
        return "its tables are not as they were made"
    state = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
    if state != "ok":
        return " ".join(str(state).split())
    for table in ("datasets", "sessions", "runs", "scores"):
        about = db.execute(f"PRAGMA table_info({table})").fetchall()
        for _, column, kind, is_needed, _, is_key in about:
            kinds = [kind.lower(), *([] if is_needed or is_key else ["null"])]
            marks = ", ".join("?" * len(kinds))
            query = f"SELECT 1 FROM {table} WHERE typeof({column}) NOT IN ({marks})"
            if db.execute(query, kinds).fetchone():
                return f"a value of {column} in {table} is not of type {kind}"
    if db.execute("PRAGMA foreign_key_check").fetchone():
        return "there are runs without their data set, or scores without their run"
    return None


def _objects(db: sqlite3.Connection) -> set[tuple[str, ...]]:
    query = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
    # SQLite keeps statistics of its own in tables whose names nobody else may use.
    return {
        row for row in db.execute(query) if not str(row[1]).startswith("sqlite_stat")
    }


@cache
def _expected() -> set[tuple[str, ...]]:
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        create_tables(db)
        return _objects(db)
    finally:
        db.close()
