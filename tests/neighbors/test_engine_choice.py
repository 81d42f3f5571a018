"""Which engine searches, and what happens where it is not installed."""

import sys

import numpy as np
import pytest
from scipy import sparse

from graphtailor.graphs import NeighborGraph
from graphtailor.neighbors import NeighborSearch, engine_choice

X = np.random.default_rng(0).normal(size=(200, 6))


@pytest.fixture
def small_is_large(monkeypatch):
    monkeypatch.setattr(engine_choice, "SAMPLES_FOR_FAISS", 100)
    monkeypatch.setattr(engine_choice, "SAMPLES_FOR_PYNNDESCENT", 150)


def missing(monkeypatch, *packages):
    for package in packages:
        monkeypatch.setitem(sys.modules, package, None)


@pytest.mark.parametrize(
    ("samples", "metric", "engine"),
    [
        (X[:99], "euclidean", "exact"),
        (X[:100], "euclidean", "faiss"),
        (X[:100], "cosine", "faiss"),
        (X[:, :4], "euclidean", "exact"),
        (X[:, :4], "cosine", "faiss"),
        (X[:149], "manhattan", "exact"),
        (X[:150], "manhattan", "pynndescent"),
        (sparse.csr_array(X[:149]), "euclidean", "exact"),
        (sparse.csr_array(X[:150]), "euclidean", "pynndescent"),
        (sparse.csr_array(X[:150, :3]), "cosine", "pynndescent"),
        (np.abs(X[:150]), "haversine", "exact"),
        (X, lambda a, b: abs(a - b).sum(), "exact"),
        (np.abs(X @ X.T), "precomputed", "exact"),
    ],
)
@pytest.mark.usefixtures("small_is_large")
def test_auto(samples, metric, engine):
    search = NeighborSearch(metric).fit(samples)
    assert search.engine_ == engine
    assert search.recall_ == (1.0 if engine == "exact" else None)


def test_few_samples_are_searched_exactly():
    builder = NeighborGraph().fit(X)
    assert (builder.engine_, builder.recall_) == ("exact", 1.0)


@pytest.mark.usefixtures("small_is_large")
def test_another_engine_takes_the_place_of_a_missing_one(monkeypatch):
    missing(monkeypatch, "faiss")
    assert NeighborSearch().fit(X).engine_ == "pynndescent"


@pytest.mark.usefixtures("small_is_large")
def test_without_engines_auto_is_exact_and_says_what_it_takes(monkeypatch):
    missing(monkeypatch, "faiss", "pynndescent")
    with pytest.warns(UserWarning, match=r"200 samples.*graphtailor\[ann\]") as told:
        builder = NeighborGraph().fit(X)
    assert len(told) == 1
    assert builder.engine_ == "exact"


@pytest.mark.usefixtures("small_is_large")
def test_without_engines_auto_does_not_start_what_never_ends(monkeypatch):
    missing(monkeypatch, "faiss", "pynndescent")
    monkeypatch.setattr(engine_choice, "_MOST_SECONDS", 1e-9)
    with pytest.raises(ImportError, match=r"pip install 'graphtailor\[ann\]'.*exact"):
        NeighborGraph().fit(X)


@pytest.mark.parametrize("engine", ["faiss", "pynndescent"])
def test_a_missing_engine_asked_for_by_name(monkeypatch, engine):
    missing(monkeypatch, engine)
    with pytest.raises(ImportError, match=r"pip install 'graphtailor\[ann\]'"):
        NeighborGraph(engine=engine).fit(X)


@pytest.mark.parametrize(
    ("engine", "samples", "metric"),
    [
        ("faiss", sparse.csr_array(X), "euclidean"),
        ("faiss", X, "manhattan"),
        ("faiss", np.abs(X @ X.T), "precomputed"),
        ("pynndescent", X, "precomputed"),
        ("pynndescent", sparse.csr_array(X), "canberra"),
    ],
)
def test_what_an_engine_cannot_do_is_refused(engine, samples, metric):
    with pytest.raises(ValueError, match=f"engine='{engine}' cannot .* '{metric}'"):
        NeighborSearch(metric, engine).fit(samples)


@pytest.mark.parametrize("face", [NeighborSearch, NeighborGraph])
def test_unknown_engines_are_named(face):
    with pytest.raises(ValueError, match="engine"):
        face(engine="annoy").fit(X)
