"""The page that compares methods: numbers, reasons, and a browser that sorts."""

import dataclasses
from datetime import date

import numpy as np
import pytest
from scipy import sparse
from sklearn.cluster import AgglomerativeClustering
from sklearn.datasets import make_blobs, make_moons
from sklearn.metrics import adjusted_rand_score, silhouette_score

from graphtailor import GraphTailor
from graphtailor.decide.verdict import Verdict
from graphtailor.diagnostics.comparison import Run, compare_runs, match_clusters
from graphtailor.diagnostics.comparison_words import (
    headline,
    path_sentence,
    votes_sentence,
    whom_to_trust,
)
from graphtailor.diagnostics.model_access import view_of
from graphtailor.diagnostics.peers import PeerClusters
from graphtailor.report.compare_page import compare_report
from graphtailor.tables import Table

from .pages import assert_accessible, visit

HOSTILE = "<script>alert('x')</script>"
SCRIPT = """
window.alert = () => faults.push("alert");
document.querySelectorAll("details").forEach((each) => { each.open = true; });
const table = document.getElementById("table-methods");
const heads = [...table.tHead.rows].at(-1).cells;
const column = (k) =>
  [...table.tBodies[0].rows].map((row) => row.cells[k].dataset.value);
told.heads = [...heads].map((head) => head.textContent);
heads[3].firstElementChild.click();
told.falling = [heads[3].getAttribute("aria-sort"), column(3)];
heads[3].firstElementChild.click();
told.rising = [heads[3].getAttribute("aria-sort"), column(3)];
heads[0].firstElementChild.click();
told.names = column(0);
const maps = [...document.querySelectorAll("svg.map")];
const data = JSON.parse(document.querySelector(".maps script").textContent);
const map = maps.at(-1), box = map.getBoundingClientRect();
const scale = box.width / map.viewBox.baseVal.width;
const clientX = box.left + scale * data.x[5], clientY = box.top + scale * data.y[5];
map.dispatchEvent(new PointerEvent("pointermove", {clientX, clientY}));
told.tip = document.querySelector(".tip").textContent;
told.marked = maps.map((m) => m.querySelector(".here").classList.contains("on"));
const dots = [...maps[0].querySelectorAll(".dots")];
told.shapes = dots.map((each) => each.classList.length);
told.overflow = document.documentElement.scrollWidth - innerWidth;
"""


@pytest.fixture(scope="module")
def data():
    X, y = make_moons(120, noise=0.05, random_state=0)
    half = (X[:, 0] > 0.5).astype(int)
    runs = [
        Run("right", y, 3.0, warnings=["said something"]),
        Run(HOSTILE, half + 3, 20.0),
        Run("broken", reason=f"negative values in {HOSTILE}"),
    ]
    return X, y, half, compare_runs(runs, X, y)


def test_comparison_in_numbers(data):
    X, y, half, found = data
    assert [entry.method for entry in found.entries] == ["right", HOSTILE]
    assert [run.method for run in found.failed] == ["broken"]
    expected = adjusted_rand_score(y, half)
    np.testing.assert_allclose(found.agreement, [[1, expected], [expected, 1]])
    by_name = {index.name: index.value for index in found.entries[1].indices}
    assert by_name["silhouette"] == pytest.approx(silhouette_score(X, half))
    assert found.entries[0].scores["ACC"] == 1.0
    told = found.to_dict()
    # Most rows of the right half are of class 1, so no number changes.
    assert told["methods"][1]["sizes"] == np.bincount(half).tolist()
    assert told["failed"] == [
        {"method": "broken", "reason": f"negative values in {HOSTILE}"}
    ]


def test_clusters_take_the_numbers_of_their_partners():
    rng = np.random.default_rng(0)
    reference = rng.integers(0, 5, 200)
    shuffled = rng.permutation(5)[reference]
    np.testing.assert_array_equal(match_clusters(shuffled, reference), reference)
    # More clusters than partners, and fewer: still a renaming.
    for labels in (rng.integers(0, 9, 200), rng.integers(0, 2, 200)):
        matched = match_clusters(labels, reference)
        pairs = set(zip(labels.tolist(), matched.tolist(), strict=True))
        assert len(pairs) == len(np.unique(labels)) == len(np.unique(matched))


def test_many_rows_are_sampled():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 5000)
    X = rng.normal(size=(5000, 4)) + 4 * labels[:, None]
    found = compare_runs([Run("one", labels)], X)
    assert found.n_sampled == 3000
    page = compare_report(found)
    assert "a sample of 3,000 rows" in page


def test_nothing_ran():
    with pytest.raises(ValueError, match=r"No method could run\. a: because"):
        compare_runs([Run("a", reason="because")], np.zeros((4, 2)))


@pytest.mark.parametrize("width", [1300, 390])
def test_page_in_a_browser(data, browse, browser, width):
    X, y, _, found = data
    page = compare_report(
        found,
        table=Table(
            HOSTILE,
            X,
            np.array([f"{HOSTILE} {i}" for i in range(120)]),
            y=np.array(["up", HOSTILE])[y],
        ),
        command=HOSTILE,
    )
    assert date.today().isoformat() in page
    told = browse(page, SCRIPT, width)
    assert told["heads"][:4] == ["Method", "Clusters", "Sizes", "Seconds"]
    assert told["heads"][-1] == "ARI"
    assert told["falling"] == ["descending", ["20.0", "3.0"]]
    assert told["rising"] == ["ascending", ["3.0", "20.0"]]
    assert told["names"] == [HOSTILE, "right"]
    # The disputed rows, two methods and the classes: the point is marked in all.
    assert told["marked"] == [True] * 4
    assert told["tip"].startswith(f"{HOSTILE} 5group ")
    assert ", class " in told["tip"]
    # Where methods do not agree is said by shape, not by colour alone.
    assert told["shapes"] == [1, 2]
    assert told["overflow"] <= 0
    assert_accessible(browser)


