"""What happens to a benchmark when the disk, a process or the cluster fails."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from graphtailor.bench import (
    DamagedStore,
    Store,
    load_plan,
    recover_store,
    run_plan,
)
from graphtailor.bench.plan.plan import PlannedData, PlannedMethod
from graphtailor.bench.run.data import load_data
from graphtailor.bench.run.execute import Run
from graphtailor.bench.run.work_units import Unit
from graphtailor.bench.store.database import TABLES
from graphtailor.cli.app import run

HERE = Path(__file__).parent
DATABASE = "graphtailor.bench.store.database"
PLAN = """
methods = ["Coin", "Other"]
datasets = ["iris"]
[seeds]
search = { first = 0, count = 6 }
report = { first = 100, count = 12 }
[method.Coin]
uses = "bench_helpers:Coin"
params = { pause = %(pause)s }
grid = { shift = [1, 2] }
[method.Other]
uses = "bench_helpers:Coin"
params = { pause = %(pause)s, shift = 9 }
"""


@pytest.fixture(autouse=True)
def helpers(monkeypatch, tmp_path):
    """Let this process and its workers import bench_helpers."""
    monkeypatch.syspath_prepend(HERE)
    paths = [str(HERE), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def plan(tmp_path):
    return planned(tmp_path, 0.0)


def planned(folder, pause):
    (folder / "plan.toml").write_text(PLAN % {"pause": pause})
    return load_plan(folder / "plan.toml")


def results(store):
    """What was found, without what differs from run to run."""
    runs = store.runs().sort_values("key")
    labels = {key: store.labels(key).tolist() for key in runs["key"]}
    scores = store.scores().loc[runs["key"]].round(12).to_dict()
    return runs[["key", "method", "seed", "status"]].to_dict("records"), labels, scores


@pytest.fixture
def filled(plan, tmp_path):
    """A finished benchmark, and what it found."""
    with Store(tmp_path / "results") as store:
        run_plan(plan, store, jobs=1)
        return store.path, results(store)


def bench(capsys):
    code = run(["bench", "plan.toml", "-o", "results", "-j", "1"])
    return code, capsys.readouterr()


def damage(path, way, seed):
    content = bytearray(path.read_bytes())
    chance = random.Random(seed)
    if way == "truncated":
        del content[int(len(content) * chance.uniform(0.3, 0.95)) :]
    elif way == "flipped":
        # Not in the first page: of a store without its head nothing is known.
        for _ in range(40):
            content[chance.randrange(4096, len(content))] ^= 1 << chance.randrange(8)
    elif way == "zeroed":
        page = chance.randrange(1, len(content) // 4096)
        content[4096 * page : 4096 * (page + 1)] = bytes(4096)
    path.write_bytes(content)


@pytest.mark.parametrize("way", ["truncated", "flipped", "zeroed"])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_damaged_store_is_mended_and_only_the_lost_is_run_again(
    way, seed, filled, capsys
):
    path, expected = filled
    damage(path, way, seed)
    broken = path.read_bytes()
    with pytest.raises(DamagedStore, match="graphtailor bench"):
        Store(path)
    code, said = bench(capsys)
    assert code == 0
    assert "was damaged" in said.err
    (kept,) = path.parent.glob("bench.sqlite.damaged-*")
    assert kept.name in said.err
    assert kept.read_bytes() == broken
    n_saved = int(said.err.split(" runs were recovered")[0].split()[-1])
    n_runs = len(expected[0])
    assert f"{n_runs} runs in results, {n_runs - n_saved} of them new" in said.out
    with Store(path) as store:
        assert results(store) == expected


def test_most_is_saved_when_a_page_is_lost(filled):
    path, expected = filled
    with sqlite3.connect(path) as db:
        n_pages = db.execute("PRAGMA page_count").fetchone()[0]
    db.close()
    saved = []
    for page in range(1, n_pages):
        copy = path.with_name(f"copy{page}.sqlite")
        content = bytearray(path.read_bytes())
        content[4096 * page : 4096 * (page + 1)] = bytes(4096)
        copy.write_bytes(content)
        saved.append(recover_store(copy).n_runs)
    assert np.median(saved) > 0.6 * len(expected[0])


def content(path):
    """Every value of every table."""
    with Store(path, create=False) as store:
        return {table: store.rows(table) for table in TABLES}


def test_no_flipped_bit_gives_another_result(filled):
    """A flip is found, or is in a place that holds no value."""
    path, _ = filled
    before, expected = path.read_bytes(), content(path)
    chance = random.Random(0)
    n_found = 0
    for _ in range(400):
        changed = bytearray(before)
        changed[chance.randrange(len(before))] ^= 1 << chance.randrange(8)
        path.write_bytes(changed)
        try:
            assert content(path) == expected
        except ValueError:
            n_found += 1
    assert n_found > 100


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("seed", "seed + 1"),
        ("status", "'error'"),
        ("reason", "x'00'"),
        ("environment", "replace(environment, '0', '1')"),
        ("seconds", "seconds * 2"),
        ("n_iter", "7"),
        ("finished", "'2020-01-01'"),
        ("scores", "replace(scores, '0.', '0.9')"),
        ("labels", "x'6801'"),
        ("checksum", "'00'"),
    ],
)
def test_a_changed_value_is_not_taken_for_a_result(column, value, filled):
    path, expected = filled
    with sqlite3.connect(path) as db:
        db.execute(f"UPDATE runs SET {column} = {value} WHERE rowid IN (2, 5)")
    db.close()
    with pytest.raises(DamagedStore, match="a row of the table runs was changed"):
        Store(path)
    assert recover_store(path).n_runs == len(expected[0]) - 2
    with Store(path) as store:
        assert run_plan(load_plan("plan.toml"), store, jobs=1).fresh == 2
        assert results(store) == expected


def test_a_row_that_changes_while_the_store_is_open(filled):
    path, _ = filled
    with Store(path) as store:
        key = store.runs()["key"][3]
        with store.transaction() as db:
            db.execute("UPDATE runs SET seconds = 99 WHERE key = ?", (key,))
        for read in (store.runs, store.scores, lambda: store.labels(key)):
            with pytest.raises(DamagedStore):
                read()


def test_a_store_is_recovered_as_often_as_it_is_damaged(filled, capsys):
    path, expected = filled
    for round in range(1, 4):
        with sqlite3.connect(path) as db:
            db.execute("UPDATE datasets SET name = x'00'")
            db.execute("UPDATE sessions SET plan = x'00'")
            db.execute("UPDATE runs SET finished = x'00' WHERE rowid = ?", (round,))
        db.close()
        assert bench(capsys)[0] == 0
        assert len(list(path.parent.glob("*.damaged-*"))) == round
        with Store(path) as store:
            assert results(store) == expected


def make_run(seed):
    """A unit of one seed on iris, and its result."""
    data = PlannedData("iris", "iris")
    method = PlannedMethod("Coin", "bench_helpers:Coin")
    unit = Unit(method, {}, data, load_data(data).hash, (seed,), ("ACC",))
    labels = np.random.default_rng(seed).integers(0, 3, 150)
    return unit, [Run(seed, "done", "", 0.1, None, labels, {"ACC": 0.5})]


def make_runs(path, seeds):
    with Store(path) as store:
        store.add_data(load_data(PlannedData("iris", "iris")))
        for seed in seeds:
            store.add(*make_run(seed))
        return store.path


def test_a_truncated_store_gives_what_is_left_of_it(tmp_path):
    path = make_runs(tmp_path, range(144))
    whole = path.read_bytes()
    for share in (0.5, 0.7, 0.9):
        path.write_bytes(whole[: int(len(whole) * share)])
        assert recover_store(path).n_runs > (share - 0.15) * 144
        with Store(path) as store:
            assert len(store.scores()) == len(store.runs()) > (share - 0.15) * 144


def test_a_recovered_store_is_not_recovered_again(filled):
    """Two processes find the damage at once; the second must not undo the first."""
    path, _ = filled
    damage(path, "zeroed", 1)
    first = recover_store(path)
    make_runs(path, range(500, 505))
    assert recover_store(path) is None
    with Store(path) as store:
        assert len(store.runs()) == first.n_runs + 5
    assert len(list(path.parent.glob("*.damaged-*"))) == 1


def test_a_process_that_uses_a_recovered_store_goes_on_with_the_new_file(tmp_path):
    path = make_runs(tmp_path, range(40))
    with Store(path) as used:
        used.add(*make_run(40))
        with sqlite3.connect(path) as db:
            db.execute("UPDATE runs SET seconds = 9 WHERE rowid = 7")
        db.close()
        assert recover_store(path).n_runs == 40
        used.add(*make_run(41))
        assert len(used.runs()) == 41
    with Store(path) as store:
        assert set(store.runs()["seed"]) == set(range(42)) - {6}


def test_two_processes_recover_one_store(tmp_path):
    planned(tmp_path, 0.01)
    with Store("results") as store:
        n_runs = run_plan(load_plan("plan.toml"), store, jobs=1).done
        expected = results(store)
    damage(store.path, "zeroed", 2)
    processes = [start(tmp_path, "-j", "1") for _ in range(2)]
    said = [process.communicate(timeout=120)[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sum("was damaged" in text for text in said) <= 1
    assert len(list(store.path.parent.glob("*.damaged-*"))) == 1
    with Store("results") as store:
        assert len(store.runs()) == n_runs
        assert results(store) == expected


def test_counts_are_right_when_another_process_takes_part(plan):
    others = []

    def take_part(progress):
        if progress.fresh == 3 and not others:
            with Store("results") as store:
                others.append(run_plan(plan, store, jobs=1))

    with Store("results") as store:
        progress = run_plan(plan, store, jobs=1, watch=take_part)
        n_runs = len(store.runs())
    assert progress.done == progress.total == others[0].done == n_runs
    assert progress.fresh + others[0].fresh == n_runs


def test_a_store_without_its_head(filled, capsys):
    path, expected = filled
    content = bytearray(path.read_bytes())
    content[:30] = bytes(30)
    path.write_bytes(content)
    with pytest.raises(DamagedStore):
        Store(path)
    code, said = bench(capsys)
    assert code == 0
    assert "0 runs were recovered" in said.err
    with Store(path) as store:
        assert results(store) == expected


@pytest.mark.parametrize("mode", ["NORMAL", "EXCLUSIVE"])
def test_a_locked_store(mode, filled, capsys, monkeypatch):
    path, _ = filled
    monkeypatch.setattr(f"{DATABASE}._WAIT_FOR_OTHERS", 0.2)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute(f"PRAGMA locking_mode = {mode}")
    holder.execute("BEGIN IMMEDIATE")
    code, said = bench(capsys)
    holder.close()
    assert code == 1
    assert "bench.sqlite: another process holds it" in said.err
    assert bench(capsys)[0] == 0


def test_a_store_of_a_newer_version(filled, capsys):
    path, _ = filled
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 99")
    db.close()
    before = path.read_bytes()
    code, said = bench(capsys)
    assert code == 2
    assert "Install a newer graphtailor" in said.err
    assert path.read_bytes() == before


def start(folder, *options):
    command = [sys.executable, "-m", "graphtailor", "bench", "plan.toml", "--quiet"]
    return subprocess.Popen(
        [*command, "-o", "results", *options],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_for_rows(folder, n_rows, process):
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and process.poll() is None:
        if (folder / "results" / "bench.sqlite").exists():
            with Store(folder / "results") as store:
                if len(store.runs()) >= n_rows:
                    return
        time.sleep(0.05)
    raise AssertionError(f"no {n_rows} rows: the process ended or is stuck")


def children(process):
    """Processes of its session that are alive."""
    found = subprocess.run(
        ["ps", "-o", "pid=,stat=", "--sid", str(process.pid)],
        capture_output=True,
        text=True,
        check=False,
    )
    rows = (line.split() for line in found.stdout.splitlines())
    return [pid for pid, state, *_ in rows if not state.startswith("Z")]


@pytest.mark.skipif(os.name == "nt", reason="needs SIGTERM")
def test_terminated_and_nothing_lost(tmp_path):
    plan = planned(tmp_path, 0.05)
    process = start(tmp_path, "-j", "2")
    wait_for_rows(tmp_path, 3, process)
    process.send_signal(signal.SIGTERM)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert "Stopped" in said
    assert "Traceback" not in said
    deadline = time.monotonic() + 20
    while children(process) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert children(process) == []
    with Store("results") as store:
        kept = len(store.runs())
        assert kept >= 3
        progress = run_plan(plan, store, jobs=1)
        assert progress.done == progress.total == kept + progress.fresh


def test_a_dask_worker_killed_in_mid_run(tmp_path):
    distributed = pytest.importorskip("distributed")
    plan = planned(tmp_path, 0.02)
    with Store("local") as store:
        run_plan(plan, store, jobs=1)
        expected = results(store)
    killed = []
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
        Store("dask") as store,
    ):

        def watch(progress):
            if progress.fresh >= 5 and not killed:
                killed.append(next(iter(client.run(os.getpid).values())))
                os.kill(killed[0], signal.SIGKILL)

        run_plan(plan, store, dask=cluster.scheduler_address, watch=watch)
        assert results(store) == expected
    assert killed


def test_a_scheduler_lost_in_mid_run(tmp_path, monkeypatch, capsys):
    dask = pytest.importorskip("dask")
    pytest.importorskip("distributed")
    planned(tmp_path, 0.05)
    programs = []
    try:
        scheduler = daemon("scheduler", "--port", "0", "--scheduler-file", "where.json")
        programs.append(scheduler)
        address = told_address(tmp_path / "where.json")
        programs.append(daemon("worker", address, "--nthreads", "1"))

        def lose(display, progress):
            if progress.fresh == 3:
                scheduler.kill()

        monkeypatch.setattr("graphtailor.cli.bench.BenchDisplay.__call__", lose)
        wait_for_worker(address)
        code = run(["bench", "plan.toml", "-o", "results", "--dask", address])
    finally:
        for program in programs:
            program.kill()
            program.wait()
    said = capsys.readouterr().err
    assert code == 1
    assert f"Error: {address}: the connection to the scheduler is lost." in said
    assert dask.config.get("scheduler", None) is None  # later work is not bound to it
    with Store("results") as store:
        kept = len(store.runs())
        assert kept >= 3
        progress = run_plan(load_plan("plan.toml"), store, jobs=1)
        assert progress.done == progress.total == kept + progress.fresh


def daemon(kind, *options):
    command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *options]
    return subprocess.Popen(
        [*command, "--no-dashboard"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def told_address(path):
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if path.exists() and (text := path.read_text()):
            return json.loads(text)["address"]
        time.sleep(0.1)
    raise AssertionError("no scheduler")


def wait_for_worker(address):
    from distributed import Client

    with Client(address) as client:
        client.wait_for_workers(1, timeout=60)


@pytest.mark.parametrize(
    "change",
    [
        {"labels": b"h?"},
        {"labels": None},
        {"labels": b"h?", "data_hash": "unknown"},
        {"scores": "[]"},
        {"scores": '{"ACC": "x"}'},
        {"scores": "{"},
    ],
)
def test_a_false_run_with_a_right_checksum_does_not_stop_the_benchmark(
    change, filled, capsys
):
    """A stranger can compute a checksum; the run is dropped like a damaged one."""
    path, expected = filled
    with Store(path) as store:
        row = {**store.rows("runs")[4], **change}
        store.insert("runs", [row], "UPDATE SET " + _assignments())
    with pytest.raises(DamagedStore, match="labels or scores"):
        Store(path)
    assert bench(capsys)[0] == 0
    with Store(path) as store:
        assert results(store) == expected


def _assignments():
    names = (*TABLES["runs"], "checksum")
    return ", ".join(f"{name} = excluded.{name}" for name in names)


def test_an_endless_view_in_a_strangers_store(filled, capsys):
    path, expected = filled
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
    with sqlite3.connect(path) as db:
        db.execute("ALTER TABLE runs RENAME TO old")
        db.execute(f"CREATE VIEW runs AS {endless} SELECT i AS rowid, * FROM n")
    db.close()
    code, said = bench(capsys)
    assert code == 0
    assert "0 runs were recovered" in said.err
    with Store(path) as store:
        assert results(store) == expected
