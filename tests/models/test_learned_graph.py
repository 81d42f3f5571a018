"""Learned graphs in front of other people's estimators."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import KMeans, SpectralClustering
from sklearn.datasets import load_wine
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.semi_supervised import LabelSpreading
from sklearn.utils.estimator_checks import parametrize_with_checks

from graphtailor import GraphTailor, JointModel, LearnedGraph
from graphtailor.baselines import (
    CAN,
    CGL,
    LRR,
    RSSA,
    RSSAR,
    RSSR,
    L1Graph,
    L2Graph,
    SmoothGraph,
    SymNMF,
)
from graphtailor.graphs import precomputed_kernel
from graphtailor.graphs.ensemble.members import KMeansMembers
from graphtailor.metrics import clustering_accuracy
from graphtailor.neighbors import default_n_neighbors

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]
QUICK = GraphTailor(3, members=[KMeansMembers()], random_state=0)
LEARNERS = [
    QUICK,
    JointModel(3, n_init=3, random_state=0),
    *(cls(3, random_state=0) for cls in (LRR, L2Graph, CAN, CGL, RSSA, RSSR, RSSAR)),
    *(cls(3, random_state=0) for cls in (L1Graph, SmoothGraph)),
    SpectralClustering(3, affinity="nearest_neighbors", random_state=0),
]
every_learner = pytest.mark.parametrize(
    "learner", LEARNERS, ids=lambda learner: type(learner).__name__
)


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return MaxAbsScaler().fit_transform(X)[::2], y[::2]


@parametrize_with_checks([LearnedGraph(L2Graph(2))])
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@every_learner
def test_a_pipeline_cuts_every_learned_graph(learner, wine):
    X, y = wine
    graph = LearnedGraph(learner)
    cut = SpectralClustering(3, affinity="precomputed", random_state=0)
    model = make_pipeline(graph, cut)
    assert clustering_accuracy(y, model.fit_predict(X)) > 0.6
    A = model[0].affinity_
    assert isinstance(A, sparse.csr_array)
    assert A.shape == (len(X), len(X))
    assert abs(A - A.T).max() < 1e-15
    assert A.nnz <= 2 * default_n_neighbors(len(X)) * len(X)
    assert A.data.min() > 0
    np.testing.assert_array_equal(A.diagonal(), 0)
    # A fitted sample is its own nearest one.
    assert abs(model[0].transform(X) - A).max() == 0
    assert model[0].transform(X[:5]).shape == (5, len(X))


def test_the_weights_are_those_of_the_method(wine):
    X, _ = wine
    graph = LearnedGraph(CGL(3, random_state=0), n_neighbors=None).fit(X)
    expected = CGL(3, random_state=0).fit(X).affinity_matrix_
    assert abs(graph.weights_ - expected).max() == 0
    dense = LearnedGraph(LRR(3, random_state=0), n_neighbors=None).fit(X)
    few = LearnedGraph(LRR(3, random_state=0), n_neighbors=4).fit(X)
    kept = few.weights_.toarray() > 0
    strength = dense.weights_.toarray()
    strongest = strength >= np.sort(strength, axis=1)[:, -4:-3]
    np.testing.assert_array_equal(kept, strongest | strongest.T)


def test_labels_spread_along_a_learned_graph_to_new_samples(wine):
    X, y = wine
    X_new, y_new = X[1::2], y[1::2]
    X, y = X[::2], y[::2]
    given = np.where(np.arange(len(y)) % 4, -1, y)
    spread = LabelSpreading(precomputed_kernel, alpha=0.9, max_iter=1000)
    model = make_pipeline(LearnedGraph(QUICK), spread).fit(X, given)
    assert np.mean(model.predict(X) == y) > 0.85
    assert np.mean(model.predict(X_new) == y_new) > 0.8


def test_a_search_reaches_the_parameters_of_the_learner(wine):
    X, y = wine
    spread = LabelSpreading(precomputed_kernel, alpha=0.9, max_iter=1000)
    model = make_pipeline(LearnedGraph(L2Graph(3)), spread)
    search = GridSearchCV(model, {"learnedgraph__learner__lam": [0.01, 1.0]}, cv=3)
    assert search.fit(X, y).best_score_ > 0.8


def test_rows_of_one_representative_are_alike_and_joined(wine):
    X = np.repeat(wine[0][:40], 2, axis=0)
    graph = LearnedGraph(QUICK, n_neighbors=None).fit(X)
    W, model = graph.weights_.toarray(), graph.learner_
    owner = model.nearest_representative_
    learned = model.affinity_matrix_.toarray()
    assert W.shape == (80, 80)
    for i, j in [(0, 1), (0, 2), (0, 7), (5, 30)]:
        twins = owner[i] == owner[j]
        expected = learned[owner[i]].max() if twins else learned[owner[i], owner[j]]
        assert W[i, j] == expected
    np.testing.assert_array_equal(owner[::2], owner[1::2])


def test_the_graph_of_a_joint_model_may_be_a_learned_one(wine):
    X, y = wine
    model = JointModel(3, graph=LearnedGraph(SmoothGraph(3)), n_init=3, random_state=0)
    assert clustering_accuracy(y, model.fit_predict(X)) > 0.85
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_learners_of_pairs_have_a_graph_but_no_new_samples(wine):
    given = rbf_kernel(wine[0])
    graph = LearnedGraph(SymNMF(3, graph="precomputed", random_state=0))
    assert graph.fit_transform(given).shape == given.shape
    with pytest.raises(ValueError, match="SymNMF took pairs"):
        graph.transform(given)


def test_a_method_without_a_graph_is_named():
    with pytest.raises(ValueError, match="learner=KMeans learns no graph"):
        LearnedGraph(KMeans(2)).fit(np.eye(4))
