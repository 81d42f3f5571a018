"""The middle of the road: from weighted representatives to their clusters."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from graphtailor.decide.decision import Decision, Setting, count_members
from graphtailor.decide.n_clusters import (
    MOST_CLUSTERS,
    Path,
    cut_path,
    numbers_to_try,
)
from graphtailor.decide.shapes import Shapes, find_shapes
from graphtailor.graphs.ensemble.cuts import Cut
from graphtailor.graphs.ensemble.graph import EnsembleGraph
from graphtailor.graphs.ensemble.members import (
    KMeansMembers,
    MemberKind,
    MixtureMembers,
    SpectralMembers,
)
from graphtailor.graphs.ensemble.views import View, make_view
from graphtailor.linalg.equal_rows import KnownRows
from graphtailor.linalg.scaling import root_mean_square_norm
from graphtailor.models.joint_members import JointMembers
from graphtailor.models.joint_model import JointModel
from graphtailor.models.progress import FitProgress
from graphtailor.models.samples import Samples
from graphtailor.representatives.given import GivenPairs
from graphtailor.representatives.representatives import Representatives

# The view in which clusters with shapes are looked for.
_PLAIN = "as it is"
# Weight of self-expression in the last joint model.
ALPHA = 100.0
# Share of different points that a view without categories must keep.
_MOSTLY_DIFFERENT = 0.9
# Rounds of members, and rounds where only one view is left.
_ROUNDS, _ROUNDS_OF_SHAPES = 2, 6


@dataclass(frozen=True)
class Request:
    """What a user asked for.

    Attributes
    ----------
    n_clusters : int or "auto"
        Number of clusters.
    views : "auto" or sequence of str
        Scalings in which members look at the representatives.
    members : "auto" or sequence of MemberKind
        Kinds of members.
    seed : int
        Seed of everything random.
    n_jobs : int or None
        Threads.
    measured : ndarray of bool or None, default=None
        Features with more than two values, in which clusters with shapes are looked
        for; None is all of them.
    """

    n_clusters: int | str
    views: str | Sequence[str]
    members: str | Sequence[MemberKind]
    seed: int
    n_jobs: int | None
    measured: np.ndarray | None = None

    def ensemble(self, numbers: Sequence[int]) -> EnsembleGraph:
        """An ensemble for up to these numbers of clusters, not yet fitted."""
        kinds = self.members
        if isinstance(kinds, str):
            kinds = [
                SpectralMembers(),
                MixtureMembers(),
                KMeansMembers(),
                JointMembers(),
            ]
        return EnsembleGraph(
            views=self.views,
            members=kinds,
            n_rounds=_ROUNDS,
            most=max(MOST_CLUSTERS, *numbers),
            random_state=self.seed,
            n_jobs=self.n_jobs,
        )


@dataclass(frozen=True)
class Consensus:
    """What the middle of the road found on the representatives.

    Attributes
    ----------
    decision : Decision
        What was chosen, and why.
    ensemble : EnsembleGraph
        The members, and the graph of what they agree on.
    model : JointModel
        The joint model on that graph.
    shares : ndarray of shape (m, c)
        Share of the members that put a representative with each cluster.
    """

    decision: Decision
    ensemble: EnsembleGraph
    model: JointModel
    shares: np.ndarray


def reach_consensus(
    representatives: Representatives | GivenPairs,
    request: Request,
    progress: FitProgress,
) -> Consensus:
    """From weighted representatives to members, their cut and the joint model.

    Members do not depend on the number of clusters, so that an open number is found by
    cuts of one ensemble. From there on everything is as if it had been asked for.
    """
    numbers = numbers_to_try(request.n_clusters, len(representatives))
    views = _views(representatives, request)
    look, ensemble = None, None
    if request.n_clusters == "auto":
        look, ensemble = _look(representatives, views, request, numbers, progress)
        numbers = [look.best]
    shapes, seen = _shapes(representatives, views, request, numbers)
    if ensemble is None or shapes is not None:
        ensemble = _vote(representatives, seen, shapes, request, numbers, progress)
    progress.begin("cut")
    best = _cut(ensemble, shapes, numbers).cuts[0]
    progress.begin("model")
    model = _fit_last_model(_as_samples(representatives), ensemble, best, request)
    return _decided(representatives, ensemble, shapes, look, best, model)


def _look(
    representatives: Representatives | GivenPairs,
    views: list[View],
    request: Request,
    numbers: Sequence[int],
    progress: FitProgress,
) -> tuple[Path, EnsembleGraph | None]:
    """Find the number of clusters; with it the ensemble that any number would have."""
    shapes, _ = _shapes(representatives, views, request, numbers)
    if shapes is not None:
        return _of_shapes(shapes, 1.0), None
    ensemble = _vote(representatives, views, None, request, numbers, progress)
    progress.begin("number of clusters")
    return cut_path(ensemble.cuts(), numbers), ensemble


def _decided(
    representatives: Representatives | GivenPairs,
    ensemble: EnsembleGraph,
    shapes: Shapes | None,
    look: Path | None,
    best: Cut,
    model: JointModel,
) -> Consensus:
    """Take the cut or the model, whichever agrees more with the members."""
    members, n_clusters = ensemble.ensemble_, int(best.labels.max()) + 1
    agreement = members.agreement(model.labels_)
    complete = len(np.unique(model.labels_)) == n_clusters
    by_model = shapes is None and complete and agreement > best.agreement
    shares = members.memberships_of(model.labels_ if by_model else best.labels)
    scores = () if look is None else zip(look.numbers, look.scores, strict=True)
    decision = Decision(
        n_rows=int(representatives.masses.sum()),
        n_representatives=len(representatives),
        every_row=representatives.exact,
        views=ensemble.views_,
        members=count_members(ensemble.members_),
        leaving=None if shapes is None else shapes.leaving,
        compactness=None if shapes is None else shapes.compactness,
        n_clusters=n_clusters,
        suggestions=() if look is None else look.suggestions,
        scores=tuple(scores),
        cut=best.kind,
        cut_agreement=best.agreement,
        settings=(Setting(model.alpha, agreement),),
        labels_from="model" if by_model else "cut",
        alpha=model.alpha,
        beta=model.beta,
    )
    return Consensus(decision, ensemble, model, shares)


def _views(
    representatives: Representatives | GivenPairs, request: Request
) -> list[View]:
    """The representatives in every view, each searched for neighbours once."""
    if isinstance(representatives, GivenPairs):
        return [representatives.view]
    ensemble = request.ensemble([2])
    return ensemble.make_views(representatives.points, representatives.masses)


def _shapes(
    representatives: Representatives | GivenPairs,
    views: list[View],
    request: Request,
    numbers: Sequence[int],
) -> tuple[Shapes | None, list[View]]:
    """Clusters that near neighbours show and k-means does not, and where they are seen.

    Without such clusters members look at all views.
    """
    if isinstance(representatives, GivenPairs):
        return None, views
    points, masses = representatives.points, representatives.masses
    known = [view for view in views if view.name == _PLAIN]
    if request.measured is not None and not request.measured.all():
        # Levels of categories split any graph of neighbours into parts, and so do the
        # few values of what is left without them.
        numbers_alone = np.ascontiguousarray(points[:, request.measured])
        n_different = len(np.unique(numbers_alone, axis=0))
        if n_different < _MOSTLY_DIFFERENT * len(points):
            return None, views
        plain = make_view(numbers_alone, _PLAIN, 0, masses)
        shapes = find_shapes(plain, numbers)
        return shapes, views if shapes is None else [plain]
    plain = known[0] if known else make_view(points, _PLAIN, 0, masses)
    for view in (plain, representatives.shared_view(plain.points)):
        shapes = None if view is None else find_shapes(view, numbers)
        if view is not None and shapes is not None:
            return shapes, [view]
    return None, views


def _vote(
    representatives: Representatives | GivenPairs,
    views: list[View],
    shapes: Shapes | None,
    request: Request,
    numbers: Sequence[int],
    progress: FitProgress,
) -> EnsembleGraph:
    """Many quick clusterings of the representatives.

    Where near neighbours show clusters that are not compact, most clusterings would
    cut through them: members are then spectral ones of that graph alone.
    """
    ensemble = request.ensemble(numbers)
    if isinstance(representatives, Representatives):
        ensemble.restore_search(representatives.points)
    if shapes is not None:
        ensemble.set_params(members=[SpectralMembers()], n_rounds=_ROUNDS_OF_SHAPES)
    return ensemble.fit_views(views, progress.count)


def _cut(
    ensemble: EnsembleGraph, shapes: Shapes | None, numbers: Sequence[int]
) -> Path:
    """The best cut of the ensemble for each number of clusters."""
    if shapes is None:
        return cut_path(ensemble.cuts(), numbers)
    return _of_shapes(shapes, ensemble.ensemble_.agreement(shapes.labels))


def _of_shapes(shapes: Shapes, agreement: float) -> Path:
    found = Cut("the graph of neighbours", shapes.labels, agreement, agreement)
    return Path((found,), (int(shapes.labels.max()) + 1,), (agreement,))


def _as_samples(representatives: Representatives | GivenPairs) -> Samples:
    """Representatives as the samples of a joint model."""
    if isinstance(representatives, GivenPairs):
        return Samples.of(representatives.rows, None, representatives.builder.input)
    points = representatives.points
    norm = root_mean_square_norm(points)
    return Samples(points, None, norm, "samples", KnownRows(points))


def _fit_last_model(
    samples: Samples, ensemble: EnsembleGraph, best: Cut, request: Request
) -> JointModel:
    """The joint model on what the members agree on, started from the best cut."""
    model = JointModel(
        int(best.labels.max()) + 1,
        alpha=ALPHA,
        graph=ensemble,
        scaling=None,
        init=best.labels,
        n_init=1,
        n_jobs=request.n_jobs,
    )
    with warnings.catch_warnings():
        # An early stop or an empty cluster of this model does not touch the labels.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model._fit_graph(samples, ensemble)
