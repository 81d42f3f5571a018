"""The tables of the data sets on the page."""

import pandas as pd

from graphtailor.bench.plan.plan import Choice
from graphtailor.bench.results.latex import dataset_latex
from graphtailor.bench.results.results import Results
from graphtailor.bench.results.scores import short_name
from graphtailor.bench.results.tables import SYMBOLS, dataset_table, flat_table
from graphtailor.io.spreadsheets import safe_frame
from graphtailor.report.bench import views

_VERDICT_WORDS = {
    "better": "better than",
    "same": "no different from",
    "worse": "worse than",
}


def dataset_view(results: Results, choice: Choice, dataset: str) -> views.TableView:
    """The table of one data set."""
    table = dataset_table(results, choice, dataset)
    metrics = list(results.plan.metrics)
    rows = []
    for method, row in table.iterrows():
        first = row[metrics[0]]
        look = "name reference" if method == results.plan.reference else "name"
        cells = [views.name_cell(str(method), results.plan, look)]
        for metric in metrics:
            cells += _metric_cells(row[metric], results.plan.reference)
        search = views.number_cell(first["search"])
        seconds = _seconds_cell(first["seconds"])
        setting = str(first["setting"])
        cells += [seconds, search, views.Cell(setting, setting, "text")]
        rows.append(cells)
    caption = f"{dataset}, {views.CHOSEN[choice]}"
    return views.TableView(
        key=f"{dataset}-{choice}",
        caption=caption,
        groups=[("", 1), *((short_name(m), 3) for m in metrics), ("", 3)],
        heads=[
            "Method",
            *(["here", "study", "Δ"] * len(metrics)),
            "Time",
            "Search",
            "Setting",
        ],
        rows=rows,
        csv=safe_frame(flat_table(table)).to_csv(),
        latex=dataset_latex(table, caption, results.plan.notes()),
        notes=views.note_lines(results.plan),
    )


def _metric_cells(cell: pd.Series, reference: str) -> list[views.Cell]:
    printed_mark = SYMBOLS.get(cell["printed_versus"], "")
    study = views.number_cell(cell["printed"])
    study = views.Cell(study.text, study.value, "number soft", printed_mark)
    if pd.isna(cell["mean"]):
        note = str(cell["note"])
        return [
            views.Cell("—", None, "number soft", "", note),
            study,
            views.Cell("", None),
        ]
    rank = int(cell["rank"])
    places = {1: "first", 2: "second", 3: "second", 4: "fourth", 5: "fourth"}
    deviation = "" if pd.isna(cell["std"]) else f"±{cell['std']:.3f}".replace("0.", ".")
    here = views.Cell(
        f"{cell['mean']:.3f}",
        float(cell["mean"]),
        f"number {places.get(rank, '')}",
        SYMBOLS.get(cell["versus_reference"], ""),
        _remark(cell, reference),
        deviation + ("*" if cell["n_failed"] else ""),
    )
    return [here, study, views.number_cell(cell["difference"], sign=True)]


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


def _seconds_cell(value: float) -> views.Cell:
    if pd.isna(value):
        return views.Cell("")
    text = f"{value * 1000:.0f} ms" if value < 1 else f"{value:.1f} s"
    return views.Cell(text, float(value))
