"""From the search to the setting that is reported."""

import pandas as pd

from graphtailor.bench.plan.plan import Choice, Plan, PlannedMethod, Setting
from graphtailor.bench.run.work_units import params_text
from graphtailor.bench.store.store import Session, Store


def searched_scores(store: Store, plan: Plan, session: Session) -> pd.DataFrame:
    """Mean scores of the settings searched, by method, data_hash and params.

    Runs of the session's versions and sources count, and settings without a gap.
    """
    runs = store.current_runs(session)
    done = runs[runs["status"] == "done"]
    scored = done.reindex(columns=[*done, *(m for m in plan.metrics if m not in done)])
    by_pair = dict(list(scored.groupby(["method", "data_hash"])))
    found = {}
    for data_hash, n_samples in store.datasets()["n_samples"].items():
        for method in plan.methods:
            table = by_pair.get((method.uses, data_hash))
            if table is not None:
                seeds = plan.seeds(method.on(n_samples), "search")
                found[method.name, data_hash] = _means(table, seeds, plan.metrics)
    names = ["method", "data_hash", "params"]
    if not found:
        nothing = pd.MultiIndex.from_tuples([], names=names)
        return pd.DataFrame(index=nothing, columns=list(plan.metrics), dtype=float)
    return pd.concat(found, names=names)


def _means(
    runs: pd.DataFrame, seeds: tuple[int, ...], metrics: tuple[str, ...]
) -> pd.DataFrame:
    groups = runs[runs["seed"].isin(seeds)].groupby("params", sort=False)
    # Runs are stored as they finish: a sum in another order must not break a tie.
    means = groups[list(metrics)].mean().round(12)
    return means[groups.size() == len(seeds)]


def choose_setting(
    method: PlannedMethod, data_hash: str, choice: Choice, searched: pd.DataFrame
) -> Setting | None:
    """The setting of a method to report on a data set.

    The oracle takes the best of the grid by the true labels, that is by the first
    column of `searched` (ties go to the first setting); the blind choice is the
    method's own defaults. None if no setting of the grid has been run on all seeds.
    """
    settings = method.settings()
    if choice == "blind":
        return dict(method.params)
    if len(settings) == 1:
        return settings[0]
    means = searched[searched.columns[0]]
    keys = [(method.name, data_hash, params_text(params)) for params in settings]
    scored = [(means[key], -k) for k, key in enumerate(keys) if key in means.index]
    return settings[-max(scored)[1]] if scored else None
