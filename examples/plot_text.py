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
# A row has one number for each word. Most are zero, and the matrix stays sparse. The
# module that a class comes from is not given to the model.

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.utils.discovery import all_estimators

from graphtailor import GraphTailor

classes = [found for _, found in all_estimators()]
texts = [each.__doc__.split("Attributes\n")[0] for each in classes]
modules = np.array([each.__module__.split(".")[1] for each in classes])
words = TfidfVectorizer(stop_words="english", min_df=3, token_pattern=r"[a-z]{3,}")
X = words.fit_transform(texts)
print(f"{X.shape[0]} texts, {X.shape[1]} words, {X.nnz / np.prod(X.shape):.0%} filled")

# %%
# Clusters and their words
# ------------------------
# The number of clusters is chosen. The words of a cluster are those that weigh most in
# it, compared with all texts.

model = GraphTailor(metric="cosine", random_state=0).fit(X)
print(model.decision_)

names = words.get_feature_names_out()
everywhere = np.asarray(X.mean(axis=0)).ravel()
for k in range(model.n_clusters_):
    inside = np.asarray(X[model.labels_ == k].mean(axis=0)).ravel()
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

figure, axes = plt.subplots(figsize=(6, 6), layout="constrained")
axes.imshow(table.div(table.sum(axis=1), axis=0), cmap="Blues", vmin=0, vmax=1)
axes.set_yticks(range(len(table)), table.index)
axes.set_xticks(range(table.shape[1]), table.columns)
axes.set_xlabel("cluster")
axes.set_title("Share of each module's classes in each cluster")
for i, j in np.argwhere(table.to_numpy() > 0):
    axes.text(j, i, table.iloc[i, j], ha="center", va="center", fontsize=8)
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
