"""Progress and early stop through scikit-learn's callbacks."""

import numpy as np
import pytest
from sklearn.callback import ProgressBar

from graphtailor import GraphTailor, JointModel
from graphtailor.graphs.ensemble.members import KMeansMembers

STAGES = ("representatives", "members", "cut", "model")

X = np.random.default_rng(0).normal(size=(60, 3))


class Recorder:
    """Counts finished tasks by name, and stops where it is told to."""

    def __init__(self, stop_at=None, after=1):
        self.ended = []
        self.begun = []
        self.stop_at = stop_at
        self.after = after

    def setup(self, estimator, context):
        self.begun.append("setup")

    def teardown(self, estimator, context):
        self.ended.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.begun.append(context.task_name)

    def on_fit_task_end(self, estimator, context):
        self.ended.append(context.task_name)
        return (
            context.task_name == self.stop_at
            and self.ended.count(self.stop_at) >= self.after
        )


def fit(recorder, **params):
    model = JointModel(3, random_state=0, **params).set_callbacks(recorder)
    return model.fit(X)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("beta", [0.5, 100.0])
def test_tasks_of_a_descent(beta, n_jobs):
    recorder = Recorder()
    model = fit(recorder, n_init=5, n_jobs=n_jobs, max_iter=100, beta=beta)
    assert recorder.ended.count("start") == 5 == len(model.starts_)
    assert recorder.ended.count("fit") == 1
    assert recorder.ended.count("descent") <= 1
    assert recorder.ended.count("iteration") <= model.n_iter_
    assert recorder.begun[0] == "setup"
    assert sorted(recorder.begun[1:]) == sorted(recorder.ended[:-1])
    assert recorder.ended[-2:] == ["fit", "teardown"]


def test_tasks_of_graph_tailor():
    recorder = Recorder()
    model = GraphTailor(3, random_state=0, members=[KMeansMembers()])
    model.set_callbacks(recorder).fit(X)
    assert recorder.begun[0] == "setup"
    stages = [name for name in recorder.begun if name in STAGES]
    assert stages == list(STAGES)
    assert recorder.ended.count("some members") > 1
    assert sorted(recorder.begun[1:]) == sorted(recorder.ended[:-1])
    assert recorder.ended[-2:] == ["fit", "teardown"]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_iteration_of_a_descent_is_told():
    recorder = Recorder()
    model = fit(recorder, beta=0.5, n_init=1, max_iter=6, tol=0)
    assert recorder.ended.count("start") == 1
    assert model.n_iter_ <= 6
    assert not model.converged_


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_tasks_of_the_multiplicative_solver():
    recorder = Recorder()
    model = fit(recorder, solver="multiplicative", max_iter=9, tol=0)
    assert recorder.ended.count("iteration") == model.n_iter_ == 9
    assert recorder.ended.count("descent") == recorder.ended.count("fit") == 1


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
def test_stop_after_a_start():
    recorder = Recorder(stop_at="start", after=2)
    model = fit(recorder, n_init=9)
    assert len(model.starts_) == recorder.ended.count("start") == 2
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.filterwarnings("error::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", ["descent", "multiplicative"])
def test_stop_in_the_descent(solver):
    """The user wanted it, so that nothing is warned of."""
    recorder = Recorder(stop_at="iteration", after=1)
    params = {"tol": 1e-14} if solver == "descent" else {}
    model = fit(recorder, solver=solver, n_init=1, beta=100.0, **params)
    assert recorder.ended.count("iteration") == 1
    assert not model.converged_
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_watching_changes_nothing():
    plain = JointModel(3, random_state=0).fit(X)
    watched = fit(Recorder())
    assert plain.indicator_.tobytes() == watched.indicator_.tobytes()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("solver", ["descent", "multiplicative"])
def test_progress_bar(solver, capsys):
    bar = ProgressBar()
    model = JointModel(3, solver=solver, random_state=0, max_iter=20)
    model.set_callbacks(bar).fit(X)
    assert model.labels_.shape == (60,)
    assert "JointModel" in capsys.readouterr().out


def test_nothing_is_printed_without_a_progress_bar(capsys):
    GraphTailor(3, random_state=0).fit(X)
    out, err = capsys.readouterr()
    assert out == err == ""
