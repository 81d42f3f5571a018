"""
How many clusters are there?
============================

``n_clusters="auto"`` takes the number from the spectrum of the given graph, before
anything is clustered. What it saw is kept in ``n_clusters_path_``, so that the choice
can be looked at, and doubted.

Picture a random walk on the graph. Where there are :math:`k` clusters, :math:`k`
patterns hardly fade: the walk mixes within clusters long before it leaves them. The
pattern of the eigenvalue :math:`\\lambda_c` fades at the rate :math:`1 - \\lambda_c`,
and the score of :math:`c` is high where pattern :math:`c` outlives pattern :math:`c +
1` by far. See :doc:`/guide`.
"""

# %%
# Three data sets
# ---------------
# Six compact groups; three rings, which no centre describes; and one cloud without any
# clusters at all. The rings are long and thin: ``diffusion=8`` lets the graph spread
# along them before it is clustered. It plays no part in choosing the number.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from graphtailor import GraphTailor

rng = np.random.default_rng(0)


def rings(radii: list[float], n: int) -> np.ndarray:
    """Noisy circles around one centre."""
    angle = rng.uniform(0, 2 * np.pi, size=(len(radii), n))
    circles = np.array(radii)[:, None, None] * np.stack(
        [np.cos(angle), np.sin(angle)], axis=2
    )
    return circles.reshape(-1, 2) + rng.normal(scale=0.08, size=(len(radii) * n, 2))


centers = 10 * np.column_stack(
    [np.cos(np.arange(6) * np.pi / 3), np.sin(np.arange(6) * np.pi / 3)]
)
data = {
    "six groups": make_blobs(420, centers=centers, random_state=0)[0],
    "three rings": rings([1.0, 2.0, 3.0], 200),
    "one cloud": rng.normal(size=(400, 2)),
}
models = {
    name: GraphTailor(n_clusters="auto", diffusion=8, random_state=0).fit(X)
    for name, X in data.items()
}

# %%
# The choice, and the evidence for it
# -----------------------------------
# Above, the clusters found. Below, the score of each number that was tried; the highest
# is taken. The grey band is where scores of data without clusters lie.

fig, axes = plt.subplots(2, 3, figsize=(10.5, 6.4), layout="constrained")
for (above, below), (name, X) in zip(axes.T, data.items(), strict=True):
    model = models[name]
    above.scatter(*X.T, c=model.labels_, s=8, cmap="tab10", vmin=0, vmax=9)
    above.set(title=f"{name}: {model.n_clusters_} found", xticks=[], yticks=[])
    above.set_aspect("equal")
    path = model.n_clusters_path_
    below.axhspan(0.2, 0.7, color="0.92")
    below.plot(path["n_clusters"], path["score"], marker="o", ms=4, lw=1.2)
    below.plot(model.n_clusters_, path["score"].max(), "o", color="tab:red", ms=8)
    below.set(xlabel="number of clusters", ylim=(0, 2))
axes[1, 0].set_ylabel("score")
plt.show()

# %%
# Read it like this: a single high peak is a clear answer. The cloud gets a number as
# well, since the score always has a maximum, but that maximum lies in the grey band.
# Then do not believe the number, nor the clusters. Two peaks of like height mean that
# the data have structure at two scales, and both are worth a look.

for name, model in models.items():
    score = model.n_clusters_path_["score"].max()
    print(f"{name}: {model.n_clusters_} clusters, score {score:.2f}")
