"""
A graph of your own
===================

Sometimes there are no samples, only how alike things are. Then give the matrix itself,
with ``GraphTailor(metric="affinity")``: any nonnegative affinities, dense or sparse.
Which sectors of an economy rise and fall together?
"""

# %%
# From time series to a graph
# ---------------------------
# The table, from the package ``vega_datasets``, has the number of employees in US
# sectors for each month of 2006 to 2015, the financial crisis among them. Two sectors
# are alike if their monthly changes correlate. Negative correlations count as no tie.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.metrics import adjusted_rand_score
from vega_datasets import local_data

from graphtailor import GraphTailor, JointModel

SECTORS = [
    "mining_and_logging",
    "construction",
    "manufacturing",
    "wholesale_trade",
    "retail_trade",
    "transportation_and_warehousing",
    "utilities",
    "information",
    "financial_activities",
    "professional_and_business_services",
    "education_and_health_services",
    "leisure_and_hospitality",
    "other_services",
    "government",
]
table = local_data.us_employment()
jobs = table[SECTORS].set_index(pd.to_datetime(table["month"]))
changes = np.log(jobs).diff().dropna()
affinity = changes.corr().clip(lower=0).to_numpy()

# %%
# The clusters of the graph
# -------------------------
# Members that need features, k-means and mixtures, are left out; spectral clusterings
# and joint models of the given graph remain. In the joint model self-expression has no
# effect, since there are no features that could represent each other.

model = GraphTailor(n_clusters=2, metric="affinity", random_state=0).fit(affinity)
for k in range(2):
    print(k, [SECTORS[i] for i in np.flatnonzero(model.labels_ == k)])
print(model.decision_)

# %%
# The paper's model on the same graph takes ``graph="precomputed"``, which stands for
# ``PrecomputedGraph()``. It need not find the same clusters.

joint = JointModel(n_clusters=2, graph="precomputed", random_state=0).fit(affinity)
print(f"adjusted Rand index: {adjusted_rand_score(model.labels_, joint.labels_):.2f}")

# %%
# On the left the correlations that were given, with sectors of a cluster side by side:
# a large block of sectors that move together, and three that move with nobody much. On
# the right, what each cluster has in common: one fell with the crisis, the other did
# not. The model had only the changes, not the levels.

order = np.argsort(model.labels_, kind="stable")
names = [SECTORS[i].replace("_", " ") for i in order]
fig, axes = plt.subplots(
    1, 2, figsize=(12, 5.6), width_ratios=[1.25, 1], layout="constrained"
)
image = axes[0].imshow(
    np.where(np.eye(len(affinity)), np.nan, affinity)[np.ix_(order, order)],
    cmap="Blues",
    vmin=0,
    vmax=1,
)
axes[0].set_xticks(range(len(names)), names, rotation=90, fontsize=8)
axes[0].set_yticks(range(len(names)), names, fontsize=8)
for end in np.cumsum(np.bincount(model.labels_))[:-1] - 0.5:
    axes[0].axhline(end, color="0.2", lw=1)
    axes[0].axvline(end, color="0.2", lw=1)
axes[0].set_title("correlation of monthly changes")
fig.colorbar(image, ax=axes[0], shrink=0.7)
relative = 100 * jobs / jobs.iloc[0]
for k in range(2):
    mine = [SECTORS[i] for i in np.flatnonzero(model.labels_ == k)]
    axes[1].plot(
        relative.index, relative[mine].mean(axis=1), lw=2, label=f"cluster {k}"
    )
axes[1].set(title="employees, January 2006 = 100")
axes[1].grid(alpha=0.3)
axes[1].legend(frameon=False)
plt.show()
