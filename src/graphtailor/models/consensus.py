"""The middle of the road: from weighted representatives to their clusters."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from graphtailor.decide.decision import Decision, count_members
from graphtailor.decide.n_clusters import MOST_CLUSTERS, Path, price_of
from graphtailor.decide.separation import Separation, find_separation
from graphtailor.decide.verdict import Verdict, find_verdict
from graphtailor.graphs.constraints import Constraints
from graphtailor.graphs.ensemble.cuts import Cut
from graphtailor.graphs.ensemble.graph import EnsembleGraph
from graphtailor.graphs.ensemble.guided_cuts import Guidance
from graphtailor.graphs.ensemble.members import (
    KMeansMembers,
    LayoutMembers,
    MemberKind,
    MixtureMembers,
    SpectralMembers,
)
from graphtailor.graphs.ensemble.views import View, make_view
from graphtailor.linalg.equal_rows import KnownRows
from graphtailor.linalg.scaling import root_mean_square_norm
from graphtailor.models.joint_members import JointMembers
from graphtailor.models.joint_model import JointModel
from graphtailor.models.layers import Layers
from graphtailor.models.progress import FitProgress
from graphtailor.models.samples import Samples
from graphtailor.representatives.given import GivenPairs
from graphtailor.representatives.links import Memberships
from graphtailor.representatives.representatives import Representatives

# The view in which separated clusters are looked for.
_PLAIN = "as it is"
# Weights of self-expression and of the graph in the last joint model.
ALPHA, BETA = 100.0, 100.0
# Spectral members where only one view is left.
_OF_SHAPES = SpectralMembers(n_graphs=1, n_cuts=4, n_walks=2)


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
    blocks : ndarray of shape (d,) or None
        Number of the column that each feature stands for, if it is not its own.
    known : (Constraints, Memberships) or None
        What is known of rows, and how all rows belong to the representatives.
    """

    n_clusters: int | str
    views: str | Sequence[str]
    members: str | Sequence[MemberKind]
    seed: int
    n_jobs: int | None
    blocks: np.ndarray | None = None
    known: tuple[Constraints, Memberships] | None = None

    @property
    def most(self) -> int:
        """Largest number of clusters on the path."""
        least = self.known[0].least if self.known else 0
        asked = self.n_clusters
        return max(MOST_CLUSTERS, least, 0 if isinstance(asked, str) else asked)

    def guidance(
        self, representatives: Representatives | GivenPairs, views: list[View]
    ) -> Guidance | None:
        """What is known of rows, for their representatives."""
        if self.known is None:
            return None
        constraints, memberships = self.known
        exact = representatives.exact
        # Models may be copied to other processes: no lambda.
        return Guidance(constraints, *memberships, exact, partial(list, views))

    def ensemble(self) -> EnsembleGraph:
        """The ensemble that serves every number on the path, not yet fitted."""
        kinds = self.members
        if isinstance(kinds, str):
            kinds = [
                SpectralMembers(),
                MixtureMembers(),
                KMeansMembers(),
                JointMembers(),
                LayoutMembers(),
            ]
        return EnsembleGraph(
            views=self.views,
            members=kinds,
            most=self.most,
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
    layers : Layers
        The members, and their cuts into any number of clusters.
    model : JointModel
        The joint model on the graph of the ensemble.
    shares : ndarray of shape (m, c)
        Share of the members that put a representative with each cluster.
    classes : ndarray or None
        The cluster of each known class.
    """

    decision: Decision
    layers: Layers
    model: JointModel
    shares: np.ndarray
    classes: np.ndarray | None = None


def reach_consensus(
    representatives: Representatives | GivenPairs,
    request: Request,
    progress: FitProgress,
) -> Consensus:
    """From weighted representatives to members, their cut and the joint model.

    Neither the separated clusters nor the members depend on the number of clusters, so
    that every number is a cut of one ensemble: an open one is chosen along the path.
    """
    views = views_of(representatives, request.ensemble())
    separation = _separation(representatives, views, request)
    path, asked = None, request.n_clusters
    layers = _vote(representatives, views, separation, asked, request, progress)
    progress.begin("cut")
    if asked == "auto":
        path = _choose(layers.path, separation)
        if separation is not None and separation.follows(path.taken):
            known = (views, separation, path.taken)
            layers = _vote(representatives, *known, request, progress)
            path = replace(layers.path, taken=path.taken)
    n_clusters = path.taken if path else int(asked)
    verdict = _verdict(representatives, request)
    found = (path, n_clusters, verdict)
    decision = _decide(representatives, layers, separation, *found)
    progress.begin("model")
    return settle(representatives, layers, decision, n_clusters, request.n_jobs)


def settle(
    representatives: Representatives | GivenPairs,
    layers: Layers,
    decision: Decision,
    n_clusters: int,
    n_jobs: int | None,
) -> Consensus:
    """Cut the ensemble into this many clusters and fit the last joint model."""
    cut = layers.cut(min(n_clusters, len(representatives)))
    samples, ensemble = _as_samples(representatives), layers.ensemble
    model = _fit_last_model(samples, ensemble, cut, n_jobs)
    decision = replace(
        decision,
        n_clusters=cut.n_clusters,
        cut=cut.kind,
        cut_agreement=cut.agreement,
        model_agreement=ensemble.ensemble_.agreement(model.labels_),
    )
    if layers.guidance is not None:
        known = layers.guidance.constraints
        decision = replace(
            decision,
            known_rows=int((known.known >= 0).sum()),
            must_links=len(known.must),
            cannot_links=len(known.cannot),
        )
    return Consensus(decision, layers, model, layers.shares(cut), cut.classes)


def _choose(path: Path, separation: Separation | None) -> Path:
    """Take the most plausible number, or the one that near neighbours separate."""
    if separation is None or separation.number not in path.numbers:
        return path
    score = path.scores[path.numbers.index(path.taken)]
    if separation.overrules(path.at(path.taken).labels, score):
        return replace(path, taken=separation.number)
    return path


def _decide(
    representatives: Representatives | GivenPairs,
    layers: Layers,
    separation: Separation | None,
    path: Path | None,
    n_clusters: int,
    verdict: Verdict | None,
) -> Decision:
    """What was decided before the number of clusters is settled."""
    levels = path.levels(representatives.masses) if path else ()
    ensemble = layers.ensemble
    return Decision(
        verdict=verdict,
        n_rows=int(representatives.masses.sum()),
        n_representatives=len(representatives),
        isolated=representatives.n_isolated,
        every_row=representatives.exact,
        views=ensemble.views_,
        members=count_members(ensemble.members_),
        separated=None if separation is None else separation.number,
        leaving=None if separation is None else separation.leaving,
        compactness=None if separation is None else separation.compactness,
        shapes=separation is not None and separation.follows(n_clusters),
        suggestions=path.suggestions if path else (),
        levels=levels,
        price=layers.price,
        alpha=ALPHA,
        beta=BETA,
    )


def _verdict(
    representatives: Representatives | GivenPairs, request: Request
) -> Verdict | None:
    """Whether there are clusters beyond chance; pairs cannot be shuffled."""
    if isinstance(representatives, GivenPairs):
        return None
    points, masses = representatives.points, representatives.masses
    return find_verdict(points, masses, request.seed, request.blocks, request.n_jobs)


def views_of(
    representatives: Representatives | GivenPairs, ensemble: EnsembleGraph
) -> list[View]:
    """The representatives in every view, each searched for neighbours once."""
    if isinstance(representatives, GivenPairs):
        return [representatives.view]
    return ensemble.make_views(representatives.points, representatives.masses)


def _separation(
    representatives: Representatives | GivenPairs, views: list[View], request: Request
) -> Separation | None:
    """Clusters that near neighbours, or the rows that anchors share, separate."""
    if isinstance(representatives, GivenPairs):
        return None
    known = [view for view in views if view.name == _PLAIN]
    points, masses = representatives.points, representatives.masses
    plain = known[0] if known else make_view(points, _PLAIN, 0, masses)
    seen = [plain, representatives.shared_view(plain.points)]
    tried = [find_separation(v, points, request.most) for v in seen if v is not None]
    found = [separation for separation in tried if separation is not None]
    # The number that is asked for, or else the finest.
    return max(
        found, key=lambda s: (request.n_clusters in s.labels, s.number), default=None
    )


def _vote(
    representatives: Representatives | GivenPairs,
    views: list[View],
    separation: Separation | None,
    n_clusters: int | str,
    request: Request,
    progress: FitProgress,
) -> Layers:
    """Many quick clusterings of the representatives.

    Where near neighbours separate this many clusters, and these have shapes, most
    clusterings would cut through them: members are then spectral ones of that graph
    alone.
    """
    ensemble = request.ensemble()
    if isinstance(representatives, Representatives):
        ensemble.restore_search(representatives.points)
    guidance = request.guidance(representatives, views)
    if separation is not None and separation.follows(n_clusters):
        ensemble.set_params(members=[_OF_SHAPES])
        views = [separation.view]
    judge = None if guidance is None else guidance.trust
    found = ensemble.fit_views(views, progress.count, judge)
    separated = {} if separation is None else separation.labels
    return Layers(found, separated, guidance, price_of(request.blocks))


def _as_samples(representatives: Representatives | GivenPairs) -> Samples:
    """Representatives as the samples of a joint model."""
    if isinstance(representatives, GivenPairs):
        return Samples.of(representatives.rows, None, representatives.builder.input)
    points = representatives.points
    norm = root_mean_square_norm(points)
    return Samples(points, None, norm, "samples", KnownRows(points))


def _fit_last_model(
    samples: Samples, ensemble: EnsembleGraph, cut: Cut, n_jobs: int | None
) -> JointModel:
    """The joint model on what the members agree on, started from the cut."""
    model = JointModel(
        cut.n_clusters,
        alpha=ALPHA,
        beta=BETA,
        graph=ensemble,
        scaling=None,
        init=cut.labels,
        n_init=1,
        n_jobs=n_jobs,
    )
    with warnings.catch_warnings():
        # An early stop or an empty cluster of this model does not touch the labels.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model._fit_graph(samples, ensemble)
