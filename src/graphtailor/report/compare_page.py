"""The page that compares methods on one table."""

from typing import Any

import numpy as np

from graphtailor.diagnostics import comparison_words as words
from graphtailor.diagnostics.comparison import Comparison, match_clusters
from graphtailor.diagnostics.formatting import RowNames
from graphtailor.diagnostics.quality import SCORE_MEANINGS
from graphtailor.diagnostics.summary import package_versions
from graphtailor.plot.curves import curve_figure
from graphtailor.plot.inline_svg import inline_svg, map_data, map_places, map_svg
from graphtailor.report.html import page_script, render_page
from graphtailor.tables import Table

_MOST_PARTS = 30
_DISPUTED = "Where methods do not agree"
# Names that not every reader of a page knows.
_ABBREVIATIONS = {
    "SC": "spectral clustering",
    "HDBSCAN": "clustering by density, which leaves rows out",
}
# Numbers of looks: the second time the palette is used, points are square.
_RED_SQUARE, _GREY = 11, 6


def compare_report(
    comparison: Comparison,
    *,
    table: Table | None = None,
    scaling: str | None = None,
    command: str | None = None,
) -> str:
    """A page that compares the clusters of several methods on the same rows.

    Parameters
    ----------
    comparison : Comparison
        From :func:`~graphtailor.diagnostics.comparison.compare_runs`.
    table : Table or None, default=None
        What was clustered, from :func:`~graphtailor.tables.read_table`: the page then
        has its name, names of rows, and known classes on a map of their own.
    scaling : str or None, default=None
        How the features were scaled for all methods.
    command : str or None, default=None
        The command that repeats the comparison.

    Returns
    -------
    str
        HTML with everything inside; names are escaped.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.report import Run, compare_report, compare_runs
    >>> X = np.array([[0.0], [0.1], [0.2], [5.0], [5.1], [5.2]])
    >>> runs = [Run("one", np.repeat([0, 1], 3)), Run("two", np.repeat([1, 0], 3))]
    >>> compare_report(compare_runs(runs, X)).startswith("<!doctype html>")
    True
    """
    names = RowNames(None if table is None else table.ids)
    script, policy = page_script("sort.js", "map.js")
    return render_page(
        "compare.html.j2",
        headline=words.headline(comparison),
        abbreviations=[
            (short, long)
            for short, long in _ABBREVIATIONS.items()
            if short in {entry.method for entry in comparison.entries}
        ],
        n_left=sum(entry.n_left for entry in comparison.entries),
        trust=words.whom_to_trust(comparison),
        is_doubtful=comparison.verdict_level in ("weak", "none"),
        votes=words.votes_sentence(comparison),
        path=_path(comparison),
        disputed=_disputed(comparison, names),
        script=script,
        policy=policy,
        data="data" if table is None else table.name,
        n_features=None if table is None else table.X.shape[1],
        scaling=scaling,
        comparison=comparison,
        table=_table(comparison),
        maps=_maps(comparison, names, None if table is None else table.y),
        meanings=_meanings(comparison),
        notes=[(e.method, note) for e in comparison.entries for note in e.warnings],
        command=command,
        versions=package_versions(),
    )


def _path(comparison: Comparison) -> dict[str, Any] | None:
    """Agreement along the numbers of groups: a sentence, a curve and a table."""
    path = comparison.path
    if path is None or not path.numbers:
        return None
    names = ("number of groups", "mean agreement")
    number = comparison.entries[0].n_clusters
    figure = curve_figure(path.numbers, path.mean, names, number)
    first, *others = path.methods
    rows = [("all pairs of methods", path.mean)]
    for j, other in enumerate(others, start=1):
        rows.append((f"{first} and {other}", path.agreement[:, 0, j]))
    return {
        "sentence": words.path_sentence(comparison),
        "curve": inline_svg(figure, "Mean agreement for each number of groups"),
        "numbers": path.numbers,
        "number": number,
        "rows": rows,
        "n_rows": path.n_rows,
    }


