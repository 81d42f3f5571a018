"""Check the sentences of the paper on its own tables and on stored runs.

    python tools/paper_sentences.py [RUNS]

RUNS is what ``graphtailor bench --export RUNS`` wrote, results/paper by default.
The output is two tables in Markdown: ACC beside the paper, and the sentences. The first
column of these counts in the numbers that the paper prints for the same data sets, the
others in the runs, with weights chosen with labels as in the paper.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Collection
from functools import cache
from pathlib import Path

import pandas as pd

from graphtailor.bench import Store, opened_results, paper_results
from graphtailor.bench.results.results import collect_results

ROOT = Path(__file__).parent.parent
OURS = ("Proposed", "JointModel", "GraphTailor")
VERDICTS = ("worse", "same", "better")
KEYS = ["dataset", "metric"]
# Decimals of the paper: ties of these are ties.
DIGITS = 3


class Tables:
    """The paper's numbers, or those of the runs with one of our models as Proposed."""

    def __init__(self, means: pd.DataFrame, marks: Callable[[str], pd.DataFrame]):
        self.means, self._marks = means, marks

    def above(self, method: str, other: str) -> str:
        """In how many cells a method is above another; of how many."""
        pair = self.means[[method, other]].dropna()
        return f"{(pair[method] > pair[other]).sum()} of {len(pair)}"

    def significant(self, method: str, other: str) -> str:
        """In how many cells a method is significantly above and below another."""
        verdicts = self._marks(method)
        if other not in verdicts:
            return "no marks"
        counts = verdicts[other].value_counts()
        return f"{counts.get('worse', 0)} above, {counts.get('better', 0)} below"

    def first(self, method: str) -> str:
        """In how many cells a method is first, and among the first three."""
        own = self.means[method].dropna()
        ranks = self.means.loc[own.index].rank(axis=1, method="min", ascending=False)
        rank = ranks[method]
        return f"{(rank == 1).sum()} first, {(rank <= 3).sum()} in three of {len(own)}"

    def verdicts(self, method: str) -> str:
        """Cells in which the others are worse, no different, better."""
        counts = self._marks(method).stack().value_counts()
        found = [int(counts.get(verdict, 0)) for verdict in VERDICTS]
        return f"{'/'.join(map(str, found))} of {sum(found)}"

    def sets_above(self, method: str, other: str) -> str:
        """The sets on which most of the metrics are above."""
        pair = self.means[[method, other]].dropna()
        share = (pair[method] > pair[other]).groupby("dataset").mean()
        return f"{(share > 0.5).sum()} of {len(share)}"


# The paper's words, with its figure, and what is counted for the model `own`.
SENTENCES: list[tuple[str, Callable[[Tables, str], str]]] = [
    ("first in 23 of 40 cells, among the first three in 36", lambda t, m: t.first(m)),
    ("significantly better/same/worse: 662/60/22", lambda t, m: t.verdicts(m)),
    ("above SymNMF in all cells", lambda t, m: t.above(m, "SymNMF")),
    ("... all of them significant", lambda t, m: t.significant(m, "SymNMF")),
    ("SymNMF above SC in 29 of 40", lambda t, _: t.above("SymNMF", "SC")),
    ("GNMF above NMF", lambda t, _: t.above("GNMF", "NMF")),
    ("GMF above PCA", lambda t, _: t.above("GMF", "PCA")),
    ("above L2-Graph, significantly in 34", lambda t, m: t.significant(m, "L2-Graph")),
    ("above L2-SymNMF in 34", lambda t, m: t.above(m, "L2-SymNMF")),
    ("... significantly in 30", lambda t, m: t.significant(m, "L2-SymNMF")),
    ("SSC above CAN on six sets", lambda t, _: t.sets_above("SSC", "CAN")),
]


