"""
In a pipeline with scikit-learn
===============================

:class:`~graphtailor.GraphTailor` is an estimator like any other: it can be the last
step of a pipeline, be cloned, have its parameters searched, and be scored without
labels. Here a pipeline sorts tumours by 30 measurements of their cells.
"""

# %%
# A pipeline
# ----------
# Features of very different spread are standardised, and the leading components kept.
# The model then needs no scaling of its own.

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.metrics import silhouette_score
from sklearn.model_selection import ParameterGrid, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from graphtailor import GraphTailor, clustering_scores

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.3, random_state=0)

pipeline = make_pipeline(
    StandardScaler(),
    PCA(n_components=8),
    GraphTailor(n_clusters=2, scaling=None, random_state=0),
)
pipeline.fit(X_train)
for name, rows, truth in [("train", X_train, y_train), ("new", X_test, y_test)]:
    scores = clustering_scores(truth, pipeline.predict(rows))
    print(name, {metric: round(score, 3) for metric, score in scores.items()})

# %%
# Parameters by name
# ------------------
# ``set_params`` reaches every step. A small search over the number of components and
# how rows are compared: what would an analyst without labels choose, and would that
# have been right? The silhouette needs no labels; the accuracy, which does, is
# there to judge the choice afterwards.

grid = {
    "pca__n_components": [2, 4, 8, 16],
    "graphtailor__metric": ["euclidean", "cosine"],
}
scaled = StandardScaler().fit_transform(X)
runs = []
for params in ParameterGrid(grid):
    labels = pipeline.set_params(**params).fit_predict(X)
    runs.append(
        {
            "components": params["pca__n_components"],
            "metric": params["graphtailor__metric"],
            "silhouette": silhouette_score(scaled, labels),
            "ACC": clustering_scores(y, labels)["ACC"],
        }
    )
runs = pd.DataFrame(runs)
print(runs.sort_values("silhouette", ascending=False).round(3).to_string(index=False))

# %%
# A point for each setting. If the silhouette were a perfect guide, the points would
# rise from left to right, and the one that it picks (ringed) would be the highest.

fig, ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")
for metric, marker in zip(grid["graphtailor__metric"], "o^", strict=True):
    some = runs[runs["metric"] == metric]
    points = ax.scatter(
        some["silhouette"],
        some["ACC"],
        c=some["components"],
        marker=marker,
        s=60,
        cmap="viridis",
        vmin=2,
        vmax=16,
        label=metric,
    )
best = runs.loc[runs["silhouette"].idxmax()]
ax.scatter(best["silhouette"], best["ACC"], s=220, facecolor="none", edgecolor="red")
ax.set(xlabel="silhouette (no labels)", ylabel="ACC (labels)")
ax.legend(frameon=False)
ax.grid(alpha=0.3)
fig.colorbar(points, label="components")
plt.show()

# %%
# Here the silhouette is a fair guide and no more: it likes few components, in which
# clusters look round, and misses the best setting by a few points. Without labels
# nobody would know; do not take the fourth digit of such an index seriously.
