"""How far the starts of a fit agree."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import adjusted_rand_score

from graphtailor.diagnostics.model_access import vertex_labels

# Starts this close to the kept clusters found the same thing: 0.90 as it is shown.
SAME = 0.895


@dataclass(frozen=True)
class Stability:
    """Agreement between the starts of a fit, the lowest objective first.

    Attributes
    ----------
    kinds : list of str
        What each start began from.
    objectives : ndarray of shape (s,)
        What it reached.
    with_kept : ndarray of shape (s,)
        Adjusted Rand index with the start that was kept, as far as all were followed.
    at_the_end : float
        The same between that start then and at the end, as it alone was followed on.
    agreement : ndarray of shape (s, s)
        Adjusted Rand index between each two starts.
    """

    kinds: list[str]
    objectives: np.ndarray
    with_kept: np.ndarray
    at_the_end: float
    agreement: np.ndarray


def start_stability(model: Any) -> Stability | None:
    """Compare the clusters of all starts.

    Parameters
    ----------
    model : estimator
        Fitted.

    Returns
    -------
    Stability or None
        None if the model had a single start or does not keep them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor
    >>> from graphtailor.diagnostics.stability import start_stability
    >>> model = GraphTailor(n_clusters=3, n_init=4, random_state=0)
    >>> start_stability(model.fit(load_iris().data)).agreement.shape
    (4, 4)
    """
    starts = getattr(model, "starts_", [])
    if len(starts) < 2:
        return None
    ranked = sorted(starts, key=lambda start: start.objective)
    objectives = np.array([start.objective for start in ranked])
    # The history of the fit goes through what the kept start had reached; by anchors
    # that is not the lowest objective.
    kept = int(np.isin(objectives, getattr(model, "objective_", [])).argmax())
    agreement = rand_matrix([start.labels for start in ranked])
    return Stability(
        [start.kind for start in ranked],
        objectives,
        agreement[kept],
        adjusted_rand_score(vertex_labels(model), ranked[kept].labels),
        agreement,
    )


def rand_matrix(labelings: list[np.ndarray]) -> np.ndarray:
    """Adjusted Rand index between each two labelings.

    Examples
    --------
    >>> import numpy as np
    >>> rand_matrix([np.array([0, 0, 1, 1]), np.array([1, 1, 0, 0])])
    array([[1., 1.],
           [1., 1.]])
    """
    m = len(labelings)
    agreement = np.eye(m)
    for i in range(m):
        for j in range(i):
            value = adjusted_rand_score(labelings[i], labelings[j])
            agreement[i, j] = agreement[j, i] = value
    return agreement


def stability_sentence(stability: Stability) -> str:
    """What the agreement says, for someone who has to decide something.

    Starts of one kind may share a fault, so the best start of every kind counts.
    """
    n = len(stability.kinds)
    same = int((stability.with_kept >= SAME).sum())
    told = f"{same} of {n} starts lead to (nearly) the same clusters."
    if stability.at_the_end < SAME:
        told += (
            " The kept one changed when it was followed to the end (agreement "
            f"{stability.at_the_end:.2f})."
        )
    firsts = {kind: stability.kinds.index(kind) for kind in stability.kinds}
    apart = {kind: i for kind, i in firsts.items() if stability.with_kept[i] < SAME}
    if apart:
        best = float(stability.objectives[0])
        ends = ", ".join(
            f"from {kind} (agreement {stability.with_kept[i]:.2f}, objective "
            f"{(stability.objectives[i] - best) / (abs(best) or 1.0):.2%} higher)"
            for kind, i in apart.items()
        )
        return (
            f"{told} The best starts of other kinds end elsewhere: {ends}. Where such "
            "an objective is hardly higher, those clusters are nearly as good."
        )
    if stability.with_kept[: -(-n // 3)].min() < SAME:
        return f"{told} Even the best ones differ: look at the doubtful rows."
    if len(firsts) == 1:
        return f"{told} All of them are of one kind ({stability.kinds[0]})."
    return f"{told} Starts of every kind do: another seed would hardly change them."
