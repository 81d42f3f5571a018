"""The page of a benchmark."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pandas as pd
from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from graphtailor.bench.cells import (
    Results,
    collect_results,
    failure_table,
    machine_facts,
)
from graphtailor.bench.figures import critical_difference_figure, mean_figure
from graphtailor.bench.heat_maps import search_figure, time_figure
from graphtailor.bench.plan import Choice
from graphtailor.bench.report.pictures import inline_svg
from graphtailor.bench.report.views import (
    CHOSEN,
    dataset_view,
    headline,
    summary_views,
)
from graphtailor.bench.scores import short_name
from graphtailor.bench.store import Store
from graphtailor.bench.tables import complete_means
from graphtailor.statistics import friedman_test


def bench_report(store: Store, today: date | None = None) -> str:
    """A page with everything inside about the newest plan in a store.

    Parameters
    ----------
    store : Store
        The runs.
    today : date or None, default=None
        Date on the page; None is today.

    Returns
    -------
    str
        HTML that needs no network and no other file; names are escaped.
    """
    results = collect_results(store)
    plan = results.plan
    environment = Environment(
        loader=ChoiceLoader(
            [
                PackageLoader("graphtailor.bench.report"),
                PackageLoader("graphtailor.report"),
            ]
        ),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    views = {choice: _choice_view(results, choice) for choice in plan.choices}
    return environment.get_template("bench.html.j2").render(
        plan=plan,
        metric=short_name(plan.metrics[0]),
        chosen=CHOSEN,
        views=views,
        sets=_set_facts(results),
        searches=_searches(results),
        grid=_grid_facts(results),
        failures=failure_table(results).to_dict("records"),
        missing=json.loads(results.session.missing),
        machine=machine_facts(results.session),
        started=results.session.started,
        n_failed=len(results.failures),
        n_runs=int(sum(_n_runs(results, choice) for choice in plan.choices)),
        today=(today or date.today()).isoformat(),
    )


def _choice_view(results: Results, choice: Choice) -> dict[str, Any]:
    cells = results.cells[choice]
    has_results = bool(cells["mean"].notna().any())
    metric = short_name(results.plan.metrics[0])
    pictures: dict[str, Markup] = {}
    if has_results:
        pictures["mean"] = inline_svg(
            mean_figure(results, choice), f"Mean {metric} of each method, {choice}"
        )
        pictures["time"] = inline_svg(
            time_figure(results, choice), f"Seconds of a run, {choice}"
        )
    return {
        "headline": headline(results, choice),
        "summaries": summary_views(results, choice) if has_results else {},
        "tables": [
            dataset_view(results, choice, name) for name in results.datasets.index
        ],
        "pictures": pictures,
        "friedman": _friedman(results, choice),
    }


def _friedman(results: Results, choice: Choice) -> dict[str, Any]:
    means = complete_means(results, choice)
    left_out = [m.name for m in results.plan.methods if m.name not in means.index]
    if means.shape[0] < 3 or means.shape[1] < 2:
        return {"picture": None, "left_out": left_out}
    test = friedman_test(means)
    picture = critical_difference_figure(test)
    return {
        "picture": inline_svg(picture, f"Critical differences, {choice}"),
        "p_value": test.p_value,
        "n_blocks": test.n_blocks,
        "left_out": left_out,
    }


def _searches(results: Results) -> list[dict[str, Any]]:
    found = []
    for method in results.plan.methods:
        figure = search_figure(results, method.name)
        if figure is not None:
            svg = inline_svg(figure, f"Search of {method.name}")
            found.append({"method": method.name, "picture": svg})
    return found


def _set_facts(results: Results) -> list[dict[str, Any]]:
    return results.datasets.reset_index().to_dict("records")


def _grid_facts(results: Results) -> list[dict[str, str]]:
    facts = []
    for method in results.plan.methods:
        grid = "; ".join(
            f"{name} in {{{', '.join(f'{value:g}' for value in values)}}}"
            for name, values in method.grid.items()
        )
        params = ", ".join(f"{name} = {value}" for name, value in method.params.items())
        facts.append({"method": method.name, "grid": grid, "params": params})
    return facts


def _n_runs(results: Results, choice: Choice) -> int:
    cells = results.cells[choice]
    first = cells[cells["metric"] == results.plan.metrics[0]]
    return int(pd.to_numeric(first["n_runs"]).sum())
