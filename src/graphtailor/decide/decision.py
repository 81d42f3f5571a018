"""What GraphTailor decided, from which figures, as a frozen object and as sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from graphtailor.decide.verdict import Verdict
from graphtailor.graphs.ensemble.members import Member


@dataclass(frozen=True)
class Setting:
    """A last joint model that was tried.

    Attributes
    ----------
    alpha : float
        Its weight of self-expression.
    agreement : float
        Mean correlation of its clusters with those of the members.
    """

    alpha: float
    agreement: float


@dataclass(frozen=True)
class Decision:
    """Everything that GraphTailor chose without labels, and why.

    Attributes
    ----------
    verdict : Verdict or None
        Whether there are clusters beyond chance. None where that could not be tested.
    n_rows, n_representatives : int
        Rows, and what stood for them.
    every_row : bool
        Whether every distinct row represents itself.
    views : tuple of str
        Scalings in which members looked at the representatives.
    members : dict of str to int
        How many members there are of each kind.
    leaving, compactness : float or None
        Of clusters with shapes: the largest share of a cluster's edge weight that
        leaves it, and the adjusted Rand index with k-means. None where near neighbours
        show none.
    n_clusters : int
        The number of clusters.
    suggestions : tuple of int
        The short list, where the number was left open, the best first.
    scores : tuple of (int, float)
        The score of every number that was tried.
    cut : str
        Kind of the cut that agrees most with the members.
    cut_agreement : float
        Its mean correlation with the members.
    settings : tuple of Setting
        The joint models that were tried on what members agree on.
    labels_from : {"cut", "model"}
        Where the labels come from.
    alpha, beta : float
        Weights of the joint model that was kept.
    """

    verdict: Verdict | None
    n_rows: int
    n_representatives: int
    every_row: bool
    views: tuple[str, ...]
    members: dict[str, int]
    leaving: float | None
    compactness: float | None
    n_clusters: int
    suggestions: tuple[int, ...]
    scores: tuple[tuple[int, float], ...]
    cut: str
    cut_agreement: float
    settings: tuple[Setting, ...]
    labels_from: str
    alpha: float
    beta: float

    @property
    def shapes(self) -> bool:
        """Whether near neighbours show clusters that are not compact."""
        return self.leaving is not None

    @property
    def n_members(self) -> int:
        """Number of members."""
        return sum(self.members.values())

    @property
    def model_agreement(self) -> float:
        """Agreement of the joint model that was kept."""
        return next(s.agreement for s in self.settings if s.alpha == self.alpha)

    def sentences(self) -> list[str]:
        """The decisions in plain English, one sentence or two for each."""
        return [
            self._verdict(),
            self._rows(),
            self._members(),
            self._shapes(),
            self._number(),
            self._labels(),
        ]

    def __str__(self) -> str:
        return "\n".join(self.sentences())

    def _verdict(self) -> str:
        if self.verdict is not None:
            return self.verdict.sentence()
        why = "X holds pairs"
        if not self._pairs:
            why = "X is sparse or has too few different rows"
        return f"Clusters were not compared with chance, because {why}."

    @property
    def _pairs(self) -> bool:
        return self.views[0].startswith("given")

    def _rows(self) -> str:
        if self.every_row and self.n_representatives == self.n_rows:
            return f"Each of the {self.n_rows:,} rows represents itself."
        if self.every_row:
            return (
                f"{self.n_representatives:,} distinct rows represent all "
                f"{self.n_rows:,}, each with its multiplicity."
            )
        return (
            f"{self.n_representatives:,} weighted anchors represent {self.n_rows:,} "
            "rows, which have more distinct values than that."
        )

    def _members(self) -> str:
        kinds = ", ".join(f"{count} {kind}" for kind, count in self.members.items())
        views = ", ".join(self.views)
        number = f"{len(self.views)} views" if len(self.views) > 1 else "one view"
        return (
            f"{self.n_members} quick clusterings ({kinds}) looked at them in {number} "
            f"({views})."
        )

    def _shapes(self) -> str:
        if self._pairs:
            return "Shapes were not looked for, because X holds pairs."
        if self.leaving is None:
            return "Near neighbours show no separated clusters beyond compact ones."
        return (
            "Near neighbours show clusters that are not compact: at most "
            f"{self.leaving:.2%} of a cluster's edge weight leaves it, and k-means "
            f"agrees with them to {self.compactness:.2f} only (1 is the same). Members "
            "therefore follow the graph of neighbours."
        )

    def _number(self) -> str:
        if self.every_row and self.n_clusters == self.n_representatives:
            return "Each distinct row is a cluster of its own."
        if not self.suggestions:
            return f"{self.n_clusters} clusters were asked for."
        others = [str(c) for c in self.suggestions if c != self.n_clusters]
        also = f"; {' or '.join(others)} would be plausible too" if others else ""
        return (
            f"{self.n_clusters} clusters agree best with the members for their number"
            f"{also}."
        )

    def _labels(self) -> str:
        figures = (
            f"mean correlation with the members {self.cut_agreement:.3f}; joint model "
            f"{self.model_agreement:.3f} at alpha = {self.alpha:g}"
        )
        if self.labels_from == "cut":
            return (
                f"The labels are those of the consensus cut by {self.cut} ({figures})."
            )
        return f"The labels are the joint model's (cut by {self.cut}: {figures})."


def count_members(members: Sequence[Member]) -> dict[str, int]:
    """How many members there are of each kind, in the order of their kinds."""
    return dict(Counter(member.kind for member in members))
