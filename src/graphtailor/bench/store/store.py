"""The runs of a benchmark, kept as they are finished."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable
from dataclasses import astuple, dataclass
from datetime import UTC, datetime

import numpy as np
import pandas as pd

from graphtailor.bench.plan.plan import Plan
from graphtailor.bench.run.data import BenchData
from graphtailor.bench.run.execute import Run
from graphtailor.bench.run.work_units import Unit, environment, params_text
from graphtailor.bench.store.database import DamagedStore, Database
from graphtailor.bench.store.packed_labels import pack_labels, unpack_labels

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


class Store(Database):
    """Runs, scores, data sets and sessions.

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

    def begin_session(self, session: Session) -> None:
        """Write down that a plan is run."""
        self.insert("sessions", [(None, *astuple(session))])

    def last_session(self) -> Session:
        """The newest session."""
        row = self.first(
            "SELECT started, plan, environment, machine, missing FROM sessions "
            "ORDER BY id DESC LIMIT 1"
        )
        if row is None:
            raise ValueError(f"{self.path} holds no runs yet. Run 'graphtailor bench'.")
        session = Session(*row)
        try:
            for text in astuple(session)[1:]:
                json.loads(text)
        except ValueError as error:
            raise DamagedStore(self.path, f"its newest session: {error}") from error
        return session

    def last_plan(self) -> Plan:
        """The plan of the newest session."""
        text = self.last_session().plan
        try:
            return Plan.from_json(text)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise DamagedStore(self.path, f"its newest plan: {error}") from error

    def add_data(self, data: BenchData) -> None:
        """Keep the classes of a data set, so that runs can be scored again."""
        sizes = (*data.X.shape, data.n_clusters, float(data.X.min()))
        row = (data.hash, data.name, data.scaling, *sizes, pack_labels(data.y))
        self.insert("datasets", [row])

    def datasets(self) -> pd.DataFrame:
        """The data sets without their classes, indexed by checksum."""
        table = self.frame(
            "SELECT hash, name, scaling, n_samples, n_features, n_classes, minimum "
            "FROM datasets ORDER BY rowid"
        )
        return table.set_index("hash")

    def target(self, data_hash: str) -> np.ndarray:
        """The classes of a data set."""
        row = self.first("SELECT target FROM datasets WHERE hash = ?", data_hash)
        if row is None:
            raise DamagedStore(self.path, f"data set {data_hash} is not there")
        return self._unpacked(row[0])

    def add(self, unit: Unit, runs: Iterable[Run]) -> None:
        """Keep the runs of a unit, all or none of them."""
        now = datetime.now(UTC).isoformat(timespec="seconds")
        by_seed = dict(zip(unit.seeds, unit.keys(), strict=True))
        setting = (unit.method.uses, params_text(unit.params), unit.data_hash)
        with self.transaction() as db:
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
        with self.transaction() as db:
            db.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?, ?)", scores)

    def status(self, key: str) -> str | None:
        """What became of a run; None if there is none of that key."""
        row = self.first("SELECT status FROM runs WHERE key = ?", key)
        return None if row is None else row[0]

    def labels(self, key: str) -> np.ndarray | None:
        """The labels of a run, if it has any."""
        row = self.first("SELECT labels FROM runs WHERE key = ?", key)
        return None if row is None or row[0] is None else self._unpacked(row[0])

    def _unpacked(self, content: bytes) -> np.ndarray:
        try:
            return unpack_labels(content)
        except (zlib.error, TypeError, ValueError) as error:
            raise DamagedStore(self.path, f"labels: {error}") from error

    def runs(self) -> pd.DataFrame:
        """All runs without their labels, with the data sets' names."""
        return self.frame(
            "SELECT key, method, params, datasets.name AS dataset, scaling, data_hash, "
            "seed, environment, status, reason, seconds, n_iter, finished "
            "FROM runs JOIN datasets ON datasets.hash = data_hash ORDER BY runs.rowid"
        )

    def scores(self) -> pd.DataFrame:
        """All scores: a row for each run, a column for each metric."""
        table = self.frame("SELECT key, metric, value FROM scores")
        return table.pivot(index="key", columns="metric", values="value")
