"""
Missing values
==============

A distance to a row with a hole in it is a guess. An array with gaps is refused; in a
DataFrame a gap lies in the middle of its column. Is that a good guess? Wines with more
and more of their measurements removed at random, and three ways to fill them in before
the fit.
"""

# %%
# Four ways to treat a gap
# ------------------------
# The DataFrame as it is; the median of the feature; the mean of the five nearest rows,
# by the features that both have; and the same with an indicator beside it that says
# where the gaps were.
# Features are scaled before the neighbours are sought, as those in large units would
# decide alone.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.datasets import load_wine
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from graphtailor import GraphTailor
from graphtailor.metrics import clustering_accuracy

X, y = load_wine(return_X_y=True)
FILLS = {
    "median": lambda: SimpleImputer(strategy="median"),
    "nearest rows": lambda: KNNImputer(),
    "nearest rows, with indicators": lambda: KNNImputer(add_indicator=True),
}


def with_gaps(share: float, seed: int) -> np.ndarray:
    """The wines, with this share of all values missing."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(X.shape) < share, np.nan, X)


shares = np.array([0.0, 0.2, 0.4, 0.5])
names = ["the table as it is", *FILLS]
accuracy = {name: np.zeros((len(shares), 3)) for name in names}
for i, share in enumerate(shares):
    for seed in range(3):
        table = pd.DataFrame(with_gaps(share, seed))
        model = GraphTailor(3, random_state=seed).fit(table)
        accuracy[names[0]][i, seed] = clustering_accuracy(y, model.labels_)
        for name, fill in FILLS.items():
            model = make_pipeline(
                MaxAbsScaler(), fill(), GraphTailor(3, scaling=None, random_state=seed)
            )
            labels = model.fit_predict(with_gaps(share, seed))
            accuracy[name][i, seed] = clustering_accuracy(y, labels)

# %%
# How far do they go?
# -------------------
# Lines are means of three draws of the gaps, bands reach from the worst to the best.

fig, ax = plt.subplots(figsize=(7.2, 4.2), layout="constrained")
for (name, values), marker in zip(accuracy.items(), "Dsov", strict=True):
    line = ax.plot(100 * shares, values.mean(axis=1), marker=marker, label=name)[0]
    ax.fill_between(
        100 * shares,
        values.min(axis=1),
        values.max(axis=1),
        color=line.get_color(),
        alpha=0.12,
    )
ax.set(xlabel="values missing (%)", ylabel="ACC", ylim=(0.3, 1))
ax.grid(alpha=0.3)
ax.legend(frameon=False, loc="center left", bbox_to_anchor=(0.2, 0.35))
plt.show()

print("values missing (%)            ", *(f"{100 * share:4.0f}" for share in shares))
for name, values in accuracy.items():
    print(f"{name:30}", *(f"{value:.2f}" for value in values.mean(axis=1)))

# %%
# Filling from near rows holds up best. The median pulls rows with many gaps towards the
# middle of the data, away from their cluster. The table as it is, with nothing to set
# up, lies between them. Indicators add nothing *here*, because gaps came at random and
# say nothing. Where a gap does tell something (a question that
# was refused, an instrument that was out of range), add its indicator with a small
# weight.
#
# ``graphtailor fit table.csv`` takes the table as it is, and says so for every column.
