"""What a report says at its end: failures, versions, machine."""

from __future__ import annotations

import json

import pandas as pd

from graphtailor.bench.results.results import Results
from graphtailor.bench.store.store import Session


def failure_table(results: Results) -> pd.DataFrame:
    """Failed runs, those of one kind on one line.

    Parameters
    ----------
    results : Results
        From :func:`graphtailor.bench.results.results.collect_results`.

    Returns
    -------
    DataFrame
        Columns method, dataset, status, reason, runs and settings (their number).
    """
    names = ["method", "dataset", "status", "reason"]
    groups = results.failures.groupby(names, sort=False)
    return groups.agg(
        runs=("key", "size"), settings=("params", "nunique")
    ).reset_index()


def machine_facts(session: Session) -> dict[str, str]:
    """Versions and machine of a session, for showing."""
    facts = {**json.loads(session.environment), **json.loads(session.machine)}
    return {name: str(value) for name, value in facts.items()}
