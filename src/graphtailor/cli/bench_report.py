"""``graphtailor report``: the page of a benchmark."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphtailor.bench import Store
from graphtailor.bench.report import bench_report, write_tables
from graphtailor.cli import options as o
from graphtailor.cli.show import output_console
from graphtailor.files import atomic_open

Folder = Annotated[
    Path, typer.Argument(metavar="RESULTS", help="The folder that 'bench' wrote.")
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


def report(
    results: Folder,
    output: Page = Path("report.html"),
    tables: Tables = None,
    quiet: o.Quiet = False,
) -> None:
    """Make one self-contained page of a benchmark's results."""
    with Store(results, create=False) as store:
        page = bench_report(store)
        written = [] if tables is None else write_tables(store, tables)
    with atomic_open(output, "w") as file:
        file.write(page)
    if not quiet:
        console = output_console()
        console.print(f"report    {output}", soft_wrap=True)
        if tables is not None:
            console.print(f"tables    {tables}, {len(written)} files", soft_wrap=True)
