"""
Mixed columns: categories beside numbers
========================================

Real tables have both. Cars of the years 1970 to 1982, from the package
``vega_datasets``: six numbers, a year, and where the car was built. Some numbers are
missing. Which kinds of cars are there?
"""

# %%
# From columns to features
# ------------------------
# ``GraphTailor`` takes the table as it is. Every column becomes one block of features
# of a fixed weight: a number is divided by its standard deviation, and the levels of a
# category together have a quarter of its variance, because levels are clumps by nature
# and would split clear clusters. A gap lies in the middle of its column.
# :class:`~graphtailor.TableBlocks` is the same as a transformer for pipelines.

import matplotlib.pyplot as plt
import pandas as pd
from vega_datasets import local_data

from graphtailor import GraphTailor, plot

cars = pd.read_json(local_data.cars.filepath)
cars["Year"] = pd.to_datetime(cars["Year"]).dt.year
columns = cars.drop(columns="Name")
model = GraphTailor(n_clusters=4, random_state=0).fit(columns)
labels = model.labels_
print(columns.isna().sum()[lambda gaps: gaps > 0])
for column in model.blocks_.columns_:
    print(f"{column.name}: {column.treatment}")

# %%
# What the clusters are
# ---------------------
# Each cell is the mean of a cluster minus that of all other cars, in standard
# deviations: orange is above the rest, purple below. The picture is drawn from the
# table as it was, not from the features: ``plot.profile`` understands categories.

fig, ax = plt.subplots(figsize=(7, 5.4), layout="constrained")
plot.profile(model, columns, ax=ax, n_features=10)
plt.show()

# %%
# Cars by weight and thirst, the two that show most, with a few names of each cluster.

fig, ax = plt.subplots(figsize=(7.6, 4.6), layout="constrained")
for k, marker in enumerate("os^D"):
    mine = cars[labels == k]
    ax.scatter(
        mine["Weight_in_lbs"],
        mine["Miles_per_Gallon"],
        s=22,
        marker=marker,
        alpha=0.8,
        label=f"{k}: " + ", ".join(mine["Name"].sample(2, random_state=1)),
    )
ax.set(xlabel="weight (lbs)", ylabel="miles per gallon")
ax.legend(frameon=False, title="cluster: two of its cars")
ax.grid(alpha=0.3)
plt.show()
