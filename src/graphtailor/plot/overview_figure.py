"""Given graph, learned graph and objective in one figure."""

from matplotlib.figure import Figure

from graphtailor.diagnostics.model_access import FittedModel, view_of
from graphtailor.plot.affinity_display import affinity
from graphtailor.plot.convergence_display import convergence


def overview(model: FittedModel, figure: Figure | None = None) -> Figure:
    """Draw given graph, learned graph and objective side by side.

    Graphs that the method does not have are left out. Save the figure with
    ``figure.savefig("picture.png")``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor, plot
    >>> model = GraphTailor(n_clusters=3, random_state=0)
    >>> figure = plot.overview(model.fit(load_iris().data))
    >>> [axes.get_title().split(":")[0] for axes in figure.axes]
    ['Given graph', 'Learned graph', 'Objective']
    """
    if figure is None:
        from matplotlib import pyplot

        figure = pyplot.figure()
    graphs = view_of(model).graphs()
    figure.set_size_inches(4.6 * (len(graphs) + 1), 5.0)
    figure.set_layout_engine("constrained")
    panels = figure.subplots(1, len(graphs) + 1, squeeze=False)[0]
    for ax, which in zip(panels, graphs, strict=False):
        affinity(model, ax, which)
    convergence(model, panels[-1])
    return figure
