"""
Learning a graph from signals: CGL
==================================

Sometimes the graph itself is what one is after: which sensors influence each other,
given only what they measured? :class:`~graphtailor.baselines.CGL` looks for the
Laplacian under which the measurements are most likely: smooth along its edges, with as
few and as strong edges as the data support.
"""

# %%
# A planted graph
# ---------------
# 60 sensors in three rooms. Sensors are tied to the nearest ones in their room, and a
# few doors join the rooms. Temperatures are drawn so that tied sensors agree: their
# covariance is the inverse of the Laplacian. The method sees temperatures at 2,000
# times, and neither places nor ties.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from sklearn.neighbors import kneighbors_graph

from graphtailor.baselines import CGL
from graphtailor.graphs import NeighborGraph
from graphtailor.metrics import clustering_accuracy

rng = np.random.default_rng(0)
room = np.repeat(np.arange(3), 20)
corners = np.array([[0.0, 0.0], [1.5, 0.0], [0.75, 1.3]])
places = corners[room] + rng.uniform(size=(60, 2))
ties = kneighbors_graph(places, 4).toarray() * (room[:, None] == room)
ties = np.maximum(ties, ties.T)
for i, j in [(0, 20), (25, 45), (5, 50)]:
    ties[i, j] = ties[j, i] = 0.3
L = np.diag(ties.sum(axis=1)) - ties
signals = rng.multivariate_normal(np.zeros(60), np.linalg.pinv(L), size=2000).T

model = CGL(n_clusters=3, alpha=0.0, random_state=0).fit(signals)
learned = model.affinity_matrix_.toarray()

# %%
# The planted graph and what was found
# ------------------------------------
# The thicker a line, the stronger the tie. On the right, for comparison, the graph of
# nearest neighbours of the same signals, which is symmetric and local but knows nothing
# of who is tied *directly*: a friend of a friend is near as well.

neighbors = NeighborGraph().fit(signals).weights_.toarray()
fig, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained")
for ax, (name, A) in zip(
    axes,
    {"planted": ties, "learned by CGL": learned, "neighbours": neighbors}.items(),
    strict=True,
):
    pairs = np.argwhere(np.triu(A) > 0.02 * A.max())
    widths = 2.5 * A[tuple(pairs.T)] / np.percentile(A[A > 0], 95)
    lines = LineCollection(
        places[pairs], colors="0.5", linewidths=np.minimum(widths, 3)
    )
    ax.add_collection(lines)
    ax.scatter(*places.T, c=model.labels_, s=36, cmap="tab10", vmin=0, vmax=9, zorder=2)
    ax.set(title=f"{name}: {len(pairs)} edges", xticks=[], yticks=[])
    ax.set_aspect("equal")
plt.show()

# %%
# How good are the edges?
# -----------------------
# Colours above are the clusters that CGL read off its graph. For the edges: sort all
# pairs by weight, take the strongest as many as were planted, and count how many are
# right.

upper = np.triu_indices(60, 1)
n_edges = int((ties[upper] > 0).sum())
for name, A in {"CGL": learned, "neighbours": neighbors}.items():
    strongest = np.argsort(-A[upper], kind="stable")[:n_edges]
    right = (ties[upper][strongest] > 0).mean()
    print(f"{name:11} {right:.0%} of the {n_edges} strongest edges are right")
print(f"rooms found with ACC {clustering_accuracy(room, model.labels_):.2f}")

# %%
# Fewer measurements
# ------------------
# With few measurements the covariance is poor. ``alpha`` adds to all distances alike,
# which makes weights more even. A little of it costs little here and a lot does harm;
# what helps is more data.

fig, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
for alpha, marker in zip((0.0, 0.3, 3.0), "osv", strict=True):
    right = []
    for n in (30, 100, 300, 1000, 2000):
        A = CGL(3, alpha=alpha, random_state=0).fit(signals[:, :n]).affinity_matrix_
        strongest = np.argsort(-A.toarray()[upper], kind="stable")[:n_edges]
        right.append((ties[upper][strongest] > 0).mean())
    ax.semilogx((30, 100, 300, 1000, 2000), right, marker=marker, label=f"{alpha:g}")
ax.set(
    xlabel="measurements of each sensor", ylabel="share of edges right", ylim=(0, 1.02)
)
ax.grid(alpha=0.3)
ax.legend(frameon=False, title="alpha")
plt.show()
