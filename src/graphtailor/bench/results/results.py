"""From stored runs to the cells of the tables: means, marks, ranks, the study's."""

import json
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any

import numpy as np
import pandas as pd

from graphtailor.bench.plan.plan import Choice, Plan, PlannedMethod, Setting
from graphtailor.bench.results.chosen_setting import choose_setting, searched_scores
from graphtailor.bench.results.scores import METRICS
from graphtailor.bench.run.work_units import params_text
from graphtailor.bench.store.store import Session, Store, rescore
from graphtailor.statistics import bootstrap_interval, holm, mark, rank_sum

# A cell of the tables: its columns by name, see `Results.cells`.
Cell = dict[str, Any]
LEVEL = 0.05
# The study calls its own model so.
_NAME_IN_STUDY = {"JointModel": "Proposed"}
# What the reference is to a method turns round in the method's own row.
_TURNED = {"better": "worse", "same": "same", "worse": "better"}
UNSUITED = "needs nonnegative data"


@dataclass(frozen=True)
class Results:
    """A benchmark, ready for tables."""

    plan: Plan  # what was run
    session: Session  # versions, machine and data that were not found
    # For each way of choosing one row a cell: dataset, method, metric, mean, std, low
    # and high (bootstrap interval of the mean), n_runs, n_failed, setting, search (mean
    # on the search seeds), seconds, note; p, versus_reference ("worse", "same",
    # "better"), p_holm, versus_reference_holm, rank; and the study's printed,
    # printed_std, printed_versus and the difference to it.
    cells: dict[Choice, pd.DataFrame]
    failures: pd.DataFrame  # runs of the plan without a result
    # Mean scores of every setting searched, see
    # :func:`graphtailor.bench.results.chosen_setting.searched_scores`.
    searched: pd.DataFrame
    # Checksum, sizes, scaling and smallest value of each data set, by name.
    datasets: pd.DataFrame


def collect_results(store: Store, reference: str | None = None) -> Results:
    """The results of the newest plan in a store, by the sources of its session.

    `reference` takes the place of the plan's own.
    """
    session = store.last_session()
    plan = store.last_plan()
    if reference is not None:
        plan = replace(plan, reference=reference)
    # Results may come from others: what their plan names is not imported here.
    rescore(store, [metric for metric in plan.metrics if metric in METRICS])
    scores = store.scores()
    for metric in plan.metrics:
        if metric not in scores:
            raise ValueError(
                f"{store.path} has no scores {metric!r}. Run 'graphtailor bench' with "
                "its plan again: it computes them from the labels."
            )
    runs = store.current_runs(session)
    searched = searched_scores(store, plan, session)
    datasets = _datasets(plan, store, runs)
    wanted = {method.uses for method in plan.methods}
    of_plan = runs["method"].isin(wanted) & runs["data_hash"].isin(datasets["hash"])
    cells = {
        choice: _cells(plan, choice, runs[of_plan], searched, datasets)
        for choice in plan.choices
    }
    failures = runs[of_plan & (runs["status"] != "done")]
    return Results(plan, session, cells, failures, searched, datasets)


def _datasets(plan: Plan, store: Store, runs: pd.DataFrame) -> pd.DataFrame:
    """What is known of the data that the plan's runs used, by name."""
    last = {}
    for data in plan.datasets:
        is_same = (runs["dataset"] == data.name) & (runs["scaling"] == data.scaling)
        if is_same.any():
            last[data.name] = runs.loc[is_same, "data_hash"].iloc[-1]
    known = store.datasets().loc[list(last.values())]
    return known.reset_index().set_index("name")


def _cells(
    plan: Plan,
    choice: Choice,
    runs: pd.DataFrame,
    searched: pd.DataFrame,
    datasets: pd.DataFrame,
) -> pd.DataFrame:
    by_setting = dict(list(runs.groupby(["method", "data_hash", "params"])))
    cells: list[Cell] = []
    for dataset, about in datasets.iterrows():
        found, of_set = {}, []
        for method in (each.on(about["n_samples"]) for each in plan.methods):
            params = choose_setting(method, about["hash"], choice, searched)
            key = (method.uses, about["hash"], params_text(params or {}))
            table = by_setting.get(key, runs.iloc[:0]).sort_values("seed")
            table = table[table["seed"].isin(plan.seeds(method, "report"))]
            found[method.name] = table
            is_suited = not method.needs_nonnegative or about["minimum"] >= 0
            common = {
                "dataset": dataset,
                "method": method.name,
                "setting": _setting_text(method, params) if is_suited else "",
            }
            tried = (method.name, *key[1:])
            search = searched.loc[tried] if tried in searched.index else None
            for metric in plan.metrics:
                cell = {**common, **_cell(table, metric)}
                cell["search"] = np.nan if search is None else search[metric]
                if not len(table):
                    cell["note"] = "not run yet" if is_suited else UNSUITED
                of_set.append(cell)
        _compare(plan, found, of_set)
        cells += of_set
    named = dict.fromkeys(["dataset", "method", "metric", "mean"])
    columns = [*(named | {name: None for cell in cells for name in cell})]
    return _beside_study(plan, _ranked(pd.DataFrame(cells, columns=columns)))


