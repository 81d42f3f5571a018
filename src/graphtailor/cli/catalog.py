"""``graphtailor datasets`` and ``graphtailor methods``: lists of what is built in."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import typer

from graphtailor.cli import options as o
from graphtailor.cli.show import grid, show

# Numerical libraries take seconds to load: the help does without them.
if TYPE_CHECKING:
    from graphtailor.registry import Method

# The point of "E. coli" ends no sentence.
_SENTENCE_END = re.compile(r"\. (?=[A-Z0-9])|; ")
_WHERE = {
    "bundled": "bundled",
    "openml": "fetched from OpenML",
    "folder": "in a folder of yours",
}


@dataclass(frozen=True, kw_only=True)
class ListOptions:
    """The options of both commands."""

    as_json: bool = o.json_option()


@o.with_options
def datasets(options: ListOptions) -> None:
    """List the data sets that 'fit' knows by name."""
    from graphtailor.datasets import list_datasets

    infos = list_datasets()
    if options.as_json:
        typer.echo(json.dumps([asdict(info) for info in infos]))
        return
    table = grid("name", "samples>", "features>", "classes>", "where", "what")
    for info in infos:
        sizes = (info.n_samples, info.n_features, info.n_classes)
        what = _SENTENCE_END.split(info.description)[0].rstrip(".")
        where = _WHERE[info.availability]
        table.add_row(info.name, *(f"{size:,}" for size in sizes), where, what)
    show(table)


@o.with_options
def methods(options: ListOptions) -> None:
    """List the methods that 'fit --method' knows."""
    from graphtailor.registry import METHODS

    entries = [_as_dict(method) for method in METHODS.values()]
    if options.as_json:
        typer.echo(json.dumps(entries))
        return
    table = grid("name", "family", "weights to choose", "needs", "what")
    for entry in entries:
        weights, needs = ", ".join(entry["grid"]), ", ".join(entry["needs"])
        table.add_row(entry["name"], entry["family"], weights, needs, entry["what"])
    show(table)


def _as_dict(method: Method) -> dict[str, Any]:
    needs = {"a graph": method.uses_graph, "nonnegative data": method.needs_nonnegative}
    return {
        "name": method.name,
        "family": method.family,
        "grid": {name: list(values) for name, values in method.grid.items()},
        "needs": [need for need, is_needed in needs.items() if is_needed],
        "what": (method.estimator.__doc__ or "").strip().split("\n")[0].rstrip("."),
    }
