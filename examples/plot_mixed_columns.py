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
# scikit-learn's ``ColumnTransformer`` treats each kind of column in its own way.
# Numbers are scaled to the same range, gaps are filled from near rows, and each
# category gets a feature of its own. Those 0/1 features are weighed down: two cars of
# different origin would otherwise be farther apart than two cars at opposite ends of a
# number's range. So that the model keeps these weights, it scales nothing
# (``scaling=None``), and its members look only at views that keep them.

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import KNNImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from vega_datasets import local_data

from graphtailor import GraphTailor, plot

cars = pd.read_json(local_data.cars.filepath)
cars["Year"] = pd.to_datetime(cars["Year"]).dt.year
numbers = [
    "Miles_per_Gallon",
    "Cylinders",
    "Displacement",
    "Horsepower",
    "Weight_in_lbs",
    "Acceleration",
    "Year",
]
features = ColumnTransformer(
    [
        ("numbers", make_pipeline(MinMaxScaler(), KNNImputer()), numbers),
        ("origin", OneHotEncoder(sparse_output=False), ["Origin"]),
    ],
    transformer_weights={"origin": 0.3},
)
clusters = GraphTailor(
    n_clusters=4,
    scaling=None,
    views=("as it is", "unit rows", "centred unit rows"),
    random_state=0,
)
model = make_pipeline(features, clusters).fit(cars)
labels = clusters.labels_

# %%
# What the clusters are
# ---------------------
# Each cell is the mean of a cluster minus that of all other cars, in standard
# deviations: orange is above the rest, purple below. The picture is drawn from the
# table as it was, not from the features: ``plot.profile`` understands categories.

columns = cars[[*numbers, "Origin"]]
fig, ax = plt.subplots(figsize=(7, 5.4), layout="constrained")
plot.profile(clusters, columns, ax=ax, n_features=10)
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
