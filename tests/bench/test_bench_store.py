import sqlite3
import threading
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from graphtailor.bench import (
    Store,
    export,
    opened_results,
    parse_plan,
    rescore,
    run_plan,
)
from graphtailor.bench.plan.plan import PlannedData, PlannedMethod
from graphtailor.bench.results.results import collect_results
from graphtailor.bench.run.data import load_data
from graphtailor.bench.run.execute import Run
from graphtailor.bench.run.work_units import Unit, run_key
from graphtailor.bench.store.store import pack_labels, unpack_labels
from graphtailor.metrics import clustering_scores

IRIS = PlannedData("iris", "iris", "none")


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "results") as store:
        yield store


def make_unit(seeds):
    method = PlannedMethod("PCA", "PCA")
    return Unit(method, {}, IRIS, load_data(IRIS).hash, seeds, ("ACC",))


def done(seed, label=0):
    labels = np.full(150, label, dtype=np.int32)
    return Run(seed, "done", "", 0.1, 3, labels, {"ACC": 1 / 3})


@pytest.mark.parametrize("largest", [0, 2**15 - 1, 2**15, 2**31 - 1])
def test_labels_come_back(largest):
    labels = np.array([0, largest, -1, 5])
    np.testing.assert_array_equal(unpack_labels(pack_labels(labels)), labels)


def test_key_tells_runs_apart():
    keys = {
        run_key("PCA", {"a": 1.0}, "data", 0),
        run_key("SC", {"a": 1.0}, "data", 0),
        run_key("PCA", {"a": 2.0}, "data", 0),
        run_key("PCA", {"a": 1.0}, "other", 0),
        run_key("PCA", {"a": 1.0}, "data", 1),
    }
    assert len(keys) == 5
    assert run_key("PCA", {"a": 1, "b": 2}, "d", 0) == run_key(
        "PCA", {"b": 2.0, "a": 1.0}, "d", 0
    )


def test_key_depends_on_the_versions(monkeypatch):
    before = run_key("PCA", {}, "data", 0)
    monkeypatch.setattr("graphtailor.bench.run.work_units.environment", lambda: "{}")
    assert run_key("PCA", {}, "data", 0) != before


def test_done_stays_and_failed_may_be_mended(store):
    store.add_data(load_data(IRIS))
    unit = make_unit((0, 1))
    store.add(unit, [done(0, label=1), Run(1, "error", "bad luck")])
    store.add(unit, [done(0, label=2), done(1, label=2)])
    first, second = unit.keys()
    assert store.labels(first)[0] == 1
    assert store.labels(second)[0] == 2
    assert store.add(unit, [Run(0, "error", "late")]) == 0
    assert store.states([first, second, "other"]) == {first: "done", second: "done"}


def test_a_unit_is_kept_whole_or_not_at_all(store):
    store.add_data(load_data(IRIS))
    with pytest.raises(KeyError):
        store.add(make_unit((0,)), [done(0), done(7)])
    assert len(store.runs()) == 0


def test_not_a_store(tmp_path):
    path = tmp_path / "bench.sqlite"
    path.write_text("something else entirely, and long enough to have a head" * 10)
    with pytest.raises(ValueError, match="not a store"):
        Store(path)
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as db:
        db.execute("CREATE TABLE t (a)")
    db.close()
    with pytest.raises(ValueError, match="not a store"):
        Store(other)
    with pytest.raises(FileNotFoundError, match="graphtailor bench"):
        Store(tmp_path / "nothing", create=False)


def test_newer_version_is_refused(store):
    path = store.path
    store.close()
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    with pytest.raises(ValueError, match=r"version 99.*newer graphtailor"):
        Store(path)


def test_two_writers_at_once(tmp_path):
    data = load_data(IRIS)
    errors = []

    def write(first):
        try:
            with Store(tmp_path) as store:
                store.add_data(data)
                for seed in range(first, first + 120):
                    store.add(make_unit((seed,)), [done(seed)])
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(start,)) for start in (0, 60)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with Store(tmp_path) as store:
        assert sorted(store.runs()["seed"]) == list(range(180))
        check = store._connection.execute("PRAGMA integrity_check").fetchone()
        assert check == ("ok",)


