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

from graphtailor import JointModel
from graphtailor.metrics import clustering_accuracy

rng = np.random.default_rng(3)
along = rng.uniform(0.1, 1, size=120)
angle = np.repeat([0.3, 1.2], 60)
X = along[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
X += rng.normal(scale=0.03, size=X.shape)
y = np.repeat([0, 1], 60)


def fitted(alpha: float, beta: float) -> JointModel:
    """The model with these weights."""
    model = JointModel(2, alpha=alpha, beta=beta, scaling="length", random_state=0)
    return model.set_params(tol=1e-3).fit(X)


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
# Which alpha is which?
# ---------------------
# Self-expression is measured in squares of X, so the same ``alpha`` would mean
# something else on every data set. Every ``scaling`` but None therefore divides all
# rows by their root mean square length; ``scaling="length"``, as above, does that
# alone. With ``scaling=None`` the rows stay exactly as they are, and ``alpha`` is the
# paper's. Here both say the same:

length = np.sqrt(np.square(X).sum(axis=1).mean())
ours = JointModel(2, alpha=1000, scaling="length", random_state=0).fit(X)
paper = JointModel(2, alpha=1000 / length**2, scaling=None, random_state=0).fit(X)
print(f"mean length {length:.2f}: alpha 1000 is the paper's {paper.alpha:.0f}")
print("same clusters:", bool((ours.labels_ == paper.labels_).all()))

# %%
# Weights chosen with labels
# --------------------------
# Where some rows have labels, the weights can be searched like those of any estimator:
# a model is fitted to a part of the rows, without their labels, and its predictions for
# the others are scored. ``graph__n_neighbors`` reaches into the graph.

from sklearn.datasets import load_wine
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV, StratifiedKFold

wines, kinds = load_wine(return_X_y=True)
search = GridSearchCV(
    JointModel(3, tol=1e-4, random_state=0),
    {"alpha": [0, 100, 1000], "beta": [10, 100], "graph__n_neighbors": [5, 10, 20]},
    scoring=make_scorer(clustering_accuracy),
    cv=StratifiedKFold(3, shuffle=True, random_state=0),
).fit(wines, kinds)
found = search.cv_results_["mean_test_score"]
print(search.best_params_)
print(f"ACC on wines not seen: {found.max():.3f} best, {found.min():.3f} worst")

# %%
# Without labels there is nothing to search by. :class:`~graphtailor.GraphTailor` then
# lets many quick clusterings vote, joint models with various ``alpha`` among them:
# :doc:`/guide`.
