"""The weights and the diffusion without labels: the setting that others agree with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtailor.graphs.ensemble.co_association import CoAssociation
from graphtailor.models.samples import SampleSpace
from graphtailor.solvers.multistart import SHARED_FROM_BETA

# What is tried: from no self-expression to a learned graph that is made of it, on a
# graph spread a little and one spread far.
ALPHAS: tuple[float, ...] = (100.0, 0.0, 1_000.0, 10_000.0)
DIFFUSIONS: tuple[int, ...] = (4, 16)
# What many clusterings join needs no spreading, and little self-expression.
ENSEMBLE_ALPHAS: tuple[float, ...] = (100.0, 0.0, 1_000.0)
# Weight of the given graph. From ten on the learned graph depends on
# alpha / (1 + beta) alone, so that other weights would try the same graphs again.
BETA = 100.0
# What is taken where nothing is tried: on samples, and on anchors, the rows of which
# represent each other and leave little to say about pairs of anchors.
USUAL_ALPHA = {"full": 100.0, "sparse": 100.0, "anchors": 0.0}
# Eight settings of larger data take too long for someone who waits.
TRIED_UP_TO = {"full": 300, "sparse": 5_000}
# Agreements nearer to each other than this differ by rounding.
_DIGITS = 9


@dataclass(frozen=True)
class Setting:
    """What a fit on the graph of all samples was asked for, or chose.

    Parameters
    ----------
    alpha : float
        Weight of self-expression.
    diffusion : int
        Steps that spread the given graph.
    """

    alpha: float
    diffusion: int


def first_alpha(model: Any) -> float:
    """The weight of self-expression as far as it is known before anything is tried."""
    if not isinstance(model.alpha, str):
        return float(model.alpha)
    if model.warm_start and hasattr(model, "alpha_"):
        return float(model.alpha_)
    return USUAL_ALPHA[model.tier_]


def settings_to_try(model: Any, space: SampleSpace, goes_on: bool) -> list[Setting]:
    """The settings among which a fit chooses: one, unless ``alpha="auto"``.

    Parameters
    ----------
    model : GraphTailor
        Its parameters, with `tier_`.
    space : SampleSpace
        The fitted samples.
    goes_on : bool
        Whether the fit goes on from an earlier one, the setting of which it keeps.

    Returns
    -------
    list of Setting
        Those of the grid with the given diffusion, if that is a number.
    """
    given = model.diffusion
    if goes_on and given == "auto":
        given = model.diffusion_
    chooses = (
        isinstance(model.alpha, str)
        and not goes_on
        and model.solver == "descent"
        and model.beta_ >= SHARED_FROM_BETA
        and isinstance(model.init, str)
        and isinstance(model.graph_, str)  # a builder's graph is left as it is
        and not space.is_pairwise
        and 2 < space.n_samples <= TRIED_UP_TO[model.tier_]
        and 1 < model.n_clusters_ < space.known_rows.n_distinct
    )
    if not chooses:
        return [Setting(first_alpha(model), 0 if given == "auto" else given)]
    alphas, diffusions = ALPHAS, DIFFUSIONS
    if model.graph_ == "ensemble":
        alphas, diffusions = ENSEMBLE_ALPHAS, (0,)
    if given != "auto":
        diffusions = (given,)
    return [Setting(alpha, steps) for steps in diffusions for alpha in alphas]


def most_agreed(
    partitions: Sequence[np.ndarray], judge: Any = None
) -> tuple[int, np.ndarray]:
    r"""The partition that agrees most with all others: their medoid.

    Two partitions agree by the correlation of their matrices of pairs, 1 where both
    samples are in one cluster and 0 elsewhere. Clusters that are in the data are found
    at many settings, each of which adds errors of its own; the setting with the fewest
    of them is nearest to the others.

    Parameters
    ----------
    partitions : sequence of ndarray of shape (n,)
        Labels at each setting.
    judge : CoAssociation or EnsembleGraph, default=None
        Whom to agree with; the partitions themselves by default.

    Returns
    -------
    best : int
        The first of those that agree most.
    agreement : ndarray
        Mean correlation of each with all of those.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.decide.settings import most_agreed
    >>> labels = [np.array(row) for row in ([0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 0, 1])]
    >>> most_agreed(labels)[0]
    0
    """
    judge = CoAssociation(partitions) if judge is None else judge
    agreement = np.array([judge.agreement(labels) for labels in partitions])
    return int(agreement.round(_DIGITS).argmax()), agreement


def selection_of(tried: dict[Setting, float], beta: float) -> dict[str, np.ndarray]:
    """What was tried, as the attribute of a fitted model."""
    return {
        "alpha": np.array([setting.alpha for setting in tried]),
        "beta": np.full(len(tried), beta),
        "diffusion": np.array([setting.diffusion for setting in tried]),
        "agreement": np.array(list(tried.values())),
    }