def test_scores_can_be_computed_from_the_labels(store):
    plan = parse_plan({"methods": ["PCA"], "datasets": ["wine"], "metrics": ["ACC"]})
    run_plan(plan, store, jobs=1)
    n_runs = len(plan.report_seeds)
    added = ["ARI", "sklearn.metrics:fowlkes_mallows_score"]
    assert rescore(store, ["ACC", *added]) == 2 * n_runs
    assert rescore(store, ["ACC", *added]) == 0
    scores = store.scores()
    y = load_data(plan.datasets[0]).y
    for key in scores.index:
        expected = clustering_scores(y, store.labels(key))
        assert scores.at[key, "ACC"] == expected["ACC"]
        assert scores.at[key, "ARI"] == pytest.approx(expected["ARI"])


def test_export(store, tmp_path):
    plan = parse_plan({"methods": ["PCA"], "datasets": ["iris"]})
    run_plan(plan, store, jobs=1)
    export(store, tmp_path / "runs.csv")
    export(store, tmp_path / "runs.parquet")
    text = pd.read_csv(tmp_path / "runs.csv")
    table = pd.read_parquet(tmp_path / "runs.parquet")
    assert len(text) == len(table) == 20
    assert {"ACC", "NMI", "PUR", "ARI"} <= set(text.columns)
    for key, labels in zip(table["key"], table["labels"], strict=True):
        np.testing.assert_array_equal(labels, store.labels(key))
    with pytest.raises(ValueError, match=r"\.csv or \.parquet"):
        export(store, tmp_path / "runs.xlsx")


def test_everything_comes_back_from_a_parquet_file(filled_store, tmp_path):
    path = tmp_path / "runs.parquet"
    export(filled_store, path)
    with opened_results(path) as again:
        assert again.last_session() == filled_store.last_session()
        for name in ("runs", "scores", "datasets"):
            pd.testing.assert_frame_equal(
                getattr(again, name)(), getattr(filled_store, name)()
            )
        for key in again.runs()["key"]:
            np.testing.assert_array_equal(again.labels(key), filled_store.labels(key))
        found, expected = collect_results(again), collect_results(filled_store)
        for choice in expected.plan.choices:
            pd.testing.assert_frame_equal(found.cells[choice], expected.cells[choice])
        assert rescore(again, ["sklearn.metrics:v_measure_score"]) > 0


def test_failures_come_back_from_a_parquet_file(store, tmp_path):
    plan = parse_plan({"methods": ["PCA"], "datasets": ["iris"]})
    run_plan(plan, store, jobs=1)
    store.add_data(load_data(IRIS))
    unit = make_unit((77,))
    store.add(unit, [Run(77, "error", "bad luck")])
    export(store, tmp_path / "runs.parquet")
    with opened_results(tmp_path / "runs.parquet") as again:
        assert again.states(unit.keys()) == {unit.keys()[0]: "error"}
        assert again.labels(unit.keys()[0]) is None


def test_not_our_parquet_file(tmp_path):
    pd.DataFrame({"a": [1]}).to_parquet(tmp_path / "other.parquet")
    with (
        pytest.raises(ValueError, match="bench --export"),
        opened_results(tmp_path / "other.parquet"),
    ):
        pass
    with pytest.raises(FileNotFoundError), opened_results(tmp_path / "none.parquet"):
        pass


def test_the_committed_results_can_be_read():
    """They have keys of their own time, and no sources."""
    path = Path(__file__).parents[2] / "results" / "paper" / "runs.parquet"
    with opened_results(path) as store:
        runs = store.current_runs(store.last_session())
        assert len(runs) == len(store.runs()) > 10_000
        assert runs["ACC"].notna().all()
