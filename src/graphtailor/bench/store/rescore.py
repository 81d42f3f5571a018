"""Scores from stored labels: nothing is run again."""

from __future__ import annotations

from collections.abc import Iterable

from graphtailor.bench.results.scores import score_labels
from graphtailor.bench.store.store import Store


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
