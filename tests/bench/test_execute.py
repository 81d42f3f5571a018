import sys
import threading
import time

import numpy as np
import pytest

from graphtailor import registry
from graphtailor.baselines._readout import kmeans_labels
from graphtailor.bench.plan.plan import PlannedData, PlannedMethod
from graphtailor.bench.run.data import load_data
from graphtailor.bench.run.execute import execute
from graphtailor.bench.run.limits import TimeLimitPassed, memory_limit, time_limit
from graphtailor.bench.run.work_units import Unit
from graphtailor.metrics import clustering_scores

WINE = PlannedData("wine", "wine")


def make_unit(uses, seeds=(0, 1, 2), params=None, randomness="all", **limits):
    method = PlannedMethod(uses, uses, randomness=randomness)
    metrics = ("ACC", "NMI")
    data_hash = load_data(WINE).hash
    return Unit(method, params or {}, WINE, data_hash, seeds, metrics, **limits)


@pytest.mark.parametrize("name", ["PCA", "SC", "GLPCA", "GMF", "L2-Graph"])
def test_one_fit_serves_all_seeds(name):
    """The shared fit gives what a fit of the same seed gives, for every seed.

    A fit draws the start of its eigensolver first, so the K-means draws differ: the
    comparison is with K-means on the embedding of a fit of each seed's own.
    """
    method = registry.METHODS[name]
    assert method.randomness == "kmeans"
    runs = execute(make_unit(name, randomness="kmeans"))
    data = load_data(WINE)
    for run in runs:
        own = method.estimator(data.n_clusters, random_state=run.seed).fit(data.X)
        expected = kmeans_labels(
            np.round(own.embedding_ @ own.embedding_.T, 9),
            data.n_clusters,
            n_init=own.n_init,
            random_state=run.seed,
        )
        shared = method.estimator(data.n_clusters, random_state=0).fit(data.X)
        again = kmeans_labels(
            np.round(shared.embedding_ @ shared.embedding_.T, 9),
            data.n_clusters,
            n_init=own.n_init,
            random_state=run.seed,
        )
        # The optimisation is deterministic up to the rotation of its embedding ...
        np.testing.assert_array_equal(expected, again)
        # ... and the run is K-means on it.
        labels = kmeans_labels(
            shared.embedding_,
            data.n_clusters,
            n_init=own.n_init,
            init=getattr(own, "init", "random"),
            random_state=run.seed,
        )
        np.testing.assert_array_equal(run.labels, labels)


def test_random_methods_are_fitted_for_every_seed():
    runs = execute(make_unit("SymNMF", seeds=(3,)))
    data = load_data(WINE)
    expected = registry.METHODS["SymNMF"].estimator(3, random_state=3).fit(data.X)
    np.testing.assert_array_equal(runs[0].labels, expected.labels_)
    assert runs[0].n_iter == expected.n_iter_


def test_scores_are_those_of_the_labels():
    run = execute(make_unit("K-means", seeds=(5,)))[0]
    scores = clustering_scores(load_data(WINE).y, run.labels)
    assert run.scores == {name: scores[name] for name in ("ACC", "NMI")}


@pytest.mark.parametrize(
    ("kind", "limits", "reason"),
    [
        ("error", {}, "ValueError: no such luck"),
        ("diverged", {}, "not finite"),
        ("timeout", {"seconds": 0.2}, "limit of 0.2 s"),
        ("memory", {"megabytes": 500}, "Memory"),
    ],
)
def test_what_goes_wrong_is_recorded(kind, limits, reason, monkeypatch):
    monkeypatch.syspath_prepend(__file__.rsplit("/", 1)[0])
    unit = make_unit("bench_helpers:Trouble", (1,), {"kind": kind}, **limits)
    (run,) = execute(unit)
    assert run.status == kind
    assert reason in run.reason
    assert run.labels is None
    assert run.scores == {}
    unharmed = execute(make_unit("bench_helpers:Trouble", (2,), {"kind": kind}))
    assert unharmed[0].status == "done"


def test_unknown_parameter_is_an_error_not_a_crash():
    (run,) = execute(make_unit("K-means", (0,), {"depth": 3}))
    assert run.status == "error"
    assert "depth" in run.reason


def test_other_data_are_refused():
    unit = make_unit("K-means", (0,))
    (run,) = execute(Unit(unit.method, {}, WINE, "other", (0,), ("ACC",)))
    assert run.status == "error"
    assert "differ" in run.reason


def test_time_limit_in_a_thread_that_is_not_the_first():
    caught = []

    def work():
        try:
            with time_limit(0.1):
                while True:
                    sum(range(100))
        except TimeLimitPassed as error:
            caught.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(20)
    assert caught == ["passed the limit of 0.1 s"]


def test_time_limit_does_not_strike_later():
    for _ in range(200):
        try:
            with time_limit(0.002):
                sum(range(20000))
        except TimeLimitPassed:
            pass
        # Whatever happened inside, nothing may be raised out here.
        sum(range(2000))
    time.sleep(0.01)


def test_time_limit_holds_for_code_that_swallows_everything():
    def swallow():
        end = time.monotonic() + 0.3
        while time.monotonic() < end:
            try:
                sum(range(1000))
            except Exception:
                continue

    with pytest.raises(TimeLimitPassed), time_limit(0.05):
        swallow()


@pytest.mark.skipif(sys.platform != "linux", reason="limits memory on Linux only")
def test_memory_limit_is_lifted_again():
    with pytest.raises(MemoryError), memory_limit(50):
        np.ones(10**8)
    assert np.ones(10**7).sum() == 10**7
