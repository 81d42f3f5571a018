"""How a fit went: whether its starts agree, and its objective over the iterations."""

from dataclasses import dataclass

import numpy as np
from sklearn.metrics import adjusted_rand_score

from graphtailor.diagnostics.model_access import FittedView

# Clusterings that agree at least this much count as the same: 0.90 when rounded.
SAME = 0.895


@dataclass(frozen=True)
class Stability:
    """Agreement between the starts of a fit, the lowest objective first."""

    kinds: list[str]  # what each start began from
    objectives: np.ndarray  # (s,): the objective that each start reached
    # Adjusted Rand index between the first start at that moment and its final clusters:
    # it alone was iterated further.
    at_the_end: float
    agreement: np.ndarray  # (s, s): adjusted Rand index between each two starts

    @property
    def with_kept(self) -> np.ndarray:
        """Agreement with the start that was kept, which has the lowest objective."""
        return self.agreement[0]


def start_stability(view: FittedView) -> Stability | None:
    """Compare the clusters of all starts; None for a single start."""
    if len(view.starts) < 2:
        return None
    ranked = sorted(view.starts, key=lambda start: start.objective)
    agreement = rand_matrix([start.labels for start in ranked])
    return Stability(
        [start.kind for start in ranked],
        np.array([start.objective for start in ranked]),
        adjusted_rand_score(view.vertex_labels, ranked[0].labels),
        agreement,
    )


def rand_matrix(labelings: list[np.ndarray]) -> np.ndarray:
    """Adjusted Rand index between each two labelings."""
    m = len(labelings)
    agreement = np.eye(m)
    for i in range(m):
        for j in range(i):
            value = adjusted_rand_score(labelings[i], labelings[j])
            agreement[i, j] = agreement[j, i] = value
    return agreement


def stability_sentence(stability: Stability) -> str:
    """What the agreement between starts says, in words.

    Starts of one kind may share an error, so the best start of every kind counts.
    """
    n = len(stability.kinds)
    same = int((stability.with_kept >= SAME).sum())
    text = f"{same} of {n} starts lead to (nearly) the same clusters."
    if stability.at_the_end < SAME:
        text += (
            " The kept start changed when it was iterated to the end (agreement "
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
            f"{text} The best starts of other kinds end elsewhere: {ends}. If such an "
            "objective is hardly higher, those clusters are nearly as good."
        )
    if stability.with_kept[: -(-n // 3)].min() < SAME:
        return f"{text} Even the best starts differ: check the doubtful rows."
    if len(firsts) == 1:
        return f"{text} All starts are of one kind ({stability.kinds[0]})."
    return f"{text} This holds for the best start of every kind."


def objective_curve(view: FittedView) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the iterations, and the objective after each of them.

    Some methods keep no value from before the first iteration, others one value in
    ten iterations; the last value always belongs to the last iteration.
    """
    k, last = len(view.objective), view.n_iter
    if k in (last, last + 1):
        return np.arange(last + 1 - k, last + 1), view.objective
    return np.linspace(0 if k > 1 else last, last, k).astype(int), view.objective
