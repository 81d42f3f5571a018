"""``graphtailor report``: the page of a benchmark."""

from dataclasses import dataclass
from pathlib import Path

from graphtailor.bench import opened_results
from graphtailor.bench.results.tables import load_causes
from graphtailor.bench.run.illustrations import FOLDER, read_illustrations
from graphtailor.cli import options as o
from graphtailor.cli.show import show
from graphtailor.io.atomic import atomic_open
from graphtailor.report.bench import bench_report, write_figures, write_tables


@dataclass(frozen=True, kw_only=True)
class ReportOptions:
    """The options of ``graphtailor report``."""

    results: Path = o.argument(
        "RESULTS", "The folder that 'bench' wrote, or a .parquet file that it exported."
    )
    output: Path = o.option(
        "--output -o", "FILE", "The page to write.", Path("report.html")
    )
    tables: Path | None = o.option(
        "--tables", "FOLDER", "Also write every table as CSV and LaTeX into it."
    )
    figures: Path | None = o.option(
        "--figures", "FOLDER", "Also draw every figure as SVG and PNG into it."
    )
    causes: Path | None = o.option(
        "--causes",
        "FILE",
        "A TOML file of tables [\\[cause]] with text, method, data and metric (* "
        "stands for anything): why results are below the study's.",
    )
    quiet: bool = o.quiet_option()


@o.with_options
def report(options: ReportOptions) -> None:
    """Make one self-contained page of a benchmark's results."""
    known = () if options.causes is None else load_causes(options.causes)
    results, tables, figures = options.results, options.tables, options.figures
    drawn = read_illustrations(
        (results if results.is_dir() else results.parent) / FOLDER
    )
    written = {"report": f"{options.output}"}
    with opened_results(results) as store:
        page = bench_report(store, causes=known, illustrations=drawn)
        if tables is not None:
            paths = write_tables(store, tables, known)
            written["tables"] = f"{tables}, {len(paths)} files"
        if figures is not None:
            paths = write_figures(store, figures, drawn)
            written["figures"] = f"{figures}, {len(paths)} files"
    with atomic_open(options.output, "w") as file:
        file.write(page)
    if not options.quiet:
        lines = (f"{what:9} {where}" for what, where in written.items())
        show(*lines, soft_wrap=True)
