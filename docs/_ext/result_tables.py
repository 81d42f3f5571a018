"""Tables that are made when the pages are built, from results/ and the registry.

    ```{result-table} quality
    ```

The names are those of tools/readme_tables.py, so that these pages and the README
cannot differ; "methods" lists the registry.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from readme_tables import PAPER, write_tables  # noqa: E402


def methods_table() -> str:
    """The methods by family: what they assume of data and what chance decides."""
    from graphtailor.registry import METHODS

    chance = {"all": "the fit", "kmeans": "K-means at the end", "none": "nothing"}
    lines = [
        "| method | class | family | given graph | data | weights | chance decides |",
        "| --- " * 7 + "|",
    ]
    for method in sorted(METHODS.values(), key=lambda m: (m.family, m.name)):
        home = "graphtailor"
        if not method.estimator.__module__.startswith("graphtailor.models"):
            home += ".baselines"
        cells = [
            method.name,
            f"{{class}}`~{home}.{method.estimator.__name__}`",
            method.family,
            "yes" if method.uses_graph else "no",
            "no negative values" if method.needs_nonnegative else "any",
            ", ".join(f"`{name}`" for name in method.grid),
            chance[method.randomness],
        ]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def table_text(name: str) -> str:
    """A table in Markdown."""
    if name == "methods":
        return methods_table()
    return write_tables(f"<!-- {name} -->\n<!-- /{name} -->", PAPER)


class ResultTable(SphinxDirective):
    """Puts a table of stored results into a page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        for path in [*(ROOT / "results").glob("*.csv"), PAPER]:
            self.env.note_dependency(str(path))
        return self.parse_text_to_nodes(table_text(self.arguments[0]))


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("result-table", ResultTable)
    return {"parallel_read_safe": True}
