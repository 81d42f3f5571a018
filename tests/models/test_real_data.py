"""The bundled data sets end to end, with nothing but the number of clusters."""

import numpy as np
import pytest

from graphtailor import GraphTailor
from graphtailor.datasets import load_dataset
from graphtailor.metrics import clustering_accuracy

# Well under what is reached with any of several seeds.
FLOORS = {
    "iris": 0.90,
    "wine": 0.90,
    "ecoli": 0.50,
    "yeast": 0.33,
    "libras": 0.42,
    "ionosphere": 0.50,
    "soybean": 0.55,
}


@pytest.mark.parametrize("name", FLOORS)
def test_end_to_end(name):
    data = load_dataset(name)
    X, y = data.data, data.target
    n_clusters = len(np.unique(y))
    model = GraphTailor(n_clusters, random_state=0).fit(X)
    assert clustering_accuracy(y, model.labels_) >= FLOORS[name]
    assert model.converged_
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert (np.diff(model.objective_) <= 1e-10 * model.objective_[:-1]).all()


@pytest.mark.parametrize("name", ["iris", "wine"])
def test_new_samples_of_real_data(name):
    """Samples held out get the labels that their like were given."""
    data = load_dataset(name)
    order = np.random.default_rng(0).permutation(len(data.data))
    X, y = data.data[order], data.target[order]
    n_fitted = 2 * len(X) // 3
    model = GraphTailor(3, random_state=0).fit(X[:n_fitted])
    labels = np.r_[model.labels_, model.predict(X[n_fitted:])]
    assert clustering_accuracy(y[n_fitted:], labels[n_fitted:]) > 0.85
    assert clustering_accuracy(y, labels) > 0.88
