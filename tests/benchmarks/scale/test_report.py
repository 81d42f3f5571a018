import numpy as np
import pandas as pd
import pytest

from scale.growth import cliff_verdict, exponent, growth_targets, largest_step
from scale.report import mean_runs, table, targets

GOOD = {"status": "ok", "wall_s": 5.0, "before_fit_mb": 300.0, "data_mb": 100.0}


def run(data, method, cpu, peak, acc, nmi, **other):
    return {
        "data": data,
        "method": method,
        "n": 1000,
        "d": 2,
        "c": 3,
        **GOOD,
        "cpu_s": cpu,
        "peak_mb": peak,
        "ACC": acc,
        "NMI": nmi,
        **other,
    }


def rings_runs(**changes):
    ours = {"cpu": 20.0, "peak": 900.0, "acc": 1.0, "nmi": 0.8} | changes
    return pd.DataFrame(
        [
            run("rings", "GraphTailor", **ours),
            run("rings", "U-SPEC-like", 40.0, 450.0, 0.9, 0.8),
            run("rings", "MiniBatchKMeans", 1.0, 450.0, 0.2, 0.2),
        ]
    )


def test_a_target_is_met_at_equal_scores():
    (line,) = targets(rings_runs())
    assert line.startswith("met ")
    assert "(!)" not in line


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"cpu": 26.0}, "26.00 <= 25 CPU-s (!)"),
        ({"peak": 1300.0}, "1.27 <= 1.2 GB (!)"),
        ({"acc": 0.999}, "ACC 0.999 >= 1.000 (!)"),
        ({"status": "stopped after 600 s"}, "stopped after 600 s"),
    ],
)
def test_a_missed_target_says_which_part(change, reason):
    (line,) = targets(rings_runs(**change))
    assert line.startswith("missed")
    assert reason in line


def test_seeds_are_averaged_and_one_failure_spoils_the_mean():
    runs = pd.DataFrame(
        [
            run("rings", "GraphTailor", 10.0, 100.0, 0.8, 0.5),
            run("rings", "GraphTailor", 20.0, 100.0, 0.9, 0.5),
            run("rings", "Birch", 10.0, 100.0, 0.8, 0.5),
            run("rings", "Birch", 20.0, 100.0, 0.9, 0.5, status="MemoryError"),
        ]
    )
    means = mean_runs(runs).loc["rings"]
    assert means.loc["GraphTailor", "cpu_s"] == 15
    assert np.isnan(means.loc["Birch", "cpu_s"])
    assert means.loc["Birch", "status"] == "MemoryError"


def test_ratios_are_to_our_figures():
    line = next(x for x in table(rings_runs(), "rings").splitlines() if "U-SPEC" in x)
    assert "2.00     0.50" in line


def growth_of(n, cpu):
    return pd.DataFrame({"n": n, "cpu_s": cpu, "status": "ok"})


def test_the_exponent_of_an_exact_power():
    n = np.array([1_000, 2_000, 4_000, 8_000])
    assert exponent(growth_of(n, 3 * n**0.7)) == pytest.approx(0.7)
    words = [line[:6] for line in growth_targets(growth_of(n, n**1.1))]
    # The exponent is too large, but there is no step.
    assert words == ["missed", "met   "]


def test_a_step_is_found_where_it_is():
    n = np.array([1_000, 2_000, 4_000, 8_000, 16_000])
    cpu = np.where(n > 4_000, 4.0, 1.0) * n**0.5
    where, rise = largest_step(growth_of(n, cpu))
    assert where == 8_000
    assert rise == pytest.approx(4 / 2**0.5)
    assert [line[:6] for line in growth_targets(growth_of(n, cpu))][1] == "missed"


def test_a_failed_size_is_missed():
    growth = growth_of(np.array([1_000, 2_000]), np.array([1.0, 1.5]))
    growth.loc[1, "status"] = "MemoryError"
    assert list(growth_targets(growth)) == ["missed  growth, n = 2,000: MemoryError"]


@pytest.mark.parametrize(
    ("accuracies", "word"),
    [((0.8, 0.79, 0.81), "met"), ((0.8, 0.85, 0.82), "missed")],
)
def test_a_cliff_is_a_fall_from_any_smaller_size(accuracies, word):
    runs = [[{"ACC": x, "NMI": 0.5, "status": "ok"}] for x in accuracies]
    assert cliff_verdict("letters", (1, 2, 3), runs).startswith(word)


def test_a_cliff_says_which_run_failed():
    runs = [[{"ACC": 0.8, "NMI": 0.5, "status": "ok"}], [{"status": "MemoryError"}]]
    assert "MemoryError" in cliff_verdict("letters", (1, 2), runs)
