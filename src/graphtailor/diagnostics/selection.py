"""How settings were chosen without labels, as a map and in words."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphtailor.diagnostics.formatting import readable_number
from graphtailor.diagnostics.model_access import FittedView, Members

# Settings count as equal when they are equal in the digits shown.
_SHOWN_DIGITS = 2


@dataclass(frozen=True)
class Selection:
    """The settings among which a fit chose, as a map.

    Attributes
    ----------
    alphas : ndarray of shape (a,)
        Weights of self-expression that were tried, in rising order.
    diffusions : ndarray of shape (b,)
        Steps of diffusion that were tried, in rising order.
    agreement : ndarray of shape (a, b)
        Mean correlation of each setting's clusters with those of all settings; nan for
        settings that an interrupted fit did not reach.
    kept : tuple of int
        Row and column of the chosen setting.
    by_members : bool, default=False
        Whether agreement is with the clusterings that the given graph was made of,
        not with the other settings.
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


def selection_map(view: FittedView) -> Selection | None:
    """The settings that a fit tried before it chose one.

    Parameters
    ----------
    view : FittedView
        The fit.

    Returns
    -------
    Selection or None
        None if the fit tried nothing.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor
    >>> from graphtailor.diagnostics.model_access import view_of
    >>> X = load_iris().data
    >>> selection_map(view_of(GraphTailor(3, random_state=0).fit(X))).agreement.shape
    (3, 1)
    >>> fixed = GraphTailor(3, alpha=100, random_state=0).fit(X)
    >>> selection_map(view_of(fixed)) is None
    True
    """
    tried = view.tried
    if tried is None:
        return None
    alphas, rows = np.unique(tried["alpha"], return_inverse=True)
    diffusions, columns = np.unique(tried["diffusion"], return_inverse=True)
    agreement = np.full((len(alphas), len(diffusions)), np.nan)
    agreement[rows, columns] = tried["agreement"]
    kept = (
        int(alphas.searchsorted(view.settings["alpha"])),
        int(diffusions.searchsorted(view.settings["diffusion"])),
    )
    return Selection(alphas, diffusions, agreement, kept, view.from_ensemble)


def selection_view(view: FittedView) -> dict[str, Any] | None:
    """What the page shows of the choice; None if there was none."""
    found = selection_map(view)
    if found is None:
        return None
    return {
        "title": selection_finding(found),
        "reading": selection_reading(found),
        "members": "" if view.members is None else _members_sentence(view.members),
        "rows": [f"alpha {readable_number(alpha)}" for alpha in found.alphas],
        "columns": [f"diffusion {steps}" for steps in found.diffusions],
        "agreement": found.agreement.tolist(),
        "kept": found.kept,
    }


def _members_sentence(members: Members) -> str:
    """How certain the rows are by the members of an ensemble."""
    doubtful = int((members.stability <= 0).sum())
    return (
        f"The graph was made of {members.number} quick clusterings. Half of all rows "
        "are together with the rest of their cluster in at least "
        f"{np.median(members.stability):.0%} more of these clusterings than with any "
        f"other cluster; {doubtful:,} rows are as often with another cluster. If this "
        "share is small, the memberships overstate the certainty, because the graph "
        "contains only what most clusterings agree on."
    )


def selection_finding(found: Selection) -> str:
    """Which setting was chosen and why, as a title.

    Examples
    --------
    >>> import numpy as np
    >>> alphas, diffusions = np.array([0.0, 100.0]), np.array([4, 16])
    >>> agreement = np.array([[0.6, 0.6], [0.8, 0.7]])
    >>> selection_finding(Selection(alphas, diffusions, agreement, (1, 0)))
    "alpha = 100 and diffusion = 4 were chosen: their clusters agree most with the \
other 3 settings'"
    """
    i, j = found.kept
    alpha = f"alpha = {readable_number(found.alphas[i])}"
    chosen, whose = f"{alpha} was chosen", "its"
    if len(found.diffusions) > 1:
        chosen = f"{alpha} and diffusion = {found.diffusions[j]} were chosen"
        whose = "their"
    if found.by_members:
        with_whom = "the clusterings that the graph was made of"
        if np.ptp(found.agreement[np.isfinite(found.agreement)].round(_SHOWN_DIGITS)):
            return f"{chosen}: {whose} clusters agree most with {with_whom}"
        return f"{chosen}: all {found.n_tried} settings agree equally with {with_whom}"
    if np.nanmin(found.agreement.round(_SHOWN_DIGITS)) == 1:
        return f"{chosen}: all {found.n_tried} settings lead to the same clusters"
    n = found.n_tried - 1
    others = f"{n} settings'" if n > 1 else "setting's"
    return f"{chosen}: {whose} clusters agree most with the other {others}"


def selection_reading(found: Selection) -> str:
    """How to read the map."""
    if found.by_members:
        whom = "the quick clusterings that the graph was made of"
        idea = "many different clusterings"
    else:
        whom, idea = f"those of all {found.n_tried} settings", "many settings"
    text = (
        f"Each cell shows how well the clusters of a setting agree with {whom} (mean "
        "correlation over pairs of rows: 1 is the same, 0 is chance). The idea is that "
        f"structure in the data appears in {idea}, while errors differ from one to the "
        "next. The frame marks the chosen setting. No labels were used."
    )
    shown = found.agreement.round(_SHOWN_DIGITS)
    if (shown == shown[found.kept]).sum() > 1:
        text += " Other settings with the same number are equally good."
    return text


def settings_in_words(settings: Mapping[str, float | str], n_tried: int) -> str:
    """The settings of a fit in one line.

    Parameters
    ----------
    settings : mapping of str to float or str
        Names and values.
    n_tried : int
        How many settings they were chosen from; 0 if they were given.

    Examples
    --------
    >>> settings_in_words({"alpha": 1000.0, "beta": 100.0, "diffusion": 4}, 8)
    'alpha 1,000, beta 100, diffusion 4; chosen from 8 settings'
    """
    text = ", ".join(
        f"{name} {value if isinstance(value, str) else readable_number(value)}"
        for name, value in settings.items()
    )
    return f"{text}; chosen from {n_tried} settings" if n_tried else text
