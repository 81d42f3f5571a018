"""From the search to the setting that is reported."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from graphtailor.bench.plan import Choice, Plan, PlannedMethod
from graphtailor.bench.store import Store
from graphtailor.bench.units import params_text


def searched_scores(store: Store, plan: Plan, environment: str) -> pd.DataFrame:
    """Mean scores of the settings that the search ran through.

    Parameters
    ----------
    store : Store
        The runs.
    plan : Plan
        What was searched, on which seeds.
    environment : str
        Versions whose runs count, as :func:`graphtailor.bench.units.environment`
        gives them.

    Returns
    -------
    DataFrame
        Indexed by method (as in the registry), data_hash and params; a column for each
        metric. A setting of which a run is missing or failed is not there.
    """
    runs = store.runs()
    wanted = runs["seed"].isin(plan.search_seeds) & (runs["environment"] == environment)
    done = runs[wanted & (runs["status"] == "done")]
    scores = store.scores().reindex(columns=list(plan.metrics))
    table = done.join(scores, on="key")
    groups = table.groupby(["method", "data_hash", "params"], sort=False)
    # Runs are stored as they finish: a sum in another order must not break a tie.
    means = groups[list(plan.metrics)].mean().round(12)
    return means[groups.size() == len(plan.search_seeds)]


def choose_setting(
    method: PlannedMethod,
    data_hash: str,
    choice: Choice,
    searched: pd.DataFrame,
) -> Mapping[str, Any] | None:
    """The setting of a method to report on a data set.

    Parameters
    ----------
    method : PlannedMethod
        The method.
    data_hash : str
        Checksum of the data.
    choice : {"oracle", "blind"}
        The best of the grid by the true labels (ties go to the first), or the
        method's own defaults.
    searched : DataFrame
        From :func:`searched_scores`; its first column decides.

    Returns
    -------
    dict or None
        None if no setting of the grid has been run through.
    """
    settings = method.settings()
    if choice == "blind":
        return dict(method.params)
    if len(settings) == 1:
        return settings[0]
    means = searched[searched.columns[0]]
    found = {
        position: means.get((method.uses, data_hash, params_text(params)))
        for position, params in enumerate(settings)
    }
    scored = {position: mean for position, mean in found.items() if mean is not None}
    if not scored:
        return None
    return settings[max(scored, key=lambda position: scored[position])]
