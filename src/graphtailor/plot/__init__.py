"""Pictures of a fitted model by matplotlib.

Each picture has a function that draws it and returns the Axes, and a Display class
with ``from_estimator`` and ``plot``, following scikit-learn's convention. The functions
take a fitted model, and `ax`, the Axes to draw on; None makes a new pyplot figure,
which notebooks show.
"""

from graphtailor.plot.affinity_display import (
    AffinityDisplay,
    GraphDisplay,
    affinity,
    graph,
    overview,
)
from graphtailor.plot.cell_map import (
    ProfileDisplay,
    SettingsDisplay,
    StabilityDisplay,
    profile,
    settings,
    stability,
)
from graphtailor.plot.curves import (
    ConvergenceDisplay,
    NClustersDisplay,
    convergence,
    n_clusters,
)
from graphtailor.plot.layers_display import LayersDisplay, layers

__all__ = [
    "AffinityDisplay",
    "ConvergenceDisplay",
    "GraphDisplay",
    "LayersDisplay",
    "NClustersDisplay",
    "ProfileDisplay",
    "SettingsDisplay",
    "StabilityDisplay",
    "affinity",
    "convergence",
    "graph",
    "layers",
    "n_clusters",
    "overview",
    "profile",
    "settings",
    "stability",
]
