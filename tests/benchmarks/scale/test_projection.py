"""The costs that a projection starts from are measured on the present code."""

import pytest

pytest.importorskip("dask")


def test_every_pass_and_step_has_a_cost():
    from scale.projection import measure
    from scale.sets import DATA

    costs = measure(DATA["blobs-1e6"].source, 50)
    assert set(costs.passes) == {"check", "sample", "join", "label"}
    assert all(min(seconds) > 0 for seconds in costs.passes.values())
    assert costs.alone["clusters"] > 0
    assert costs.sizes["sum"] > 0
