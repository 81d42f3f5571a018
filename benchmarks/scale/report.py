"""Tables, ratios and targets from the measured runs of the scale benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from scale.methods import OURS

FIGURES = ["cpu_s", "wall_s", "peak_mb", "before_fit_mb", "data_mb", "ACC", "NMI"]


@dataclass(frozen=True)
class Target:
    """What GraphTailor is to reach on a data set; None asks for nothing.

    Attributes
    ----------
    ACC, NMI : float or None
        At least.
    cpu_s : float or None
        CPU seconds at most.
    gigabytes : float or None
        Peak memory at most, of the whole process.
    """

    ACC: float | None = None
    NMI: float | None = None
    cpu_s: float | None = None
    gigabytes: float | None = None

    def checks(self, found: pd.Series) -> Iterator[tuple[bool, str]]:
        """Whether each part is met, in words.

        Scores are compared as they are printed, with three digits.
        """
        for name, least in (("ACC", self.ACC), ("NMI", self.NMI)):
            if least is not None:
                met = round(found[name], 3) >= least
                yield met, f"{name} {found[name]:.3f} >= {least:.3f}"
        gigabytes = found["peak_mb"] / 1024
        most = (
            ("CPU-s", found["cpu_s"], self.cpu_s),
            ("GB", gigabytes, self.gigabytes),
        )
        for unit, value, limit in most:
            if limit is not None:
                yield value <= limit, f"{value:.2f} <= {limit:g} {unit}"


TARGETS = {
    "digits": Target(0.89, cpu_s=1),
    "satellite": Target(0.74, 0.66),
    "pendigits": Target(0.886, 0.853, 6),
    "letters": Target(0.377, 0.459, 10),
    "fashion": Target(0.63, 0.65, 30, 1.5),
    "blobs-1e5": Target(cpu_s=12),
    "blobs-1e6": Target(0.886, None, 25, 1.2),
    "bananas": Target(0.998, None, 25, 1.2),
    "rings": Target(1.0, None, 25, 1.2),
    "spirals": Target(1.0, None, 25, 1.2),
    "blobs-1e7": Target(cpu_s=90),
}


def mean_runs(runs: pd.DataFrame) -> pd.DataFrame:
    """Means over the seeds of each data set and method; none where a run failed."""
    runs = runs.reindex(columns=[*runs.columns, *set(FIGURES) - set(runs.columns)])
    groups = runs.groupby(["data", "method"], sort=False)
    means = groups[FIGURES].mean()
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
        f"{'data':>7}{'ACC':>7}{'NMI':>7}{'CPU/ours':>10}{'MB/ours':>9}",
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
            f"{row['before_fit_mb']:8.0f}{row['data_mb']:7.0f}{scores}{ratios}"
        )
    return "\n".join(line.rstrip() for line in lines)


def _ratios(row: pd.Series, ours: pd.Series) -> str:
    if ours["status"] != "ok":
        return ""
    memory = row["peak_mb"] / ours["peak_mb"]
    return f"{row['cpu_s'] / ours['cpu_s']:10.2f}{memory:9.2f}"


def targets(runs: pd.DataFrame) -> Iterator[str]:
    """One line for each target whose data set was run: met or missed, and why."""
    means = mean_runs(runs)
    for data in dict.fromkeys(runs["data"]):
        if (data, OURS) not in means.index or data not in TARGETS:
            continue
        found = means.loc[(data, OURS)]
        if found["status"] != "ok":
            yield f"missed  {data}: {found['status']}"
            continue
        checks = list(TARGETS[data].checks(found))
        word = "met   " if all(met for met, _ in checks) else "missed"
        marked = [text if met else f"{text} (!)" for met, text in checks]
        yield f"{word}  {data}: {'; '.join(marked)}"