def test_page_in_dark_and_on_paper(data, browser, tmp_path):
    page = compare_report(data[3], table=Table("t", data[0], np.arange(120), y=data[1]))
    visit(browser, page, tmp_path, 1200, 900, "dark")
    dots = "getComputedStyle(document.querySelector('svg.map .dots'))"
    color = f"{dots}.getPropertyValue('--k')"
    paper = "getComputedStyle(document.body).backgroundColor"
    dark = browser.ask(color), browser.ask(paper)
    visit(browser, page, tmp_path, 700, 900)
    light = browser.ask(color)
    browser.media("dark", "print")
    browser.settle()
    assert browser.ask(paper) == "rgb(255, 255, 255)" != dark[1]
    assert browser.ask(color) == light != dark[0]
    # Nothing is cut off at the edge of the paper.
    assert browser.ask("document.documentElement.scrollWidth - innerWidth") <= 0
    browser.media()
    assert browser.faults == []


def _compared(labelings, X, **more):
    runs = [Run(name, np.asarray(labels)) for name, labels in labelings.items()]
    return compare_runs(runs, X, **more)


def test_rows_without_a_cluster_have_no_number(browse):
    """HDBSCAN leaves rows out: they are no group, and change no number of groups."""
    X = np.vstack([np.zeros((20, 2)), np.ones((20, 2))]) + np.arange(40)[:, None] / 99
    y = np.repeat([0, 1], 20)
    found = _compared({"a": y, "b": np.where(np.arange(40) < 5, -1, y)}, X)
    entry = found.entries[1]
    assert (entry.n_clusters, entry.n_left, found.votes.methods) == (2, 5, ("a", "b"))
    assert found.votes.count.tolist() == [1] * 5 + [2] * 35
    assert found.votes.disputed.sum() == 5
    page = compare_report(found)
    assert "2, and 5 rows in none" in page
    told = browse(page, SCRIPT.replace("data.x[5]", "data.x[0]"))
    assert told["tip"].endswith("no group")


@pytest.fixture(scope="module")
def shapes():
    """Two moons by a model that knows their shapes, and a straight cut."""
    X, y = make_moons(120, noise=0.05, random_state=0)
    view = view_of(GraphTailor(2, random_state=0).fit(X))
    half = (X[:, 0] > 0.5).astype(int)
    return X, view, _compared({"GraphTailor": y, "K-means": half}, X, view=view)


@pytest.mark.parametrize("level", ["clear", "weak", "none"])
def test_whom_to_trust(shapes, level):
    _, view, found = shapes
    verdict = Verdict(level, 0.5, 0.6, {"clear": 0, "weak": 0.02}.get(level, 0.5), 29)
    decision = dataclasses.replace(view.decision, verdict=verdict, shapes=True)
    found = dataclasses.replace(found, decision=decision)
    trust = " ".join(whom_to_trust(found))
    assert ("Trust none of them" in trust) == (level == "none")
    assert ("groups are weak" in trust) == (level == "weak")
    assert ("K-means cuts through these shapes" in trust) == (level != "none")
    assert ("beyond chance" in headline(found)) == (level == "none")


def test_agreement_along_the_path(shapes):
    X, view, found = shapes
    path = found.path
    place = path.numbers.index(2)
    own = dict(zip(view.levels.numbers, view.levels.labels, strict=True))[2]
    ward = AgglomerativeClustering(2).fit_predict(X)
    expected = adjusted_rand_score(own, ward)
    assert path.agreement[place, 0, 2] == pytest.approx(expected)
    assert path_sentence(found).startswith(f"With {path.best} groups GraphTailor")
    assert found.to_dict()["path"]["mean_agreement"][2] == pytest.approx(
        path.mean[place]
    )


def test_the_method_that_agrees_best_is_trusted():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(90, 3)), np.arange(90) % 3
    near, far = y.copy(), rng.integers(0, 3, 90)
    near[:8] = rng.integers(0, 3, 8)
    found = _compared({"far": far, "near": near, "centre": y}, X)
    trust = " ".join(whom_to_trust(found))
    assert trust.startswith(("Look at centre first", "Look at near first"))
    assert "far differs most" in trust
    assert headline(found) == "3 methods do not agree on 3 groups"
    alike = _compared({"one": y, "two": (y + 1) % 3, "other": y // 2}, X)
    assert "hardly matters" in whom_to_trust(alike)[0]
    assert headline(alike) == "2 methods find nearly the same 3 groups"
    assert "other has another number of groups" in votes_sentence(alike)


def test_peers(monkeypatch):
    X, y = make_blobs(90, centers=3, cluster_std=0.3, random_state=0)
    for name in ("Ward", "Gaussian mixture", "HDBSCAN"):
        labels = PeerClusters(name, 3, 0).fit(X).labels_
        assert adjusted_rand_score(y, labels) > 0.9, name
    with pytest.raises(ValueError, match="sparse"):
        PeerClusters("Ward", 3, 0).fit(sparse.csr_array(X))
    with pytest.raises(ValueError, match="at most 20,000 rows"):
        PeerClusters("HDBSCAN", 3, 0).fit(np.zeros((20_001, 1)))
    monkeypatch.setattr("graphtailor.diagnostics.peers.find_spec", lambda name: None)
    with pytest.raises(ValueError, match="umap-learn"):
        PeerClusters("UMAP + k-means", 3, 0).fit(X)
