"""The tables over all data sets on the page, and what they say in words.

The last one has the cells in which we fall behind the study.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from graphtailor.bench.plan.plan import Choice, Plan
from graphtailor.bench.results import tables
from graphtailor.bench.results.latex import plain_latex
from graphtailor.bench.results.results import LEVEL, Results
from graphtailor.bench.results.scores import short_name
from graphtailor.io.spreadsheets import safe_frame
from graphtailor.report.bench import views


def summary_views(results: Results, choice: Choice) -> dict[str, views.TableView]:
    """The means over the data sets, the ranks, and wins, ties and losses."""
    metric = short_name(results.plan.metrics[0])
    reference = results.plan.reference
    means = tables.mean_table(results, choice)
    means = means[["ours", "n_sets", "study", "difference", "n_shared"]]
    plan = results.plan
    return {
        "means": _plain_view(
            plan,
            f"means-{choice}",
            f"Mean {metric} over the data sets, {views.CHOSEN[choice]}",
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
            plan,
            f"ranks-{choice}",
            f"Number of cells in which a method has rank 1, 2-3, 4-5 or lower, "
            f"{views.CHOSEN[choice]}",
            _named(tables.rank_table(results, choice)),
        ),
        "wins": _plain_view(
            plan,
            f"wins-{choice}",
            f"Number of cells in which a method is better than {reference}, no "
            f"different or worse (rank-sum test at {LEVEL}), {views.CHOSEN[choice]}",
            _named(tables.win_table(results, choice)),
        ),
    }


def _named(table: pd.DataFrame) -> pd.DataFrame:
    return table.rename(columns={"ours": "here", "holm": "here, Holm"}, level=0)


def _plain_view(
    plan: Plan, key: str, caption: str, table: pd.DataFrame
) -> views.TableView:
    flat = tables.flat_table(table)
    has_groups = table.columns.nlevels == 2
    columns = table.columns.to_flat_index() if has_groups else flat.columns
    heads = [str(column[1]) if has_groups else str(column) for column in columns]
    groups: list[tuple[str, int]] = []
    if has_groups:
        names = [str(column[0]) for column in columns]
        groups = [("", 1)] + [(n, names.count(n)) for n in dict.fromkeys(names)]
    rows = []
    for method, values in zip(flat.index, flat.to_numpy(dtype=object), strict=True):
        look = "name total" if method == tables.TOTAL else "name"
        cells = [views.name_cell(str(method), plan, look)]
        for head, value in zip(heads, values, strict=True):
            is_count = pd.isna(value) or float(value).is_integer()
            digits, is_signed = (0, False) if is_count else (3, head == "Δ")
            cells.append(views.number_cell(value, digits, is_signed))
        rows.append(cells)
    return views.TableView(
        key=key,
        caption=caption,
        groups=groups,
        heads=["Method", *heads],
        rows=rows,
        csv=safe_frame(flat).to_csv(),
        latex=plain_latex(flat, caption),
        notes=views.note_lines(plan),
    )


def headline(results: Results, choice: Choice) -> list[str]:
    """What the benchmark says, in a few sentences."""
    plan, metric = results.plan, short_name(results.plan.metrics[0])
    means = tables.mean_table(results, choice)
    whole = means[means["n_sets"] == means["n_sets"].max()]
    if not len(whole):
        return ["There are no results yet."]
    best = whole.index[0]
    n_sets = int(whole["n_sets"].iloc[0])
    sets = "1 data set" if n_sets == 1 else f"{n_sets} data sets"
    sentences = [
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
        sentences.append(text + ".")
        ranks = tables.rank_table(results, choice).loc[plan.reference, "ours"]
        wins = tables.win_table(results, choice).loc[tables.TOTAL, "ours"]
        sentences.append(
            f"{plan.reference} ranks first in {ranks['1']} of {ranks.sum()} cells. "
            f"Against the others it is significantly better in {wins['worse']} of "
            f"{wins.sum()} comparisons, no different in {wins['same']}, worse in "
            f"{wins['better']}."
        )
    return sentences


def gap_view(
    results: Results, choice: Choice, causes: Sequence[tables.Cause]
) -> views.TableView:
    """The cells below the study's by more than its standard deviation."""
    table = tables.gap_table(results, choice, causes)
    table["metric"] = table["metric"].map(short_name)
    rows = []
    for cell in table.to_dict("records"):
        look = "sentence soft" if cell["cause"] == tables.UNKNOWN else "sentence"
        rows.append(
            [
                views.name_cell(cell["method"], results.plan),
                views.Cell(cell["dataset"], cell["dataset"], "text"),
                views.Cell(cell["metric"], cell["metric"], "text"),
                views.number_cell(cell["here"]),
                views.number_cell(cell["study"]),
                views.number_cell(cell["study_std"]),
                views.number_cell(cell["difference"], sign=True),
                views.Cell(cell["cause"], cell["cause"], look),
            ]
        )
    caption = (
        "Cells in which ours is below the study's by more than its standard "
        f"deviation, {views.CHOSEN[choice]}"
    )
    heads = ["Data", "Metric", "here", "study", "its ±", "Δ", "Probable cause"]
    # On paper a cause stands once, ahead of all cells that it explains.
    by_cause = table.iloc[np.argsort(pd.factorize(table["cause"])[0], kind="stable")]
    once = by_cause.assign(
        cause=by_cause["cause"].mask(by_cause.duplicated("cause"), "")
    )
    plain = once.set_index("method").set_axis(heads, axis="columns")
    return views.TableView(
        key=f"gaps-{choice}",
        caption=caption,
        groups=[],
        heads=["Method", *heads],
        rows=rows,
        csv=safe_frame(table).to_csv(index=False),
        latex=plain_latex(plain, caption),
        notes=views.note_lines(results.plan),
    )


def gap_sentence(results: Results, choice: Choice) -> str:
    """How many cells are below the study's, above, and close to it."""
    counts = tables.count_gaps(results, choice)
    return (
        f"Of {sum(counts)} cells that the study has too, {counts.below} are below its "
        f"number by more than its standard deviation, {counts.above} are above it by "
        f"more, and {counts.within} are within."
    )
