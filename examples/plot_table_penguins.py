"""
From a table to clusters: penguins
==================================

You have a table and have never heard of affinity graphs. This is what ``graphtailor fit
penguins.csv`` does, in Python: see what each column was taken for, fit, and look at
what came out. The table, 344 penguins of Palmer Station, comes from the package
``palmerpenguins``.
"""

# %%
# One call
# --------
# :func:`~graphtailor.tables.cluster_table` makes features of the columns and says what
# it did: numbers, categories, dates, ids and constants are recognised, and a missing
# value lies in the middle of its column. The species are the answer that we hope to
# find: declared as the label, they are set aside.

import matplotlib.pyplot as plt
import pandas as pd
from palmerpenguins import load_penguins

from graphtailor import cluster_table, plot
from graphtailor.report import fit_report

penguins = load_penguins()
everything = cluster_table(penguins, label="species", random_state=0)
pd.DataFrame(
    [
        (column.name, column.kind, column.treatment)
        for column in everything.read.columns
    ],
    columns=["column", "taken for", "what was done"],
)

# %%
# Which columns should count?
# ---------------------------
# That is yours to say. Island, sex and year are in the table because of how penguins
# were found, and clusters of everything are mostly combinations of those: a model
# cannot know that you ask about bodies.

print(everything.model.decision_)
print(pd.crosstab(penguins["species"], everything.table["cluster"]))

# %%
# So take the four measurements. The table comes back with the cluster of each bird, how
# certain it is, and how far the bird lies from the others.

body = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
found = cluster_table(penguins, label="species", columns=body, random_state=0)
print(found.model.decision_)
print(pd.crosstab(penguins["species"], found.table["cluster"]))
found.table.head()

# %%
# Another number
# --------------
# Nobody said that there are three species; the model took three because they agree best
# with its members. Any other number is a cut of the same model. Two, which is on the
# short list as well, keeps only the largest species apart.

two = pd.Series(found.model.at(2).labels_, name="two")
print(found.model.suggested_n_clusters_)
print(pd.crosstab(penguins["species"], two))

# %%
# What sets them apart
# --------------------
# First a map of the learned graph: near penguins are alike. Then by how many standard
# deviations a cluster differs from the rest, feature by feature.

fig, ax = plt.subplots(figsize=(6.2, 5.2), layout="constrained")
plot.graph(found.model, ax=ax)
plot.profile(found.model, penguins[body])
plt.show()

# %%
# To show to a colleague
# ----------------------
# One page with everything: groups with names, a slider over their number, a map of all
# birds, and why each is in its group. On the command line it is ``--report out.html``.

page = fit_report(found.model, found.read.X, table=found.read)
print(f"one file of {len(page) / 1000:.0f} kB")
