"""A fit says beforehand that it needs too much memory, and knows what it needs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from graphtailor import GraphTailor, JointModel
from graphtailor.linalg import free_memory
from graphtailor.linalg.free_memory import available_bytes, check_memory

on_linux = pytest.mark.skipif(
    sys.platform != "linux", reason="reads /proc and sets limits of Linux"
)

# The peak of a fit beyond what was there before, and what was foretold. It comes after
# smaller ones, so that compiled code and libraries are loaded.
MEASURE = """
import ctypes, gc, json, sys, warnings
import numpy as np
from graphtailor import GraphTailor, JointModel
from graphtailor.decide.memory import bytes_of_graph_tailor, bytes_of_joint_model
from graphtailor.registry import METHODS
from graphtailor.solvers import Descent

def status(key):
    lines = open("/proc/self/status").read().splitlines()
    return 1024 * int(next(x for x in lines if x.startswith(key)).split()[1])

def measured(make, n, d):
    model = eval(make).set_params(n_clusters=4, random_state=0)
    rng = np.random.default_rng(0)
    for size in (60, n // 3):
        model.fit(rng.uniform(size=(size, d)))
    X = rng.uniform(size=(n, d))
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    before = status("VmRSS")
    open("/proc/self/clear_refs", "w").write("5")
    model.fit(X)
    peak = status("VmHWM") - before
    if isinstance(model, GraphTailor):
        return peak, bytes_of_graph_tailor(X, model.representatives)
    if isinstance(model, JointModel):
        return peak, bytes_of_joint_model(X, model.graph_, model._solver, 4)
    return peak, model._bytes_needed(*X.shape)

warnings.simplefilter("ignore")
for case in json.loads(sys.argv[1]):
    print(json.dumps([case, *measured(*case)]))
"""
# What glibc keeps of freed arrays depends on the order of earlier ones and on the
# timing of threads; so they are given back at once: a peak is what was really held.
GIVEN_BACK = {"MALLOC_MMAP_THRESHOLD_": "65536", "MALLOC_ARENA_MAX": "1"}
# Model, samples, features.
BASELINES = [
    ("METHODS['SSC'].estimator(max_iter=2)", 1200, 10),
    ("METHODS['LRR'].estimator(max_iter=2)", 1300, 10),
    ("METHODS['CGL'].estimator(max_iter=1)", 1000, 10),
    ("METHODS['RSSA'].estimator(max_iter=1)", 800, 10),
    ("METHODS['L2-Graph'].estimator()", 3000, 10),
    ("METHODS['L1-Graph'].estimator(max_iter=1)", 1000, 10),
    ("METHODS['SmoothGraph'].estimator(max_iter=1)", 1200, 10),
    ("METHODS['NSC'].estimator(max_iter=2)", 1200, 10),
    ("METHODS['Self-tuning'].estimator()", 1200, 10),
]
JOINT_MODELS = [
    ("JointModel(solver=Descent(support=None), max_iter=2)", 2000, 10),
    ("JointModel(solver='multiplicative', max_iter=2)", 1600, 10),
    ("JointModel(max_iter=2)", 25_000, 10),
]
GRAPH_TAILORS = [
    # The linkage, the members, many rows, and many features of a sample.
    ("GraphTailor()", 2000, 10),
    ("GraphTailor()", 1500, 600),
    ("GraphTailor(representatives=500)", 400_000, 4),
    ("GraphTailor(representatives=500)", 12_000, 300),
]

# Under a limit of addresses, in bytes; the data are there before it.
LIMITED = """
import resource, sys, time, warnings
import numpy as np
from graphtailor import GraphTailor, JointModel
from graphtailor.baselines import LRR
from graphtailor.solvers import Descent

warnings.simplefilter("ignore")
limit, n, d, make = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
X = np.random.default_rng(0).normal(size=(n, d)) + np.arange(n)[:, None] % 5 * 20
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
began = time.perf_counter()
try:
    model = eval(make).fit(X)
except MemoryError as error:
    print(f"refused after {time.perf_counter() - began:.1f} s: {error}")
else:
    print("fitted", len(np.unique(model.labels_)))
"""


def run(script, *arguments, **environment):
    command = [sys.executable, "-c", script, *map(str, arguments)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env=os.environ | environment,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@on_linux
@pytest.mark.parametrize(
    "cases",
    [BASELINES, JOINT_MODELS, *([case] for case in GRAPH_TAILORS)],
    ids=lambda cases: "-".join(map(str, cases[0])),
)
def test_what_is_foretold_is_near_what_is_used(cases):
    lines = run(MEASURE, json.dumps(cases), **GIVEN_BACK).splitlines()
    assert len(lines) == len(cases)
    for line in lines:
        case, peak, foretold = json.loads(line)
        assert 0.8 * peak < foretold < 1.6 * peak, case


@on_linux
@pytest.mark.parametrize(
    ("n", "make", "advice"),
    [
        (30_000, "LRR(5)", "use GraphTailor or SymNMF"),
        (50_000, "JointModel(5, solver=Descent(support=None))", "Use GraphTailor"),
        (3_000_000, "JointModel(5)", "solver=Descent(support=1)"),
        (600_000, "GraphTailor(5, representatives=500_000)", "fewer representatives"),
    ],
)
def test_too_large_a_fit_is_refused_at_once(n, make, advice):
    answer = run(LIMITED, 4_000_000_000, n, 2, make)
    assert answer.startswith("refused after")
    assert f"{n} samples" in answer or f"{n} rows" in answer
    assert advice in answer
    assert answer.count(" GB") >= 2


@on_linux
@pytest.mark.slow
def test_the_default_fits_two_hundred_thousand_samples_in_three_gigabytes():
    answer = run(LIMITED, 3_000_000_000, 200_000, 16, "GraphTailor(5, random_state=0)")
    assert answer == "fitted 5\n"


def test_nothing_is_refused_where_memory_is_unknown(monkeypatch):
    monkeypatch.setattr(free_memory, "available_bytes", lambda: None)
    check_memory(1e30, "This", "Do that.")


def test_small_fits_never_ask(monkeypatch):
    monkeypatch.setattr(free_memory, "available_bytes", lambda: 0)
    check_memory(1e7, "This", "Do that.")
    with pytest.raises(MemoryError, match=r"This needs about 0\.1 GB .* Do that\."):
        check_memory(1e8, "This", "Do that.")


def test_a_fit_is_refused_before_it_begins(monkeypatch):
    monkeypatch.setattr(free_memory, "available_bytes", lambda: 1)
    monkeypatch.setattr(free_memory, "_SMALL", 0)
    X = [[float(i), 0.0] for i in range(200)]
    with pytest.raises(
        MemoryError, match=r"JointModel with Descent\(\) and 200 samples"
    ):
        JointModel(2).fit(X)
    with pytest.raises(MemoryError, match="GraphTailor with 200 rows"):
        GraphTailor(2).fit(X)


FAKE = {
    "two": ("0::/a/b\n", {"a/b/memory.max": "max", "a/memory.max": "5000000",
                          "a/memory.current": "3000000", "a/b/memory.current": "10",
                          "a/memory.stat": "anon 1\ninactive_file 400000\n"}),
    "one": ("7:cpu:/\n5:memory:/x\n", {"memory/x/memory.limit_in_bytes": "9000000",
                                     "memory/x/memory.usage_in_bytes": "6600000"}),
}  # fmt: skip


@pytest.mark.parametrize("version", FAKE)
def test_control_groups_of_both_versions(version, tmp_path, monkeypatch):
    groups, files = FAKE[version]
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def lines(path):
        if str(path) == "/proc/self/cgroup":
            return groups.splitlines()
        moved = Path(str(path).replace("/sys/fs/cgroup", str(tmp_path)))
        return moved.read_text().splitlines() if moved.exists() else []

    monkeypatch.setattr(free_memory, "_lines", lines)
    assert min(free_memory._left_by_groups()) == 2_400_000


@on_linux
def test_there_is_some_memory():
    assert available_bytes() > 1_000_000
