"""
Subspaces, and low-rank representation
======================================

Some data lie near a few planes through the origin rather than in clumps: faces under
changing light, or tracks of points on moving bodies. Two samples of one plane may be
far apart, and samples of two planes near each other, so that neighbours mislead.
Methods that *represent* each sample by the others find the plane instead. Low-rank
representation, :class:`~graphtailor.baselines.LRR`, asks that all representations
together have low rank; the joint model has such a term too, the one that ``alpha``
weighs.
"""

# %%
# Five subspaces
# --------------
# 40 samples on each of five random four-dimensional subspaces of a space of 20
# dimensions, with a little noise, and one sample in ten spoiled as a whole.

import matplotlib.pyplot as plt
import numpy as np

from graphtailor import GraphTailor, JointModel
from graphtailor.baselines import LRR, KMeansClustering, L2Graph, SpectralClusteringNJW
from graphtailor.metrics import clustering_accuracy

rng = np.random.default_rng(0)
bases = [np.linalg.qr(rng.normal(size=(20, 4)))[0] for _ in range(5)]
X = np.vstack([rng.normal(size=(40, 4)) @ basis.T for basis in bases])
X += rng.normal(scale=0.02, size=X.shape)
y = np.repeat(np.arange(5), 40)
spoiled = rng.choice(len(X), size=20, replace=False)
X[spoiled] += rng.normal(scale=0.4, size=(20, 20))

# %%
# Who sees them?
# --------------
# Samples are ordered by subspace, so that a good graph has five dark squares. The given
# graph of neighbours has edges all over. :class:`~graphtailor.JointModel` with a large
# ``alpha`` keeps those by which samples represent each other.
# LRR starts from no graph; its coefficients are large inside the squares, and the light
# lines across are spoiled samples.

models = {
    "K-means": KMeansClustering(5, n_init=10, random_state=0),
    "SC": SpectralClusteringNJW(5, random_state=0),
    "JointModel": JointModel(5, alpha=1000, scaling="length", random_state=0),
    "GraphTailor": GraphTailor(5, scaling=None, random_state=0),
    "L2-Graph": L2Graph(5, random_state=0),
    "LRR": LRR(5, random_state=0),
}
accuracy = {
    name: clustering_accuracy(y, model.fit_predict(X)) for name, model in models.items()
}

fig, axes = plt.subplots(1, 4, figsize=(13, 3.6), layout="constrained")
graphs = {
    "given graph": models["JointModel"].graph_.affinity_.toarray(),
    "learned graph": models["JointModel"].affinity_matrix_.toarray(),
    "coefficients of LRR": models["LRR"].affinity_matrix_,
}
for ax, (name, graph) in zip(axes, graphs.items(), strict=False):
    ax.imshow(graph, cmap="Blues", vmin=0, vmax=np.percentile(graph[graph > 0], 95))
    ax.set(title=name, xticks=range(0, 200, 40), yticks=range(0, 200, 40))
axes[3].barh(list(accuracy), list(accuracy.values()), color="tab:blue")
axes[3].invert_yaxis()
axes[3].set(title="accuracy", xlim=(0, 1))
plt.show()
print({name: round(value, 3) for name, value in accuracy.items()})

# %%
# Spectral clustering, SC, has the given graph and nothing else. The joint model begins
# with the same graph; what it gains, it gains by self-expression. GraphTailor, which
# has no settings, gains a part of that: joint models with large weights of
# self-expression are among its members, but most of these look at distances.
#
# Which samples are spoiled?
# --------------------------
# LRR puts what it cannot represent into the rows of an error matrix. Long rows point to
# the samples that were spoiled, although nothing said that there are any.

error = np.linalg.norm(models["LRR"].error_, axis=1)
fig, ax = plt.subplots(figsize=(8, 3), layout="constrained")
is_spoiled = np.isin(np.arange(len(X)), spoiled)
for mask, name, color in [
    (~is_spoiled, "clean", "0.6"),
    (is_spoiled, "spoiled", "tab:red"),
]:
    ax.vlines(np.flatnonzero(mask), 0, error[mask], color=color, label=name, lw=1.5)
ax.set(xlabel="sample", ylabel="length of its error")
ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))
plt.show()
