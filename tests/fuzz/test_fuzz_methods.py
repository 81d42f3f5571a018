"""Every method on hostile samples: a sound answer, or an error that explains itself."""

import re
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from graphtailor import GraphTailor
from graphtailor.graphs import NeighborGraph
from graphtailor.registry import METHODS

from .inputs import examples, hostile_data

pytestmark = [
    # What is degenerate or cut off early is told, as a warning of one of these kinds.
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

BASELINES = {name: m for name, m in METHODS.items() if name != "GraphTailor"}
# Three starts, one of each kind; only the default tries several settings.
COMMON = {"n_init": 3, "alpha": 100.0, "random_state": 0, "n_jobs": 1}
VARIANTS = {
    "default": {"alpha": "auto"},
    "full": {"tier": "full"},
    "sparse": {"tier": "sparse"},
    "anchors": {"tier": "anchors", "alpha": "auto"},
    "anchors that express themselves": {"tier": "anchors"},
    "ensemble of anchors": {"tier": "anchors", "graph": "ensemble", "alpha": "auto"},
    "multiplicative": {"solver": "multiplicative", "max_iter": 50},
    "diffusion": {"diffusion": 8},
    "rbf": {"kernel": "rbf"},
    "poly": {"kernel": "poly"},
    "laplacian": {"kernel": "laplacian"},
    "cosine": {"kernel": "cosine"},
    "cosine metric": {"metric": "cosine"},
    "manhattan metric": {"metric": "manhattan"},
    "not scaled": {"scaling": None},
    "standard": {"scaling": "standard"},
    "minmax": {"scaling": "minmax"},
    "binary": {"graph": NeighborGraph(weights="binary", symmetrize="mutual")},
    "local": {"graph": NeighborGraph(bandwidth="local", symmetrize="max")},
    "automatic number": {"n_clusters": "auto"},
}


def finite(value):
    if sparse.issparse(value):
        value = value.data
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return bool(np.isfinite(value).all())
    return not isinstance(value, float) or bool(np.isfinite(value))


def check_refusal(error, parameters):
    """The error is ours: it says what is wrong with which argument, in a sentence."""
    message = str(error)
    assert not isinstance(error, np.linalg.LinAlgError), message
    assert len(message.split()) > 5, message
    assert re.search(rf"\bX\b|{'|'.join(parameters)}", message), message
    # X is finite: whoever says otherwise speaks of something that went wrong inside.
    assert not re.search("(?i)infinit|infs|nan", message), message


def check_fit(make, data):
    try:
        model = make().fit(data.X)
    except ValueError as error:
        check_refusal(error, make().get_params())
        return None
    n_clusters = getattr(model, "n_clusters_", data.n_clusters)
    labels = model.labels_
    assert labels.shape == (data.X.shape[0],)
    assert np.issubdtype(labels.dtype, np.integer)
    assert labels.min() >= 0
    # CAN gives the components that it found.
    assert labels.max() < n_clusters or type(model).__name__ == "CAN"
    for name, value in vars(model).items():
        if name.endswith("_"):
            assert finite(value), f"{name} is not finite"
    np.testing.assert_array_equal(make().fit(data.X).labels_, labels)
    return model


@pytest.mark.parametrize("name", BASELINES)
def test_compared_methods(name):
    method = BASELINES[name]

    @examples(50, 500)
    @given(hostile_data(nonnegative=method.needs_nonnegative))
    def check(data):
        check_fit(partial(method.estimator, data.n_clusters, random_state=0), data)

    check()


@pytest.mark.parametrize("name", VARIANTS)
def test_graphtailor(name):
    @examples(50, 500)
    @given(hostile_data(), st.integers(-200, 200))
    def check(data, exponent):
        params = COMMON | {"n_clusters": data.n_clusters} | VARIANTS[name]
        model = check_fit(partial(GraphTailor, **params), data)
        if model is not None:
            np.testing.assert_array_equal(model.predict(data.X), model.labels_)
            check_new_rows(model, data.X, exponent)

    check()


def check_new_rows(model, X, exponent):
    """Rows at another scale than the fitted ones have clusters, or are refused."""
    with np.errstate(all="ignore"):
        X_new = X * X.dtype.type(2.0) ** exponent
    values = X_new.data if sparse.issparse(X_new) else X_new
    if not np.isfinite(values).all():
        return  # infinity is refused like any other
    try:
        memberships = model.predict_proba(X_new)
    except ValueError as error:
        check_refusal(error, model.get_params())
        return
    assert np.isfinite(memberships).all()
    np.testing.assert_allclose(memberships.sum(axis=1), 1, rtol=1e-5)
    assert model.predict(X_new).max() < memberships.shape[1]
