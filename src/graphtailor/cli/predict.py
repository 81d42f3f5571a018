"""``graphtailor predict``: clusters of new rows. What it does is in ``predicting``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphtailor.cli import options as o
from graphtailor.cli.requests import PredictRequest

Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="CSV file to write, printed if not given; with --dask a folder of Parquet "
        "files.",
        metavar="FILE",
        rich_help_panel=o.OUTPUT_PANEL,
    ),
]


def predict(
    model_file: o.ModelFile,
    data: o.Data,
    id_column: o.Id = None,
    delimiter: o.Delimiter = None,
    decimal: o.Decimal = None,
    no_header: o.NoHeader = False,
    dask: o.Dask = None,
    output: Output = None,
    quiet: o.Quiet = False,
    as_json: o.AsJson = False,
) -> None:
    """Find the clusters of new rows, and how certain they are.

    Columns are found by their names, in any order, and prepared as they were for the
    fit: the same levels, dates and fillings. Others are left out.

    [bold]Examples[/bold]

    graphtailor predict graphtailor-table/model.npz new.csv --id name

    graphtailor predict graphtailor-wine/model.npz wine --output labels.csv

    graphtailor predict model.npz new/*.parquet --dask local:2 --output labels.parquet
    """
    request = PredictRequest(**locals())
    # Numerical libraries take seconds to load: --help and Tab do without them.
    from graphtailor.cli.predicting import run_predict

    run_predict(request)
