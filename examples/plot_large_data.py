"""
Large data: 100,000 rows by their representatives
=================================================

:class:`~graphtailor.GraphTailor` clusters at most 4,000 *representatives*. Up to 4,000
distinct rows, every row represents itself; more rows are represented by 4,000 weighted
anchors. Everything between the first and the last step then costs the same for ten
thousand rows and for ten million. What do representatives look like, and how many are
enough?
"""

# %%
# The fit
# -------
# Twelve curved clusters of quite different sizes in ten dimensions.

import time

import matplotlib.pyplot as plt
import numpy as np

from graphtailor import GraphTailor
from graphtailor.metrics import clustering_accuracy

rng = np.random.default_rng(0)
n, c, d = 100_000, 12, 10
y = rng.choice(c, size=n, p=np.arange(1, c + 1) / (c * (c + 1) / 2))
centers = rng.normal(scale=2.6, size=(c, d))
bend = rng.normal(size=(c, d))
along = rng.normal(size=n)
X = centers[y] + along[:, None] ** 2 * bend[y] + rng.normal(scale=0.7, size=(n, d))
X = X.astype(np.float32)

start = time.process_time()
model = GraphTailor(n_clusters=c, random_state=0).fit(X)
print(f"{time.process_time() - start:.1f} CPU seconds for {n:,} rows")
print(f"ACC {clustering_accuracy(y, model.labels_):.3f}")
print(model.decision_)

# %%
# Anchors stand for rows
# ----------------------
# The first two principal directions: on the left 5,000 of the rows, on the right all
# anchors, larger where an anchor stands for more rows. ``representatives_.masses`` are
# these numbers of rows. The anchors have the shape of the data, and the rest of the
# model sees nothing else.

representatives = model.representatives_
points = representatives.points * np.abs(X).max(axis=0)  # undo scaling="maxabs"
print(f"{len(representatives):,} anchors for {representatives.masses.sum():,} rows")

directions = np.linalg.svd(X[:5000] - X.mean(axis=0), full_matrices=False)[2][:2]
rows = X[:5000] @ directions.T
anchors = points @ directions.T
fig, axes = plt.subplots(
    1, 2, figsize=(11, 4.6), sharex=True, sharey=True, layout="constrained"
)
axes[0].scatter(*rows.T, c=model.labels_[:5000], s=3, cmap="tab20")
axes[0].set_title("rows (5,000 of them)")
axes[1].scatter(
    *anchors.T, c=model.predict(points), s=representatives.masses / 10, cmap="tab20"
)
axes[1].set_title(f"anchors ({len(anchors):,})")
left, right = np.percentile(rows, [0.5, 99.5], axis=0).T * 1.1
axes[0].set(xlim=left, ylim=right)
for ax in axes:
    ax.set(xticks=[], yticks=[])
plt.show()

# %%
# How many representatives?
# -------------------------
# ``representatives=`` is the only setting of size that there is. It trades time for
# detail.

numbers = [125, 250, 500, 1000, 2000]
accuracy, seconds = [], []
for m in numbers:
    start = time.process_time()
    labels = GraphTailor(c, representatives=m, random_state=0).fit_predict(X)
    seconds.append(time.process_time() - start)
    accuracy.append(clustering_accuracy(y, labels))
    print(f"{m:5,} representatives: ACC {accuracy[-1]:.3f}, {seconds[-1]:.1f} CPU s")

fig, axes = plt.subplots(1, 2, figsize=(9, 3.2), layout="constrained")
axes[0].semilogx(numbers, accuracy, marker="o")
axes[0].set(xlabel="representatives", ylabel="ACC", ylim=(0.5, 1.01))
axes[1].semilogx(numbers, seconds, marker="o", color="tab:red")
axes[1].set(xlabel="representatives", ylabel="CPU seconds", ylim=(0, None))
for ax in axes:
    ax.grid(alpha=0.3)
    ax.set_xticks(numbers, numbers)
    ax.minorticks_off()
plt.show()

# %%
# Time grows with the number of representatives; on these large clusters accuracy does
# not, beyond 500. Small or finely shaped clusters need more of them: a cluster with
# fewer than a handful of anchors cannot be seen.
#
# See :doc:`/large-data` for memory, sparse and memory-mapped data, and clusters of
# machines.
