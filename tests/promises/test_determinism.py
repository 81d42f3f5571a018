"""The same seed gives the same labels: on any threads, in any process, from a file."""

import hashlib
import json
import os
import subprocess
import sys
from functools import cache

import numpy as np
import pytest
from joblib import Parallel, delayed, parallel_config
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel

from graphtailor import GraphTailor, JointModel
from graphtailor.dask.cluster import dask_client
from graphtailor.graphs import NeighborGraph
from graphtailor.graphs.ensemble.members import KMeansMembers
from graphtailor.io.models import load_model, save_model
from graphtailor.linalg.eigen import eigenpairs_below, leading_eigenvectors
from graphtailor.linalg.svd import left_singular_vectors
from graphtailor.registry import METHODS
from graphtailor.solvers import Descent

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

# Both models, with their defaults and beyond.
VARIANTS = {
    "JointModel": lambda: JointModel(4, n_init=3),
    "JointModel, all pairs": lambda: JointModel(
        4, solver=Descent(support=None), n_init=3
    ),
    "GraphTailor": lambda: GraphTailor(4),
    "GraphTailor, anchors": lambda: GraphTailor(4, representatives=50),
    "GraphTailor, cosine": lambda: GraphTailor(4, metric="cosine"),
    "GraphTailor, any number": lambda: GraphTailor(members=[KMeansMembers()]),
}
# A few dozen iterations on clusters that overlap: if sums were added in another order,
# some sample on a border would show it.
FEW_ITERATIONS = 20


def estimators(n_jobs=1):
    """Every method by its name, and both models in some variants."""
    found = {}
    for name, method in METHODS.items():
        found[name] = method.estimator(4)
    found |= {name: make() for name, make in VARIANTS.items()}
    for model in found.values():
        model.set_params(random_state=0)
        if "max_iter" in model.get_params():
            model.set_params(max_iter=FEW_ITERATIONS)
        if "n_jobs" in model.get_params():
            model.set_params(n_jobs=n_jobs)
    return found


def samples(n=200, d=40):
    """Large enough for the threads of BLAS to share the work."""
    X, _ = make_blobs(n, d, centers=4, cluster_std=9.0, random_state=0)
    return X - X.min()


@cache
def fingerprints(n_jobs=1):
    X = samples()
    return {
        name: hashlib.sha256(model.fit(X).labels_.tobytes()).hexdigest()
        for name, model in estimators(n_jobs).items()
    }


def ring(n=640):
    """All eigenvalues but one are repeated; large enough for Lanczos iterations."""
    angle = 2 * np.pi * np.arange(n) / n
    return 1 + np.c_[np.cos(angle), np.sin(angle)]


# Tables whose eigenvectors are not unique, or whose iterations break down and restart.
HARD_TABLES = {
    "many equal rows": lambda: np.random.default_rng(0).integers(0, 2, (640, 4)) + 1.0,
    "ties": lambda: np.random.default_rng(1).integers(0, 3, (260, 40)) + 1.0,
    "more parts than clusters": lambda: (
        np.repeat(100.0 * np.eye(16), 40, axis=0)
        + np.random.default_rng(2).uniform(size=(640, 16))
    ),
    "repeated eigenvalues": ring,
}


def hard_fingerprints(n_jobs=1):
    """Every byte of every fitted array of the compared methods, and eigenvectors."""
    found = {}
    for table, make in HARD_TABLES.items():
        X = make()
        W = NeighborGraph().fit(X).affinity_
        for name, model in estimators(n_jobs).items():
            if name in METHODS and not isinstance(model, GraphTailor | JointModel):
                # Methods without a graph end in a matrix of all pairs, which is
                # decomposed whole: a quarter of the rows shows as much.
                rows = X if METHODS[name].uses_graph else X[::4]
                fitted = vars(model.set_params(random_state=0).fit(rows))
                found[f"{name}, {table}"] = digest(
                    *(fitted[key] for key in sorted(fitted) if key.endswith("_"))
                )
        found[f"leading, {table}"] = digest(*leading_eigenvectors(W, 5, 0))
        found[f"left, {table}"] = digest(left_singular_vectors(W, 5, 0))
        below = eigenpairs_below(W, 1.001, np.empty((len(X), 0)), 5)
        found[f"below, {table}"] = digest(*below)
    return found


def digest(*values):
    state = hashlib.sha256()
    for value in values:
        value = value.toarray() if sparse.issparse(value) else value
        if isinstance(value, np.ndarray | float | int):
            state.update(np.ascontiguousarray(value).tobytes())
    return state.hexdigest()


# What a fresh process does: this very file, asked for its fingerprints.
SCRIPT = """
import importlib.util, json, sys, warnings
warnings.simplefilter("ignore")
spec = importlib.util.spec_from_file_location("determinism", sys.argv[1])
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print(json.dumps(getattr(module, sys.argv[3])(int(sys.argv[2]))))
"""


