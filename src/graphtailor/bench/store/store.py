"""The runs of a benchmark, kept as they are finished."""

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

import numpy as np
import pandas as pd

from graphtailor.bench.plan.plan import Plan
from graphtailor.bench.results.scores import score_labels
from graphtailor.bench.run.data import BenchData
from graphtailor.bench.run.execute import Run
from graphtailor.bench.run.work_units import (
    Unit,
    environment,
    method_source,
    params_text,
)
from graphtailor.bench.store.database import TABLES, DamagedStore, Database, Row, named
from graphtailor.io.limits import most_unpacked

_REPLACE = "UPDATE SET " + ", ".join(
    f"{name} = excluded.{name}" for name in (*TABLES["runs"], "checksum")
)
# A finished run stays; a failed one may be tried again.
_REPLACE_FAILED = f"{_REPLACE} WHERE runs.status <> 'done'"


@dataclass(frozen=True)
class Session:
    """One start of a benchmark; all but the time are JSON."""

    started: str
    plan: str
    environment: str
    machine: str
    missing: str
    sources: str = "{}"


class Store(Database):
    """Runs, data sets and sessions.

    Several processes may use one file. Every method is safe to call from any thread.

    Parameters
    ----------
    path : path-like
        A folder, in which the file is called bench.sqlite, or the file itself.
    create : bool, default=True
        Whether to make the file if it does not exist.

    Raises
    ------
    DamagedStore
        If a row was changed since it was written, or the file cannot be read; see
        :func:`graphtailor.bench.recover_store`.

    Examples
    --------
    >>> import tempfile
    >>> from graphtailor.bench import Store
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
    ...     len(store.runs())
    0
    """

    def check(self) -> None:
        """Raise :class:`DamagedStore` if the tables or a row of them are not whole."""
        super().check()
        datasets, runs = self.rows("datasets"), self.rows("runs")
        self.rows("sessions")
        if not all(map(is_whole_data, datasets)):
            raise DamagedStore(self.path, "the classes of a data set cannot be read")
        n_samples = {data["hash"]: data["n_samples"] for data in datasets}
        if not all(is_whole_run(run, n_samples) for run in runs):
            raise DamagedStore(self.path, "labels or scores of a run cannot be read")

    def begin_session(self, session: Session) -> None:
        """Write down that a plan is run."""
        self.insert("sessions", [asdict(session)])

    def last_session(self) -> Session:
        """The newest session."""
        found = self.rows("sessions", "WHERE rowid = (SELECT max(rowid) FROM sessions)")
        if not found:
            raise ValueError(f"{self.path} holds no runs yet. Run 'graphtailor bench'.")
        session = Session(**found[0])
        try:
            for name, text in found[0].items():
                if name != "started":
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
        sizes = (*data.X.shape, data.n_clusters, data.X.min())
        values = (data.hash, data.name, data.scaling, *sizes, pack_labels(data.y))
        self.insert("datasets", [named("datasets", values)])

    def datasets(self) -> pd.DataFrame:
        """The data sets without their classes, indexed by checksum."""
        names = [name for name in TABLES["datasets"] if name != "target"]
        table = pd.DataFrame(self.rows("datasets"), columns=names)
        return table.set_index("hash")

    def target(self, data_hash: str) -> np.ndarray:
        """The classes of a data set."""
        found = self.rows("datasets", "WHERE hash = ?", data_hash)
        if not found:
            raise DamagedStore(self.path, f"data set {data_hash} is not there")
        return unpack_labels(found[0]["target"])

    def add(self, unit: Unit, runs: Iterable[Run]) -> int:
        """Keep the runs of a unit, all or none; the number of runs that were written.

        A run that another process has finished in the meantime is not written again.
        """
        keys = dict(zip(unit.seeds, unit.keys(), strict=True))
        rows = [_stored_run(unit, run, keys[run.seed]) for run in runs]
        return self.insert("runs", rows, _REPLACE_FAILED)

    def states(self, keys: Iterable[str]) -> dict[str, str]:
        """The status of every run of these keys that is stored."""
        query = (
            "SELECT key, status FROM runs WHERE key IN (SELECT value FROM json_each(?))"
        )
        with self._lock, self._clear_errors():
            found = self._connection.execute(query, (json.dumps(list(keys)),))
            return dict(found.fetchall())

    def labels(self, key: str) -> np.ndarray | None:
        """The labels of a run, if it has any."""
        found = self.rows("runs", "WHERE key = ?", key)
        content = found[0]["labels"] if found else None
        return None if content is None else unpack_labels(content)

    def runs(self) -> pd.DataFrame:
        """All runs without their labels and scores, with the data sets' names."""
        names = [name for name in TABLES["runs"] if name not in ("scores", "labels")]
        table = pd.DataFrame(self.rows("runs"), columns=names)
        known = self.datasets()[["name", "scaling"]].rename(columns={"name": "dataset"})
        return table.join(known, on="data_hash", how="inner").reset_index(drop=True)

    def current_runs(self, session: Session) -> pd.DataFrame:
        """The runs with the versions and the methods' sources of a session, scored."""
        runs = self.runs().join(self.scores(), on="key")
        sources = json.loads(session.sources)
        current = [sources.get(method, "") for method in runs["method"]]
        is_same_environment = runs["environment"] == session.environment
        return runs[is_same_environment & (runs["source"] == current)]

    def scores(self) -> pd.DataFrame:
        """All scores: a row for each run that has any, a column for each metric."""
        found = {run["key"]: json.loads(run["scores"]) for run in self.rows("runs")}
        scored = {key: scores for key, scores in found.items() if scores}
        index = pd.Index(list(scored), dtype=object, name="key")
        table = pd.DataFrame(list(scored.values()), index=index, dtype=float)
        return table.sort_index(axis="columns")


