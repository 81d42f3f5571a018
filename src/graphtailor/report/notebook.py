"""A model in a notebook: its parameters, and after the fit sizes and a picture."""

import numpy as np
from markupsafe import Markup
from sklearn.utils import estimator_html_repr

from graphtailor.diagnostics.formatting import cluster_color
from graphtailor.diagnostics.graph_map import full_weight, ordered_image
from graphtailor.diagnostics.model_access import (
    FittedModel,
    FittedView,
    has_labels,
    view_of,
)
from graphtailor.plot.affinity_display import matrix_figure
from graphtailor.plot.inline_svg import inline_svg
from graphtailor.report.html import render_page

_PIXELS = 160
_MOST_CLUSTERS = 12


class Page(str):
    """A page as text; a notebook shows it in a frame of its own."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        frame = Markup(
            '<iframe srcdoc="{}" title="Report of the fit" sandbox="allow-scripts '
            'allow-downloads" style="width:100%;height:45em;border:0"></iframe>'
        )
        return str(frame.format(str(self)))


def model_html(model: FittedModel) -> str:
    """HTML of a model, fitted or not, for a notebook.

    It is scikit-learn's view. For a fitted model it is followed by the sizes of the
    clusters, what was decided, and the learned graph.
    """
    plain = estimator_html_repr(model)
    # Labels that live with the workers of a Dask cluster are not fetched.
    if not has_labels(model):
        return plain
    view = view_of(model)
    sizes = np.bincount(view.labels)
    part = render_page(
        "notebook.html.j2",
        picture=_picture(view),
        n=len(view.labels),
        sizes=[(k, sizes[k], cluster_color(k)) for k in np.flatnonzero(sizes).tolist()],
        most=_MOST_CLUSTERS,
        sentences=[] if view.decision is None else view.decision.sentences(),
    )
    return plain + part


def _picture(view: FittedView) -> Markup:
    if view.learned is None:
        return Markup("")
    image, sizes = ordered_image(view.learned, view.vertex_labels, _PIXELS)
    text = f"The learned graph: weights between {view.noun}, grouped by cluster"
    figure = matrix_figure(image, sizes, full_weight([image]), side=2.4)
    return inline_svg(figure, text)
