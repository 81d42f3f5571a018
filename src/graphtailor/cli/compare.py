"""``graphtailor compare``: cluster one table by several methods."""

from __future__ import annotations

import csv
import json
import shlex
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphtailor.cli import options as o
from graphtailor.cli.fit import (
    AUTO,
    fit_timed,
    make_model,
    number_of_clusters,
    parse_clusters,
    scale_features,
)
from graphtailor.cli.progress import live_progress
from graphtailor.cli.show import (
    grid,
    output_console,
    say_notes,
    show_files,
    show_title,
)

# Numerical libraries take seconds to load, so they are imported where they are used:
# the help and the Tab key do without them.
if TYPE_CHECKING:
    from graphtailor.diagnostics.comparison import Comparison, Run
    from graphtailor.diagnostics.model_access import FittedView
    from graphtailor.tables import Table

_TAILOR, _ALGORITHM_1, _ALL = "GraphTailor", "Proposed", "all"
# UMAP is left out of these, and of all, where its package is not installed.
_USUAL = "GraphTailor,SC,K-means,Ward,Gaussian mixture,HDBSCAN,UMAP + k-means"
# The paper's Algorithm 1 takes thousands of iterations that cost n^3 each. Above this
# number of rows it runs only where it is named.
_MOST_ROWS_OF_ALGORITHM_1 = 300
_PAGE, _LABELS, _SUMMARY = "compare.html", "labels.csv", "summary.json"
# The rest is left to the page, and to other users of the machine.
_SHARE_OF_MEMORY = 0.8


@dataclass(frozen=True, kw_only=True)
class CompareOptions(o.TableSource):
    """The options of ``graphtailor compare``."""

    methods: Annotated[
        str,
        o.model_option(
            "--methods",
            "-m",
            metavar="NAME,NAME,...",
            help="Methods to compare: those of 'graphtailor methods', Ward, Gaussian "
            "mixture, HDBSCAN, UMAP + k-means (needs umap-learn), or 'all', which "
            f"leaves {_ALGORITHM_1} out above {_MOST_ROWS_OF_ALGORITHM_1} rows.",
        ),
    ] = _USUAL
    clusters: o.Clusters = None
    seed: o.Seed = 0
    seconds: Annotated[
        float | None,
        o.model_option(
            "--seconds",
            metavar="NUMBER",
            min=0.01,
            help="Most seconds for each method; one that takes longer is stopped, and "
            "the others go on. No limit by default.",
        ),
    ] = None
    output: Annotated[
        Path | None,
        o.output_option(
            "--output",
            "-o",
            metavar="FOLDER|FILE.html",
            help="Folder for page, labels and summary, or a file for the page alone; "
            "graphtailor-compare-NAME by default.",
        ),
    ] = None


@o.with_options
def compare(options: CompareOptions) -> None:
    """Cluster a table by several methods; one page on how they agree.

    [bold]Examples[/bold]

    graphtailor compare wine

    graphtailor compare table.csv --methods GraphTailor,SC,LRR --clusters 4

    graphtailor compare table.csv --methods all --seconds 60 --output compare.html
    """
    from graphtailor.diagnostics.comparison import compare_runs

    methods = _methods(options.methods)
    with live_progress(f"reading {options.source}", wanted=options.is_talking):
        table = options.read()
    places = _places(options.output, table.name, options.source)
    if _is_all(options.methods) and len(table.ids) > _MOST_ROWS_OF_ALGORITHM_1:
        methods.remove(_ALGORITHM_1)
    asked = number_of_clusters(parse_clusters(options.clusters), table, _TAILOR)
    if asked == AUTO and _TAILOR not in methods:
        raise ValueError(
            "--clusters: say how many clusters to find, for instance --clusters 3. "
            f"(Only {_TAILOR} finds a number itself: add it to --methods.)"
        )
    runs, view = _run_all(methods, table, asked, options)
    with live_progress("comparing", wanted=options.is_talking):
        comparison = compare_runs(runs, _scaled(table), table.y, view)
        _write(places, comparison, table, options.scale)
    files = {kind: str(path) for kind, path in places.items()}
    if options.as_json:
        answer = {"data": table.name, **comparison.to_dict(), "files": files}
        typer.echo(json.dumps(answer))
    elif options.is_talking:
        failed = (f"{run.method}: {run.reason}" for run in comparison.failed)
        say_notes([*table.notes, *failed])
        _show(table.name, comparison)
        show_files(files)


def _is_all(names: str) -> bool:
    return names.strip().lower() == _ALL


def _methods(names: str) -> list[str]:
    from graphtailor.diagnostics.peers import PEERS, find_peer
    from graphtailor.registry import METHODS, get_method

    peers = [name for name, peer in PEERS.items() if peer.is_installed]
    if _is_all(names):
        return [_TAILOR, *(name for name in METHODS if name != _TAILOR), *peers]
    if names == _USUAL:
        return [name for name in names.split(",") if name in {*METHODS, *peers}]
    asked = [name.strip() for name in names.split(",") if name.strip()]
    if not asked:
        raise ValueError("--methods: name at least one, like GraphTailor,SC,K-means.")
    try:
        found = [find_peer(name) or get_method(name).name for name in asked]
    except ValueError as error:
        raise ValueError(f"--methods: {error}") from error
    return list(dict.fromkeys(found))


