"""
From a table to clusters: penguins
==================================

You have a table and have never heard of affinity graphs. This is what ``graphtailor fit
penguins.csv`` does, in Python: read the table, see what each column was taken for, fit,
and look at what came out. The table, 344 penguins of Palmer Station, comes from the
package ``palmerpenguins``.
"""

# %%
# Read the table
# --------------
# :func:`~graphtailor.tables.read_table` makes features of columns and says what it did:
# numbers, categories, dates, ids and constants are recognised, and a missing value lies
# in the middle of its column. The species are the answer we hope to find: declared as
# the label, they are set aside.

import shutil
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import pandas as pd
from palmerpenguins import load_penguins

from graphtailor import GraphTailor, plot
from graphtailor.report import fit_report
from graphtailor.tables import read_table

folder = Path(tempfile.mkdtemp())
load_penguins().to_csv(folder / "penguins.csv", index=False)
table = read_table(str(folder / "penguins.csv"), label="species")
pd.DataFrame(
    [(column.name, column.kind, column.treatment) for column in table.columns],
    columns=["column", "taken for", "what was done"],
)

# %%
# Which columns should count?
# ---------------------------
# That is yours to say. Island, sex and year are in the table because of how penguins
# were found, and clusters of everything are mostly combinations of those: a model
# cannot know that you ask about bodies. So take the four measurements.

body = ["bill_length_mm", "bill_depth_mm", "flipper_length_mm", "body_mass_g"]
table = read_table(str(folder / "penguins.csv"), label="species", columns=body)
# The columns are scaled already.
auto = GraphTailor(scaling=None, random_state=0).fit(table.X)
print(auto.decision_)
print(pd.crosstab(table.y, auto.labels_, rownames=["species"], colnames=["auto"]))
model = GraphTailor(n_clusters=3, scaling=None, random_state=0).fit(table.X)
print(pd.crosstab(table.y, model.labels_, rownames=["species"], colnames=["three"]))

# %%
# Left to itself, the model takes the number of clusters that most of its members can
# agree on, which need not be the number of species. Asked for three clusters, it finds
# the species but for a few birds.
#
# What sets them apart
# --------------------
# First a map of the learned graph: near penguins are alike. Then by how many standard
# deviations a cluster differs from the rest, feature by feature.

fig, ax = plt.subplots(figsize=(6.2, 5.2), layout="constrained")
plot.graph(model, ax=ax)
fig, ax = plt.subplots(figsize=(6.2, 3.8), layout="constrained")
plot.profile(model, table.frame[body], ax=ax)
plt.show()

# %%
# To show to a colleague
# ----------------------
# One page with everything: sizes, map, what sets clusters apart, typical and doubtful
# penguins, how stable the result is. On the command line it is ``--report out.html``.

page = fit_report(model, table.X, table=table)
(folder / "report.html").write_text(page, encoding="utf-8")
print(f"report.html: {len(page) / 1000:.0f} kB in one file")
shutil.rmtree(folder)
