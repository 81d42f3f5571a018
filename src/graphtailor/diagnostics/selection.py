"""The choice of settings without labels, in words and for the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtailor.diagnostics.formatting import readable_number
from graphtailor.models.samples import is_named

# As many digits as are shown decide whether settings are told apart.
_SHOWN_DIGITS = 2


@dataclass(frozen=True)
class Selection:
    """The settings among which a fit chose, as a map.

    Attributes
    ----------
    alphas : ndarray of shape (a,)
        Weights of self-expression that were tried, rising.
    diffusions : ndarray of shape (b,)
        Steps of diffusion that were tried, rising.
    agreement : ndarray of shape (a, b)
        Mean correlation of each setting's clusters with those of all; nan where a fit
        that was stopped early had not come.
    kept : tuple of int
        Where in it the setting is that was taken.
    by_members : bool, default=False
        Whether agreement is with the clusterings that the given graph was made of, in
        place of the settings themselves.
    """

    alphas: np.ndarray
    diffusions: np.ndarray
    agreement: np.ndarray
    kept: tuple[int, int]
    by_members: bool = False

    @property
    def n_tried(self) -> int:
        """Number of settings that were tried."""
        return int(np.isfinite(self.agreement).sum())


def selection_map(model: Any) -> Selection | None:
    """What a fitted model tried before it took a setting; None if it tried nothing.

    Parameters
    ----------
    model : estimator
        Fitted.

    Returns
    -------
    Selection or None
        Its `selection_` as a map.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor
    >>> X = load_iris().data
    >>> selection_map(GraphTailor(3, random_state=0).fit(X)).agreement.shape
    (3, 1)
    >>> selection_map(GraphTailor(3, alpha=100, random_state=0).fit(X)) is None
    True
    """
    tried = getattr(model, "selection_", None)
    if tried is None:
        return None
    alphas, rows = np.unique(tried["alpha"], return_inverse=True)
    diffusions, columns = np.unique(tried["diffusion"], return_inverse=True)
    agreement = np.full((len(alphas), len(diffusions)), np.nan)
    agreement[rows, columns] = tried["agreement"]
    kept = (
        int(alphas.searchsorted(model.alpha_)),
        int(diffusions.searchsorted(model.diffusion_)),
    )
    by_members = is_named(model.graph_, "ensemble")
    return Selection(alphas, diffusions, agreement, kept, by_members)


def selection_view(model: Any) -> dict[str, Any] | None:
    """What the page shows of the choice; None if there was none."""
    found = selection_map(model)
    if found is None:
        return None
    return {
        "title": selection_finding(found),
        "reading": selection_reading(found),
        "members": _said_of_members(model),
        "rows": [f"alpha {readable_number(alpha)}" for alpha in found.alphas],
        "columns": [f"diffusion {steps}" for steps in found.diffusions],
        "agreement": found.agreement.tolist(),
        "kept": found.kept,
    }


def _said_of_members(model: Any) -> str:
    """How surely rows belong to their clusters, by the members of an ensemble."""
    ensemble = getattr(model, "ensemble_", None)
    if ensemble is None:
        return ""
    surely = np.median(ensemble.stability_)
    doubtful = int((ensemble.stability_ <= 0).sum())
    return (
        f"{len(ensemble.members_)} quick clusterings made the graph. Half of all rows "
        f"are together with their own cluster in at least {surely:.0%} more of them "
        f"than with any other; {doubtful:,} are not more often with their own. Where "
        "that is little, certainty is less than memberships tell, as the graph holds "
        "what most clusterings agreed on."
    )


def selection_finding(found: Selection) -> str:
    """Which setting was taken and why, as a title.

    Examples
    --------
    >>> import numpy as np
    >>> alphas, diffusions = np.array([0.0, 100.0]), np.array([4, 16])
    >>> agreement = np.array([[0.6, 0.6], [0.8, 0.7]])
    >>> selection_finding(Selection(alphas, diffusions, agreement, (1, 0)))
    "alpha = 100 and diffusion 4 were taken: their clusters agree most with the other \
3 settings'"
    """
    i, j = found.kept
    taken, whose = f"alpha = {readable_number(found.alphas[i])} was taken", "its"
    if len(found.diffusions) > 1:
        taken = taken.removesuffix(" was taken")
        taken, whose = (
            f"{taken} and diffusion {found.diffusions[j]} were taken",
            "their",
        )
    if found.by_members:
        with_whom = "the clusterings that the graph was made of"
        if np.ptp(found.agreement[np.isfinite(found.agreement)].round(_SHOWN_DIGITS)):
            return f"{taken}: {whose} clusters agree most with {with_whom}"
        return f"{taken}: all {found.n_tried} settings agree alike with {with_whom}"
    if np.nanmin(found.agreement.round(_SHOWN_DIGITS)) == 1:
        return f"{taken}: all {found.n_tried} settings tried have the same clusters"
    n = found.n_tried - 1
    others = f"{n} settings'" if n > 1 else "setting's"
    return f"{taken}: {whose} clusters agree most with the other {others}"


def selection_reading(found: Selection) -> str:
    """How to read the map."""
    if found.by_members:
        whom, ways = "the quick clusterings that the graph was made of", "in many ways"
    else:
        whom, ways = f"those of all {found.n_tried}", "at many settings"
    told = (
        f"How far the clusters of each setting agree with {whom} (mean correlation "
        "over pairs of rows: 1 is the same, 0 is chance). What is in the data is found "
        f"{ways}, while errors differ from one to the next; the framed one should have "
        "the fewest of its own. No labels were used."
    )
    best = found.agreement.round(_SHOWN_DIGITS) == found.agreement[found.kept].round(
        _SHOWN_DIGITS
    )
    if best.sum() > 1:
        told += " Settings with the same number might as well have been taken."
    return told


def settings_in_words(settings: Mapping[str, float | str], n_tried: int) -> str:
    """The settings of a fit in a line.

    Parameters
    ----------
    settings : mapping of str to float or str
        Names and values.
    n_tried : int
        The number of settings among which they were chosen; 0 if they were not.

    Examples
    --------
    >>> settings_in_words({"alpha": 1000.0, "beta": 100.0, "diffusion": 4}, 8)
    'alpha 1,000, beta 100, diffusion 4; the most agreed of 8 settings'
    """
    told = ", ".join(
        f"{name} {value if isinstance(value, str) else readable_number(value)}"
        for name, value in settings.items()
    )
    return f"{told}; the most agreed of {n_tried} settings" if n_tried else told
