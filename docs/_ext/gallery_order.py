"""The order of the examples: what a newcomer wants to know first comes first."""

from __future__ import annotations

from pathlib import Path

_FIRST = (
    "table_penguins",
    "pages",
    "how_many_clusters",
    "states",
    "digits",
    "moons",
    "new_data",
    "mixed_columns",
    "missing_values",
    "pipeline",
    "known_labels",
    "text",
    "single_cells",
    "precomputed_graph",
    "large_data",
    "weights",
    "subspaces",
    "robust_pca",
    "graph_learning",
    "paper_figure_1",
    "significance",
    "own_method",
)


class ReadingOrder:
    """Sorts examples by the list above, and those it does not name after them."""

    def __init__(self, src_dir: str) -> None:
        self.src_dir = src_dir

    def __call__(self, filename: str) -> tuple[int, str]:
        name = Path(filename).stem.removeprefix("plot_")
        place = _FIRST.index(name) if name in _FIRST else len(_FIRST)
        return place, name
