"""Agreement between starts, and the objective over the iterations."""

from dataclasses import replace

import numpy as np

from graphtailor.diagnostics.model_access import FittedView
from graphtailor.diagnostics.stability import (
    objective_curve,
    stability_sentence,
    start_stability,
)
from graphtailor.solvers.base import Start


def test_stability_ranks_starts_by_their_objective():
    kept = np.array([0, 0, 1, 1, 2, 2])
    starts = [
        Start(kind="random", objective=9.0, labels=np.array([0, 1] * 3)),
        Start(kind="spectral", objective=1.0, labels=2 - kept),
        Start(kind="k-means", objective=2.0, labels=kept),
    ]
    found = start_stability(FittedView(kept, starts=tuple(starts)))
    assert found.kinds == ["spectral", "k-means", "random"]
    assert found.with_kept[:2].tolist() == [1, 1]
    assert found.agreement[0, 1] == 1
    assert found.agreement[0, 2] == found.agreement[2, 0] < 0.2
    told = stability_sentence(found)
    assert told.startswith("2 of 3 starts")
    assert "from random (agreement" in told
    assert "800.00% higher" in told
    assert "from k-means" not in told
    starts[0] = replace(starts[0], labels=kept)
    agreed = start_stability(FittedView(kept, starts=tuple(starts)))
    assert "the best start of every kind" in stability_sentence(agreed)
    alike = [replace(start, kind="random") for start in starts]
    single = start_stability(FittedView(kept, starts=tuple(alike)))
    assert "of one kind (random)" in stability_sentence(single)
    assert start_stability(FittedView(kept, starts=tuple(starts[:1]))) is None


def test_the_kept_start_counts_as_itself():
    """It is followed on alone, and may leave what all starts had found by then."""
    then, later = np.repeat([0, 1], 6), np.tile([0, 1], 6)
    starts = [
        Start(kind="spectral", objective=3.0, labels=later),
        Start(kind="k-means", objective=2.0, labels=then),
        Start(kind="random", objective=1.0, labels=1 - then),
    ]
    found = start_stability(FittedView(later, starts=tuple(starts)))
    assert found.with_kept[:2].tolist() == [1, 1]
    assert found.with_kept[2] < 0.2
    assert found.at_the_end == found.with_kept[2]
    told = stability_sentence(found)
    assert told.startswith("2 of 3 starts")
    assert "iterated to the end (agreement -0.10)" in told


def test_objective_of_every_habit():
    def curve(values, n_iter):
        view = FittedView(np.zeros(1), objective=np.array(values), n_iter=n_iter)
        return objective_curve(view)[0].tolist()

    assert curve([3.0, 2, 1], 2) == [0, 1, 2]
    assert curve([3.0, 2, 1], 3) == [1, 2, 3]
    assert curve([3.0], 7) == [7]
    assert curve([3.0, 2, 1], 20) == [0, 10, 20]
