"""``graphtailor report``: the page of a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphtailor.bench import opened_results
from graphtailor.bench.results.study_gaps import load_causes
from graphtailor.bench.run.illustrations import FOLDER, read_illustrations
from graphtailor.cli import options as o
from graphtailor.cli.show import output_console
from graphtailor.io.atomic import atomic_open
from graphtailor.report.bench import bench_report, write_figures, write_tables

Folder = Annotated[
    Path,
    typer.Argument(
        metavar="RESULTS",
        help="The folder that 'bench' wrote, or a .parquet file that it exported.",
    ),
]
Page = Annotated[
    Path, typer.Option("--output", "-o", metavar="FILE", help="The page to write.")
]
Tables = Annotated[
    Path | None,
    typer.Option(
        "--tables",
        metavar="FOLDER",
        help="Also write every table as CSV and LaTeX into this folder.",
    ),
]
Figures = Annotated[
    Path | None,
    typer.Option(
        "--figures",
        metavar="FOLDER",
        help="Also draw every figure as SVG and PNG into this folder.",
    ),
]
Causes = Annotated[
    Path | None,
    typer.Option(
        "--causes",
        metavar="FILE",
        help="A TOML file of tables [\\[cause]] with text, method, data and metric (* "
        "stands for anything): why results are below the study's.",
    ),
]


def report(
    results: Folder,
    output: Page = Path("report.html"),
    tables: Tables = None,
    figures: Figures = None,
    causes: Causes = None,
    quiet: o.Quiet = False,
) -> None:
    """Make one self-contained page of a benchmark's results."""
    known = () if causes is None else load_causes(causes)
    folder = results if results.is_dir() else results.parent
    drawn = read_illustrations(folder / FOLDER)
    written = {"report": f"{output}"}
    with opened_results(results) as store:
        page = bench_report(store, causes=known, illustrations=drawn)
        if tables is not None:
            paths = write_tables(store, tables, known)
            written["tables"] = f"{tables}, {len(paths)} files"
        if figures is not None:
            paths = write_figures(store, figures, drawn)
            written["figures"] = f"{figures}, {len(paths)} files"
    with atomic_open(output, "w") as file:
        file.write(page)
    if not quiet:
        console = output_console()
        for what, where in written.items():
            console.print(f"{what:9} {where}", soft_wrap=True)
