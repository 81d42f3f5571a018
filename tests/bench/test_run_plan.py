import os
import pickle
import random
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from joblib import Memory

from graphtailor.bench import Store, load_plan, parse_plan, run_plan
from graphtailor.bench.results.chosen_setting import choose_setting, searched_scores
from graphtailor.bench.results.results import collect_results
from graphtailor.bench.run.work_units import _module, method_source, params_text

HERE = Path(__file__).parent


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "results") as store:
        yield store


@pytest.fixture
def small_plan():
    return load_plan(HERE / "small.toml")


@pytest.fixture
def helpers(monkeypatch):
    """Let this process and its workers import bench_helpers."""
    monkeypatch.syspath_prepend(HERE)
    paths = [str(HERE), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))


def plan_of(entries, **values):
    seeds = {
        "search": {"first": 0, "count": 2},
        "report": {"first": 100, "count": 4},
    }
    return parse_plan(
        {"datasets": ["iris"], "method": entries, "seeds": seeds, **values}
    )


def results(store):
    """What was found, without what differs from run to run."""
    runs = store.runs().sort_values("key")
    names = ["key", "method", "params", "dataset", "seed", "status", "reason"]
    labels = [store.labels(key) for key in runs["key"]]
    return runs[names].to_dict("records"), [
        None if found is None else found.tolist() for found in labels
    ]


def test_everything_of_the_plan_is_run_once(store, small_plan):
    progress = run_plan(small_plan, store, jobs=1)
    runs = store.runs()
    assert len(runs) == progress.done == progress.total == progress.fresh
    searched = runs[runs["seed"].isin(small_plan.search_seeds)]
    # Two methods with two settings each, two seeds, two data sets.
    assert len(searched) == 2 * 2 * 2 * 2
    assert set(searched["method"]) == {"GLPCA", "GMF"}
    for method in small_plan.methods:
        for choice in small_plan.choices:
            table = searched_scores(store, small_plan, store.last_session())
            for data_hash in runs["data_hash"].unique():
                params = choose_setting(method, data_hash, choice, table)
                assert params is not None
    again = run_plan(small_plan, store, jobs=1)
    assert (again.fresh, again.done, again.failed) == (0, progress.done, 0)


def test_the_best_of_the_search_is_reported(store, small_plan):
    run_plan(small_plan, store, jobs=1)
    table = searched_scores(store, small_plan, store.last_session())
    method = small_plan.method("GLPCA")
    for data_hash in store.datasets().index:
        chosen = choose_setting(method, data_hash, "oracle", table)
        means = table.loc["GLPCA"].loc[data_hash]["ACC"]
        assert len(means) == 2
        runs = store.runs().join(store.scores(), on="key")
        best = max(
            runs[
                (runs["method"] == "GLPCA")
                & (runs["data_hash"] == data_hash)
                & (runs["params"] == f'{{"alpha": {value}}}')
                & runs["seed"].isin(small_plan.search_seeds)
            ]["ACC"].mean()
            for value in (0.1, 10.0)
        )
        assert means[f'{{"alpha": {chosen["alpha"]}}}'] == pytest.approx(best)
        assert choose_setting(method, data_hash, "blind", table) == {}


def test_reduced_methods_run_no_more_than_the_plan_says(store, helpers):
    entry = {
        "uses": "bench_helpers:Coin",
        "grid": {"shift": [1, 2, 3]},
        "also": {"shift": [0]},
        "search_params": {"pause": 0.001},
        "search": 1,
        "note": "a cheap search",
    }
    large = {"above": 160, "grid": {"shift": [2]}, "report": 3}
    plan = plan_of({"Coin": {**entry, "large": large}}, datasets=["iris", "wine"])
    progress = run_plan(plan, store, jobs=1)
    runs = store.runs()
    iris, wine = (runs[runs["dataset"] == name] for name in ("iris", "wine"))
    # 4 settings searched on one seed; then the defaults and the choice, 4 seeds each.
    assert len(iris) == 4 + 2 * 4
    # On 178 samples one setting is left and nothing to search.
    assert len(wine) == 2 * 3
    assert progress.total == progress.done == 12 + 6
    # What is searched is what is reported; without a choice the defaults are kept.
    is_searched = iris["params"].str.contains('"pause": 0.001')
    assert set(iris.loc[~is_searched, "params"]) == {"{}"}
    assert is_searched[iris["seed"] == 0].all()
    assert is_searched.sum() == 4 + 4
    # The setting that is only looked at is not chosen, even if it is the best.
    table = searched_scores(store, plan, store.last_session())
    method, data_hash = plan.methods[0], iris["data_hash"].iloc[0]
    assert len(table) == 4
    setting = {"pause": 0.001, "shift": 2}
    for shift, score in {0: 1.0, 1: 0.5, 2: 0.7, 3: 0.6}.items():
        text = params_text({**setting, "shift": shift})
        table.loc[("Coin", data_hash, text), "ACC"] = score
    assert len(table) == 4
    assert choose_setting(method, data_hash, "oracle", table) == setting


