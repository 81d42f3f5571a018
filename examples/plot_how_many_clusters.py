"""
How many clusters?
==================

Nobody knows. A number of clusters is a question of how closely you look, and no rule
reads it off a table reliably. So ``GraphTailor()`` does three things: it says first
whether there are clusters at all, it takes the most plausible number and names those
that are nearly as plausible, and it gives you every other number at the cost of a cut.
"""

# %%
# Three data sets
# ---------------
# Six compact groups; two moons, which no centre describes; and one cloud without any
# clusters at all.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine, make_blobs, make_moons

from graphtailor import GraphTailor, clustering_scores, plot

rng = np.random.default_rng(0)
turns = np.arange(6) * np.pi / 3
centers = 10 * np.column_stack([np.cos(turns), np.sin(turns)])
data = {
    "six groups": make_blobs(420, centers=centers, random_state=0)[0],
    "two moons": make_moons(300, noise=0.07, random_state=0)[0],
    "one cloud": rng.normal(size=(400, 2)),
}
models = {name: GraphTailor(random_state=0).fit(X) for name, X in data.items()}

# %%
# Are there any?
# --------------
# The verdict compares the rows with copies that have no clusters. It comes first,
# because all that follows looks the same for noise: some number always has the best
# score, and the cloud is cut like everything else.

for name, model in models.items():
    print(f"{name}: {model.decision_.verdict.sentence()}")

# %%
# Which number is plausible?
# --------------------------
# Above, the clusters that were found. Below, the score of each number: how well its cut
# agrees with the members, the many quick clusterings, and how far apart they keep its
# clusters, less a price for each finer cut. For the moons the score is not what
# decides: the graph of near neighbours separates two clusters, and k-means does not see
# them.

fig, axes = plt.subplots(2, 3, figsize=(11, 7), layout="constrained")
for (above, below), (name, X) in zip(axes.T, data.items(), strict=True):
    model = models[name]
    above.scatter(*X.T, c=model.labels_, s=8, cmap="tab20")
    above.set(title=f"{name}: {model.n_clusters_} taken", xticks=[], yticks=[])
    above.set_aspect("equal")
    numbers = [level.n_clusters for level in model.n_clusters_path_]
    scores = [level.score for level in model.n_clusters_path_]
    below.plot(numbers, scores, marker="o", ms=4, lw=1.2)
    below.axvline(model.n_clusters_, color="tab:red", lw=1, ls=":")
    listed = ", ".join(map(str, model.suggested_n_clusters_))
    below.set(xlabel="number of clusters", title=f"short list: {listed}")
axes[1, 0].set_ylabel("score")
plt.show()

# %%
# A real table
# ------------
# The wines have three cultivars, and the model does not know that. The ring is the
# number that it takes; the numbers above the curve are its short list.

X, y = load_wine(return_X_y=True)
model = GraphTailor(random_state=0).fit(X)
fig, ax = plt.subplots(figsize=(6.4, 4.4), layout="constrained")
plot.n_clusters(model, ax=ax)
plt.show()

# %%
# Every other number is a cut of the same ensemble. Clusters that stay whole from line
# to line are worth more than those that fall apart at once.

plot.layers(model)
plt.show()

for level in model.n_clusters_path_[:5]:
    k = level.n_clusters
    score = clustering_scores(y, model.at(k).labels_)["ARI"]
    print(f"{k} clusters: persistence {level.persistence:.2f}, ARI {score:.2f}")

# %%
# How often is the number right?
# ------------------------------
# ``python benchmarks/n_clusters.py`` counts it, beside other methods that choose the
# number. The page :doc:`/results` has the table. On drawn blobs, moons and rings the
# number is nearly always right. On real tables it equals the number of known classes
# in a minority of cases, whoever chooses: classes are what somebody wrote down, not
# what a table separates. Read the short list, look at the layers, and take the number
# that answers your question.
