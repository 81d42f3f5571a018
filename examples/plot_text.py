"""
What is a library about? Clusters of texts
==========================================

The reference of scikit-learn is a collection of texts that comes with it: the docstring
of every class. Do their words alone say which belong together? Words are counted and
weighted (TF-IDF), and :class:`~graphtailor.GraphTailor` compares the directions of the
texts.
"""

# %%
# Texts to rows
# -------------
# A row has one number for each word, and its 40 leading directions are kept (latent
# semantic analysis). The module that a class comes from is not given to the model.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics import adjusted_mutual_info_score
from sklearn.utils.discovery import all_estimators

from graphtailor import GraphTailor

classes = [found for _, found in all_estimators()]
modules = np.array([each.__module__.split(".")[1] for each in classes])
words = TfidfVectorizer(
    stop_words="english",
    min_df=3,
    max_df=0.5,
    sublinear_tf=True,
    token_pattern=r"[a-z]{3,}",
)
counts = words.fit_transform([each.__doc__ for each in classes])
X = TruncatedSVD(40, random_state=0).fit_transform(counts)
print(f"{counts.shape[0]} texts, {counts.shape[1]} words")

# %%
# How many topics?
# ----------------
# A reference has many, and no gap says where one ends: the model takes the largest
# number that it looks at. Fewer are easier to read, and every number is a cut of the
# same fit: ``at`` gives it without another one. The figure behind each number, which
# needs the modules, says how well clusters and modules agree (1 is the same, 0 is
# chance).

fitted = GraphTailor(metric="cosine", random_state=0).fit(X)
print(fitted.decision_)
for number in (fitted.n_clusters_, 12, 8):
    agreement = adjusted_mutual_info_score(modules, fitted.at(number).labels_)
    print(f"{number:2} clusters: {agreement:.2f}")

# %%
# Clusters and their words
# ------------------------
# The words of a cluster are those that weigh most in it, compared with all texts.

model = fitted.at(8)
names = words.get_feature_names_out()
everywhere = np.asarray(counts.mean(axis=0)).ravel()
for k in range(model.n_clusters_):
    inside = np.asarray(counts[model.labels_ == k].mean(axis=0)).ravel()
    top = names[np.argsort(inside - everywhere)[::-1][:6]]
    print(f"{k}: {(model.labels_ == k).sum():3} texts, {', '.join(top)}")

# %%
# Do they follow the modules?
# ---------------------------
# Rows are modules with at least five classes. Many fill one cluster: the authors of a
# module write alike.

table = pd.crosstab(modules, model.labels_)
table = table[table.sum(axis=1) >= 5]
most = table.to_numpy().argmax(axis=1)
table = table.iloc[most.argsort(kind="stable")]

shares = table.div(table.sum(axis=1), axis=0).to_numpy()

figure, axes = plt.subplots(figsize=(6, 6), layout="constrained")
axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
axes.set_yticks(range(len(table)), table.index)
axes.set_xticks(range(table.shape[1]), table.columns)
axes.set_xlabel("cluster")
axes.set_title("Classes of each module in each cluster")
for i, j in np.argwhere(shares > 0):
    color = "white" if shares[i, j] > 0.5 else "black"
    axes.text(j, i, table.iloc[i, j], ha="center", va="center", color=color)
plt.show()

# %%
# Texts between clusters
# ----------------------
# The certainty of a text is its membership in its own cluster. The least certain ones
# speak of two things.

for i in np.argsort(model.probabilities_)[:5]:
    first, second = np.argsort(model.indicator_[i])[::-1][:2]
    print(f"{classes[i].__name__}: between clusters {first} and {second}")

# %%
# :doc:`/bertopic` hands the same model to BERTopic, which names the topics.