def in_a_process(n_threads, hash_seed, what="fingerprints"):
    threads = {f"{name}_NUM_THREADS": str(n_threads) for name in ("OMP", "OPENBLAS")}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, __file__, str(n_threads), what],
        env=os.environ | threads | {"PYTHONHASHSEED": str(hash_seed)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_processes_and_threads_do_not_change_a_byte():
    assert in_a_process(1, hash_seed=1) == in_a_process(2, hash_seed=2)


def test_tables_with_ties_do_not_change_a_byte():
    one = in_a_process(1, hash_seed=1, what="hard_fingerprints")
    two = in_a_process(2, hash_seed=2, what="hard_fingerprints")
    assert one == two


# What is sent to other processes are bound methods of the models: they need not know
# this file. Those of joblib are tests/bench/test_run_plan.py's.
def by_joblib(fits, X):
    with parallel_config("threading", n_jobs=2):
        return Parallel()(delayed(fit)(X) for fit in fits)


def by_dask(fits, X):
    pytest.importorskip("distributed")
    with dask_client("local:2") as client:
        futures = [client.submit(fit, X, pure=False) for fit in fits]
        return [future.result(timeout=300) for future in futures]


RUNNERS = {
    "joblib": by_joblib,
    "Dask": by_dask,
}


@pytest.mark.parametrize("run", RUNNERS.values(), ids=RUNNERS.keys())
def test_joblib_and_dask_do_not_change_a_byte(run):
    models, X = estimators(), samples()
    found = run([model.fit_predict for model in models.values()], X)
    prints = [hashlib.sha256(labels.tobytes()).hexdigest() for labels in found]
    assert dict(zip(models, prints, strict=True)) == fingerprints()


@pytest.mark.parametrize("name", estimators())
def test_a_second_fit_and_a_clone_do_not_change_a_byte(name):
    X = samples(n=60, d=5)
    model = estimators()[name]
    other = clone(model.fit(samples(n=40, d=5)))
    first, second = (
        (m.labels_.tobytes(), m.objective_.tobytes())
        for m in (other.fit(X), model.fit(X))
    )
    assert first == second


@pytest.mark.parametrize("name", VARIANTS)
def test_a_file_does_not_change_a_byte(name, tmp_path):
    X = samples(n=120)
    model = estimators()[name].fit(X[:100])
    save_model(model, tmp_path / "model.npz")
    loaded = load_model(tmp_path / "model.npz")
    assert loaded.labels_.tobytes() == model.labels_.tobytes()
    assert loaded.predict(X).tobytes() == model.predict(X).tobytes()
    assert loaded.predict_proba(X).tobytes() == model.predict_proba(X).tobytes()


# Without a random start: the eigenvectors, minima of convex problems or closed forms
# below belong to the set of samples. K-means after them starts from random samples,
# so it has many starts, and clusters that it finds from most of them.
UNORDERED = ("SC", "SSC", "PCA", "RPCA", "GLPCA", "GMF", "GRPCA", "LRR", "L2-Graph")
UNORDERED += ("CAN", "RSSA", "RSSR", "RSSAR", "CGL")
UNORDERED += ("L1-Graph", "SmoothGraph", "Self-tuning")


@pytest.mark.parametrize("name", UNORDERED)
def test_the_order_of_samples_does_not_matter_without_a_random_start(name):
    X, _ = make_blobs(60, 5, centers=4, cluster_std=0.7, random_state=3)
    X = X - X.min()
    order = np.random.default_rng(0).permutation(60)
    model = METHODS[name].estimator(4, random_state=0)
    if "n_init" in model.get_params():
        model.set_params(n_init=30)
    labels = model.fit(X).labels_
    assert adjusted_rand_score(labels[order], clone(model).fit(X[order]).labels_) == 1


@pytest.mark.parametrize("metric", ["precomputed", "affinity"])
def test_threads_do_not_change_a_byte_of_given_pairs(metric):
    X = samples(n=120)
    given = cdist(X, X) if metric == "precomputed" else rbf_kernel(X)
    model = GraphTailor(4, metric=metric, random_state=0)
    one, two = (clone(model).set_params(n_jobs=n).fit(given) for n in (1, 2))
    assert one.indicator_.tobytes() == two.indicator_.tobytes()


@pytest.mark.parametrize("kind", ["labels", "indicator"])
@pytest.mark.parametrize("support", [3, None])
def test_the_order_of_samples_does_not_matter_from_a_given_start(support, kind):
    # The start moves with the samples; the descent visits them in another order, and
    # reaches the same minimum as the start is near it.
    X, y = make_blobs(60, 5, centers=4, cluster_std=0.7, random_state=3)
    start = y if kind == "labels" else 0.1 + np.eye(4)[y]
    order = np.random.default_rng(0).permutation(60)
    model = JointModel(4, solver=Descent(support=support), init=start, random_state=0)
    labels = model.fit(X).labels_
    again = clone(model).set_params(init=start[order]).fit(X[order]).labels_
    # The start names the clusters, so that not even their names change.
    np.testing.assert_array_equal(labels[order], again)
