"""
New data: clusters for rows that were not there
===============================================

A fitted model places rows that it has never seen: ``predict`` gives their cluster,
``predict_proba`` how sure that is. No classifier is trained. A new row is shared by its
five nearest representatives, and gets the mean of their memberships.
"""

# %%
# Every point of the plane
# ------------------------
# The model is fitted to 400 points of three clusters. Then every point of a grid is
# predicted. On the left its cluster; on the right how sure, from even odds (white) to
# certain (dark).

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs, make_moons

from graphtailor import GraphTailor
from graphtailor.metrics import clustering_accuracy

moons, _ = make_moons(300, noise=0.07, random_state=0)
blob, _ = make_blobs(100, centers=[[2.2, 1.4]], cluster_std=0.2, random_state=0)
X = np.vstack([moons, blob])
model = GraphTailor(n_clusters=3, random_state=0).fit(X)

x, y = np.meshgrid(np.linspace(-1.6, 3.1, 120), np.linspace(-1.1, 2.2, 90))
grid = np.column_stack([x.ravel(), y.ravel()])
sure = model.predict_proba(grid).max(axis=1)

fig, axes = plt.subplots(1, 2, figsize=(11, 3.9), layout="constrained")
box = {"extent": (-1.6, 3.1, -1.1, 2.2), "origin": "lower", "aspect": "auto"}
colors = plt.get_cmap("tab10", 10)
regions = colors(model.predict(grid))[:, :3].reshape(*x.shape, 3)
axes[0].imshow(0.35 * regions + 0.65, **box)
axes[0].set_title("cluster of each place")
shade = axes[1].imshow(sure.reshape(x.shape), cmap="Greys", vmin=1 / 3, vmax=1.4, **box)
axes[1].set_title("largest membership")
for ax in axes:
    ax.scatter(*X.T, c=colors(model.labels_), s=8, lw=0)
plt.show()

# %%
# Why the moons stay in one piece is in the model's own account of what it decided.

print(model.decision_)

# %%
# Fit on some, predict the rest
# -----------------------------
# What does it cost to fit on a part only? Digits: the model sees a share of the images,
# and predicts the others. Accuracy is measured on the same 600 images each time, which
# no fit has seen.

from sklearn.datasets import load_digits

images, digit = load_digits(return_X_y=True)
shuffled = np.random.default_rng(0).permutation(len(images))
held_out, rest = shuffled[:600], shuffled[600:]
for n in (150, 300, 600, 1197):
    part = GraphTailor(n_clusters=10, random_state=0).fit(images[rest[:n]])
    accuracy = clustering_accuracy(digit[held_out], part.predict(images[held_out]))
    print(f"fitted on {n:4d}: ACC {accuracy:.3f} on 600 others")

# %%
# Rows that were fitted keep their label, every one of them, so that ``predict`` of
# everything agrees with ``labels_``.

print((model.predict(X) == model.labels_).all())
