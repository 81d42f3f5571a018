"""
Kinds of blood cells
====================

scanpy ships 700 blood cells (10x Genomics) with the activity of 765 genes in each, and
the kind of each cell as far as it is known. :func:`graphtailor.scanpy.cluster` finds
clusters without these kinds and writes them, with the graph that was learned, to where
scanpy looks for them.
"""

# %%
# Clusters
# --------
# The principal components of the genes are in the file already.

import matplotlib.pyplot as plt
import pandas as pd
import scanpy as sc

from graphtailor import clustering_scores
from graphtailor.scanpy import cluster

cells = sc.datasets.pbmc68k_reduced()
cluster(cells)
kinds = cells.obs["bulk_labels"]
scores = clustering_scores(kinds, cells.obs["graphtailor"])
print({name: round(score, 2) for name, score in scores.items()})
pd.crosstab(kinds, cells.obs["graphtailor"])

# %%
# A map of the learned graph
# --------------------------
# UMAP runs on the learned graph. T cells of several kinds share a cluster: their
# activity differs by few genes. Cells between two clusters are the uncertain ones.

sc.tl.umap(cells, neighbors_key="graphtailor", random_state=0)
places = cells.obsm["X_umap"]
figure, axes = plt.subplots(1, 3, figsize=(13, 5), layout="constrained")
for ax, name in zip(axes, ["graphtailor", "bulk_labels"], strict=False):
    for kind, rows in cells.obs.groupby(name, observed=True).indices.items():
        ax.scatter(*places[rows].T, s=5, label=kind)
    place = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.02)}
    ax.legend(fontsize=7, markerscale=2, ncols=2, frameon=False, **place)
axes[0].set_title("Clusters")
axes[1].set_title("Known kinds")
drawn = axes[2].scatter(*places.T, s=5, c=cells.obs["graphtailor_certainty"])
figure.colorbar(drawn)
axes[2].set_title("Certainty")
for ax in axes:
    ax.set_axis_off()
plt.show()

# %%
# Finer or coarser
# ----------------
# Any number of clusters can be asked for, and each has a key of its own.

cluster(cells, 4, key_added="four")
print(pd.crosstab(cells.obs["four"], cells.obs["graphtailor"]))
