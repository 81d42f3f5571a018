"""Which tier a fit takes: all pairs, a sparse graph, or anchors."""

from __future__ import annotations

import logging
from typing import Any

from graphtailor.models.graph_tier import GraphTier
from graphtailor.models.samples import is_pairwise
from graphtailor.representatives.tier import AnchorTier

logger = logging.getLogger(__name__)

TIERS = ("full", "sparse", "anchors")
# Among so few samples three neighbourhoods reach everyone.
_FULL_UP_TO = 16
# Beyond it the search for neighbours costs more than anchors lose.
_SPARSE_UP_TO = 200_000


def choose_tier(model: Any, n_samples: int) -> str:
    """The tier that an estimator asks for, or the one that suits the size.

    Parameters
    ----------
    model : GraphTailor
        Not yet fitted.
    n_samples : int
        Number of samples.

    Returns
    -------
    {"full", "sparse", "anchors"}
        The tier.
    """
    hindrance = _hindrance_to_anchors(model)
    if model.solver == "multiplicative":
        if model.tier not in ("auto", "full"):
            raise ValueError(
                f"tier={model.tier!r} does not go with solver='multiplicative', which "
                "works on all pairs. Use tier='auto' or solver='descent'."
            )
        tier = "full"
    elif model.tier == "anchors" and hindrance:
        raise ValueError(
            f"tier='anchors' makes its own graph from samples, but {hindrance}. Use "
            "tier='sparse', or leave that parameter as it is by default."
        )
    elif model.tier != "auto":
        tier = model.tier
    elif n_samples <= _FULL_UP_TO:
        tier = "full"
    else:
        few = n_samples <= _SPARSE_UP_TO
        tier = "sparse" if few or hindrance else "anchors"
    logger.info("%d samples: tier %r", n_samples, tier)
    return tier


def _hindrance_to_anchors(model: Any) -> str:
    """Why anchors cannot serve; empty if they can."""
    if is_pairwise(model.graph, model.metric):
        return "graph or metric is 'precomputed'"
    if not isinstance(model.graph, str):
        return f"graph is {model.graph!r}"
    if model.metric != "euclidean":
        return f"metric is {model.metric!r}"
    if model.kernel != "linear":
        return f"kernel is {model.kernel!r}"
    if model.n_neighbors != "auto":
        return f"n_neighbors is {model.n_neighbors}"
    return ""


def make_tier(model: Any) -> GraphTier | AnchorTier:
    """The tier of an estimator, ready to be fitted."""
    return AnchorTier() if model.tier_ == "anchors" else GraphTier(model)
