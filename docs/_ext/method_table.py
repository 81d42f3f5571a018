"""A table of the methods, made from the registry when the pages are built.

```{method-table}
```
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective


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


class MethodTable(SphinxDirective):
    """Puts the table into a page."""

    def run(self) -> list[nodes.Node]:
        return self.parse_text_to_nodes(methods_table())


def setup(app: Any) -> dict[str, bool]:
    app.add_directive("method-table", MethodTable)
    return {"parallel_read_safe": True}
