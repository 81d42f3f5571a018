"""What ``graphtailor compare`` does: every method in turn, and the page on them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator

from graphtailor.bench.run.limits import TimeLimitPassed, memory_limit, time_limit
from graphtailor.cli.compare import (
    ALGORITHM_1,
    MOST_ROWS_OF_ALGORITHM_1,
    USUAL,
    CompareOptions,
)
from graphtailor.cli.estimators import (
    Number,
    fit_timed,
    make_model,
    number_of_clusters,
    scaled,
)
from graphtailor.cli.options import AUTO
from graphtailor.cli.results import refuse_overwriting
from graphtailor.cli.show import command_line, grid, show, show_title
from graphtailor.diagnostics import comparison_words as words
from graphtailor.diagnostics.comparison import Comparison, Run, compare_runs
from graphtailor.diagnostics.formatting import readable_number
from graphtailor.diagnostics.model_access import FittedModel, FittedView, view_of
from graphtailor.diagnostics.peers import PEERS, PeerClusters, find_peer
from graphtailor.io.atomic import atomic_open, file_name
from graphtailor.io.spreadsheets import safe_frame
from graphtailor.linalg import free_memory
from graphtailor.registry import METHODS, get_method
from graphtailor.report.compare_page import compare_report
from graphtailor.tables import Table

_TAILOR, _ALL = "GraphTailor", "all"


def compare_methods(
    options: CompareOptions,
) -> tuple[Table, Comparison, dict[str, str]]:
    """Run every method, compare their clusters, write the page; its files by kind."""
    methods = _methods(options.methods)
    table = options.read()
    places = _places(options.output, table.name, options.data)
    n_rows = len(table.ids)
    if options.methods.strip().lower() == _ALL and n_rows > MOST_ROWS_OF_ALGORITHM_1:
        methods.remove(ALGORITHM_1)
    asked = number_of_clusters(options.clusters, table)
    if asked == AUTO and _TAILOR not in methods:
        raise ValueError(
            "--clusters: say how many clusters to find, for instance --clusters 3. "
            f"(Only {_TAILOR} finds a number itself: add it to --methods.)"
        )
    runs, view = _run_all(methods, table, asked, options)
    with options.progress("comparing"):
        X = scaled(table.X, table.scaling)
        comparison = compare_runs(runs, X, table.y, view)
        _write(places, comparison, table, options.scale)
    return table, comparison, {kind: str(path) for kind, path in places.items()}


def _methods(names: str) -> list[str]:
    """The methods that are named, under the names by which they are known."""
    peers = [name for name, peer in PEERS.items() if peer.is_installed]
    if names.strip().lower() == _ALL:
        return [_TAILOR, *(name for name in METHODS if name != _TAILOR), *peers]
    if names == USUAL:
        return [name for name in names.split(",") if name in {*METHODS, *peers}]
    asked = [name.strip() for name in names.split(",") if name.strip()]
    if not asked:
        raise ValueError("--methods: name at least one, like GraphTailor,SC,K-means.")
    try:
        found = [find_peer(name) or get_method(name).name for name in asked]
    except ValueError as error:
        raise ValueError(f"--methods: {error}") from error
    return list(dict.fromkeys(found))


def _places(output: Path | None, name: str, data: Sequence[str]) -> dict[str, Path]:
    """Where to write what; a wrong place is refused before any work is done."""
    output = output or Path(file_name(f"graphtailor-compare-{name}"))
    if output.suffix.lower() in (".html", ".htm"):
        if output.is_dir():
            raise ValueError(f"--output: {output} is a folder. Give a file.")
        places = {"page": output}
    else:
        if output.exists() and not output.is_dir():
            raise ValueError(
                f"--output: {output} is a file. Give a folder, or a file like a.html."
            )
        places = {
            "page": output / "compare.html",
            "labels": output / "labels.csv",
            "summary": output / "summary.json",
        }
    for path in places.values():
        refuse_overwriting("--output", path, data)
    return places


def _run_all(
    methods: Sequence[str], table: Table, asked: Number, options: CompareOptions
) -> tuple[list[Run], FittedView | None]:
    """Run every method, first the one that finds the number of clusters.

    Its view comes back too, where it could run.
    """
    number, runs, view = asked, {}, None
    for name in sorted(methods, key=lambda name: name != _TAILOR):
        runs[name], model = _run(name, table, number, options)
        if name == _TAILOR and model is not None:
            number, view = len(np.unique(model.labels_)), view_of(model)
    return [runs[name] for name in methods], view


def _run(
    name: str, table: Table, n_clusters: Number, options: CompareOptions
) -> tuple[Run, FittedModel | None]:
    """The clusters that a method finds with its model, or why it cannot."""
    try:
        model = _estimator(name, n_clusters, options.seed)
        with (
            options.progress(f"clustering {table.name} by {name}") as watcher,
            memory_limit(_megabytes_to_spare()),
            time_limit(options.seconds),
        ):
            done = fit_timed(name, model, table, watcher)
    except TimeLimitPassed:
        reason = f"stopped after {options.seconds:g} s."
    except MemoryError:
        reason = f"{len(table.ids):,} rows need more memory than there is."
    except Exception as error:
        # An error of one method, whatever it is, must not cost the others' results.
        reason = " ".join(str(error).split()) or type(error).__name__
        if name in METHODS and METHODS[name].needs_nonnegative:
            reason += " Here that is --scale minmax."
    else:
        labels = np.asarray(model.labels_)
        return Run(name, labels, done.seconds, warnings=done.warnings), model
    return Run(name, reason=reason), None


def _estimator(name: str, n_clusters: Number, seed: int) -> BaseEstimator:
    if name in PEERS:
        return PeerClusters(name, int(n_clusters), seed)
    return make_model(name, n_clusters, seed, {})[1]


def _megabytes_to_spare() -> float | None:
    """Memory that one method may take; None where the system does not say."""
    free = free_memory.available_bytes()
    # The rest is left to the page, and to other users of the machine.
    return None if free is None else 0.8 * free / 1e6


def _write(
    places: Mapping[str, Path], comparison: Comparison, table: Table, scale: str
) -> None:
    command = command_line()
    page = compare_report(comparison, table=table, scaling=scale, command=command)
    with atomic_open(places["page"], "w") as file:
        file.write(page)
    if "labels" not in places:
        return
    labels = {entry.method: entry.labels for entry in comparison.entries}
    with atomic_open(places["labels"], "w") as file:
        frame = safe_frame(pd.DataFrame({"id": table.ids, **labels}))
        frame.to_csv(file, index=False, lineterminator="\n")
    with atomic_open(places["summary"], "w") as file:
        json.dump({"data": table.name, **comparison.to_dict()}, file, indent=2)


def show_comparison(name: str, comparison: Comparison) -> None:
    """Print a comparison as text."""
    count = len(comparison.entries)
    methods = "1 method" if count == 1 else f"{count} methods"
    show_title(name, f"{comparison.n_rows:,} rows by {methods}")
    first = comparison.entries[0]
    heads = [index.name for index in first.indices if index.name != "Calinski-Harabasz"]
    heads += first.scores or {}
    numbers = (f"{head}>" for head in heads)
    table = grid("method", "clusters>", "seconds>", f"as {first.method}>", *numbers)
    for row in _rows(comparison, heads):
        table.add_row(*row)
    sentences = [f"{words.headline(comparison)}.", *words.whom_to_trust(comparison)]
    sentences += [words.votes_sentence(comparison), words.path_sentence(comparison)]
    show(table, "", *filter(None, sentences), "")


def _rows(comparison: Comparison, heads: Sequence[str]) -> Iterator[list[str]]:
    for i, entry in enumerate(comparison.entries):
        values = {index.name: index.value for index in entry.indices}
        values |= entry.scores or {}
        yield [
            entry.method,
            str(entry.n_clusters),
            f"{entry.seconds or 0:.2f}",
            f"{comparison.agreement[0, i]:.2f}",
            *(readable_number(values[h]) if h in values else "–" for h in heads),
        ]
