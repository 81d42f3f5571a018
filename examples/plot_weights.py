"""
What alpha and beta do to the graph
===================================

The joint model has two weights. ``alpha`` asks that each sample can be represented by
those it is tied to; ``beta`` asks that the learned graph stays near the given one.
Between the two, and the pull of the clusters, the graph is made. What does each of them
do?
"""

# %%
# A graph with a bridge
# ---------------------
# Two groups of points, each along a line, and they cross near one end. Edges where the
# lines meet join points of different groups.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection

from graphtailor import GraphTailor
from graphtailor.metrics import clustering_accuracy

rng = np.random.default_rng(3)
along = rng.uniform(0.1, 1, size=120)
angle = np.repeat([0.3, 1.2], 60)
X = along[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
X += rng.normal(scale=0.03, size=X.shape)
y = np.repeat([0, 1], 60)


def fitted(alpha: float, beta: float) -> GraphTailor:
    """The model with these weights."""
    return GraphTailor(
        2, alpha=alpha, beta=beta, scaling=None, tol=1e-3, random_state=0
    ).fit(X)


# %%
# Nine graphs
# -----------
# Lines are ties of the learned graph, the darker the stronger; those between the groups
# are red. Each title says which share of the weight runs between the true groups.

alphas, betas = (0.0, 10.0, 1000.0), (0.1, 1.0, 100.0)
fig, axes = plt.subplots(3, 3, figsize=(10, 9), layout="constrained")
for row, alpha in zip(axes, alphas, strict=True):
    for ax, beta in zip(row, betas, strict=True):
        model = fitted(alpha, beta)
        A = model.affinity_matrix_.tocoo()
        one_way = A.row < A.col
        pairs = np.column_stack([A.row, A.col])[one_way]
        weight = A.data[one_way]
        strong = np.minimum(weight / np.percentile(weight[weight > 0], 90), 1)
        between = y[pairs[:, 0]] != y[pairs[:, 1]]
        for mask, color in ((~between, "tab:blue"), (between, "tab:red")):
            ax.add_collection(
                LineCollection(X[pairs[mask]], colors=color, alpha=strong[mask], lw=0.8)
            )
        ax.scatter(
            *X.T,
            c=np.where(model.labels_, "black", "white"),
            edgecolor="black",
            s=14,
            lw=0.7,
            zorder=2,
        )
        accuracy = clustering_accuracy(y, model.labels_)
        share = weight[between].sum() / weight.sum()
        ax.set_title(
            f"alpha = {alpha:g}, beta = {beta:g}\n"
            f"{share:.0%} between, ACC {accuracy:.2f}",
            fontsize=10,
        )
        ax.set(xticks=[], yticks=[])
plt.show()

# %%
# Read the columns first. On the right, ``beta`` holds the learned graph to the given
# one. Further left it is free to follow the other two terms. Without self-expression
# (above) only the clusters are left to follow, which echo the first guess: lines are
# cut in the middle. With it (below) the ties fill each line from end to end, because a
# point is well represented by others on its own line, and badly by the other line. What
# remains red is near the crossing, where short points are represented by anyone.
#
# After the data are scaled to unit length on average, 100 for both is a fair
# compromise, and it is what ``GraphTailor(alpha=100)`` uses. The default tries other
# values of ``alpha`` too, and takes the one whose clusters other clusterings agree
# with: :doc:`/guide`.
