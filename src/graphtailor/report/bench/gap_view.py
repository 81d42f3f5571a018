"""The table of the cells in which we fall behind the study."""

from __future__ import annotations

from collections.abc import Sequence

from graphtailor.bench.plan.plan import Choice
from graphtailor.bench.results.latex import plain_latex
from graphtailor.bench.results.results import Results
from graphtailor.bench.results.scores import short_name
from graphtailor.bench.results.study_gaps import UNKNOWN, Cause, count_gaps, gap_table
from graphtailor.io.spreadsheets import safe_frame
from graphtailor.report.bench.views import (
    CHOSEN,
    Cell,
    TableView,
    name_cell,
    note_lines,
    number_cell,
)


def gap_view(results: Results, choice: Choice, causes: Sequence[Cause]) -> TableView:
    """The cells below the study's by more than its standard deviation."""
    table = gap_table(results, choice, causes)
    table["metric"] = table["metric"].map(short_name)
    rows = []
    for cell in table.to_dict("records"):
        look = "sentence soft" if cell["cause"] == UNKNOWN else "sentence"
        rows.append(
            [
                name_cell(cell["method"], results.plan),
                Cell(cell["dataset"], cell["dataset"], "text"),
                Cell(cell["metric"], cell["metric"], "text"),
                number_cell(cell["here"]),
                number_cell(cell["study"]),
                number_cell(cell["study_std"]),
                number_cell(cell["difference"], sign=True),
                Cell(cell["cause"], cell["cause"], look),
            ]
        )
    caption = (
        "Cells in which ours is below the study's by more than its standard "
        f"deviation, {CHOSEN[choice]}"
    )
    heads = ["Data", "Metric", "here", "study", "its ±", "Δ", "Probable cause"]
    plain = table.set_index("method").set_axis(heads, axis="columns")
    return TableView(
        key=f"gaps-{choice}",
        caption=caption,
        groups=[],
        heads=["Method", *heads],
        rows=rows,
        csv=safe_frame(table).to_csv(index=False),
        latex=plain_latex(plain, caption),
        notes=note_lines(results.plan),
    )


def gap_sentence(results: Results, choice: Choice) -> str:
    """How many cells are below the study's, above, and close to it."""
    counts = count_gaps(results, choice)
    return (
        f"Of {sum(counts)} cells that the study has too, {counts.below} are below its "
        f"number by more than its standard deviation, {counts.above} are above it by "
        f"more, and {counts.within} are within."
    )