def test_results_come_one_data_set_after_the_other(store, small_plan):
    """A run that is broken off has whole tables, not half searches."""
    run_plan(small_plan, store, jobs=1)
    order = store.runs()["dataset"]
    assert list(order) == sorted(order, key=["iris", "wine"].index)


class Bomb:
    """A pickle that leaves a file behind when it is read."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return Path.touch, (self.path,)


def test_a_prepared_cache_runs_no_code(store, helpers, tmp_path):
    """A results folder may come from a stranger, who may have put pickles into it."""
    from bench_helpers import remembered

    plan = plan_of({"Remembering": {"uses": "bench_helpers:Remembering"}})
    cache = store.path.parent / "cache"
    Memory(str(cache), verbose=0).cache(remembered)(150)
    (prepared,) = cache.rglob("output.pkl")
    prepared.write_bytes(pickle.dumps(Bomb(tmp_path / "exploded")))
    progress = run_plan(plan, store, jobs=1)
    assert (progress.done, progress.failed) == (4, 0)
    assert not (tmp_path / "exploded").exists()


def test_a_setting_with_a_failed_run_is_not_chosen(store, helpers):
    grid = {"kind": ["diverged", "error"]}
    entries = {"Trouble": {"uses": "bench_helpers:Trouble", "grid": grid}}
    progress = run_plan(plan_of(entries, choices=["oracle"]), store, jobs=1)
    # Seed 1 of the two search seeds fails in both settings: nothing can be chosen.
    assert (progress.done, progress.failed) == (4, 2)
    assert progress.total == 4


def test_methods_that_need_nonnegative_data_are_left_out(store):
    plan = parse_plan({"methods": ["NMF", "K-means"], "datasets": ["ionosphere"]})
    progress = run_plan(plan, store, jobs=1)
    assert set(store.runs()["method"]) == {"K-means"}
    assert progress.failed == 0


def test_data_that_are_not_here_are_named(store, monkeypatch):
    monkeypatch.delenv("GRAPHTAILOR_DATA", raising=False)
    plan = parse_plan({"methods": ["K-means"], "datasets": ["iris", "msra"]})
    progress = run_plan(plan, store, jobs=1)
    assert list(progress.missing) == ["msra"]
    assert set(store.runs()["dataset"]) == {"iris"}


def test_failed_runs_are_kept_and_retried_only_when_asked(store, helpers, tmp_path):
    flag = tmp_path / "mended"
    entries = {"M": {"uses": "bench_helpers:Mended", "params": {"flag": str(flag)}}}
    plan = plan_of(entries)
    assert run_plan(plan, store, jobs=1).failed == 4
    flag.touch()
    still = run_plan(plan, store, jobs=1)
    assert (still.failed, still.fresh) == (4, 0)
    mended = run_plan(plan, store, jobs=1, retry_failed=True)
    assert (mended.failed, mended.fresh, mended.done) == (0, 4, 4)


OWN = """
import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin
from . import shifts

class Own(ClusterMixin, BaseEstimator):
    def __init__(self, n_clusters=2):
        self.n_clusters = n_clusters

    def fit(self, X, y=None):
        self.labels_ = (np.arange(len(X)) + shifts.SHIFT) % self.n_clusters
        return self
