"""Many fits in one process: from threads, after a fork, one after the other."""

import multiprocessing
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from graphtailor import GraphTailor, JointModel
from graphtailor.registry import METHODS

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
import soak

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
# A hang is told by this, not by patience.
MOST_SECONDS = 120


def samples(seed):
    rng = np.random.default_rng(seed)
    X = rng.uniform(size=(40, 4)) + 2 * np.eye(3, 4)[rng.integers(0, 3, 40)]
    return np.abs(X)


def models(seed):
    """A model of each kind that has threads or loops of its own."""
    ours = [
        JointModel(3, n_init=3, random_state=seed, n_jobs=2),
        GraphTailor(3, random_state=seed, n_jobs=2),
        GraphTailor(3, representatives=20, random_state=seed, n_jobs=2),
    ]
    names = ("K-means", "SC", "SSC", "RSSA", "CGL", "CAN", "NMF", "L2-SymNMF")
    return ours + [METHODS[name].estimator(3, random_state=seed) for name in names]


def fit_all(seed):
    X = samples(seed)
    return np.array([model.fit(X).labels_ for model in models(seed)])


@on_linux
def test_a_short_soak_leaves_nothing_behind():
    for _ in soak.fits(46):  # libraries are loaded, caches filled
        pass
    before = soak.left_behind()
    for _ in soak.fits(150):
        pass
    after = soak.left_behind()
    assert after[1:] == before[1:]
    # A leak of one sample matrix a fit would already show.
    assert after[0] < 1.05 * before[0]


def test_fits_from_eight_threads_at_once_are_those_of_a_lone_fit():
    alone = [fit_all(0), fit_all(1)]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(fit_all, 4 * [0, 1]))
    np.testing.assert_array_equal(together, 4 * alone)


@pytest.mark.skipif(
    "fork" not in multiprocessing.get_all_start_methods(), reason="there is no fork"
)
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_fits_after_a_fork_are_those_of_the_parent():
    expected = fit_all(0)  # threads of BLAS, OpenMP and ours have run here
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    child = context.Process(target=lambda: theirs.send(fit_all(0)))
    child.start()
    try:
        assert ours.poll(MOST_SECONDS), "the child hangs"
        np.testing.assert_array_equal(ours.recv(), expected)
        child.join(MOST_SECONDS)
        assert child.exitcode == 0
    finally:
        child.kill()
