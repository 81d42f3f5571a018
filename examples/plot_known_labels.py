"""
A few known labels
==================

Two classes overlap, and no gap shows where one ends. Somebody has labelled a few rows.
How far do these help, and which pairs of rows should be asked about next?
"""

# %%
# From no label to 40
# -------------------
# Two of the three varieties in the data are much alike. ``known`` has the class of a
# labelled row, and -1 for all others. It is not ``y``, which is always ignored.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_classification
from sklearn.decomposition import PCA

from graphtailor import GraphTailor, ask_next

X, y = make_classification(
    n_samples=400,
    n_features=8,
    n_informative=4,
    n_redundant=2,
    n_classes=3,
    n_clusters_per_class=1,
    class_sep=1.1,
    random_state=4,
)
order = np.random.RandomState(0).permutation(len(y))
plane = PCA(2).fit_transform(X)

fig, axes = plt.subplots(1, 3, figsize=(12, 4), layout="constrained", sharey=True)
for axis, number in zip(axes, (3, 12, 40), strict=True):
    known = np.full(len(y), -1)
    known[order[:number]] = y[order[:number]]
    model = GraphTailor(n_clusters=3, random_state=0).fit(X, known=known)
    named = model.known_classes_[model.labels_]
    right = np.mean(named[known < 0] == y[known < 0])
    axis.scatter(*plane.T, c=model.labels_, cmap="Set2", s=12)
    axis.scatter(*plane[known >= 0].T, fc="none", ec="k", s=45, lw=1.2)
    axis.set_title(f"{number} known rows: {right:.0%} of the others right")
plt.show()

# %%
# ``known_classes_`` says which cluster is which class, and ``decision_`` what was used.

print(model.known_classes_)
print(model.decision_.sentences()[-1])

# %%
# Which pairs to ask about
# ------------------------
# People often cannot name a class, but can say whether two rows belong together.
# :func:`graphtailor.ask_next` gives the pairs on which members disagree and on which
# many rows hang. Here the answers come from the classes.

model = GraphTailor(n_clusters=3, random_state=0).fit(X)
pairs = ask_next(model, n_pairs=10)
same = y[pairs[:, 0]] == y[pairs[:, 1]]
guided = GraphTailor(n_clusters=3, random_state=0)
guided.fit(X, must_link=pairs[same], cannot_link=pairs[~same])

fig, axis = plt.subplots(figsize=(6, 5), layout="constrained")
axis.scatter(*plane.T, c=guided.labels_, cmap="Set2", s=12)
for pair, is_same in zip(pairs, same, strict=True):
    axis.plot(*plane[pair].T, c="k", ls="-" if is_same else ":", lw=1)
axis.set_title("ten answers: together (solid) or apart (dotted)")
plt.show()