def _disputed(comparison: Comparison, names: RowNames) -> list[dict[str, Any]]:
    """The rows with the fewest votes, and which methods put them where."""
    votes = comparison.votes
    rows = np.flatnonzero(votes.disputed)
    rows = rows[np.argsort(votes.count[rows], kind="stable")][:12]
    voters = [e for e in comparison.entries if e.method in votes.methods]
    found = []
    for i in rows.tolist():
        sides: dict[int, list[str]] = {}
        for entry in voters:
            sides.setdefault(int(entry.labels[i]), []).append(entry.method)
        order = sorted(sides, key=lambda k: -len(sides[k]))
        parts = [{"cluster": k, "methods": ", ".join(sides[k])} for k in order]
        found.append({"name": names[i], "parts": parts})
    return found


def _table(comparison: Comparison) -> dict[str, Any]:
    """Heads and rows of the table of methods, and the best value of each column."""
    first = comparison.entries[0]
    heads = [index.name for index in first.indices] + list(first.scores or {})
    better = [index.better for index in first.indices]
    better += ["higher"] * len(first.scores or {})
    rows = []
    for entry in comparison.entries:
        found = {index.name: index.value for index in entry.indices}
        found |= entry.scores or {}
        sizes = np.sort(entry.sizes[entry.sizes > 0])[::-1]
        parts = [
            {"cluster": int(k), "size": int(entry.sizes[k])}
            for k in np.flatnonzero(entry.sizes)[:_MOST_PARTS]
        ]
        rows.append(
            {
                "method": entry.method,
                "n_clusters": entry.n_clusters,
                "sizes": ", ".join(f"{size:,}" for size in sizes[:_MOST_PARTS]),
                "largest": int(sizes[0]),
                "parts": parts,
                "seconds": entry.seconds,
                "values": [found.get(name) for name in heads],
            }
        )
    return {"heads": heads, "rows": rows, "best": _best(rows, better)}


def _best(rows: list[dict[str, Any]], better: list[str]) -> list[float | None]:
    best: list[float | None] = []
    for j, way in enumerate(better):
        known = {row["values"][j] for row in rows} - {None}
        choose = max if way == "higher" else min
        # If all values are the same, none is the best.
        best.append(choose(known) if len(known) > 1 else None)
    return best


def _maps(
    comparison: Comparison, names: RowNames, y_true: np.ndarray | None
) -> dict[str, Any]:
    """A map for each method, and one for the known classes, on the same places."""
    shown = comparison.sample
    labelings = {
        entry.method: np.where(entry.left, -1, entry.labels)
        for entry in comparison.entries
    }
    notes: dict[str, list[str]] = {}
    if y_true is not None:
        codes = np.unique(y_true, return_inverse=True)[1]
        reference = comparison.entries[0].labels
        labelings["Known classes"] = match_clusters(codes, reference)
        notes["Known classes"] = [f"class {name}" for name in y_true[shown]]
    places, height = map_places(comparison.places)
    panels, data = [], []
    votes = comparison.votes
    if len(votes.methods) > 1:
        # Grey where methods agree, red squares where they do not.
        looks = np.where(votes.disputed[shown], _RED_SQUARE, _GREY)
        svg = map_svg(places, height, looks, 0, _DISPUTED, numbered=False)
        panels.append({"title": _DISPUTED, "svg": svg})
        counts = [f"{k} of {len(votes.methods)} methods agree" for k in votes.count]
        data.append({"title": _DISPUTED, "notes": [counts[i] for i in shown]})
    for number, (title, labels) in enumerate(labelings.items(), start=len(panels)):
        svg = map_svg(places, height, labels[shown], number, title)
        panels.append({"title": title, "svg": svg})
        panel = {"labels": labels[shown].tolist(), "title": title}
        data.append(panel | ({"notes": notes[title]} if title in notes else {}))
    points = [names[i] for i in shown]
    return {"panels": panels, "data": map_data(places, points, data)}


def _meanings(comparison: Comparison) -> list[tuple[str, str, str]]:
    first = comparison.entries[0]
    found = [(index.name, index.better, index.meaning) for index in first.indices]
    if first.scores is None:
        return found
    return found + [(k, "higher", SCORE_MEANINGS[k]) for k in first.scores]
