import numpy as np
import pandas as pd
import pytest

from scale_growth import exponents, growth_targets
from scale_report import mean_runs, table, targets

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
        "tier": "anchors",
        **other,
    }


def rings_runs(**changes):
    ours = {"cpu": 20.0, "peak": 900.0, "acc": 0.9, "nmi": 0.8} | changes
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
        ({"cpu": 31.0}, "31.00 <= 30 CPU-s (!)"),
        ({"peak": 2100.0}, "2.05 <= 2 GB (!)"),
        ({"acc": 0.899}, "ACC 0.899 >= 0.900 of U-SPEC-like (!)"),
        ({"nmi": 0.1}, "NMI 0.100 >= 0.200 of MiniBatchKMeans (!)"),
        ({"status": "stopped after 600 s"}, "stopped after 600 s"),
    ],
)
def test_a_missed_target_says_which_part(change, reason):
    (line,) = targets(rings_runs(**change))
    assert line.startswith("missed")
    assert reason in line


def test_a_peer_that_failed_is_no_proof():
    runs = rings_runs()
    runs.loc[runs["method"] == "U-SPEC-like", "status"] = "MemoryError"
    (line,) = targets(runs)
    assert line.startswith("missed")
    assert "U-SPEC-like did not run (!)" in line


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


def test_exponents_of_exact_powers():
    n = np.array([10, 1_000, 2_000, 10_000, 20_000, 500_000, 1_000_000])
    tiers = np.array(["full", *["sparse"] * 4, *["anchors"] * 2])
    cpu = np.where(tiers == "sparse", n**1.3, n**0.5)
    # Small data try several settings: a jump between two slopes, and part of neither.
    cpu[1:3] *= 8
    growth = pd.DataFrame({"n": n, "tier": tiers, "cpu_s": cpu, "status": "ok"})
    # The tier of a single size has no slope.
    assert exponents(growth) == pytest.approx(
        {"sparse, several settings": 1.3, "sparse": 1.3, "anchors": 0.5}
    )
    words = [line[:6] for line in growth_targets(growth)]
    assert words == ["missed", "missed", "met   "]