def markdown(table: pd.DataFrame) -> str:
    """A table with its index as the first column, numbers to three digits."""
    header = [table.index.name or "", *map(str, table.columns)]
    lines = ["| " + " | ".join(header) + " |", "| --- " * len(header) + "|"]
    for name, row in table.astype(object).iterrows():
        cells = ["" if pd.isna(value) else _text(value) for value in row.tolist()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _text(value: object) -> str:
    # The last bit of a mean depends on the version of pandas and must not choose where
    # three digits end in a tie, as those of -0.0045 do.
    return f"{round(value, 9):.3f}" if isinstance(value, float) else str(value)


def printed(datasets: Collection[str] | None = None) -> Tables:
    """The paper's own tables of these data sets, by default of all."""
    cells = paper_results()
    if datasets is not None:
        cells = cells[cells["dataset"].isin(list(datasets))]
    means = cells.pivot(index=KEYS, columns="method", values="mean")
    marks = cells.pivot(index=KEYS, columns="method", values="versus_proposed")
    nothing = pd.DataFrame(index=marks.index)
    return Tables(means, lambda m: marks if m == "Proposed" else nothing)


def of_runs(store: Store, own: str) -> Tables:
    """The runs, with `own` in the place of the paper's Proposed."""
    compared = set(paper_results()["method"]) - {"Proposed"}

    @cache
    def cells(reference: str) -> pd.DataFrame:
        table = collect_results(store, reference).cells["oracle"]
        return table[table["method"].isin({*compared, own})]

    def marks(reference: str) -> pd.DataFrame:
        others = cells(reference)[cells(reference)["method"] != reference]
        return others.pivot(index=KEYS, columns="method", values="versus_reference")

    means = cells(own).pivot(index=KEYS, columns="method", values="mean")
    return Tables(means.round(DIGITS), marks)


def beside_paper(tables: Tables, own: str) -> str:
    """In how many cells a model is at or above the paper's Proposed."""
    paper = printed().means["Proposed"]
    both = pd.concat([tables.means[own], paper], axis=1, keys=["own", "paper"]).dropna()
    return f"{(both['own'] >= both['paper']).sum()} of {len(both)}"


def row_table(path: Path) -> pd.DataFrame:
    """One row a data set: ACC of the paper's row and of each of our models."""
    with opened_results(path) as store:
        cells = collect_results(store).cells["oracle"]
    cells = cells[(cells["metric"] == "ACC") & cells["method"].isin(OURS)]
    table = cells.pivot(index="dataset", columns="method", values="mean")
    table = table.loc[list(cells["dataset"].unique())].dropna(how="all", axis=1)
    paper = printed().means["Proposed"].xs("ACC", level="metric")
    table.insert(0, "the paper", paper.reindex(table.index))
    table.loc["mean"] = table.mean(skipna=False)
    table.index.name = "ACC"
    return table.round(DIGITS)


def sentence_table(path: Path) -> pd.DataFrame:
    """One row a sentence, one column the paper's tables and each of our models."""
    with opened_results(path) as store:
        ran = collect_results(store).cells["oracle"].dropna(subset="mean")
        columns = {"tables": (printed(set(ran["dataset"])), "Proposed")}
        models = [name for name in OURS if name in set(ran["method"])]
        columns |= {name: (of_runs(store, name), name) for name in models}
        table = pd.DataFrame(
            {
                column: [count(tables, own) for _, count in SENTENCES]
                for column, (tables, own) in columns.items()
            },
            index=pd.Index([text for text, _ in SENTENCES], name="the paper"),
        )
        table.loc["at or above the paper's Proposed"] = {
            column: beside_paper(tables, own)
            for column, (tables, own) in columns.items()
        }
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = ROOT / "results" / "paper" / "runs.parquet"
    parser.add_argument("runs", nargs="?", type=Path, default=default)
    runs = parser.parse_args().runs
    for table in (row_table(runs), sentence_table(runs)):
        print(markdown(table), end="\n\n")


if __name__ == "__main__":
    main()
