"""``graphtailor explain``: what a saved model was made of."""

from __future__ import annotations

from graphtailor.cli import options as o


def explain(model_file: o.ModelFile, as_json: o.AsJson = False) -> None:
    """Tell what a saved model was made of: data, columns, parameters, result.

    [bold]Examples[/bold]

    graphtailor explain graphtailor-table/model.npz

    graphtailor explain graphtailor-table/model.npz --json
    """
    # Numerical libraries take seconds to load: --help and Tab do without them.
    from graphtailor.cli.explaining import run_explain

    run_explain(model_file, as_json=as_json)
