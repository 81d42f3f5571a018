"""
Mixed columns: categories beside numbers
========================================

Tables of real life have both. Cars of the years 1970 to 1982, from the package
``vega_datasets``: six numbers, a year, and where the car was built. Some numbers are
missing. Which kinds of cars are there?
"""

# %%
# From columns to features
# ------------------------
# scikit-learn's ``ColumnTransformer`` treats each kind of column in its own way.
# Numbers are scaled to the same range, gaps are filled from near rows, and each
# category gets a feature of its own. Those 0/1 features are weighed down: two cars of
# different origin would else be farther apart than two cars that differ from end to end
# of a number.

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
model = make_pipeline(
    features, GraphTailor(n_clusters=4, scaling=None, random_state=0)
).fit(cars)
labels = model[-1].labels_

# %%
# What the clusters are
# ---------------------
# Each cell is the mean of a cluster minus that of all other cars, in standard
# deviations: orange is above the rest, purple below. The picture is drawn from the
# table as it was, not from the features: ``plot.profile`` understands categories.

columns = cars[[*numbers, "Origin"]]
fig, ax = plt.subplots(figsize=(7, 5.4), layout="constrained")
plot.profile(model[-1], columns, ax=ax, n_features=10)
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
