"""A fitted model in a notebook: its parameters, sizes and a small picture."""

from __future__ import annotations

from typing import Any

import numpy as np
from markupsafe import Markup
from sklearn.utils import estimator_html_repr

from graphtailor.diagnostics.model_access import (
    full_weight,
    graph_of,
    ordered_image,
    vertex_labels,
    vertex_noun,
)
from graphtailor.diagnostics.palette import cluster_color
from graphtailor.diagnostics.selection import settings_in_words
from graphtailor.diagnostics.summary import settings_of
from graphtailor.report.matrix_svg import pixels_uri

_PIXELS = 160
_MOST_CLUSTERS = 12


def model_html(model: Any) -> str:
    """HTML of a model for a notebook.

    Parameters
    ----------
    model : GraphTailor
        Fitted or not.

    Returns
    -------
    str
        scikit-learn's view, and below it, once fitted, the sizes of the clusters, the
        settings, and the learned graph with its rows grouped by cluster.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor
    >>> from graphtailor.report.notebook import model_html
    >>> model = GraphTailor(n_clusters=3, n_init=1, random_state=0)
    >>> "data:image/png" in model_html(model)
    False
    >>> "data:image/png" in model_html(model.fit(load_iris().data))
    True
    """
    plain = estimator_html_repr(model)
    # Labels that live with the workers of a cluster are not fetched for a picture.
    if not isinstance(getattr(model, "labels_", None), np.ndarray):
        return plain
    return plain + str(_fitted_part(model))


def _fitted_part(model: Any) -> Markup:
    sizes = np.bincount(model.labels_)
    found = np.flatnonzero(sizes)
    lines = [_size_line(int(k), int(sizes[k]), len(model.labels_)) for k in found]
    if len(lines) > _MOST_CLUSTERS:
        more = Markup('<div style="opacity:.7">and {} more</div>')
        lines = [*lines[:_MOST_CLUSTERS], more.format(len(found) - _MOST_CLUSTERS)]
    tried = getattr(model, "selection_", {"alpha": ()})
    settings = settings_in_words(settings_of(model), len(tried["alpha"]))
    lines.append(Markup('<div style="opacity:.7">{}</div>').format(settings))
    told = "1 cluster" if len(found) == 1 else f"{len(found)} clusters"
    return Markup(
        '<div style="display:flex;flex-wrap:wrap;gap:1em;margin:.6em 0;'
        'font:13px/1.5 system-ui,sans-serif">{}<div><b>{:,} rows in {}</b>{}'
        "</div></div>"
    ).format(_picture(model), len(model.labels_), told, Markup("").join(lines))


def _picture(model: Any) -> Markup:
    graph = graph_of(model, "learned")
    if graph is None:
        return Markup("")
    image = ordered_image(graph, vertex_labels(model), _PIXELS)[0]
    told = f"The learned graph: ties between {vertex_noun(model)}, grouped by cluster"
    return Markup(
        '<img src="{}" alt="{}" title="{}" style="width:160px;height:160px;'
        'image-rendering:pixelated;border:1px solid #8888;background:none">'
    ).format(pixels_uri(image, full_weight([image])), told, told)


def _size_line(cluster: int, size: int, n: int) -> Markup:
    return Markup(
        '<div><span style="display:inline-block;width:.8em;height:.8em;'
        'border-radius:50%;background:{};margin-right:.4em"></span>cluster {}: {:,} '
        '<span style="opacity:.7">({:.0f} %)</span></div>'
    ).format(cluster_color(cluster), cluster, size, 100 * size / n)
