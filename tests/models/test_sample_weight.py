"""Weights of rows: a weight of 2 is the row twice, and one of 0 is no row."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.datasets import make_blobs
from sklearn.metrics import adjusted_rand_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from graphtailor import GraphTailor, load_model, save_model
from graphtailor.graphs.ensemble.members import KMeansMembers, SpectralMembers

# A few quick members: what is tested does not depend on their number.
QUICK = [KMeansMembers(), SpectralMembers()]
X, Y = make_blobs(90, centers=3, n_features=4, cluster_std=2.0, random_state=1)
WHOLE = np.random.default_rng(0).integers(1, 4, size=90)


def quick(n_clusters=3, **params):
    return GraphTailor(n_clusters, **{"members": QUICK, "random_state": 0} | params)


def same_fit(one, other):
    """Whether two models give every row the same memberships, and decided alike."""
    assert one.decision_ == other.decision_
    np.testing.assert_array_equal(one.predict_proba(X), other.predict_proba(X))
    A, B = one.affinity_matrix_, other.affinity_matrix_
    np.testing.assert_array_equal(A.toarray(), B.toarray())


@pytest.mark.parametrize(
    ("container", "n_clusters"), [(np.asarray, "auto"), (sparse.csr_array, 3)]
)
def test_a_weight_is_a_number_of_copies(container, n_clusters):
    weighted = quick(n_clusters).fit(container(X), sample_weight=WHOLE)
    copies = container(np.repeat(X, WHOLE, axis=0))
    same_fit(weighted, quick(n_clusters).fit(copies))


def test_weights_matter():
    """Two of three blobs weigh next to nothing: two clusters part the third."""
    weights = np.where(Y == 0, 1000, 1)
    plain, weighted = quick(2).fit(X), quick(2).fit(X, sample_weight=weights)
    assert len(set(plain.labels_[Y == 0])) == 1
    assert adjusted_rand_score(plain.labels_, weighted.labels_) < 0.5


def test_rows_may_stand_for_billions():
    """Whole weights are numbers of rows, which need not fit in memory."""
    many, few = (quick().fit(X, sample_weight=number) for number in (10**12, 1000))
    np.testing.assert_array_equal(many.labels_, few.labels_)


@pytest.mark.parametrize("weights", [10.0 ** np.linspace(-300, 300, 90), [1e308, *Y]])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_weights_of_all_sizes_give_an_answer(weights):
    weights = np.append(weights, 1)[:90]
    model = GraphTailor(3, random_state=0).fit(X, sample_weight=weights)
    assert np.isfinite(model.indicator_).all()


def test_weights_of_one_change_nothing():
    same_fit(quick().fit(X, sample_weight=1), quick().fit(X))


@pytest.mark.parametrize(
    ("scaling", "representatives"), [("maxabs", 30), ("standard", 4000)]
)
def test_a_row_of_weight_zero_changes_nothing_and_gets_a_label(
    scaling, representatives
):
    far = np.vstack([X, [[500.0, 0, 0, 0], [0, -500.0, 0, 0]]])
    how = {"scaling": scaling, "representatives": representatives}
    weighted = quick(**how).fit(far, sample_weight=np.r_[np.ones(90), 0, 0])
    plain = quick(**how).fit(X, sample_weight=np.ones(90))
    same_fit(weighted, plain)
    np.testing.assert_array_equal(weighted.labels_, plain.predict(far))


def test_tables_with_categories_take_weights():
    table = pd.DataFrame(X, columns=list("abcd")).assign(kind=np.array(list("xyz"))[Y])
    weights = np.where(np.arange(90) % 9 == 0, 0, WHOLE)
    model = quick().fit(table, sample_weight=weights)
    assert model.labels_.shape == (90,)
    np.testing.assert_array_equal(model.predict(table), model.labels_)


def test_a_model_with_weights_is_saved(tmp_path):
    model = quick().fit(X, sample_weight=WHOLE / 7)
    save_model(model, tmp_path / "m.npz")
    again = load_model(tmp_path / "m.npz")
    same_fit(again, model)
    np.testing.assert_array_equal(again.labels_, model.labels_)


def test_weights_are_routed_through_a_pipeline():
    with config_context(enable_metadata_routing=True):
        model = quick().set_fit_request(sample_weight=True)
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipe = make_pipeline(scaler, model).fit(X, sample_weight=WHOLE)
    same = quick().fit(StandardScaler().fit_transform(X), sample_weight=WHOLE)
    np.testing.assert_array_equal(pipe[-1].labels_, same.labels_)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (-np.ones(90), "Negative values"),
        (np.ones(80), "sample_weight.shape"),
        (np.zeros(90), "non-zero"),
        (np.full(90, np.nan), "NaN"),
        (np.eye(1, 90)[0], "single row"),
        (["heavy"] * 90, "sample_weight has values of type <U5 that are no numbers"),
        (np.full(90, 1j), "sample_weight has values of type complex128"),
    ],
    ids=["negative", "too few", "all zero", "nan", "one row", "text", "complex"],
)
def test_bad_weights_are_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        quick().fit(X, sample_weight=weights)


def test_weights_of_pairs_are_refused():
    with pytest.raises(ValueError, match=r"metric='affinity' takes pairs"):
        quick(metric="affinity").fit(rbf_kernel(X), sample_weight=WHOLE)
