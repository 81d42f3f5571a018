"""Known classes and pairs: never broken, kept by files, and no difference without."""

import numpy as np
import pytest
import sklearn
from sklearn.cluster import KMeans
from sklearn.datasets import load_iris, make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from graphtailor import GraphTailor, JointModel, ask_next, load_model, save_model
from graphtailor.graphs.ensemble.members import KMeansMembers, SpectralMembers
from graphtailor.metrics import clustering_accuracy

X, Y = (part[::2] for part in load_iris(return_X_y=True))
KNOWN = np.where(np.arange(75) % 6 == 5, Y, -1)
NAMES = np.array(["setosa", "versicolor", "virginica"], dtype=object)
MUST = np.array([[0, 10], [10, 20], [30, 36]])
CANNOT = np.array([[34, 60], [38, 66], [52, 42]])
QUICK = {"members": [KMeansMembers(), SpectralMembers()], "views": ["as it is"]}


def tailor(n_clusters=3, **parameters):
    return GraphTailor(n_clusters, random_state=0, n_jobs=1, **QUICK, **parameters)


def joint(n_clusters=3):
    return JointModel(n_clusters, n_init=3, random_state=0, n_jobs=1)


def met(labels, must=MUST, cannot=CANNOT):
    together, apart = labels[must], labels[cannot]
    assert (together[:, 0] == together[:, 1]).all()
    assert (apart[:, 0] != apart[:, 1]).all()


@pytest.fixture(scope="module")
def fitted():
    what = {"known": KNOWN, "must_link": MUST, "cannot_link": CANNOT}
    return tailor().fit(X, **what), joint().fit(X, **what)


def test_labels_meet_everything_that_is_known(fitted):
    known = KNOWN >= 0
    for model in fitted:
        assert sorted(model.known_classes_) == [0, 1, 2]
        named = model.known_classes_[model.labels_]
        np.testing.assert_array_equal(named[known], Y[known])
        met(model.labels_)
        assert (named == Y).mean() > 0.88
        np.testing.assert_array_equal(model.predict(X), model.labels_)
    assert "12 known rows, 3 must-links, 3 cannot-links" in str(fitted[0].decision_)


def test_every_number_of_clusters_meets_them(fitted):
    model = fitted[0]
    for labels in [*model.cluster_layers_, model.at(5).labels_]:
        met(labels)
        for k in range(3):
            assert len(np.unique(labels[k == KNOWN])) == 1
    assert min(len(np.unique(labels)) for labels in model.cluster_layers_) == 3
    assert list(model.at(5).known_classes_).count(None) == 2
    with pytest.raises(ValueError, match="n_clusters=2 is less than the 3 classes"):
        model.at(2)


