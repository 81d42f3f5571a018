"""A model in a notebook: its parameters, and after the fit sizes and a picture."""

from __future__ import annotations

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

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor
    >>> from graphtailor.report.notebook import model_html
    >>> model = GraphTailor(n_clusters=3, random_state=0)
    >>> "data:image/png" in model_html(model)
    False
    >>> "data:image/png" in model_html(model.fit(load_iris().data))
    True
    """
    plain = estimator_html_repr(model)
    # Labels that live with the workers of a Dask cluster are not fetched.
    if not has_labels(model):
        return plain
    return plain + str(_fitted_part(view_of(model)))


def _fitted_part(view: FittedView) -> Markup:
    n, sizes = len(view.labels), np.bincount(view.labels)
    found = np.flatnonzero(sizes)
    soft = Markup('<div style="opacity:.7">{}</div>')
    lines = [_size_line(int(k), int(sizes[k]), n) for k in found[:_MOST_CLUSTERS]]
    if len(found) > _MOST_CLUSTERS:
        lines.append(soft.format(f"and {len(found) - _MOST_CLUSTERS} more"))
    sentences = [] if view.decision is None else view.decision.sentences()
    lines += [soft.format(sentence) for sentence in sentences]
    clusters = "1 cluster" if len(found) == 1 else f"{len(found)} clusters"
    return Markup(
        '<div style="display:flex;flex-wrap:wrap;gap:1em;margin:.6em 0;'
        'font:13px/1.5 system-ui,sans-serif">{}<div style="max-width:40em"><b>'
        "{:,} rows in {}</b>{}</div></div>"
    ).format(_picture(view), n, clusters, Markup("").join(lines))


def _picture(view: FittedView) -> Markup:
    if view.learned is None:
        return Markup("")
    image, sizes = ordered_image(view.learned, view.vertex_labels, _PIXELS)
    text = f"The learned graph: weights between {view.noun}, grouped by cluster"
    figure = matrix_figure(image, sizes, full_weight([image]), side=2.4)
    return inline_svg(figure, text)


def _size_line(cluster: int, size: int, n: int) -> Markup:
    return Markup(
        '<div><span style="display:inline-block;width:.8em;height:.8em;'
        'border-radius:50%;background:{};margin-right:.4em"></span>cluster {}: {:,} '
        '<span style="opacity:.7">({:.0f} %)</span></div>'
    ).format(cluster_color(cluster), cluster, size, 100 * size / n)
