"""The middle of the road: from weighted representatives to their clusters."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sklearn.exceptions import ConvergenceWarning

from graphtailor.decide.decision import Setting
from graphtailor.decide.n_clusters import Path, cut_path
from graphtailor.decide.shapes import Shapes, find_shapes
from graphtailor.graphs.ensemble.cuts import Cut
from graphtailor.graphs.ensemble.graph import EnsembleGraph
from graphtailor.graphs.ensemble.members import (
    KMeansMembers,
    MemberKind,
    MixtureMembers,
    SpectralMembers,
)
from graphtailor.graphs.ensemble.views import make_view
from graphtailor.linalg.equal_rows import KnownRows
from graphtailor.linalg.scaling import root_mean_square_norm
from graphtailor.models.joint_members import JointMembers
from graphtailor.models.joint_model import JointModel
from graphtailor.models.samples import Samples
from graphtailor.representatives.given import GivenPairs
from graphtailor.representatives.representatives import Representatives

# The view in which clusters with shapes are looked for.
_PLAIN = "as it is"
# Weight of self-expression in the last joint model.
ALPHA = 100.0
# Rounds of members, and rounds where only one view is left.
_ROUNDS, _ROUNDS_OF_SHAPES = 2, 6


@dataclass(frozen=True)
class Request:
    """What a user asked the ensemble for.

    Attributes
    ----------
    views : "auto" or sequence of str
        Scalings in which members look at the representatives.
    members : "auto" or sequence of MemberKind
        Kinds of members.
    seed : int
        Seed of everything random.
    n_jobs : int or None
        Threads.
    """

    views: str | Sequence[str]
    members: str | Sequence[MemberKind]
    seed: int
    n_jobs: int | None

    def kinds(self) -> list[MemberKind]:
        """The kinds of members that are wanted."""
        if isinstance(self.members, str):
            return [
                SpectralMembers(),
                MixtureMembers(),
                KMeansMembers(),
                JointMembers(),
            ]
        return list(self.members)


def vote(
    representatives: Representatives | GivenPairs,
    numbers: Sequence[int],
    request: Request,
    watch: Callable[[int, int], None],
) -> tuple[EnsembleGraph, Shapes | None]:
    """Many quick clusterings of the representatives.

    Where near neighbours show clusters that are not compact, most clusterings would
    cut through them: members are then spectral ones of that graph alone.

    Parameters
    ----------
    representatives : Representatives
        Points with masses.
    numbers : sequence of int
        Numbers of clusters that are of interest.
    request : Request
        What the user asked for.
    watch : callable
        Called with the numbers of finished and of all tasks.

    Returns
    -------
    ensemble : EnsembleGraph
        The members, and the graph of what they agree on.
    shapes : Shapes or None
        The clusters that neighbours show.
    """
    ensemble = EnsembleGraph(
        views=request.views,
        members=request.kinds(),
        n_rounds=_ROUNDS,
        fewest=min(numbers),
        most=max(numbers),
        random_state=request.seed,
        n_jobs=request.n_jobs,
    )
    if isinstance(representatives, GivenPairs):
        return ensemble.fit_views([representatives.view], watch), None
    points, masses = representatives.points, representatives.masses
    views = ensemble.make_views(points, masses)
    plain = (
        views[0] if views[0].name == _PLAIN else make_view(points, _PLAIN, 0, masses)
    )
    shapes = find_shapes(plain, numbers)
    if shapes is not None:
        views = [plain]
        ensemble.set_params(members=[SpectralMembers()], n_rounds=_ROUNDS_OF_SHAPES)
    ensemble.restore_search(points)
    return ensemble.fit_views(views, watch), shapes


def cut(ensemble: EnsembleGraph, shapes: Shapes | None, numbers: Sequence[int]) -> Path:
    """The best cut of the ensemble for each number of clusters."""
    if shapes is None:
        return cut_path(ensemble.cuts(), numbers)
    agreement = ensemble.ensemble_.agreement(shapes.labels)
    found = Cut("the graph of neighbours", shapes.labels, agreement, agreement)
    return Path((found,), (int(shapes.labels.max()) + 1,), (agreement,))


def as_samples(representatives: Representatives | GivenPairs) -> Samples:
    """Representatives as the samples of a joint model."""
    if isinstance(representatives, GivenPairs):
        return Samples.of(representatives.rows, None, representatives.builder.input)
    points = representatives.points
    norm = root_mean_square_norm(points)
    return Samples(points, None, norm, "samples", KnownRows(points))


def fit_last_model(
    samples: Samples, ensemble: EnsembleGraph, best: Cut, n_jobs: int | None
) -> tuple[JointModel, tuple[Setting, ...]]:
    """The joint model on what the members agree on, started from the best cut.

    Parameters
    ----------
    samples : Samples
        The representatives.
    ensemble : EnsembleGraph
        The members, fitted to them.
    best : Cut
        The cut that agrees most with the members.
    n_jobs : int or None
        Threads.

    Returns
    -------
    model : JointModel
        The fitted model.
    settings : tuple of Setting
        Its weight, and how far its clusters agree with the members.
    """
    model = JointModel(
        int(best.labels.max()) + 1,
        alpha=ALPHA,
        graph=ensemble,
        scaling=None,
        init=best.labels,
        n_init=1,
        n_jobs=n_jobs,
    )
    with warnings.catch_warnings():
        # An early stop or an empty cluster of this model does not touch the labels.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model._fit_graph(samples, ensemble)
    agreement = ensemble.ensemble_.agreement(model.labels_)
    return model, (Setting(ALPHA, agreement),)