def _cell(runs: pd.DataFrame, metric: str) -> Cell:
    done = runs[runs["status"] == "done"]
    failed = runs[runs["status"] != "done"]
    scores = done[metric].to_numpy(dtype=float) if len(done) else np.empty(0)
    low, high = bootstrap_interval(scores) if len(scores) else (np.nan, np.nan)
    note = ""
    if len(failed):
        first = failed.iloc[0]
        note = f"{len(failed)} of {len(runs)} runs {first['status']}: {first['reason']}"
    return {
        "metric": metric,
        "mean": scores.mean() if len(scores) else np.nan,
        "std": scores.std(ddof=1) if len(scores) > 1 else np.nan,
        "low": low,
        "high": high,
        "n_runs": len(done),
        "n_failed": len(failed),
        # Of the median run: the first one may have compiled loops.
        "seconds": done["seconds"].median() if len(done) else np.nan,
        "note": note,
    }


def _compare(plan: Plan, found: dict[str, pd.DataFrame], cells: list[Cell]) -> None:
    """Add the marks of the rank-sum test against the reference, plain and corrected."""
    for metric in plan.metrics:
        scores = {
            name: runs.loc[runs["status"] == "done", metric].to_numpy(dtype=float)
            for name, runs in found.items()
        }
        reference = scores[plan.reference]
        others = {name for name in scores if len(scores[name]) and len(reference)}
        others -= {plan.reference}
        compared = [c for c in cells if c["metric"] == metric and c["method"] in others]
        p_values = [rank_sum(reference, scores[cell["method"]]) for cell in compared]
        for cell, p, corrected in zip(compared, p_values, holm(p_values), strict=True):
            verdict = _TURNED[mark(reference, scores[cell["method"]], LEVEL)]
            cell |= {"p": p, "versus_reference": verdict, "p_holm": corrected}
            cell["versus_reference_holm"] = verdict if corrected < LEVEL else "same"


def _ranked(cells: pd.DataFrame) -> pd.DataFrame:
    last = ["p", "versus_reference", "p_holm", "versus_reference_holm"]
    first = cells.columns.drop(last, errors="ignore")
    cells = cells.reindex(columns=[*first, *last])
    groups = cells["mean"].round(12).groupby([cells["dataset"], cells["metric"]])
    cells["rank"] = groups.rank(method="min", ascending=False)
    return cells


def _beside_study(plan: Plan, cells: pd.DataFrame) -> pd.DataFrame:
    uses = {method.name: method.uses for method in plan.methods}
    sources = {data.name: data.source for data in plan.datasets}
    names = {"mean": "printed", "std": "printed_std"}
    names["versus_proposed"] = "printed_versus"
    study = paper_results().rename(columns=names)
    keys = pd.DataFrame(
        {
            "dataset": cells["dataset"].map(sources),
            "method": cells["method"].map(uses).replace(_NAME_IN_STUDY),
            "metric": cells["metric"],
        }
    )
    printed = keys.merge(study, how="left", on=["dataset", "method", "metric"])
    printed.index = cells.index
    cells = cells.join(printed[[*names.values()]])
    cells["difference"] = cells["mean"] - cells["printed"]
    return cells


def _setting_text(method: PlannedMethod, params: Setting | None) -> str:
    if params is None:
        return "no setting was run through"
    searched = {name: params[name] for name in method.grid if name in params}
    if not searched:
        return "defaults" if method.grid else ""
    return ", ".join(f"{name} = {value:g}" for name, value in searched.items())


def failure_table(results: Results) -> pd.DataFrame:
    """Failed runs, counted by method, data set, status and reason."""
    names = ["method", "dataset", "status", "reason"]
    groups = results.failures.groupby(names, sort=False)
    counts = groups.agg(runs=("key", "size"), settings=("params", "nunique"))
    return counts.reset_index()


def machine_facts(session: Session) -> dict[str, str]:
    """Versions and machine of a session, for showing."""
    facts = {**json.loads(session.environment), **json.loads(session.machine)}
    return {name: str(value) for name, value in facts.items()}


def paper_results() -> pd.DataFrame:
    """The ten result tables of the study, one row a cell.

    Mean and standard deviation over 20 repeats at the weights that an exhaustive
    search with the true labels found best [1]_. Cells that the study leaves empty
    (NMF and GNMF on data with negative values) have no mean; CAN is deterministic and
    has no standard deviation. Misprints are kept as printed: SymNMF's PUR of 0.062 on
    soybean is surely 0.620.

    Returns
    -------
    DataFrame
        Columns dataset, method, metric, mean, std and versus_proposed: what the
        rank-sum test at 0.05 found for the method ("worse", "same", "better").

    References
    ----------
    .. [1] Y. Jia, H. Liu, J. Hou, S. Kwong, "Clustering-aware Graph Construction: A
       Joint Learning Perspective", IEEE Transactions on Signal and Information
       Processing over Networks, 2020, Tables II to XI.

    Examples
    --------
    >>> from graphtailor.bench import paper_results
    >>> table = paper_results()
    >>> own = table[(table.method == "Proposed") & (table.metric == "ACC")]
    >>> float(own["mean"].mean().round(3))
    0.666
    """
    with (files("graphtailor.bench.results") / "paper_results.csv").open("rb") as file:
        return pd.read_csv(file)
