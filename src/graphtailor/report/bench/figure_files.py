"""Every figure of a benchmark as SVG and PNG files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from graphtailor.bench.results.results import collect_results
from graphtailor.bench.run.illustrations import Illustration
from graphtailor.bench.store.store import Store
from graphtailor.io.atomic import atomic_open, file_name
from graphtailor.report.bench.figure_list import (
    choice_pictures,
    illustration_pictures,
    search_pictures,
)

# Fine enough for print.
_DOTS_PER_INCH = 200


def write_figures(
    store: Store,
    folder: str | os.PathLike[str],
    illustrations: Sequence[Illustration] = (),
) -> list[Path]:
    """Draw the figures of the newest plan in a store.

    Parameters
    ----------
    store : Store
        The runs.
    folder : path-like
        Where NAME.svg and NAME.png go.
    illustrations : sequence of Illustration, default=()
        For the figures of graphs and objectives.

    Returns
    -------
    list of Path
        What was written.
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
