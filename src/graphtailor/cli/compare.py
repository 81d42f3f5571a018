"""``graphtailor compare``: cluster one table by several methods."""

import json
from dataclasses import dataclass
from pathlib import Path

import typer

from graphtailor.cli import options as o
from graphtailor.cli.show import say_notes, show_files

# UMAP is left out of these, and of all, where its package is not installed.
USUAL = "GraphTailor,SC,K-means,Ward,Gaussian mixture,HDBSCAN,UMAP + k-means"
# The paper's Algorithm 1 takes thousands of iterations that cost n^3 each. Above this
# number of rows it runs only where it is named.
ALGORITHM_1, MOST_ROWS_OF_ALGORITHM_1 = "Proposed", 300


@dataclass(frozen=True, kw_only=True)
class CompareOptions(o.TableSource):
    """The options of ``graphtailor compare``."""

    methods: str = o.model_option(
        "--methods -m",
        "NAME,NAME,...",
        "Methods to compare: those of 'graphtailor methods', Ward, Gaussian mixture, "
        "HDBSCAN, UMAP + k-means (needs umap-learn), or 'all', which leaves "
        f"{ALGORITHM_1} out above {MOST_ROWS_OF_ALGORITHM_1} rows.",
        USUAL,
    )
    seconds: float | None = o.model_option(
        "--seconds",
        "NUMBER",
        "Most seconds for each method; one that takes longer is stopped, and the "
        "others go on. No limit by default.",
        within=(0.01, None),
    )
    output: Path | None = o.output_option(
        "--output -o",
        "FOLDER|FILE.html",
        "Folder for page, labels and summary, or a file for the page alone; "
        "graphtailor-compare-NAME by default.",
    )


@o.with_options
def compare(options: CompareOptions) -> None:
    """Cluster a table by several methods; one page on how they agree.

    [bold]Examples[/bold]

    graphtailor compare wine

    graphtailor compare table.csv --methods GraphTailor,SC,LRR --clusters 4

    graphtailor compare table.csv --methods all --seconds 60 --output compare.html
    """
    # Numerical libraries take seconds to load: the help does without them.
    from graphtailor.cli.run_compare import compare_methods, show_comparison

    table, comparison, files = compare_methods(options)
    if options.as_json:
        answer = {"data": table.name, **comparison.to_dict(), "files": files}
        typer.echo(json.dumps(answer))
    elif options.is_talking:
        failed = (f"{run.method}: {run.reason}" for run in comparison.failed)
        say_notes([*table.notes, *failed])
        show_comparison(table.name, comparison)
        show_files(files)
