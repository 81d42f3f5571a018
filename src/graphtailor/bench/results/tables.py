"""The study's tables, the two summaries, and where we fall behind."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from graphtailor.bench.plan.parse import read_toml
from graphtailor.bench.plan.plan import Choice
from graphtailor.bench.results.results import Results, paper_results
from graphtailor.bench.results.scores import short_name
from graphtailor.io.schema import array_of, fields_of, record
from graphtailor.statistics import rank_counts

VERDICTS = ("better", "same", "worse")
# As in the study: the method is better than the reference, no different, worse.
SYMBOLS = {"better": "◆", "same": "•", "worse": "↓"}
TOTAL = "all methods"
UNKNOWN = "not looked into"
# Decimals that the study prints; smaller differences are not shown.
_DIGITS = 3


def dataset_table(results: Results, choice: Choice, dataset: str) -> pd.DataFrame:
    """One data set: a row for each method, columns (metric, column of the cells)."""
    cells = results.cells[choice]
    cells = cells[cells["dataset"] == dataset]
    table = cells.set_index(["method", "metric"]).drop(columns="dataset").unstack()
    table.columns = table.columns.swaplevel()
    table = table.reindex(columns=list(results.plan.metrics), level=0)
    order = [method.name for method in results.plan.methods]
    return table.loc[order]


def rank_table(results: Results, choice: Choice) -> pd.DataFrame:
    """How often each method ranks 1, 2-3, 4-5, lower: ours and the study's.

    The columns are ("ours" or "study", ranks). The study's counts are over the same
    data sets and metrics, among its 20 methods. The method with the most first ranks
    comes first.
    """
    cells = results.cells[choice]
    ours = rank_counts(_wide(cells, "mean", results))
    study = rank_counts(_wide(_study_cells(results), "mean"))
    study.index = study.index.map(_our_names(results))
    study = study[study.index.notna()].reindex(ours.index)
    both = pd.concat({"ours": ours, "study": study.astype("Int64")}, axis="columns")
    return both.sort_values(
        [("ours", name) for name in ours], ascending=False, kind="stable"
    )


def win_table(results: Results, choice: Choice) -> pd.DataFrame:
    """How often each method is better than the reference, the same, worse.

    The columns are ("ours", "holm" with Holm's correction, or "study"; verdict), and
    the last row is for all methods. Cells without a result do not count.
    """
    cells = results.cells[choice]
    kinds = {
        "ours": "versus_reference",
        "holm": "versus_reference_holm",
        "study": "printed_versus",
    }
    others = cells[cells["method"] != results.plan.reference]
    order = list(dict.fromkeys(others["method"]))
    tables = {}
    for kind, column in kinds.items():
        counts = pd.crosstab(others["method"], others[column])
        counts = counts.reindex(index=order, columns=list(VERDICTS), fill_value=0)
        counts.loc[TOTAL] = counts.sum()
        tables[kind] = counts
    return pd.concat(tables, axis="columns")


def mean_table(results: Results, choice: Choice) -> pd.DataFrame:
    """Means of the plan's first metric over the data sets, the best method first.

    The columns are ours, on the data sets that have a result; then, on those that the
    study has too, shared and study, their difference; and the numbers of data sets
    n_sets and n_shared.
    """
    cells = results.cells[choice]
    cells = cells[cells["metric"] == results.plan.metrics[0]].dropna(subset="mean")
    both = cells.dropna(subset="printed").groupby("method")
    table = pd.DataFrame(
        {
            "ours": cells.groupby("method")["mean"].mean(),
            "n_sets": cells.groupby("method").size(),
            "shared": both["mean"].mean(),
            "study": both["printed"].mean(),
            "n_shared": both.size(),
        }
    )
    table["difference"] = table["shared"] - table["study"]
    # A method that could not run everywhere has a mean of other, perhaps easier, sets.
    is_whole = table["n_sets"] == table["n_sets"].max()
    order = table.assign(is_whole=is_whole).sort_values(
        ["is_whole", "ours"], ascending=False, kind="stable"
    )
    return table.loc[order.index]


def complete_means(results: Results, choice: Choice) -> pd.DataFrame:
    """Means of the first metric, of the methods that have a result everywhere."""
    cells = results.cells[choice]
    cells = cells[cells["metric"] == results.plan.metrics[0]]
    return cells.pivot(index="method", columns="dataset", values="mean").dropna()


def flat_table(table: pd.DataFrame) -> pd.DataFrame:
    """A table with two-storey heads, with plain ones for a CSV file."""
    flat = table.copy()
    flat.columns = [
        " ".join(short_name(str(part)) for part in np.atleast_1d(column))
        for column in table.columns.to_flat_index()
    ]
    return flat


def _wide(
    cells: pd.DataFrame, column: str, results: Results | None = None
) -> pd.DataFrame:
    table = cells.pivot(index="method", columns=["dataset", "metric"], values=column)
    if results is None:
        return table
    return table.reindex([method.name for method in results.plan.methods])


def _study_cells(results: Results) -> pd.DataFrame:
    known = results.datasets.index
    sources = [data.source for data in results.plan.datasets if data.name in known]
    study = paper_results()
    same = study["dataset"].isin(sources) & study["metric"].isin(results.plan.metrics)
    return study[same]


def _our_names(results: Results) -> dict[str, str]:
    """The study's names of the plan's methods; a variant has no row of its own.

    Where the plan leaves out Algorithm 1, JointModel has the row of "Proposed".
    """
    names = {method.name: method.name for method in results.plan.methods}
    if "JointModel" in names:
        names.setdefault("Proposed", "JointModel")
    return names


@dataclass(frozen=True)
class Cause:
    """A sentence on the cells whose names fit its patterns, in which * is anything."""

    text: str
    method: str = "*"
    data: str = "*"
    metric: str = "*"

    def fits(self, method: str, data: str, metric: str) -> bool:
        """Whether the sentence is about this cell."""
        return (
            fnmatchcase(method, self.method)
            and fnmatchcase(data, self.data)
            and fnmatchcase(metric, self.metric)
        )


_CAUSES = array_of(record(fields_of(Cause), required=["text"], into=Cause), into=tuple)


def load_causes(path: str | os.PathLike[str]) -> tuple[Cause, ...]:
    """Read the sentences of a TOML file with tables ``[[cause]]``; the first counts."""
    values = read_toml(Path(path))
    entries = values.pop("cause", [])
    if values or not isinstance(entries, list):
        raise ValueError(f"{path} must have tables [[cause]] and nothing else.")
    return _CAUSES(entries, f"{path}: cause")


def difference_table(results: Results, choice: Choice) -> pd.DataFrame:
    """Every cell that the study has too: ours, the study's, the difference.

    The difference is taken between the decimals that the study prints.
    """
    cells = results.cells[choice].dropna(subset=["mean", "printed"])
    table = pd.DataFrame(
        {
            "method": cells["method"],
            "dataset": cells["dataset"],
            "metric": cells["metric"],
            "here": cells["mean"],
            "study": cells["printed"],
            "study_std": cells["printed_std"],
        }
    ).reset_index(drop=True)
    table["difference"] = (table["here"].round(_DIGITS) - table["study"]).round(_DIGITS)
    return table


def gap_table(
    results: Results, choice: Choice, causes: Sequence[Cause] = ()
) -> pd.DataFrame:
    """The cells below the study's by more than its standard deviation, largest first.

    The columns are those of :func:`difference_table` and the first cause that fits.
    """
    table = difference_table(results, choice)
    table = table[table["difference"] < -table["study_std"].fillna(0.0)]
    table = table.sort_values("difference", kind="stable", ignore_index=True)
    names = zip(table["method"], table["dataset"], table["metric"], strict=True)
    table["cause"] = pd.Series(
        [next((c.text for c in causes if c.fits(*cell)), UNKNOWN) for cell in names],
        dtype=object,
    )
    return table


class GapCounts(NamedTuple):
    """Cells below the study's by more than its std, above by more, and within it."""

    below: int
    above: int
    within: int


def count_gaps(results: Results, choice: Choice) -> GapCounts:
    """How many cells are farther from the study's than its standard deviation."""
    table = difference_table(results, choice)
    std = table["study_std"].fillna(0.0)
    below = int((table["difference"] < -std).sum())
    above = int((table["difference"] > std).sum())
    return GapCounts(below, above, len(table) - below - above)
