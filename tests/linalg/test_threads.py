"""Threads keep the order of the work, the caller's settings and one BLAS thread."""

import threading

import numpy as np
import pytest
from threadpoolctl import threadpool_info

from graphtailor.linalg import threads
from graphtailor.linalg.threads import Workers, map_threads, single_threaded


@pytest.fixture(autouse=True)
def every_library_is_known():
    """Libraries that another test has loaded since they were looked up count too."""
    threads._libraries.cache_clear()


@pytest.mark.parametrize("n_jobs", [None, 1, 2, -1])
def test_results_come_in_the_order_of_the_items(n_jobs):
    assert map_threads(lambda x: x * x, range(50), n_jobs) == [i * i for i in range(50)]


def test_one_job_works_in_the_calling_thread():
    found = map_threads(lambda _: threading.current_thread(), range(3), 1)
    assert set(found) == {threading.current_thread()}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_errors_arrive_and_the_limits_are_lifted(n_jobs):
    before = [library["num_threads"] for library in threadpool_info()]
    with pytest.raises(ZeroDivisionError):
        map_threads(lambda x: 1 / x, [1, 0], n_jobs)
    assert [library["num_threads"] for library in threadpool_info()] == before


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_libraries_have_one_thread_inside(n_jobs):
    def counts(_):
        return {library["num_threads"] for library in threadpool_info()}

    assert map_threads(counts, range(4), n_jobs) == [{1}] * 4


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_error_state_of_the_caller_holds(n_jobs):
    with np.errstate(divide="ignore"):
        found = map_threads(lambda x: x / np.zeros(1), [np.ones(1)] * 4, n_jobs)
    assert np.isinf(found).all()


def test_workers_share_out_the_numbers():
    with Workers(2) as workers:
        shares = workers.shares(5)
    np.testing.assert_array_equal(np.concatenate(shares), np.arange(5))
    assert len(shares) == 2


def test_single_threaded_nests():
    with single_threaded(), single_threaded():
        inside = [library["num_threads"] for library in threadpool_info()]
    assert set(inside) == {1}
