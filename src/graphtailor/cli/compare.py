"""``graphtailor compare``: one table by several methods. The work is in comparing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from graphtailor.cli import options as o

Methods = Annotated[
    str,
    typer.Option(
        "--methods",
        "-m",
        metavar="NAME,NAME,...",
        help="Methods to compare, or 'all' (see 'graphtailor methods').",
        rich_help_panel=o.MODEL_PANEL,
    ),
]
Seconds = Annotated[
    float | None,
    typer.Option(
        "--seconds",
        metavar="NUMBER",
        min=0.01,
        help="Most seconds for each method; one that takes longer is stopped, and the "
        "others go on. No limit if not given.",
        rich_help_panel=o.MODEL_PANEL,
    ),
]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        metavar="FOLDER|FILE.html",
        help="Folder for page, labels and summary, or a file for the page alone; "
        "graphtailor-compare-NAME if not given.",
        rich_help_panel=o.OUTPUT_PANEL,
    ),
]


@dataclass(frozen=True)
class CompareRequest:
    """The options of ``graphtailor compare``, by the names of its arguments."""

    data: list[str]
    methods: str
    clusters: str | None
    scale: str
    seed: int
    seconds: float | None
    label: str | None
    id_column: str | None
    columns: Sequence[str] | None
    drop: Sequence[str] | None
    categorical: Sequence[str] | None
    numeric: Sequence[str] | None
    impute: str | None
    delimiter: str | None
    decimal: str | None
    no_header: bool
    output: Path | None
    quiet: bool
    as_json: bool

    @property
    def is_talking(self) -> bool:
        """Whether text is wanted."""
        return not self.quiet and not self.as_json


def compare(
    data: o.Data,
    methods: Methods = "GraphTailor,SC,K-means",
    clusters: o.Clusters = None,
    scale: o.Scale = "maxabs",
    seed: o.Seed = 0,
    seconds: Seconds = None,
    label: o.Label = None,
    id_column: o.Id = None,
    columns: o.Columns = None,
    drop: o.Drop = None,
    categorical: o.Categorical = None,
    numeric: o.Numeric = None,
    impute: o.Impute = None,
    delimiter: o.Delimiter = None,
    decimal: o.Decimal = None,
    no_header: o.NoHeader = False,
    output: Output = None,
    quiet: o.Quiet = False,
    as_json: o.AsJson = False,
) -> None:
    """Cluster a table by several methods; one page on how they agree.

    [bold]Examples[/bold]

    graphtailor compare wine

    graphtailor compare table.csv --methods GraphTailor,SC,LRR --clusters 4

    graphtailor compare table.csv --methods all --seconds 60 --output compare.html
    """
    request = CompareRequest(**locals())
    # Numerical libraries take seconds to load: --help and Tab do without them.
    from graphtailor.cli.comparing import run_comparison

    run_comparison(request)
