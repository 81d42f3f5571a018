"""The table that a request asks for."""

from __future__ import annotations

from dataclasses import replace

from graphtailor.cli import options as o
from graphtailor.cli.compare import CompareRequest
from graphtailor.cli.requests import FitRequest
from graphtailor.tables import Table, read_table
from graphtailor.tables.messages import command_words


def read_requested(request: FitRequest | CompareRequest, source: str) -> Table:
    """Read the source as the options say."""
    table = read_table(
        source,
        label=request.label,
        id=request.id_column,
        columns=request.columns,
        drop=request.drop or (),
        categorical=request.categorical or (),
        numeric=request.numeric or (),
        impute=request.impute or "median",
        scale=request.scale,
        delimiter=o.text_delimiter(request.delimiter),
        decimal=o.decimal_mark(request.decimal),
        header=False if request.no_header else None,
    )
    return replace(table, notes=tuple(map(command_words, table.notes)))
