"""The figures and tables of a benchmark as files."""

import os
from collections.abc import Sequence
from pathlib import Path

from graphtailor.bench.results.results import collect_results
from graphtailor.bench.results.study_gaps import Cause, difference_table
from graphtailor.bench.run.illustrations import Illustration
from graphtailor.bench.store.store import Store
from graphtailor.io.atomic import atomic_open, file_name
from graphtailor.io.spreadsheets import safe_frame
from graphtailor.report.bench.dataset_views import dataset_view
from graphtailor.report.bench.figure_list import (
    choice_pictures,
    illustration_pictures,
    search_pictures,
)
from graphtailor.report.bench.summary_views import gap_view, summary_views

# Fine enough for print.
_DOTS_PER_INCH = 200


def write_figures(
    store: Store,
    folder: str | os.PathLike[str],
    illustrations: Sequence[Illustration] = (),
) -> list[Path]:
    """Draw the figures of the newest plan in a store.

    Files are NAME.svg and NAME.png; illustrations are for graphs and objectives.
    """
    results = collect_results(store)
    pictures = [
        picture
        for choice in results.plan.choices
        for picture in choice_pictures(results, choice).values()
    ]
    pictures += search_pictures(results)
    pictures += illustration_pictures(results, illustrations)
    written = []
    for picture in pictures:
        for suffix in ("svg", "png"):
            path = Path(folder, file_name(f"{picture.key}.{suffix}"))
            # The date would make equal figures differ.
            metadata = {"Date": None} if suffix == "svg" else {}
            with atomic_open(path) as file:
                picture.figure.savefig(
                    file,
                    format=suffix,
                    dpi=_DOTS_PER_INCH,
                    facecolor="white",
                    metadata=metadata,
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
            *summary_views(results, choice).values(),
            *(dataset_view(results, choice, name) for name in results.datasets.index),
        ]
        if choice == "oracle":
            views.append(gap_view(results, choice, causes))
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
