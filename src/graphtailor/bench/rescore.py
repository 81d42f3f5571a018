"""Scores and exports from stored labels: nothing is run again."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from graphtailor.bench.scores import score_labels, short_name
from graphtailor.bench.store import Store
from graphtailor.files import atomic_open


def rescore(store: Store, metrics: Iterable[str], *, again: bool = False) -> int:
    """Compute scores that are missing from the stored labels.

    Parameters
    ----------
    store : Store
        The runs.
    metrics : iterable of str
        As in a plan.
    again : bool, default=False
        Also compute those that are there.

    Returns
    -------
    int
        Number of scores computed.
    """
    runs, known = store.runs(), store.scores()
    done = runs[runs["status"] == "done"]
    targets = {data: store.target(data) for data in done["data_hash"].unique()}
    scores = []
    for metric in metrics:
        there = (
            set() if again or metric not in known else set(known[metric].dropna().index)
        )
        for key, data in zip(done["key"], done["data_hash"], strict=True):
            labels = None if key in there else store.labels(key)
            if labels is not None:
                value = score_labels(targets[data], labels, [metric])[metric]
                scores.append((key, metric, value))
    store.add_scores(scores)
    return len(scores)


def export(store: Store, path: str | os.PathLike[str]) -> pd.DataFrame:
    """Write all runs with their scores to a CSV or Parquet file.

    Parameters
    ----------
    store : Store
        The runs.
    path : path-like
        Ends in .csv or .parquet; only the latter has the labels.

    Returns
    -------
    DataFrame
        What was written.
    """
    path = Path(path)
    if path.suffix not in (".csv", ".parquet"):
        raise ValueError(f"{path}: give a name that ends in .csv or .parquet.")
    table = store.runs().join(store.scores(), on="key").rename(columns=short_name)
    if path.suffix == ".csv":
        with atomic_open(path, "w") as file:
            table.to_csv(file, index=False)
        return table
    table["labels"] = [store.labels(key) for key in table["key"]]
    with atomic_open(path) as file:
        table.to_parquet(file, index=False)
    return table
