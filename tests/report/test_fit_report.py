"""The report: one file, everything escaped, all that was asked for."""

import re
import warnings
from datetime import date
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning

from graphtailor import GraphTailor, JointModel, NeighborGraph, cluster_table
from graphtailor.diagnostics.graph_map import share_inside
from graphtailor.diagnostics.model_access import view_of
from graphtailor.registry import METHODS
from graphtailor.report import cluster_profiles, fit_report, summarize_fit
from graphtailor.tables import Column, Table

from .pages import unpacked

HOSTILE = '<script>alert("x")</script>'
VOID = {"meta", "img", "br", "hr", "input", "link"}
SHAPES = {"path", "rect", "image", "circle", "use", "g"}


class Page(HTMLParser):
    """Checks that tags are closed in order; keeps the text and the addresses."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.text = ""
        self.addresses: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        self.addresses += [v or "" for k, v in attrs if k in ("src", "href")]

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in SHAPES
        self.addresses += [v or "" for k, v in attrs if k in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture(scope="module")
def fitted() -> tuple[GraphTailor, pd.DataFrame, np.ndarray]:
    centers = [[1, 1], [9, 1], [1, 9]]
    X, y = make_blobs(60, centers=centers, cluster_std=0.5, random_state=0)
    frame = pd.DataFrame(X, columns=[HOSTILE, "plain"])
    return GraphTailor(n_clusters=3, random_state=0).fit(frame), frame, y


def test_report(fitted: tuple[GraphTailor, pd.DataFrame, np.ndarray]) -> None:
    model, X, y = fitted
    summary = summarize_fit(
        model, data=HOSTILE, y_true=y, seconds=1.5, warnings=[HOSTILE]
    )
    table = Table(
        "t",
        X,
        np.array([f"{HOSTILE}{i}" for i in range(60)]),
        y=y,
        frame=X,
        columns=tuple(Column(name, HOSTILE, HOSTILE, "number") for name in X),
    )
    command = f"graphtailor fit '{HOSTILE}'"
    html = fit_report(model, X, summary=summary, command=command, table=table)
    page = Page(html)
    assert HOSTILE not in html
    # Values, rows, labels, and the one script that the policy of the page lets run.
    assert page.tags.count("script") == 4
    assert HOSTILE in page.text
    pictures = [a for a in page.addresses if not a.startswith("#")]
    assert len(pictures) == 2
    assert all(a.startswith("data:image/png;base64,") for a in pictures)
    for address in pictures:
        html = html.replace(address, "")
    # The name of SVG elements is no address that anything is asked for.
    html = html.replace("http://www.w3.org/2000/svg", "")
    assert re.search("https?:", html) is None
    # Pictures refer to their own clip paths, and to nothing else.
    assert set(re.findall(r"url\((.)", html)) <= {"#"}
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html
    view = view_of(model)
    inside = share_inside(model.affinity_matrix_, view.vertex_labels)
    for words in (
        "60 rows fall into 3 groups",
        HOSTILE,
        date.today().isoformat(),
        "1.50",
        "ARI",
        "1.000",
        "random_state",
        "scikit-learn",
        command,
        f"Learned graph: {inside:.0%} of its weight inside clusters",
        "Every row on a map",
        "How the table was read",
        "Rows of each class in each cluster",
        "silhouette",
        *model.decision_.sentences(),
        " of 60 rows ",
        "quick clusterings put a row together with the rows of its own cluster",
        "For the statistician",
    ):
        assert words in page.text, words
    # Every link of the page leads somewhere in it.
    for address in page.addresses:
        if address.startswith("#"):
            assert f'id="{address[1:]}"' in html, address


def test_empty_clusters_give_a_warning() -> None:
    two_parts = np.kron(np.eye(2), np.ones((7, 7))) - np.eye(14)
    model = JointModel(3, graph="precomputed", random_state=0)
    with pytest.warns(ConvergenceWarning, match="Only 2"):
        model.fit(two_parts)
    summary = summarize_fit(model)
    assert "Only 2 clusters have rows, although 3 were asked for" in summary.warnings[0]
    assert "Only 2 clusters have rows" in Page(fit_report(model, two_parts)).text
    assert summarize_fit(JointModel(2, random_state=0).fit(two_parts)).warnings == []


def test_every_picture_says_how_to_read_it(
    fitted: tuple[GraphTailor, pd.DataFrame, np.ndarray],
) -> None:
    model, X, _ = fitted
    html = fit_report(model, X)
    parts = re.findall(r"<section.*?</section>", html, re.DOTALL)
    drawn = [part for part in parts if "<svg" in part]
    # The tree, the map, the graphs, the scores of numbers and the objective.
    assert len(drawn) == 5
    for part in drawn:
        assert re.search("<h[23].*?>.{15,}", part)
        assert re.search(r'(<p class="soft">|<figcaption>)[^<]{60,}', part), part[:200]


@pytest.mark.parametrize("name", METHODS)
def test_report_of_every_method(name: str) -> None:
    X, y = make_blobs(45, centers=3, n_features=4, cluster_std=0.5, random_state=3)
    X = X - X.min()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = METHODS[name].estimator(n_clusters=3, random_state=0).fit(X)
    with_data = Page(fit_report(model, X, table=Table("t", X, np.arange(45), y=y)))
    assert "Rows that are alike are close" in with_data.text
    assert "Calinski-Harabasz" in with_data.text
    assert "Certainty is" in with_data.text
    without = Page(fit_report(model))
    assert "features were not given" in without.text
    has_points = name != "K-means"
    assert ("Rows that are alike are close" in without.text) == has_points


@pytest.mark.parametrize("noun", ["rows", "distinct rows", "anchors"])
def test_report_of_all_representatives(noun: str) -> None:
    X, _ = make_blobs(100, centers=3, n_features=4, random_state=3)
    X = np.repeat(X, 2, axis=0) if noun == "distinct rows" else X
    most = 40 if noun == "anchors" else 4000
    model = GraphTailor(3, representatives=most, random_state=0).fit(X)
    html = fit_report(model, X)
    assert ("typical rows were laid out" in html) == (noun == "anchors")
    assert f"list the {noun}," in html
    found = unpacked(html)
    assert found["labels"][found["chosen"]] == model.labels_.tolist()
    assert sorted(found["place"]) == list(range(len(X)))


def test_report_of_starts() -> None:
    X, _ = make_blobs(60, centers=3, random_state=0)
    model = JointModel(3, n_init=4, random_state=0).fit(X)
    page = Page(fit_report(model, X))
    assert "4 starts lead to" in page.text
    assert model.starts_[0].kind in page.text
    assert "share of the row's own cluster in its memberships" in page.text


@pytest.mark.parametrize("name", ["GraphTailor", "JointModel"])
def test_report_of_a_given_graph(name: str) -> None:
    X, _ = make_blobs(60, centers=2, random_state=0)
    W = NeighborGraph().fit(X).affinity_
    ours: Any = {
        "GraphTailor": GraphTailor(2, metric="affinity", random_state=0),
        "JointModel": JointModel(2, graph="precomputed", random_state=0),
    }
    page = Page(fit_report(ours[name].fit(W), W))
    assert "Rows that are alike are close" in page.text
    assert "silhouette" not in page.text
    assert "modularity" in page.text


@pytest.mark.parametrize("kind", ["frame", "float32", "sparse", "duplicates", "one"])
def test_report_of_unusual_data(kind: str) -> None:
    X = np.array([[0.0, 1], [0, 1.1], [5, 2], [5, 2.1], [9, 9], [9, 9.1]])
    data: Any = {
        "frame": pd.DataFrame(X, columns=["a", "b"], index=list("uvwxyz")),
        "float32": X.astype(np.float32),
        "sparse": sparse.csr_array(X),
        "duplicates": np.repeat(X[::2], 4, axis=0),
        "one": X,
    }[kind]
    c = 1 if kind == "one" else 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = GraphTailor(n_clusters=c, random_state=0).fit(data)
    html = fit_report(model, data)
    assert ("fall into 1 group<" in html) == (kind == "one")
    names = list("uvwxyz") if kind == "frame" else None
    assert unpacked(html)["names"] == names


def test_a_model_that_chose_the_number_of_clusters() -> None:
    X, _ = make_blobs(60, centers=3, cluster_std=0.5, random_state=0)
    page = Page(fit_report(GraphTailor(random_state=0).fit(X), X))
    assert "clusters found" in page.text
    assert "Score of each number of clusters" in page.text


def test_the_same_fit_gives_the_same_page(
    fitted: tuple[GraphTailor, pd.DataFrame, np.ndarray],
) -> None:
    model, X, _ = fitted
    assert fit_report(model, X) == fit_report(model, X)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_profiles_name_what_stands_out(as_sparse: bool) -> None:
    rng = np.random.default_rng(0)
    labels = np.repeat([0, 2], 50)
    X = rng.normal(size=(100, 4))
    X[:, 3] = 7.0
    X[labels == 2, 1] += 10
    found = cluster_profiles(sparse.csr_array(X) if as_sparse else X, labels)
    assert [(p.cluster, p.size) for p in found] == [(0, 50), (2, 50)]
    first = found[1].traits[0]
    assert first.feature == "f2"
    inside, outside = X[labels == 2, 1], X[labels != 2, 1]
    assert first.inside == pytest.approx(inside.mean())
    assert first.outside == pytest.approx(outside.mean())
    gap = inside.mean() - outside.mean()
    assert first.effect == pytest.approx(gap / X[:, 1].std())
    # A constant tells nothing, whatever rounding leaves of its deviation.
    assert all(trait.feature != "f4" for p in found for trait in p.traits)


def test_a_table_that_the_model_prepares_itself() -> None:
    rng = np.random.default_rng(0)
    private = rng.random(80) < 0.5
    frame = pd.DataFrame(
        {
            "private": np.where(private, "Yes", "No"),
            "cost": np.where(private, 9000.0, 2000.0) + rng.normal(size=80),
            "founded": rng.integers(1800, 1990, 80),
        }
    )
    frame.loc[3, "cost"] = np.nan
    html = GraphTailor(2, random_state=0).fit(frame).report(frame)
    names = {column["name"] for column in unpacked(html)["columns"]}
    assert names == set(frame.columns)
    assert "private" in unpacked(html)["levels"][0]["names"][0]


@pytest.mark.parametrize("kind", ["clear", "none"])
def test_the_verdict_comes_first_without_figures(kind: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    if kind == "clear":
        X[:45] += 9
    model = GraphTailor(2, random_state=0).fit(X)
    assert model.decision_.verdict.level == kind
    html = fit_report(model, X)
    first = html.split('<p class="verdict" data-verdict="')[1].split("</p>")[0]
    assert first.startswith(f'{kind}">')
    assert "p =" not in first
    assert "p &lt;" not in first
    sentence = model.decision_.verdict.sentence()
    assert first.endswith(".")
    assert sentence.split(" (")[0] in first
    words = "90 rows fall into" if kind == "clear" else "90 rows, cut into"
    assert f"{words} 2 groups</h1>" in html
    # The figures are among the decisions.
    assert sentence in Page(html).text


def test_a_page_of_a_table_with_categories():
    """The table holds the features, which the model must not make once more."""
    frame = pd.DataFrame({"x": np.arange(30.0) // 10, "kind": list("abc") * 10})
    found = cluster_table(frame, n_clusters=3, random_state=0)
    page = fit_report(found.model, found.read.X, table=found.read)
    assert "kind" in [column["name"] for column in unpacked(page)["columns"]]