def _places(output: Path | None, name: str, source: str) -> dict[str, Path]:
    """Where to write what; a wrong place is refused before any work is done."""
    from graphtailor.io.atomic import file_name

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
        names = {"page": _PAGE, "labels": _LABELS, "summary": _SUMMARY}
        places = {kind: output / file for kind, file in names.items()}
    for path in places.values():
        if path.resolve() == Path(source).resolve():
            raise ValueError(f"--output: {path} would overwrite DATA.")
    return places


def _run_all(
    methods: list[str], table: Table, asked: int | str, options: CompareOptions
) -> tuple[list[Run], FittedView | None]:
    """Run every method, first the one that finds the number of clusters.

    Its view comes back too, where it could run.
    """
    import numpy as np

    from graphtailor.diagnostics.model_access import view_of

    number, runs, view = asked, {}, None
    for name in sorted(methods, key=lambda name: name != _TAILOR):
        runs[name], model = _run(name, table, number, options)
        if name == _TAILOR and model is not None:
            number, view = len(np.unique(model.labels_)), view_of(model)
    return [runs[name] for name in methods], view


def _run(
    name: str, table: Table, n_clusters: int | str, options: CompareOptions
) -> tuple[Run, Any]:
    """The clusters that a method finds with its model, or why it cannot."""
    import numpy as np

    from graphtailor.bench.run.limits import TimeLimitPassed, memory_limit, time_limit
    from graphtailor.diagnostics.comparison import Run
    from graphtailor.diagnostics.peers import PEERS, PeerClusters
    from graphtailor.registry import METHODS

    try:
        if name in PEERS:
            model: Any = PeerClusters(name, int(n_clusters), options.seed)
        else:
            _, model = make_model(
                name, n_clusters, seed=options.seed, options={}, parameters={}
            )
        what = f"clustering {table.name} by {name}"
        with (
            live_progress(what, wanted=options.is_talking) as by,
            memory_limit(_megabytes_to_spare()),
            time_limit(options.seconds),
        ):
            features = (table.X, table.scaling)
            done = fit_timed(name, model, *features, by, table.blocks)
    except TimeLimitPassed:
        reason = f"stopped after {options.seconds:g} s."
        return Run(name, reason=reason), None
    except MemoryError:
        reason = f"{len(table.ids):,} rows need more memory than there is."
        return Run(name, reason=reason), None
    except Exception as error:
        # An error of one method, whatever it is, must not cost the others' results.
        reason = " ".join(str(error).split()) or type(error).__name__
        if name in METHODS and METHODS[name].needs_nonnegative:
            reason += " Here that is --scale minmax."
        return Run(name, reason=reason), None
    labels = np.asarray(done.model.labels_)
    return Run(name, labels, done.seconds, warnings=done.warnings), model


def _megabytes_to_spare() -> float | None:
    """Memory that one method may take; None where the system does not say."""
    from graphtailor.linalg import free_memory

    free = free_memory.available_bytes()
    return None if free is None else _SHARE_OF_MEMORY * free / 1e6


def _scaled(table: Table) -> Any:
    import numpy as np
    from scipy import sparse

    values = table.X if sparse.issparse(table.X) else np.asarray(table.X)
    return scale_features(values, table.scaling)


def _write(
    places: dict[str, Path], comparison: Comparison, table: Table, scale: str
) -> None:
    from graphtailor.io.atomic import atomic_open
    from graphtailor.io.spreadsheets import safe_text
    from graphtailor.report.compare_page import compare_report

    page = compare_report(
        comparison,
        table=table,
        scaling=scale,
        command=shlex.join(["graphtailor", *sys.argv[1:]]),
    )
    with atomic_open(places["page"], "w") as file:
        file.write(page)
    if "labels" in places:
        with atomic_open(places["labels"], "w") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["id", *(entry.method for entry in comparison.entries)])
            columns = [entry.labels.tolist() for entry in comparison.entries]
            for row in zip(table.ids, *columns, strict=True):
                writer.writerow([safe_text(row[0]), *row[1:]])
    if "summary" in places:
        with atomic_open(places["summary"], "w") as file:
            json.dump({"data": table.name, **comparison.to_dict()}, file, indent=2)


def _show(name: str, comparison: Comparison) -> None:
    from graphtailor.diagnostics.comparison_words import (
        headline,
        path_sentence,
        votes_sentence,
        whom_to_trust,
    )

    count = len(comparison.entries)
    methods = "1 method" if count == 1 else f"{count} methods"
    show_title(name, f"{comparison.n_rows:,} rows by {methods}")
    first = comparison.entries[0]
    shown = [index.name for index in first.indices if index.name != "Calinski-Harabasz"]
    heads = [*shown, *(first.scores or {})]
    numbers = (f"{head}>" for head in heads)
    table = grid("method", "clusters>", "seconds>", f"as {first.method}>", *numbers)
    for row in _rows(comparison, heads):
        table.add_row(*row)
    console = output_console()
    console.print(table)
    console.print()
    for sentence in (
        *(f"{headline(comparison)}.", *whom_to_trust(comparison)),
        *(votes_sentence(comparison), path_sentence(comparison)),
    ):
        if sentence:
            console.print(sentence)
    console.print()


def _rows(comparison: Comparison, heads: list[str]) -> Iterator[list[str]]:
    from graphtailor.diagnostics.formatting import readable_number

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