def rescore(store: Store, metrics: Iterable[str]) -> int:
    """Compute scores that are missing from the stored labels.

    Parameters
    ----------
    store : Store
        The runs.
    metrics : iterable of str
        As in a plan.

    Returns
    -------
    int
        Number of scores computed.
    """
    wanted, n_computed, rows = list(metrics), 0, []
    targets = {
        data["hash"]: unpack_labels(data["target"]) for data in store.rows("datasets")
    }
    for run in store.rows("runs", "WHERE status = 'done'"):
        scores = json.loads(run["scores"])
        missing = [metric for metric in wanted if metric not in scores]
        if missing and run["data_hash"] in targets:
            labels = unpack_labels(run["labels"])
            added = score_labels(targets[run["data_hash"]], labels, missing)
            rows.append({**run, "scores": json.dumps({**scores, **added})})
            n_computed += len(missing)
    store.insert("runs", rows, _REPLACE)
    return n_computed


def is_whole_data(data: Row) -> bool:
    """Whether the classes of a data set can be unpacked."""
    return _n_labels(data["target"]) == data["n_samples"]


def is_whole_run(run: Row, n_samples: Mapping[str, int]) -> bool:
    """Whether the scores of a run are numbers and its labels fit its data set."""
    try:
        scores = json.loads(run["scores"]).values()
    except (ValueError, AttributeError):
        return False
    if not all(isinstance(score, int | float) for score in scores):
        return False
    n_labels = _n_labels(run["labels"])
    if run["status"] != "done" or n_labels is None:
        return run["status"] != "done" and n_labels is None
    # A data set that was lost is added again when the plan is run.
    return n_labels == n_samples.get(run["data_hash"], max(n_labels, 0))


def _stored_run(unit: Unit, run: Run, key: str) -> Row:
    return {
        "key": key,
        "method": unit.method.uses,
        "params": params_text(unit.params),
        "data_hash": unit.data_hash,
        "seed": run.seed,
        "environment": environment(),
        "source": method_source(unit.method.uses),
        "status": run.status,
        "reason": run.reason,
        "seconds": run.seconds,
        "n_iter": run.n_iter,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "scores": json.dumps(run.scores),
        "labels": None if run.labels is None else pack_labels(run.labels),
    }


def pack_labels(labels: np.ndarray) -> bytes:
    """Labels compressed; :func:`unpack_labels` is the way back."""
    labels = np.asarray(labels)
    is_short = labels.size == 0 or np.abs(labels).max() < 2**15
    kind, dtype = (b"h", "<i2") if is_short else (b"i", "<i4")
    return kind + zlib.compress(labels.astype(dtype).tobytes(), 1)


def unpack_labels(content: bytes) -> np.ndarray:
    """The labels that :func:`pack_labels` packed."""
    dtype = "<i2" if content[:1] == b"h" else "<i4"
    unpacker = zlib.decompressobj()
    text = unpacker.decompress(content[1:], most_unpacked(len(content)))
    if not unpacker.eof:
        raise ValueError("labels are cut off, or absurdly many")
    return np.frombuffer(text, dtype=dtype).astype(np.int32)


def _n_labels(content: bytes | None) -> int | None:
    """The number of packed labels; None if there are none, -1 if they are damaged."""
    try:
        return None if content is None else len(unpack_labels(content))
    except (zlib.error, TypeError, ValueError):
        return -1
