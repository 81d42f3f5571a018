import argparse

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.datasets import make_blobs

from quality.methods import AUTO_METHODS, METHODS, Method
from quality.run import chosen_methods, fit_shuffled, in_order, run, show, steadiness


class ByOrder(ClusterMixin, BaseEstimator):
    """The first half of the rows, as they come, is a cluster."""

    def fit(self, X, y=None):
        self.labels_ = (np.arange(len(X)) >= len(X) / 2).astype(int)
        return self


class ByValue(ClusterMixin, BaseEstimator):
    def fit(self, X, y=None):
        self.labels_ = (X[:, 0] > 0).astype(int)
        return self


@pytest.fixture
def arguments(tmp_path):
    return argparse.Namespace(
        sets=["ten"], data=["iris"], seeds=3, output=tmp_path / "runs.csv"
    )


def test_a_method_that_reads_the_order_of_rows_gains_nothing():
    """Rows that are sorted by their class are shuffled before a method has them."""
    X = np.linspace(-1, 1, 400)[:, None]
    y = (X[:, 0] > 0).astype(int)
    cheating, _ = fit_shuffled(Method(lambda c, seed: ByOrder()), X, 2, 0)
    honest, _ = fit_shuffled(Method(lambda c, seed: ByValue()), X, 2, 0)
    assert 0.4 < np.mean(cheating == y) < 0.6
    np.testing.assert_array_equal(honest, y)


def test_steadiness_compares_all_pairs():
    one, other = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    assert steadiness([one, 1 - one]) == 1
    assert steadiness([one, one, other]) == pytest.approx((1 - 0.5 - 0.5) / 3)
    assert np.isnan(steadiness([one]))


def test_runs_are_kept_and_only_missing_ones_are_made(arguments, capsys):
    made = []

    def make(c, seed):
        made.append(seed)
        return ByValue()

    first = run(arguments, {"KMeans": Method(make)})
    assert made == [0, 1, 2]
    again = run(arguments, {"KMeans": Method(make), "Ward": Method(make)})
    assert made == [0, 1, 2, 0, 1, 2]
    assert len(first) == 3
    assert list(again["method"].unique()) == ["KMeans", "Ward"]
    assert (again["steadiness"] == 1).all()
    show(again, list(METHODS))
    assert "steadiness" in capsys.readouterr().out


def test_runs_have_the_order_of_the_methods():
    rows = pd.DataFrame(
        [("ten", "iris", name, 0) for name in ("Ward", "EVoC", "GraphTailor")],
        columns=["sets", "data", "method", "seed"],
    )
    assert list(in_order(rows)["method"]) == ["GraphTailor", "Ward", "EVoC"]


def test_methods_that_are_missing_are_named(monkeypatch, capsys):
    monkeypatch.setattr("quality.methods.find_spec", lambda name: None)
    found = chosen_methods(argparse.Namespace(auto=True, methods=None))
    assert "UMAP + HDBSCAN" not in found
    assert "GraphTailor" in found
    assert "pip install umap-learn" in capsys.readouterr().out


@pytest.mark.parametrize(
    "method",
    [
        *(pytest.param(METHODS[name], id=name) for name in METHODS),
        *(
            pytest.param(AUTO_METHODS[name], id=f"{name}, auto")
            for name in AUTO_METHODS
        ),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_every_method_labels_every_row(method):
    if not method.installed:
        pytest.skip(f"{method.package} is not installed")
    X, _ = make_blobs(60, 4, centers=3, random_state=0)
    labels, seconds = fit_shuffled(method, np.abs(X), 3, 0)
    assert labels.shape == (60,)
    assert seconds > 0
