"""UMAP of a learned graph, in a pipeline."""

import numpy as np
import pytest
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler

from graphtailor import GraphTailor, LearnedGraph
from graphtailor.baselines import CAN, CGL, LRR, RSSA, L2Graph
from graphtailor.graphs import graph_distances

REASON = "NOT CHECKED with UMAP: `make test-integrations` installs it"
umap = pytest.importorskip("umap", reason=REASON)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("learner", [GraphTailor, CAN, CGL, L2Graph, LRR, RSSA])
def test_umap_draws_a_learned_graph(learner):
    X, y = load_wine(return_X_y=True)
    X, y = MaxAbsScaler().fit_transform(X)[::2], y[::2]
    to_distances = FunctionTransformer(graph_distances, accept_sparse=True)
    layout = umap.UMAP(metric="precomputed", random_state=0)
    graph = LearnedGraph(learner(3, random_state=0))
    pipeline = make_pipeline(graph, to_distances, layout)
    places = pipeline.fit_transform(X)
    assert places.shape == (len(X), 2)
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    joined = apart[pipeline[0].affinity_.nonzero()]
    assert joined.mean() < 0.4 * apart.mean()
    near = KNeighborsClassifier(5)
    assert cross_val_score(near, places, y, cv=5).mean() > 0.8
