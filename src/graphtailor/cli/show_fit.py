"""A fit as text for the terminal."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rich.table import Table as Grid
from rich.text import Text

from graphtailor.cli.show import facts, grid, show, show_title, visible
from graphtailor.decide.n_clusters import CLOSE
from graphtailor.diagnostics.formatting import readable_number
from graphtailor.diagnostics.summary import FitSummary

_MOST_CLUSTERS = 30
_MOST_NAMES = 4
_MOST_LETTERS = 100


def show_columns(columns: Sequence[tuple[str, str, str]]) -> None:
    """Print name, kind and treatment of columns; those treated alike share a line."""
    groups = _alike(columns)
    if len(groups) > 25:
        groups = _alike([(n, kind, _in_general(done)) for n, kind, done in columns])
    table = grid("column", "taken as", "what was done")
    table.columns[0].no_wrap = table.columns[1].no_wrap = True
    for (kind, treatment), names in groups.items():
        shown = ", ".join(names[:_MOST_NAMES])
        more = len(names) - _MOST_NAMES
        shown = f"{shown} and {more} more" if more > 0 else shown
        table.add_row(*(_one_line(cell) for cell in (shown, kind, treatment)))
    show(table, "")


def _alike(columns: Iterable[tuple[str, str, str]]) -> dict[tuple[str, str], list[str]]:
    groups: dict[tuple[str, str], list[str]] = {}
    for name, kind, treatment in columns:
        groups.setdefault((kind, treatment), []).append(name)
    return groups


def _in_general(treatment: str) -> str:
    """A treatment without the numbers of one column."""
    text = re.sub(r"[\d,]+ missing", "missing", treatment)
    return re.sub(r"flagged with '.*?'", "flagged", text)


def _one_line(text: str) -> str:
    text = visible(text)
    return text if len(text) <= _MOST_LETTERS else f"{text[: _MOST_LETTERS - 1]}…"


def show_fit(summary: FitSummary) -> None:
    """Print a fit at a glance."""
    clusters = "cluster" if summary.n_clusters == 1 else "clusters"
    decision = summary.decision or {"sentences": [], "levels": [], "verdict": None}
    by_chance = (decision["verdict"] or {}).get("level") == "none"
    if by_chance:
        clusters += " (cut, not found)"
    elif summary.parameters.get("n_clusters") == "auto":
        clusters += " (the number was found, not given)"
    show_title(
        summary.data,
        f"{summary.n_samples:,} samples, {summary.n_features:,} features, "
        f"{summary.n_clusters} {clusters} by {summary.method}",
    )
    for sentence in decision["sentences"][:1]:
        show(sentence, "")
    show(_sizes(summary), "")
    if decision["levels"]:
        taken = summary.n_clusters
        levels = [
            level
            for level in decision["levels"]
            if level["suggested"] or abs(level["n_clusters"] - taken) == 1
        ]
        show(level_table(levels, taken, by_chance=by_chance))
        show("Other numbers: graphtailor cut MODEL --clusters NUMBER", "")
    show(facts(_facts(summary, decision["sentences"][1:])), "")


def level_table(
    levels: Sequence[Mapping[str, Any]], taken: int, *, by_chance: bool
) -> Grid:
    """Numbers of clusters with their figures, one line each.

    Groups that chance gives too are not called plausible, nor are numbers whose score
    is far below the best one.
    """
    also = "as good a cut" if by_chance else "plausible too"
    less = "a worse cut" if by_chance else "less plausible"
    best = max(level["score"] for level in levels)
    table = grid("clusters>", "score>", "persistence>", "")
    for level in levels:
        number = level["n_clusters"]
        words = "coarser" if number < taken else "taken" if number == taken else "finer"
        figures = (f"{level['score']:.3f}", f"{level['persistence']:.2f}")
        if level["score"] < best - CLOSE and number != taken:
            words = f"{words}, {less}"
        elif level["suggested"] and number != taken:
            words = f"{words}, {also}"
        table.add_row(str(number), *figures, words)
    return table


def _facts(summary: FitSummary, sentences: Sequence[str]) -> Iterator[tuple[str, str]]:
    start = readable_number(summary.objective_at_start)
    yield "objective", f"{readable_number(summary.objective)} (from {start})"
    state = "converged" if summary.converged else "not converged"
    yield "iterations", f"{summary.n_iter}, {state}"
    yield "seconds", f"{summary.seconds or 0:.2f}"
    if summary.scores:
        scores = (f"{key} {value:.3f}" for key, value in summary.scores.items())
        yield "scores", "  ".join(scores)
    for place, sentence in enumerate(sentences):
        yield "" if place else "decision", sentence


def _sizes(summary: FitSummary) -> Grid:
    table = grid("cluster>", "samples>", "share>", "", "what it is")
    largest = max(summary.sizes)
    names = summary.names or [""] * len(summary.sizes)
    for k, size in enumerate(summary.sizes[:_MOST_CLUSTERS]):
        bar = Text("█" * round(12 * size / largest), style="cyan")
        share = f"{size / summary.n_samples:.1%}"
        table.add_row(str(k), f"{size:,}", share, bar, _one_line(names[k]))
    more = len(summary.sizes) - _MOST_CLUSTERS
    if more > 0:
        table.add_row("...", f"{more} more", "", "", "")
    return table
