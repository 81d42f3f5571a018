"""The page of a fit, and a model in a notebook."""

import re
from typing import Any

import numpy as np
from markupsafe import Markup
from sklearn.utils import estimator_html_repr

from graphtailor.diagnostics.formatting import cluster_color
from graphtailor.diagnostics.graph_map import full_weight, ordered_image
from graphtailor.diagnostics.levels import Levels
from graphtailor.diagnostics.model_access import (
    FittedModel,
    FittedView,
    has_labels,
    view_of,
)
from graphtailor.diagnostics.sensitivity import SettingsAgreement
from graphtailor.diagnostics.summary import FitSummary, summarize_fit
from graphtailor.linalg.types import MatrixLike
from graphtailor.plot.affinity_display import matrix_figure
from graphtailor.plot.inline_svg import inline_svg
from graphtailor.plot.layers_display import layers_figure
from graphtailor.report.fit_checks import fit_checks
from graphtailor.report.fit_data import FitData, fit_data
from graphtailor.report.html import page_script, render_page
from graphtailor.report.page_data import PageData, packed_page, page_data
from graphtailor.tables import Table

# One module of the page, in this order.
_SCRIPTS = (
    *("fit_data.js", "fit_groups.js", "fit_row.js"),
    *("fit_map.js", "fit_pointer.js", "fit.js"),
)
_FIGURES = re.compile(r" \([^()]*\)")
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


def fit_report(
    model: FittedModel,
    X: MatrixLike | None = None,
    *,
    summary: FitSummary | None = None,
    command: str | None = None,
    table: Table | None = None,
    settings: SettingsAgreement | None = None,
) -> Page:
    """A page about a fit: its groups for the analyst, its checks for the statistician.

    Everything is in one file that works without a network: the verdict, the groups
    with names made of their traits, a slider over the levels, a map of all rows, and
    what makes each group different. Names and merges made on the page can be saved.

    Parameters
    ----------
    model : estimator
        GraphTailor, JointModel or one of the compared methods, fitted.
    X : {DataFrame, array-like, sparse array} of shape (n, d) or None, default=None
        What the model was fitted to; without it the page has no map and describes no
        differences.
    summary : FitSummary or None, default=None
        From :func:`~graphtailor.report.summarize_fit`; computed if None.
    command : str or None, default=None
        The command that repeats the fit.
    table : Table or None, default=None
        The table that X comes from, from :func:`~graphtailor.tables.read_table`: the
        page then has its units, names of rows, columns and known classes.
    settings : SettingsAgreement or None, default=None
        From :func:`~graphtailor.diagnostics.sensitivity.neighboring_settings`, which
        takes eleven refits; None leaves it out.

    Returns
    -------
    Page
        A string of HTML with everything inside; names are escaped. A notebook shows it
        as it is.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor
    >>> from graphtailor.report import fit_report
    >>> X = load_iris().data
    >>> model = GraphTailor(n_clusters=3, random_state=0).fit(X)
    >>> fit_report(model, X).startswith("<!doctype html>")
    True
    """
    X = X if X is None or hasattr(X, "shape") else np.asarray(X)
    data = fit_data(view_of(model), X, table)
    summary = summary or summarize_fit(model, y_true=data.y)
    found = page_data(data)
    script, policy = page_script(*_SCRIPTS)
    content = render_page(
        "fit.html.j2",
        summary=summary,
        **_first_screen(data, found, summary),
        map=found.map,
        n_sampled=len(found.sample),
        has_features=data.frame is not None,
        **fit_checks(model, X, data, found, summary, settings),
        columns=data.columns,
        command=command,
        script=script,
        policy=policy,
        packed=packed_page(found, data),
    )
    return Page(content)


def _first_screen(
    data: FitData, found: PageData, summary: FitSummary
) -> dict[str, Any]:
    """What the page says first, without its script."""
    levels = found.levels
    marks = [
        {"place": place, "number": number, "suggested": number in levels.suggested}
        for place, number in enumerate(levels.numbers)
    ]
    groups = len(found.taken)
    verdict = _verdict(data)
    by_chance = verdict is not None and verdict["level"] == "none"
    how = ", cut into" if by_chance else " fall into"
    text = f"{summary.n_samples:,} rows{how} {{groups}}"
    return {
        "headline": text.format(groups=f"{groups} group{'' if groups == 1 else 's'}"),
        "headline_text": text,
        "verdict": verdict,
        "by_chance": by_chance,
        "levels": marks,
        "chosen": levels.chosen,
        "suggested": [mark for mark in marks if mark["suggested"]],
        "taken": found.taken,
        "tree": _tree(levels),
        "has_certainty": data.certainty is not None,
        "is_guided": data.view.decision is not None
        and data.view.decision.known_rows > 0,
        "first_row": data.names.first,
        "numbered_rows": not data.names.given
        or len(found.sample) < len(data.view.labels),
    }


def _verdict(data: FitData) -> dict[str, str] | None:
    """The verdict without its figures, which are among the decisions."""
    found = data.view.verdict
    if found is None:
        return None
    return {"level": found.level, "text": _FIGURES.sub("", found.sentence())}


def _tree(levels: Levels) -> Markup | None:
    if len(levels.labels) == 1:
        return None
    return inline_svg(layers_figure(levels), "How the groups split from level to level")


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
    image, sizes = ordered_image(view.learned, view.vertex_labels, 160)
    text = f"The learned graph: weights between {view.noun}, grouped by cluster"
    figure = matrix_figure(image, sizes, full_weight([image]), side=2.4)
    return inline_svg(figure, text)
