"""Agreement between settings, in words and for the page."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphtailor.diagnostics.formatting import readable_number
from graphtailor.diagnostics.sensitivity import (
    SettingsAgreement,
    hindrance_to_refits,
    neighboring_settings,
)
from graphtailor.diagnostics.stability import SAME

# Clusters that agree less with the kept ones are others; between this and SAME it is
# a matter of a few rows.
_ANOTHER = 0.75
SIZE_NAMES = {"n_neighbors": "neighbours", "anchors": "anchors"}
HOW_TO_READ = (
    "Adjusted Rand index between the kept clusters and those of a new fit (1 is the "
    "same, 0 is chance). The framed cell has the settings of the fit itself: it tells "
    "what {alone}. Clusters that stay when a weight is ten times as large "
    "do not hang on how it was chosen."
)


def settings_view(
    model: Any, X: Any, found: SettingsAgreement | None
) -> dict[str, Any] | None:
    """What the page shows of neighbouring settings.

    Parameters
    ----------
    model : estimator
        Fitted.
    X : {DataFrame, ndarray, sparse array} or None
        What it was fitted to.
    found : SettingsAgreement or None
        Made if None.

    Returns
    -------
    dict or None
        With "hindrance" where they cannot be tried; None for a method without them.
    """
    if not hasattr(model, "tier_"):
        return None
    if found is None:
        hindrance = hindrance_to_refits(model, X)
        if hindrance:
            return {"hindrance": hindrance}
        found = neighboring_settings(model, X)
    return {
        "hindrance": "",
        "title": settings_finding(found),
        "reading": reading_sentence(found),
        "rows": [f"alpha {readable_number(alpha)}" for alpha in found.alphas],
        "columns": [f"beta {readable_number(beta)}" for beta in found.betas],
        "agreement": found.agreement.tolist(),
        "kept": found.kept,
        "size_name": SIZE_NAMES.get(found.size_name, ""),
        "sizes": size_steps(found),
    }


def size_steps(found: SettingsAgreement) -> list[tuple[int, float, bool]]:
    """Sizes of the graph, rising: each with its agreement, and whether it is kept."""
    if not found.size_name:
        return []
    pairs = zip(found.sizes.tolist(), found.size_agreement.tolist(), strict=True)
    own = (found.size, float(found.agreement[found.kept]), True)
    return sorted([own, *((size, value, False) for size, value in pairs)])


def settings_finding(found: SettingsAgreement) -> str:
    """What the agreement between settings says, as a title.

    Examples
    --------
    >>> import numpy as np
    >>> alphas = betas = np.array([10.0, 100.0, 1000.0])
    >>> agreement = np.array([[1.0, 1.0, 1.0], [0.4, 1.0, 1.0], [0.3, 1.0, 1.0]])
    >>> none = np.array([])
    >>> settings_finding(
    ...     SettingsAgreement(alphas, betas, agreement, (1, 1), "", 0, none, none, 9, 9)
    ... )
    'The clusters change with beta'
    """
    i, j = found.kept
    if found.agreement[i, j] < SAME:
        how = " a little" if found.agreement[i, j] >= _ANOTHER else ""
        return f"{_alone(found).capitalize()} the clusters{how}, at the same settings"
    everything = np.append(found.agreement, found.size_agreement)
    if everything.min() >= SAME:
        n = everything.size
        return f"The clusters stay the same over all {n} neighbouring settings"
    axes = {
        "alpha": found.agreement[:, j],
        "beta": found.agreement[i],
        f"the number of {SIZE_NAMES.get(found.size_name)}": found.size_agreement,
    }
    for how, least in (("change", _ANOTHER), ("change a little", SAME)):
        moving = [name for name, each in axes.items() if each.min(initial=1) < least]
        if moving:
            return f"The clusters {how} with {_listed(moving)}"
    return "The clusters change only where alpha and beta change together"


def reading_sentence(found: SettingsAgreement) -> str:
    """How to read the picture."""
    told = HOW_TO_READ.format(alone=_alone(found))
    if found.n_rows < found.n_samples:
        told += (
            f" All of it is of a sample of {found.n_rows:,} of the "
            f"{found.n_samples:,} rows."
        )
    return told


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _alone(found: SettingsAgreement) -> str:
    changed = ["other starts"]
    if found.n_rows < found.n_samples:
        changed.insert(0, "fewer rows")
    if found.in_place_of_ensemble:
        changed.insert(0, "near neighbours in place of many clusterings")
    return f"{_listed(changed)} alone change"
