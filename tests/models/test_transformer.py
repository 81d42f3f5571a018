"""Both models as a scikit-learn transformer, scorer and clusterer."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted

from graphtailor import GraphTailor, JointModel
from graphtailor.graphs.ensemble.members import KMeansMembers, SpectralMembers

X, Y = make_blobs(120, centers=3, n_features=4, cluster_std=2.0, random_state=1)
QUICK = [KMeansMembers(), SpectralMembers()]
MODELS = {
    "GraphTailor": GraphTailor(3, members=QUICK, random_state=0),
    "JointModel": JointModel(3, n_init=3, random_state=0),
}


@pytest.fixture(params=MODELS)
def model(request):
    return MODELS[request.param].__sklearn_clone__()


def test_transform_gives_the_indicator(model):
    V = model.fit_transform(X)
    np.testing.assert_array_equal(V, model.indicator_)
    np.testing.assert_array_equal(model.transform(X[:7]), model.indicator_[:7])


def test_set_output_names_the_clusters(model):
    frame = pd.DataFrame(X, columns=list("abcd"), index=np.arange(120) + 7)
    V = model.set_output(transform="pandas").fit(frame).transform(frame)
    prefix = type(model).__name__.lower()
    assert list(V.columns) == [f"{prefix}{k}" for k in range(3)]
    assert list(V.index) == list(frame.index)
    assert list(model.get_feature_names_out()) == list(V.columns)


def test_in_the_middle_of_a_pipeline(model):
    pipe = make_pipeline(model, LogisticRegression()).fit(X, Y)
    assert pipe.score(X, Y) > 0.9


def test_fit_predict_takes_weights_and_agrees_with_fit():
    model = MODELS["GraphTailor"]
    weights = np.arange(120) % 3 + 1
    labels = model.__sklearn_clone__().fit_predict(X, sample_weight=weights)
    other = model.__sklearn_clone__().fit(X, sample_weight=weights)
    np.testing.assert_array_equal(labels, other.labels_)


def test_the_score_is_the_mean_margin(model):
    model.fit(X)
    P = np.sort(model.predict_proba(X), axis=1)
    margins = P[:, -1] - P[:, -2]
    assert model.score(X) == pytest.approx(margins.mean(), rel=1e-6)
    weights = np.arange(120.0)
    expected = np.average(margins, weights=weights)
    assert model.score(X, sample_weight=weights) == pytest.approx(expected, rel=1e-6)


def test_one_cluster_has_score_one():
    assert GraphTailor(1, members=QUICK, random_state=0).fit(X).score(X) == 1


def test_a_grid_search_uses_the_score():
    search = GridSearchCV(MODELS["JointModel"], {"alpha": [1.0, 100.0]}, cv=2).fit(X)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()


def test_probabilities_are_those_of_the_labels(model):
    model.fit(X)
    P = model.predict_proba(X)
    expected = P[np.arange(120), model.labels_]
    np.testing.assert_allclose(model.probabilities_, expected, rtol=1e-6)
    assert model.labels_.min() == 0


def test_a_fit_that_failed_leaves_no_fitted_model(model):
    with pytest.raises(ValueError):
        model.fit(np.full((5, 2), np.nan))
    assert not hasattr(model, "probabilities_")
    with pytest.raises(NotFittedError):
        check_is_fitted(model)
    with pytest.raises(NotFittedError):
        model.transform(X)
    check_is_fitted(model.fit(X))


def test_a_notebook_shows_a_model_before_and_after_its_fit(model):
    before = model._repr_html_()
    assert type(model).__name__ in before
    after = model.fit(X)._repr_html_()
    assert "120 rows in 3 clusters" in after
    assert "120 rows" not in before
