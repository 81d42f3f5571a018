"""
Robust PCA: images with scratches
=================================

Principal components follow outliers: a few bright scratches bend them all. Robust PCA
splits the data into a low-rank part, what images have in common, and a sparse part,
what spoils single pixels: :math:`X = L + S`. Does it find the scratches, and do the
clusters gain?
"""

# %%
# Spoil the digits
# ----------------
# 500 digits of four kinds. In each image a tenth of the pixels is set to black or white
# at random.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from graphtailor.baselines import RPCA, KMeansClustering, PCAClustering
from graphtailor.metrics import clustering_accuracy

X, y = load_digits(n_class=4, return_X_y=True)
X, y = X[:500] / 16, y[:500]
rng = np.random.default_rng(0)
spoiled = rng.random(X.shape) < 0.1
X_spoiled = np.where(spoiled, rng.integers(0, 2, size=X.shape), X)

model = RPCA(n_clusters=4, n_init=10, random_state=0).fit(X_spoiled)

# %%
# What belongs to the image, and what does not
# --------------------------------------------
# From above: the clean image, what the method was given, the low-rank part it found,
# and the sparse part (red was added, blue was taken away). Nobody told it which pixels
# were spoiled.

fig, axes = plt.subplots(4, 10, figsize=(9, 4), layout="constrained")
rows = {
    "clean": X,
    "given": X_spoiled,
    "low rank": model.low_rank_,
    "sparse": model.sparse_,
}
for row, (name, images) in zip(axes, rows.items(), strict=True):
    for ax, image in zip(row, images[:10], strict=True):
        style = {"cmap": "gray_r", "vmin": 0, "vmax": 1}
        if name == "sparse":
            style = {"cmap": "bwr", "vmin": -1, "vmax": 1}
        ax.imshow(image.reshape(8, 8), **style)
        ax.set(xticks=[], yticks=[])
    row[0].set_ylabel(name, rotation=0, ha="right", va="center")
plt.show()

changed = np.abs(X_spoiled - X) > 0.3
error_before = np.abs(X_spoiled - X)[changed].mean()
error_after = np.abs(model.low_rank_ - X)[changed].mean()
print(f"error at spoiled pixels: {error_before:.2f} given, {error_after:.2f} repaired")

# %%
# And the clusters?
# -----------------
# The same K-means on the pixels, on principal components and on the low-rank part, for
# more and more spoiled pixels.

shares = [0.0, 0.1, 0.2, 0.3]
accuracy = {"K-means": [], "PCA": [], "RPCA": []}
for share in shares:
    rng = np.random.default_rng(1)
    mask = rng.random(X.shape) < share
    given = np.where(mask, rng.integers(0, 2, size=X.shape), X)
    for name, method in {
        "K-means": KMeansClustering(4, n_init=10, random_state=0),
        "PCA": PCAClustering(4, n_init=10, random_state=0),
        "RPCA": RPCA(4, n_init=10, random_state=0),
    }.items():
        accuracy[name].append(clustering_accuracy(y, method.fit_predict(given)))

fig, ax = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
for (name, values), marker in zip(accuracy.items(), "vso", strict=True):
    ax.plot([100 * share for share in shares], values, marker=marker, label=name)
ax.set(xlabel="pixels spoiled (%)", ylabel="ACC")
ax.grid(alpha=0.3)
ax.legend(frameon=False)
plt.show()
for name, values in accuracy.items():
    print(f"{name:8}", *(f"{value:.3f}" for value in values))

# %%
# The repair is visible in the images; the clusters gain a point or two of accuracy, no
# more. K-means averages over many pixels, and stands noise of this kind quite well.
