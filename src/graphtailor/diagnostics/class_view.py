"""Clusters beside known classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.metrics.cluster import contingency_matrix

_MOST = 30
SCORE_MEANINGS = {
    "ACC": "share of rows in the right cluster under the best naming",
    "NMI": "information that clusters and classes share, 0 to 1",
    "PUR": "share of rows in the commonest class of their cluster",
    "ARI": "agreement on pairs of rows, 0 by chance, 1 at best",
}


def confusion_view(y: np.ndarray, labels: np.ndarray) -> dict[str, Any]:
    """How many rows of each class fell into each cluster.

    Parameters
    ----------
    y : ndarray of shape (n,)
        Known classes.
    labels : ndarray of shape (n,)
        Clusters.

    Returns
    -------
    dict
        Clusters in order, classes so that the best matching ones lie on the diagonal;
        the largest ones where there are many.

    Examples
    --------
    >>> import numpy as np
    >>> view = confusion_view(np.array(["b", "b", "a"]), np.array([0, 0, 1]))
    >>> view["classes"], [[c["count"] for c in row["cells"]] for row in view["rows"]]
    (['b', 'a'], [[2, 0], [0, 1]])
    """
    classes, clusters = np.unique(y), np.unique(labels)
    counts = contingency_matrix(labels, y)
    matched, partner = linear_sum_assignment(counts, maximize=True)
    rest = np.setdiff1d(np.arange(len(classes)), partner)
    order = np.concatenate([partner[np.argsort(matched)], rest])[:_MOST].astype(int)
    shown = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[:_MOST])
    rows = []
    for i in shown:
        total = counts[i].sum()
        cells = [
            {"count": int(counts[i, j]), "share": float(counts[i, j] / total)}
            for j in order
        ]
        rows.append({"cluster": int(clusters[i]), "cells": cells})
    return {
        "classes": [str(classes[j]) for j in order],
        "rows": rows,
        "n_left": max(len(classes) - len(order), len(clusters) - len(shown)),
    }