"""


def write_own_method(folder, shift, comment="", docstring=""):
    (folder / "own_package").mkdir(exist_ok=True)
    (folder / "own_package" / "__init__.py").touch()
    (folder / "own_package" / "method.py").write_text(docstring + OWN + comment)
    (folder / "own_package" / "shifts.py").write_text(f"SHIFT = {shift}")
    # As in a new process.
    method_source.cache_clear()
    _module.cache_clear()


def test_an_edited_method_is_run_again(store, tmp_path, monkeypatch):
    """Its module and what that imports count, comments and docstrings do not."""
    monkeypatch.syspath_prepend(tmp_path)
    plan = plan_of({"Own": {"uses": "own_package.method:Own"}})
    write_own_method(tmp_path, 1)
    assert run_plan(plan, store, jobs=1).fresh == 4
    write_own_method(tmp_path, 1, "# a comment", '"""A docstring."""')
    assert run_plan(plan, store, jobs=1).fresh == 0
    write_own_method(tmp_path, 2)
    progress = run_plan(plan, store, jobs=1)
    assert (progress.fresh, progress.done, progress.total) == (4, 4, 4)
    assert len(store.runs()) == 8
    # The report is about the new source only, and about the old one if that is back.
    new = store.current_runs(store.last_session())
    assert len(new) == 4
    write_own_method(tmp_path, 1)
    assert run_plan(plan, store, jobs=1).fresh == 0
    old = store.current_runs(store.last_session())
    assert set(old["key"]) == set(store.runs()["key"]) - set(new["key"])
    assert collect_results(store).cells["blind"]["n_runs"].eq(4).all()


def test_methods_of_one_package_have_sources_of_their_own():
    names = ["GraphTailor", "JointModel", "SC", "RSSA", "K-means"]
    assert len({method_source(name) for name in names}) == len(names)


def test_a_method_that_fails_again_is_tried_once(store, helpers):
    entries = {"M": {"uses": "bench_helpers:Mended", "params": {"flag": "nowhere"}}}
    run_plan(plan_of(entries), store, jobs=1)
    again = run_plan(plan_of(entries), store, jobs=1, retry_failed=True)
    assert (again.failed, again.fresh, again.done) == (4, 4, 4)


def test_a_process_that_dies_takes_nobody_along(store, helpers):
    entries = {
        "Dead": {"uses": "bench_helpers:Trouble", "params": {"kind": "crashed"}},
        "Coin": {"uses": "bench_helpers:Coin", "params": {"pause": 0.01}},
    }
    plan = replace(plan_of(entries), report_seeds=(100, 101))
    progress = run_plan(plan, store, jobs=2)
    runs = store.runs()
    assert progress.done == len(runs) == 4
    crashed = runs[runs["status"] == "crashed"]
    assert list(crashed["seed"]) == [101]
    assert set(crashed["method"]) == {"bench_helpers:Trouble"}
    assert (runs["status"] == "done").sum() == 3


def test_joblib_and_dask_agree(tmp_path, small_plan, helpers):
    pytest.importorskip("distributed")
    found = []
    for name, how in {"joblib": {"jobs": 2}, "dask": {"dask": "local:2"}}.items():
        with Store(tmp_path / name) as store:
            run_plan(small_plan, store, **how)
            found.append(results(store))
    assert found[0] == found[1]
    assert len(found[0][0]) > 30


@pytest.mark.parametrize("address", ["local:", "local:0", "local:two"])
def test_bad_dask_address(store, small_plan, address):
    pytest.importorskip("distributed")
    with pytest.raises(ValueError, match="local:4"):
        run_plan(small_plan, store, dask=address)


KILL_PLAN = """
methods = ["Coin", "Other"]
datasets = ["iris"]
[seeds]
search = { first = 0, count = 10 }
report = { first = 100, count = 20 }
[method.Coin]
uses = "bench_helpers:Coin"
params = { pause = 0.02 }
grid = { shift = [1, 2, 3, 4] }
[method.Other]
uses = "bench_helpers:Coin"
params = { pause = 0.02, shift = 9 }
"""


@pytest.mark.skipif(os.name == "nt", reason="needs SIGKILL")
def test_killed_three_times_and_nothing_lost(tmp_path, helpers):
    (tmp_path / "plan.toml").write_text(KILL_PLAN)
    with Store(tmp_path / "whole") as store:
        run_plan(load_plan(tmp_path / "plan.toml"), store, jobs=1)
        expected = results(store)
    assert len(expected[0]) == 4 * 10 + 3 * 20
    command = [sys.executable, "-m", "graphtailor", "bench", "-j", "2", "--quiet"]
    command += [str(tmp_path / "plan.toml"), "-o", str(tmp_path / "killed")]
    moments = random.Random(7)
    kept = 0
    for _ in range(3):
        process = subprocess.Popen(command, start_new_session=True)
        try:
            _wait_for_rows(tmp_path / "killed", kept + moments.randint(1, 15), process)
            time.sleep(moments.uniform(0, 0.05))
        finally:
            # The whole group, so that no worker is left behind.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        with Store(tmp_path / "killed") as store:
            found = len(store.runs())
        assert found >= kept
        kept = found
    assert 0 < kept < len(expected[0])
    subprocess.run(command, check=True, timeout=120)
    with Store(tmp_path / "killed") as store:
        assert results(store) == expected


def _wait_for_rows(folder, n_rows, process):
    deadline = time.monotonic() + 90
    while time.monotonic() < deadline and process.poll() is None:
        if (folder / "bench.sqlite").exists():
            with Store(folder) as store:
                if len(store.runs()) >= n_rows:
                    return
        time.sleep(0.02)
    raise AssertionError(f"no {n_rows} rows: the process ended or is stuck")


def test_labels_do_not_depend_on_the_order(tmp_path, small_plan):
    found = []
    for turned in (False, True):
        plan = small_plan
        if turned:
            plan = replace(plan, methods=plan.methods[::-1])
        with Store(tmp_path / str(turned)) as store:
            run_plan(plan, store, jobs=1)
            found.append(results(store))
    assert found[0] == found[1]
    assert all(np.unique(labels).size > 1 for labels in found[0][1])
