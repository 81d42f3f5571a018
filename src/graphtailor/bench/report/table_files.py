"""Every table of a benchmark as CSV and LaTeX files."""

from __future__ import annotations

import os
from pathlib import Path

from graphtailor.bench.cells import collect_results
from graphtailor.bench.report.views import dataset_view, summary_views
from graphtailor.bench.store import Store
from graphtailor.files import atomic_open


def write_tables(store: Store, folder: str | os.PathLike[str]) -> list[Path]:
    """Write the tables of the newest plan in a store.

    Parameters
    ----------
    store : Store
        The runs.
    folder : path-like
        Where NAME-CHOICE.csv and NAME-CHOICE.tex go.

    Returns
    -------
    list of Path
        What was written.
    """
    results = collect_results(store)
    written = []
    for choice in results.plan.choices:
        views = [
            *summary_views(results, choice).values(),
            *(dataset_view(results, choice, name) for name in results.datasets.index),
        ]
        for view in views:
            for suffix, text in {"csv": view.csv, "tex": view.latex}.items():
                path = Path(folder, f"{view.key}.{suffix}")
                with atomic_open(path, "w") as file:
                    file.write(text)
                written.append(path)
    return written
