"""The page of a benchmark, and its figures and tables as files."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphtailor.bench.plan.plan import Choice
from graphtailor.bench.results.results import (
    Results,
    collect_results,
    failure_table,
    machine_facts,
)
from graphtailor.bench.results.scores import short_name
from graphtailor.bench.results.tables import Cause, difference_table
from graphtailor.bench.run.illustrations import Illustration
from graphtailor.bench.store.store import Store
from graphtailor.io.atomic import atomic_open, file_name
from graphtailor.io.spreadsheets import safe_frame
from graphtailor.report.bench import figure_list, summary_views
from graphtailor.report.bench.dataset_views import dataset_view
from graphtailor.report.bench.views import CHOSEN
from graphtailor.report.html import render_page


def bench_report(
    store: Store,
    *,
    causes: Sequence[Cause] = (),
    illustrations: Sequence[Illustration] = (),
) -> str:
    """A page with everything inside about the newest plan in a store.

    It needs no network and no other file, and names are escaped. Causes are sentences
    on cells that fall behind the study's, and illustrations are for the figures of
    graphs and objectives.
    """
    results = collect_results(store)
    plan = results.plan
    views = {choice: _choice_view(results, choice) for choice in plan.choices}
    return render_page(
        "bench.html.j2",
        plan=plan,
        metric=short_name(plan.metrics[0]),
        chosen=CHOSEN,
        views=views,
        gaps=_gaps(results, causes),
        sets=results.datasets.reset_index().to_dict("records"),
        searches=figure_list.search_pictures(results),
        illustrations=figure_list.illustration_pictures(results, illustrations),
        grid=_grid_facts(results),
        failures=failure_table(results).to_dict("records"),
        missing=json.loads(results.session.missing),
        machine=machine_facts(results.session),
        started=results.session.started,
        n_failed=len(results.failures),
    )


def _choice_view(results: Results, choice: Choice) -> dict[str, Any]:
    pictures = figure_list.choice_pictures(results, choice)
    names = results.datasets.index
    return {
        "headline": summary_views.headline(results, choice),
        "summaries": summary_views.summary_views(results, choice) if pictures else {},
        "tables": [dataset_view(results, choice, name) for name in names],
        "pictures": pictures,
    }


def _gaps(results: Results, causes: Sequence[Cause]) -> dict[str, Any] | None:
    """What falls behind the study, which chose with the labels."""
    if "oracle" not in results.plan.choices:
        return None
    return {
        "sentence": summary_views.gap_sentence(results, "oracle"),
        "table": summary_views.gap_view(results, "oracle", causes),
    }


def _grid_facts(results: Results) -> list[dict[str, str]]:
    facts = []
    for method in results.plan.methods:
        grid = "; ".join(
            f"{name} in {{{', '.join(f'{value:g}' for value in values)}}}"
            for name, values in method.grid.items()
        )
        params = ", ".join(f"{name} = {value}" for name, value in method.params.items())
        entry = {"method": method.name, "grid": grid, "params": params}
        facts.append({**entry, "note": method.note})
    return facts


def write_figures(
    store: Store,
    folder: str | os.PathLike[str],
    illustrations: Sequence[Illustration] = (),
) -> list[Path]:
    """Draw the figures of the newest plan in a store.

    Files are NAME.svg and NAME.png; illustrations are for graphs and objectives.
    """
    results = collect_results(store)
    pictures = figure_list.search_pictures(results) + figure_list.illustration_pictures(
        results, illustrations
    )
    for choice in results.plan.choices:
        pictures += figure_list.choice_pictures(results, choice).values()
    written = []
    for picture in pictures:
        for suffix in ("svg", "png"):
            path = Path(folder, file_name(f"{picture.key}.{suffix}"))
            # The date would make equal figures differ.
            metadata = {"Date": None} if suffix == "svg" else {}
            with atomic_open(path) as file:
                # Fine enough for print.
                picture.figure.savefig(
                    file, format=suffix, dpi=200, facecolor="white", metadata=metadata
                )
            written.append(path)
    return written


def write_tables(
    store: Store, folder: str | os.PathLike[str], causes: Sequence[Cause] = ()
) -> list[Path]:
    """Write the tables of the newest plan in a store.

    Files are NAME-CHOICE.csv and NAME-CHOICE.tex; causes are for the table of the cells
    that fall behind the study's.
    """
    results = collect_results(store)
    texts = {}
    for choice in results.plan.choices:
        views = [
            *summary_views.summary_views(results, choice).values(),
            *(dataset_view(results, choice, name) for name in results.datasets.index),
        ]
        if choice == "oracle":
            views.append(summary_views.gap_view(results, choice, causes))
        for view in views:
            texts[f"{view.key}.csv"] = view.csv
            texts[f"{view.key}.tex"] = view.latex
        every = difference_table(results, choice)
        texts[f"differences-{choice}.csv"] = safe_frame(every).to_csv(index=False)
    paths = [Path(folder, file_name(name)) for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        with atomic_open(path, "w") as file:
            file.write(text)
    return paths
