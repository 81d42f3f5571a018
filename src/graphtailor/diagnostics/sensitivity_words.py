"""Whether the clusters depend on the settings, in words and for the page."""

from typing import Any

import numpy as np

from graphtailor.diagnostics.formatting import readable_number
from graphtailor.diagnostics.sensitivity import SettingsAgreement
from graphtailor.diagnostics.stability import SAME

# Below this agreement the clusters are different ones; between it and SAME only a few
# rows change cluster.
_DIFFERENT = 0.75


def settings_view(found: SettingsAgreement) -> dict[str, Any]:
    """What the page shows of neighbouring settings."""
    return {
        "title": settings_finding(found),
        "reading": reading_sentence(found),
        "rows": [f"alpha {readable_number(alpha)}" for alpha in found.alphas],
        "columns": [f"beta {readable_number(beta)}" for beta in found.betas],
        "agreement": found.agreement.tolist(),
        "kept": found.kept,
        "neighbors": neighbor_steps(found),
    }


def neighbor_steps(found: SettingsAgreement) -> list[tuple[int, float, bool]]:
    """Each number of neighbours, its agreement, and whether it is that of the fit."""
    if not found.n_neighbors:
        return []
    others = zip(
        found.neighbors.tolist(), found.neighbors_agreement.tolist(), strict=True
    )
    own = (found.n_neighbors, float(found.agreement[found.kept]), True)
    return sorted([own, *((k, value, False) for k, value in others)])


def settings_finding(found: SettingsAgreement) -> str:
    """What changes the clusters, as a title."""
    i, j = found.kept
    if found.agreement[i, j] < SAME:
        how = " a little" if found.agreement[i, j] >= _DIFFERENT else ""
        return f"{_alone(found).capitalize()} the clusters{how}, at the same settings"
    everything = np.append(found.agreement, found.neighbors_agreement)
    if everything.min() >= SAME:
        n = everything.size
        return f"The clusters stay the same over all {n} neighbouring settings"
    axes = {
        "alpha": found.agreement[:, j],
        "beta": found.agreement[i],
        "the number of neighbours": found.neighbors_agreement,
    }
    for how, least in (("change", _DIFFERENT), ("change a little", SAME)):
        moving = [name for name, each in axes.items() if each.min(initial=1) < least]
        if moving:
            return f"The clusters {how} with {_listed(moving)}"
    return "The clusters change only where alpha and beta change together"


def reading_sentence(found: SettingsAgreement) -> str:
    """How to read the picture."""
    text = (
        "Adjusted Rand index between the clusters of the fit and those of a new fit (1 "
        "is the same, 0 is chance). The frame marks the settings of the fit: its value "
        f"shows what {_alone(found)}. Clusters that stay when a weight is ten times as "
        "large do not depend on how it was chosen."
    )
    if found.n_rows < found.n_samples:
        text += (
            f" All new fits use a sample of {found.n_rows:,} of the "
            f"{found.n_samples:,} rows."
        )
    return text


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _alone(found: SettingsAgreement) -> str:
    changed = ["other starts"]
    if found.n_rows < found.n_samples:
        changed.insert(0, "fewer rows")
    if found.without_members:
        changed.insert(0, "a single joint model on a neighbour graph")
    return f"{_listed(changed)} alone change"
