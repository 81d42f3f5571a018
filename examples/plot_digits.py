"""
Images: handwritten digits
==========================

Can images be sorted without a single label? Here are 1,797 digits of 8 x 8 pixels. The
clusters are found from pixels alone; the true digits serve only to see afterwards how
well that went.
"""

# %%
# Fit, then look at the clusters
# ------------------------------
# One row for each cluster: the images that belong to it most surely on the left, and
# behind the gap those that were hardest to place. ``predict_proba`` says how sure.

import matplotlib.pyplot as plt
import numpy as np
from scipy.optimize import linear_sum_assignment
from sklearn.datasets import load_digits

from graphtailor import GraphTailor, clustering_scores, plot

digits = load_digits()
model = GraphTailor(n_clusters=10, random_state=0).fit(digits.data)
membership = model.predict_proba(digits.data).max(axis=1)

fig, axes = plt.subplots(10, 11, figsize=(7.4, 6.4))
fig.subplots_adjust(left=0.08, right=0.98, bottom=0.01, top=0.94)
for k, row in enumerate(axes):
    mine = np.flatnonzero(model.labels_ == k)
    mine = mine[np.argsort(-membership[mine], kind="stable")]
    shown = [*mine[:6], None, *mine[-4:]]
    for ax, i in zip(row, shown, strict=True):
        ax.set_axis_off()
        if i is not None:
            ax.imshow(digits.images[i], cmap="gray_r")
    row[0].text(-3, 4, str(k), ha="right", va="center", weight="bold")
axes[0, 2].set_title("most typical", loc="left", fontsize=10)
axes[0, 7].set_title("most doubtful", loc="left", fontsize=10)
plt.show()

# %%
# Which digits are taken for which?
# ---------------------------------
# Rows are the true digits, columns the clusters, ordered so that the diagonal is as
# heavy as possible. What lies off it are digits that look alike. Beside it the learned
# graph itself, laid out in the plane: an island is a cluster, and bridges are where
# digits are hard to tell apart.

scores = clustering_scores(digits.target, model.labels_)
print({name: round(score, 3) for name, score in scores.items()})

counts = np.zeros((10, 10), dtype=int)
np.add.at(counts, (digits.target, model.labels_), 1)
order = linear_sum_assignment(counts, maximize=True)[1]

fig, axes = plt.subplots(1, 2, figsize=(12, 5.4), layout="constrained")
axes[0].imshow(counts[:, order], cmap="Blues")
for i, j in zip(*np.nonzero(counts[:, order]), strict=True):
    count = counts[:, order][i, j]
    color = "white" if count > 90 else "black"
    axes[0].text(j, i, count, ha="center", va="center", color=color, fontsize=8)
axes[0].set(
    xlabel="cluster", ylabel="digit", title="digits and clusters", yticks=range(10)
)
axes[0].set_xticks(range(10), order)
plot.graph(model, ax=axes[1])
plt.show()
