"""Every method on hostile samples: a sound answer, or an error that explains itself."""

import re
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from graphtailor import DiffusedGraph, GraphTailor, JointModel, KernelMap, NeighborGraph
from graphtailor.graphs.ensemble.members import KMeansMembers, SpectralMembers
from graphtailor.registry import METHODS
from graphtailor.solvers import Descent

from .inputs import THOROUGH, examples, hostile_data

pytestmark = [
    # What is degenerate or cut off early is told, as a warning of one of these kinds.
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

OURS = (GraphTailor, JointModel)
BASELINES = {name: m for name, m in METHODS.items() if m.estimator not in OURS}


def joint(**params):
    """Three starts, one of each kind."""
    return partial(JointModel, n_init=3, **params)


def tailor(**params):
    """Two kinds of members, which are quick."""
    members = [KMeansMembers(), SpectralMembers()]
    return partial(GraphTailor, **{"members": members} | params)


VARIANTS = {
    "joint": joint(),
    "all pairs": joint(solver=Descent(support=None)),
    "multiplicative": joint(solver="multiplicative", max_iter=50),
    "as given": joint(scaling=None),
    "length": joint(scaling="length"),
    "standard": joint(scaling="standard"),
    "minmax": joint(scaling="minmax"),
    "diffusion": joint(graph=DiffusedGraph()),
    "cosine metric": joint(graph=NeighborGraph(metric="cosine")),
    "manhattan metric": joint(graph=NeighborGraph(metric="manhattan")),
    "binary": joint(graph=NeighborGraph(weights="binary", symmetrize="mutual")),
    "local": joint(graph=NeighborGraph(bandwidth="local", symmetrize="max")),
    "tailor": tailor(),
    "tailor, all members": tailor(members="auto"),
    "tailor, anchors": tailor(representatives=10),
    "tailor, cosine": tailor(metric="cosine"),
    "tailor, standard": tailor(scaling="standard"),
    "tailor, not scaled": tailor(scaling=None),
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
    if THOROUGH:
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
def test_our_models(name):
    @examples(8 if "tailor" in name else 25, 300)
    @given(hostile_data(), st.integers(-200, 200), st.booleans())
    def check(data, exponent, is_open):
        make = partial(VARIANTS[name], data.n_clusters, random_state=0, n_jobs=1)
        if is_open and "tailor" in name:
            make = partial(VARIANTS[name], random_state=0, n_jobs=1)
        elif VARIANTS[name].keywords.get("representatives", 40) < data.n_clusters:
            return
        model = check_fit(make, data)
        if model is not None:
            np.testing.assert_array_equal(model.predict(data.X), model.labels_)
            check_new_rows(model, data.X, exponent)

    check()


@pytest.mark.parametrize("kernel", ["rbf", "poly", "laplacian", "cosine"])
def test_kernel_maps(kernel):
    @examples(50, 300)
    @given(hostile_data())
    def check(data):
        try:
            features = KernelMap(kernel).fit(data.X).transform(data.X)
        except ValueError as error:
            check_refusal(error, KernelMap().get_params())
            return
        assert finite(features)
        assert features.shape[0] == data.X.shape[0]
        assert features.dtype == data.X.dtype

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
