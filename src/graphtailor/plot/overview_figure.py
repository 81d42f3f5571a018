"""Given graph, learned graph and objective in one figure."""

from __future__ import annotations

from typing import Any

from matplotlib.figure import Figure

from graphtailor.diagnostics.model_access import Which, graph_of
from graphtailor.plot.affinity_display import affinity
from graphtailor.plot.convergence_display import convergence


def overview(model: Any) -> Figure:
    """Given graph, learned graph and objective side by side.

    Parameters
    ----------
    model : estimator
        Fitted. Graphs that the method has not are left out.

    Returns
    -------
    Figure
        Save it with ``figure.savefig("picture.png")``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor, plot
    >>> model = GraphTailor(n_clusters=3, n_init=1, random_state=0)
    >>> figure = plot.overview(model.fit(load_iris().data))
    >>> [axes.get_title().split(":")[0] for axes in figure.axes]
    ['Given graph', 'Learned graph', 'Objective']
    """
    both: tuple[Which, ...] = ("given", "learned")
    kinds = [which for which in both if graph_of(model, which) is not None]
    figure = Figure(figsize=(4.6 * (len(kinds) + 1), 5.0), layout="constrained")
    panels = figure.subplots(1, len(kinds) + 1, squeeze=False)[0]
    for ax, which in zip(panels, kinds, strict=False):
        affinity(model, ax, which)
    convergence(model, panels[-1])
    return figure
