"""A finished small benchmark, which the tests of tables and pages share."""

from pathlib import Path

import pytest

from graphtailor.bench import Store, load_plan, run_plan
from graphtailor.bench.results.results import collect_results

SMALL = Path(__file__).parent / "small.toml"


@pytest.fixture(scope="session")
def filled_store(tmp_path_factory):
    with Store(tmp_path_factory.mktemp("filled")) as store:
        run_plan(load_plan(SMALL), store, jobs=1)
        yield store


@pytest.fixture(scope="session")
def results(filled_store):
    return collect_results(filled_store)
