"""``graphtailor fit``: cluster a table. What it does is in ``fitting``."""

from __future__ import annotations

from graphtailor.cli import options as o
from graphtailor.cli.requests import FitRequest


def fit(
    data: o.Data,
    clusters: o.Clusters = None,
    method: o.MethodName = "GraphTailor",
    alpha: o.Alpha = None,
    beta: o.Beta = None,
    scale: o.Scale = "maxabs",
    starts: o.Starts = None,
    seed: o.Seed = 0,
    param: o.Param = None,
    jobs: o.Jobs = None,
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
    dask: o.Dask = None,
    output: o.OutputFolder = None,
    report: o.Report = None,
    quiet: o.Quiet = False,
    as_json: o.AsJson = False,
) -> None:
    """Cluster a table; write labels, graph, model, picture and summary.

    [bold]Examples[/bold]

    graphtailor fit table.csv --report report.html

    graphtailor fit table.xlsx --clusters 4 --id name --drop city,street

    graphtailor fit wine --method LRR --json

    graphtailor fit data/*.parquet --clusters 5 --dask local:2
    """
    request = FitRequest(**locals())
    # Numerical libraries take seconds to load: --help and Tab do without them.
    from graphtailor.cli.fitting import run_fit

    run_fit(request)
