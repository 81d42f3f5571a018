"""What GraphTailor decided, from which figures, as a frozen object and as sentences."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from graphtailor.decide.n_clusters import PRICE, Level
from graphtailor.decide.verdict import Verdict
from graphtailor.graphs.ensemble.members import Member


@dataclass(frozen=True)
class Decision:
    """Everything that GraphTailor chose without labels, and why.

    Attributes
    ----------
    verdict : Verdict or None
        Whether there are clusters beyond chance. None where that could not be tested.
    n_rows, n_representatives : int
        Rows, each counted with its weight, and what stood for them.
    isolated : int
        Number of rows of a given graph that no edge joins to another.
    every_row : bool
        Whether every distinct row represents itself.
    views : tuple of str
        Scalings in which members looked at the representatives.
    members : dict of str to int
        How many members there are of each kind.
    separated : int or None
        Number of clusters that the graph of nearest neighbours separates.
    leaving, compactness : float or None
        Of these: the largest share of a cluster's edge weight that leaves it, and the
        adjusted Rand index with k-means that starts at their means.
    shapes : bool
        Whether the separated clusters are not compact.
    suggestions : tuple of int
        The short list, where the number was left open; the first one is taken.
    levels : tuple of Level
        The figures of every number that was tried.
    price : float
        What more clusters had to earn, for each unit of the logarithm of their number.
    alpha, beta : float
        Weights of the last joint model.
    n_clusters : int
        The number of clusters.
    cut : str
        Kind of the cut that gives the labels.
    cut_agreement, model_agreement : float
        Mean correlation of the cut, and of the joint model's clusters, with the
        members.
    known_rows, must_links, cannot_links : int
        Rows of known classes, and pairs, that guided the cut.
    broken_links : int
        Cannot-links that no labels with this many clusters were found to meet.
    """

    verdict: Verdict | None
    n_rows: int
    n_representatives: int
    isolated: int
    every_row: bool
    views: tuple[str, ...]
    members: dict[str, int]
    separated: int | None
    leaving: float | None
    compactness: float | None
    shapes: bool
    suggestions: tuple[int, ...]
    levels: tuple[Level, ...]
    alpha: float
    beta: float
    price: float = PRICE
    n_clusters: int = 0
    cut: str = ""
    cut_agreement: float = 0.0
    model_agreement: float = 0.0
    known_rows: int = 0
    must_links: int = 0
    cannot_links: int = 0
    broken_links: int = 0

    @property
    def n_members(self) -> int:
        """Number of members."""
        return sum(self.members.values())

    def sentences(self) -> list[str]:
        """The decisions in plain English, one sentence or two for each."""
        return [
            self._verdict(),
            self._rows(),
            self._members(),
            self._shapes(),
            self._number(),
            self._labels(),
            *self._known(),
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
            return f"Each of the {self.n_rows:,} rows represents itself{self._alone}."
        if self.every_row:
            return (
                f"{self.n_representatives:,} distinct rows represent all "
                f"{self.n_rows:,}, each with its multiplicity."
            )
        return (
            f"{self.n_representatives:,} weighted anchors represent {self.n_rows:,} "
            "rows, which have more distinct values than that."
        )

    @property
    def _alone(self) -> str:
        if not self.isolated:
            return ""
        have = "has" if self.isolated == 1 else "have"
        return (
            f"; {self.isolated:,} of them {have} no edge, so that the graph does not "
            "say where they belong"
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
            return "Separated clusters were not looked for, because X holds pairs."
        if self.separated is None:
            return "Near neighbours separate no clusters."
        found = (
            f"Near neighbours separate {self.separated} clusters: at most "
            f"{self.leaving:.2%} of a cluster's edge weight leaves it."
        )
        if not self.shapes:
            return found
        return (
            f"{found} They are not compact (k-means agrees with them to "
            f"{self.compactness:.2f}, where 1 is the same), so that members follow the "
            "graph of neighbours."
        )

    def _number(self) -> str:
        if self.every_row and self.n_clusters == self.n_representatives:
            return "Each distinct row is a cluster of its own."
        if self.n_clusters not in self.suggestions:
            return f"{self.n_clusters} clusters were asked for."
        others = sorted(c for c in self.suggestions if c != self.n_clusters)
        if self.verdict is not None and self.verdict.level == "none":
            also = f"; {' or '.join(map(str, others))} would be as good a cut"
            cut = f"{self.n_clusters} groups are the cut that members agree on most"
            return f"{cut}{also if others else ''}."
        also = f"; {' or '.join(map(str, others))} would be plausible too"
        why = (
            "are what near neighbours separate"
            if self.n_clusters == self.separated
            else "agree best with the members for their number"
        )
        return f"{self.n_clusters} clusters {why}{also if others else ''}."

    def _labels(self) -> str:
        return (
            f"The labels are those of the consensus cut by {self.cut} (mean "
            f"correlation with the members {self.cut_agreement:.3f}; that of the joint "
            f"model at alpha = {self.alpha:g} {self.model_agreement:.3f})."
        )

    def _known(self) -> list[str]:
        """What known rows and pairs did; nothing where there are none."""
        given = {
            "known row": self.known_rows,
            "must-link": self.must_links,
            "cannot-link": self.cannot_links,
        }
        used = [f"{n:,} {what}{'s' * (n > 1)}" for what, n in given.items() if n]
        if not used:
            return []
        broken = f"the labels break {self.broken_links:,} of the cannot-links, because "
        broken += f"no {self.n_clusters} clusters were found that meet all of them"
        result = broken if self.broken_links else "the labels meet all of them"
        return [f"{', '.join(used)} guided the cut: {result}."]


def count_members(members: Sequence[Member]) -> dict[str, int]:
    """How many members there are of each kind, in the order of their kinds."""
    return dict(Counter(member.kind for member in members))
