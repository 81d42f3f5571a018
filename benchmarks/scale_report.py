"""Tables, ratios and targets from the measured runs of `scale.py`."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from scale_methods import OURS
from scale_sets import MILLION, REAL

ANCHORS, MINI, SPECTRAL = "U-SPEC-like", "MiniBatchKMeans", "SpectralClustering"
FIGURES = ["cpu_s", "wall_s", "peak_mb", "before_fit_mb", "data_mb", "ACC", "NMI"]


def mean_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Means over the seeds of each data set and method; none where a run failed."""
    runs = runs.reindex(columns=[*runs.columns, *set(FIGURES) - set(runs.columns)])
    groups = runs.groupby(["data", "method"], sort=False)
    means = groups[FIGURES].mean()
    means["tier"] = groups["tier"].first().fillna("") if "tier" in runs else ""
    means["status"] = groups["status"].agg(_worst)
    means.loc[means["status"] != "ok", FIGURES] = float("nan")
    return means


def _worst(states: pd.Series) -> str:
    return next((state for state in states if state != "ok"), "ok")


def table(runs: pd.DataFrame, data: str) -> str:
    """One line for each method; times over GraphTailor's as ratios."""
    means = mean_runs(runs[runs["data"] == data]).loc[data]
    n, d, c = runs.loc[runs["data"] == data, ["n", "d", "c"]].iloc[0]
    lines = [
        f"\n{data}: n = {n:,}, d = {d}, c = {c}",
        f"{'method':24}{'CPU s':>9}{'wall s':>9}{'peak MB':>9}{'before':>8}"
        f"{'data':>7}{'ACC':>7}{'NMI':>7}{'CPU/ours':>10}{'MB/ours':>9}  tier",
    ]
    ours = means.loc[OURS] if OURS in means.index else None
    for method, row in means.iterrows():
        if row["status"] != "ok":
            lines.append(f"{method:24}{row['status']}")
            continue
        scores = "".join(
            f"{row[name]:7.3f}" if pd.notna(row[name]) else f"{'':7}"
            for name in ("ACC", "NMI")
        )
        ratios = "" if ours is None else _ratios(row, ours)
        lines.append(
            f"{method:24}{row['cpu_s']:9.2f}{row['wall_s']:9.2f}{row['peak_mb']:9.0f}"
            f"{row['before_fit_mb']:8.0f}{row['data_mb']:7.0f}{scores}{ratios:19}  "
            f"{row['tier']}"
        )
    return "\n".join(line.rstrip() for line in lines)


def _ratios(row: pd.Series, ours: pd.Series) -> str:
    if ours["status"] != "ok":
        return ""
    memory = row["peak_mb"] / ours["peak_mb"]
    return f"{row['cpu_s'] / ours['cpu_s']:10.2f}{memory:9.2f}"


def targets(runs: pd.DataFrame) -> Iterator[str]:
    """One line for each target whose data set was run: met or missed, and why.

    Scores are compared as they are printed, with three digits.
    """
    means = mean_runs(runs)
    for data in dict.fromkeys(runs["data"]):
        found = means.loc[data]
        if OURS not in found.index:
            continue
        if found.loc[OURS, "status"] != "ok":
            yield f"missed  {data}: {found.loc[OURS, 'status']}"
            continue
        checks = list(_checks(data, found))
        if checks:
            word = "met   " if all(met for met, _ in checks) else "missed"
            marked = [text if met else f"{text} (!)" for met, text in checks]
            yield f"{word}  {data}: {'; '.join(marked)}"


def _checks(data: str, found: pd.DataFrame) -> Iterator[tuple[bool, str]]:
    ours = found.loc[OURS]
    if data in REAL:
        yield from _beside(found, SPECTRAL, ["ACC"])
        if SPECTRAL in found.index and pd.notna(found.loc[SPECTRAL, "cpu_s"]):
            theirs = found.loc[SPECTRAL, "cpu_s"]
            yield _at_most("CPU-s", ours["cpu_s"], theirs, f"of {SPECTRAL}")
    elif data == "blobs-1e5":
        yield _at_most("CPU-s", ours["cpu_s"], 20)
        yield _at_most("GB", ours["peak_mb"] / 1024, 1)
        yield round(ours["ACC"], 3) >= 0.84, f"ACC {ours['ACC']:.3f} >= 0.840"
    elif data in MILLION:
        yield _at_most("CPU-s", ours["cpu_s"], 30)
        yield _at_most("GB", ours["peak_mb"] / 1024, 2)
        yield from _beside(found, ANCHORS, ["ACC", "NMI"])
        yield from _beside(found, MINI, ["ACC", "NMI"])
    elif data == "blobs-1e7":
        yield _at_most("s wall", ours["wall_s"], 300)
        yield _at_most("GB", ours["peak_mb"] / 1024, 8)


def _at_most(
    unit: str, value: float, limit: float, whose: str = ""
) -> tuple[bool, str]:
    return value <= limit, f"{value:.2f} <= {limit:.3g} {unit} {whose}".rstrip()


def _beside(
    found: pd.DataFrame, peer: str, scores: list[str]
) -> Iterator[tuple[bool, str]]:
    """Our scores at or above those of a peer that ran."""
    if peer not in found.index or found.loc[peer, "status"] != "ok":
        yield False, f"{peer} did not run"
        return
    for score in scores:
        ours, theirs = found.loc[OURS, score], found.loc[peer, score]
        met = round(ours, 3) >= round(theirs, 3)
        yield met, f"{score} {ours:.3f} >= {theirs:.3f} of {peer}"
