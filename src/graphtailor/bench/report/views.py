"""What the page shows, as plain values: rows, cells, captions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from graphtailor.bench.cells import LEVEL, Results
from graphtailor.bench.latex import dataset_latex, plain_latex
from graphtailor.bench.plan import Choice
from graphtailor.bench.scores import short_name
from graphtailor.bench.tables import (
    SYMBOLS,
    TOTAL,
    dataset_table,
    flat_table,
    mean_table,
    rank_table,
    win_table,
)

CHOSEN = {
    "oracle": "settings chosen with the true labels (oracle)",
    "blind": "settings chosen without labels (blind)",
}
_VERDICT_WORDS = {
    "better": "better than",
    "same": "no different from",
    "worse": "worse than",
}


@dataclass(frozen=True)
class Cell:
    """One cell of a table: its text, what it is sorted by, its look, a remark.

    A cell of a column with marks has one, if only an empty one.
    """

    text: str
    value: float | str | None = None
    look: str = "number"
    mark: str | None = None
    remark: str = ""
    after: str = ""


@dataclass(frozen=True)
class TableView:
    """A table for the page: heads, rows, and the same as CSV and LaTeX."""

    key: str
    caption: str
    groups: list[tuple[str, int]]
    heads: list[str]
    rows: list[list[Cell]]
    csv: str
    latex: str


def _number(value: Any, digits: int = 3, sign: bool = False) -> Cell:
    if pd.isna(value):
        return Cell("", None)
    text = f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}"
    return Cell(text.replace("-", "−"), float(value))


def dataset_view(results: Results, choice: Choice, dataset: str) -> TableView:
    """The table of one data set."""
    table = dataset_table(results, choice, dataset)
    metrics = list(results.plan.metrics)
    rows = []
    for method, row in table.iterrows():
        first = row[metrics[0]]
        name = f"{method}"
        look = "name reference" if method == results.plan.reference else "name"
        cells = [Cell(name, name.lower(), look)]
        for metric in metrics:
            cells += _metric_cells(row[metric], results.plan.reference)
        search = _number(first["search"])
        seconds = Cell(_seconds(first["seconds"]), _or_none(first["seconds"]))
        setting = str(first["setting"])
        cells += [seconds, search, Cell(setting, setting, "text")]
        rows.append(cells)
    first_name = short_name(metrics[0])
    caption = f"{dataset}, {CHOSEN[choice]}"
    return TableView(
        key=f"{dataset}-{choice}",
        caption=caption,
        groups=[("", 1), *((short_name(m), 3) for m in metrics), ("", 3)],
        heads=[
            "Method",
            *(["here", "study", "Δ"] * len(metrics)),
            "Time",
            f"Search {first_name}",
            "Setting",
        ],
        rows=rows,
        csv=flat_table(table).to_csv(),
        latex=dataset_latex(table, caption),
    )


def _metric_cells(cell: pd.Series, reference: str) -> list[Cell]:
    printed_mark = SYMBOLS.get(cell["printed_versus"], "")
    study = _number(cell["printed"])
    study = Cell(study.text, study.value, "number soft", printed_mark)
    if pd.isna(cell["mean"]):
        note = str(cell["note"])
        return [Cell("—", None, "number soft", "", note), study, Cell("", None)]
    rank = int(cell["rank"])
    places = {1: "first", 2: "second", 3: "second", 4: "fourth", 5: "fourth"}
    deviation = "" if pd.isna(cell["std"]) else f"±{cell['std']:.3f}".replace("0.", ".")
    here = Cell(
        f"{cell['mean']:.3f}",
        float(cell["mean"]),
        f"number {places.get(rank, '')}",
        SYMBOLS.get(cell["versus_reference"], ""),
        _remark(cell, reference),
        deviation + ("*" if cell["n_failed"] else ""),
    )
    return [here, study, _number(cell["difference"], sign=True)]


def _remark(cell: pd.Series, reference: str) -> str:
    parts = [
        f"rank {int(cell['rank'])}, {int(cell['n_runs'])} runs, 95 % interval of the "
        f"mean {cell['low']:.3f} to {cell['high']:.3f}"
    ]
    if not pd.isna(cell["versus_reference"]):
        words = _VERDICT_WORDS[cell["versus_reference"]]
        corrected = cell["p_holm"]
        parts.append(
            f"{words} {reference}: p = {cell['p']:.2g}, {corrected:.2g} with Holm's "
            "correction"
        )
    if cell["note"]:
        parts.append(str(cell["note"]))
    return "; ".join(parts)


def summary_views(results: Results, choice: Choice) -> dict[str, TableView]:
    """The means over the data sets, the ranks, and wins, ties and losses."""
    metric = short_name(results.plan.metrics[0])
    reference = results.plan.reference
    means = mean_table(results, choice)
    means = means[["ours", "n_sets", "study", "difference", "n_shared"]]
    return {
        "means": _plain_view(
            f"means-{choice}",
            f"Mean {metric} over the data sets, {CHOSEN[choice]}",
            means.rename(
                columns={
                    "ours": "here",
                    "n_sets": "sets",
                    "difference": "Δ",
                    "n_shared": "sets in both",
                }
            ),
        ),
        "ranks": _plain_view(
            f"ranks-{choice}",
            f"Number of cells in which a method has rank 1, 2-3, 4-5 or lower, "
            f"{CHOSEN[choice]}",
            _named(rank_table(results, choice)),
        ),
        "wins": _plain_view(
            f"wins-{choice}",
            f"Number of cells in which a method is better than {reference}, no "
            f"different or worse (rank-sum test at {LEVEL}), {CHOSEN[choice]}",
            _named(win_table(results, choice)),
        ),
    }


def _named(table: pd.DataFrame) -> pd.DataFrame:
    return table.rename(columns={"ours": "here", "holm": "here, Holm"}, level=0)


def _plain_view(key: str, caption: str, table: pd.DataFrame) -> TableView:
    flat = flat_table(table)
    has_groups = table.columns.nlevels == 2
    columns = table.columns.to_flat_index() if has_groups else flat.columns
    heads = [str(column[1]) if has_groups else str(column) for column in columns]
    groups: list[tuple[str, int]] = []
    if has_groups:
        names = [str(column[0]) for column in columns]
        groups = [("", 1)] + [(n, names.count(n)) for n in dict.fromkeys(names)]
    rows = []
    for method, values in zip(flat.index, flat.to_numpy(dtype=object), strict=True):
        look = "name total" if method == TOTAL else "name"
        cells = [Cell(str(method), str(method).lower(), look)]
        for head, value in zip(heads, values, strict=True):
            is_count = pd.isna(value) or float(value).is_integer()
            cells.append(
                _number(value, 0 if is_count else 3, sign=head == "Δ" and not is_count)
            )
        rows.append(cells)
    return TableView(
        key=key,
        caption=caption,
        groups=groups,
        heads=["Method", *heads],
        rows=rows,
        csv=flat.to_csv(),
        latex=plain_latex(flat, caption),
    )


def headline(results: Results, choice: Choice) -> list[str]:
    """What the benchmark says, in a few sentences."""
    plan, metric = results.plan, short_name(results.plan.metrics[0])
    means = mean_table(results, choice)
    whole = means[means["n_sets"] == means["n_sets"].max()]
    if not len(whole):
        return ["There are no results yet."]
    best = whole.index[0]
    n_sets = int(whole["n_sets"].iloc[0])
    sets = "1 data set" if n_sets == 1 else f"{n_sets} data sets"
    told = [
        f"{best} has the best mean {metric}, {whole['ours'].iloc[0]:.3f} over {sets}."
    ]
    if plan.reference in means.index:
        row = means.loc[plan.reference]
        place = 1 + int((whole["ours"] > row["ours"]).sum())
        text = (
            f"{plan.reference}: mean {metric} {row['ours']:.3f}, place {place} of "
            f"{len(whole)}"
        )
        if not np.isnan(row["study"]):
            text += (
                f"; the study printed {row['study']:.3f} for its method on the same "
                f"data ({row['difference']:+.3f})"
            ).replace("-", "−")
        told.append(text + ".")
        ranks = rank_table(results, choice).loc[plan.reference, "ours"]
        wins = win_table(results, choice).loc[TOTAL, "ours"]
        told.append(
            f"{plan.reference} ranks first in {ranks['1']} of {ranks.sum()} cells. "
            f"Against the others it is significantly better in {wins['worse']} of "
            f"{wins.sum()} comparisons, no different in {wins['same']}, worse in "
            f"{wins['better']}."
        )
    return told


def _seconds(value: float) -> str:
    if pd.isna(value):
        return ""
    return f"{value * 1000:.0f} ms" if value < 1 else f"{value:.1f} s"


def _or_none(value: float) -> float | None:
    return None if pd.isna(value) else float(value)