def test_files_keep_what_is_known(fitted, tmp_path):
    for model in fitted:
        save_model(model, tmp_path / "model.npz")
        again = load_model(tmp_path / "model.npz")
        np.testing.assert_array_equal(again.labels_, model.labels_)
        np.testing.assert_array_equal(again.known_classes_, model.known_classes_)
    # The last one is a JointModel.
    save_model(fitted[0], tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    np.testing.assert_array_equal(again.at(6).labels_, fitted[0].at(6).labels_)


@pytest.mark.parametrize("what", [{"must_link": MUST}, {"cannot_link": CANNOT}])
def test_pairs_alone_are_met_and_kept(what, tmp_path):
    for model in (tailor(), joint()):
        labels = model.fit(X, **what).labels_
        met(
            labels, what.get("must_link", MUST[:0]), what.get("cannot_link", CANNOT[:0])
        )
        assert model.known_classes_ is None
        save_model(model, tmp_path / "model.npz")
        again = load_model(tmp_path / "model.npz")
        np.testing.assert_array_equal(again.labels_, labels)


def test_nothing_known_changes_no_bit():
    for make in (tailor, joint):
        plain = make().fit(X)
        asked = make().fit(X, Y, known=[None] * 75, must_link=[], cannot_link=None)
        np.testing.assert_array_equal(plain.indicator_, asked.indicator_)
        assert plain.known_classes_ is None
        np.testing.assert_array_equal(
            plain.affinity_matrix_.data, asked.affinity_matrix_.data
        )


def test_the_same_on_any_number_of_threads(fitted):
    what = {"known": KNOWN, "must_link": MUST, "cannot_link": CANNOT}
    model = tailor().set_params(n_jobs=3).fit(X, **what)
    np.testing.assert_array_equal(model.indicator_, fitted[0].indicator_)


def test_an_open_number_has_at_least_the_known_classes():
    points, classes = make_blobs(120, centers=2, random_state=0)
    six = np.where(np.arange(120) < 12, np.arange(120) % 6, -1)
    model = tailor("auto").fit(points, known=six)
    assert model.n_clusters_ >= 6
    with pytest.raises(ValueError, match="n_clusters=2 is less than the 6 classes"):
        tailor(2).fit(points, known=six)
    assert len(np.unique(classes)) == 2


def test_near_neighbours_follow_known_rows():
    rng = np.random.RandomState(0)
    points = rng.uniform(-1, 1, size=(300, 2))
    classes = (points[:, 0] > 0).astype(int)  # no gap: only the known rows say so
    known = np.where(np.arange(300) < 45, classes, -1)
    model = tailor(2).fit(points, known=known)
    named = model.known_classes_[model.labels_]
    assert (named == classes).mean() > 0.9


def test_members_that_break_what_is_known_weigh_less(fitted):
    trust = fitted[0].ensemble_.trust_
    assert trust.mean() == pytest.approx(1)
    assert np.ptp(trust) > 0.5
    guidance = fitted[0]._layers.guidance
    classes = np.empty(len(fitted[0].representatives_), dtype=int)
    classes[guidance.nearest[:, 0]] = Y
    shuffled = np.random.RandomState(0).permutation(classes)
    right, wrong, one = guidance.trust([classes, shuffled, np.zeros_like(classes)])
    assert right > 1.5 > one
    assert right > 3 * wrong


def test_answers_of_one_kind_do_not_favour_fine_members():
    pairs = np.array([[i, j] for i, j in zip(range(20), range(30, 50), strict=True)])
    model = tailor().fit(X, cannot_link=pairs[Y[pairs[:, 0]] != Y[pairs[:, 1]]])
    classes, fine = np.empty((2, len(model.representatives_)), dtype=int)
    guidance = model._layers.guidance
    classes[guidance.nearest[:, 0]] = Y
    fine[:] = np.random.RandomState(0).randint(25, size=len(fine))
    right, drawn = guidance.trust([classes, fine])
    assert right > 2 * drawn


def test_a_class_whose_rows_lie_in_the_cluster_of_another_has_the_next_one():
    centers, sizes = [[0, 0], [2.5, 0], [9, 9]], [60, 20, 40]
    points, blobs = make_blobs(sizes, centers=centers, cluster_std=0.4, random_state=0)
    order = np.argsort(blobs, kind="stable")
    points, blobs = points[order], blobs[order]
    known = np.full(120, -1)
    known[:2], known[points[:60, 0].argmax()] = 7, 8
    model = tailor(3).fit(points, known=known)
    named = model.known_classes_[model.labels_]
    assert (named[60:80] == 8).all()
    assert (named[80:] == None).all()  # noqa: E711


def test_answers_say_what_belongs_together():
    corners = np.array([[0, 0], [0, 3], [3, 0], [3, 3]])
    points, corner = make_blobs(240, centers=corners, cluster_std=0.5, random_state=0)
    classes = corner // 2  # one of two ways to halve a square
    pairs, model = np.empty((0, 2), dtype=int), tailor(2).fit(points)
    assert clustering_accuracy(classes, model.labels_) == 0.5
    for _ in range(2):
        pairs = np.concatenate([pairs, ask_next(model, 10)])
        same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
        model.fit(points, must_link=pairs[same], cannot_link=pairs[~same])
    assert clustering_accuracy(classes, model.labels_) == 1


def test_rows_behind_anchors_keep_their_classes():
    points, classes = make_blobs(900, 4, centers=4, cluster_std=3.0, random_state=0)
    known = np.where(np.arange(900) % 9 == 0, classes, -1)
    must, cannot = _answers(classes, np.random.RandomState(0), 60)
    model = tailor(4, representatives=150)
    model.fit(points, known=known, must_link=must, cannot_link=cannot)
    assert not model.decision_.every_row
    named = model.known_classes_[model.labels_]
    np.testing.assert_array_equal(named[known >= 0], classes[known >= 0])
    met(model.labels_, must, cannot)


def _answers(classes, rng, number):
    pairs = rng.randint(len(classes), size=(number, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    same = classes[pairs[:, 0]] == classes[pairs[:, 1]]
    return pairs[same], pairs[~same]


def test_graphs_of_pairs_take_known_rows():
    model = GraphTailor(3, metric="affinity", random_state=0)
    model.fit(rbf_kernel(X), known=np.where(KNOWN < 0, None, NAMES[KNOWN]))
    named = model.known_classes_[model.labels_]
    np.testing.assert_array_equal(named[KNOWN >= 0], NAMES[Y[KNOWN >= 0]])
    precomputed = JointModel(3, graph="precomputed", n_init=2, random_state=0)
    labels = precomputed.fit(rbf_kernel(X), known=KNOWN).labels_
    np.testing.assert_array_equal(labels[KNOWN >= 0], Y[KNOWN >= 0])


def test_equal_rows_of_two_classes_keep_their_own():
    twice = np.repeat(X[::3], 2, axis=0)
    known = np.full(len(twice), -1)
    known[:4] = [0, 1, 0, -1]
    for model in (tailor(), joint()):
        model.fit(twice, known=known)
        assert list(model.known_classes_[model.labels_[:4]]) == [0, 1, 0, 0]


def test_unsatisfiable_cannot_links_are_counted():
    triangle = [[0, 30], [30, 60], [0, 60]]
    for model in (tailor(2), joint(2)):
        with pytest.warns(ConvergenceWarning, match="break 1 cannot-links"):
            model.fit(X, cannot_link=triangle)
        assert len(np.unique(model.labels_[[0, 30, 60]])) == 2


def test_known_rows_are_routed_through_a_pipeline():
    with sklearn.config_context(enable_metadata_routing=True):
        model = tailor().set_fit_request(known=True)
        pipeline = make_pipeline(StandardScaler(), model).fit(X, known=KNOWN)
        assert pipeline[-1].decision_.known_rows == (KNOWN >= 0).sum()
        assert (
            "known"
            in joint().set_fit_request(known=True).get_metadata_routing().fit.requests
        )


def test_the_multiplicative_solver_refuses_what_it_cannot_do():
    with pytest.raises(ValueError, match="Use solver='descent'"):
        JointModel(3, solver="multiplicative").fit(X, known=KNOWN)


def test_answers_to_ask_next_are_new_and_doubtful(fitted):
    model = tailor().fit(X)
    pairs = ask_next(model, 8)
    assert pairs.shape == (8, 2)
    assert len({frozenset(pair) for pair in pairs.tolist()}) == 8
    nearest = model._fitted_rows.nearest[:, 0]
    joined = model.ensemble_.ensemble_.on_pairs(*nearest[pairs].T)
    assert 0.1 < joined[0] < 0.9
    same = Y[pairs[:, 0]] == Y[pairs[:, 1]]
    model.fit(X, must_link=pairs[same], cannot_link=pairs[~same])
    again = {frozenset(pair) for pair in ask_next(model, 8).tolist()}
    assert not again & {frozenset(pair) for pair in pairs.tolist()}
    known = KNOWN >= 0
    assert not known[ask_next(fitted[0], 8)].all(axis=1).any()
    with pytest.raises(TypeError, match="not KMeans"):
        ask_next(KMeans())
    for number in (0, -1, 2.5, "ten", None):
        with pytest.raises(ValueError, match=r"n_pairs=.* must be a whole number"):
            ask_next(fitted[0], number)
