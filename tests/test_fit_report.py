"""The report: one file, everything escaped, all that was asked for."""

from datetime import date
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

from graphtailor import GraphTailor
from graphtailor.baselines import KMeansClustering
from graphtailor.report import cluster_profiles, fit_report, summarize_fit

HOSTILE = '<script>alert("x")</script>'
VOID = {"meta", "img", "br", "hr", "input", "link"}


class Page(HTMLParser):
    """Checks that tags are closed in order; keeps the text and the addresses."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.text = ""
        self.addresses: list[str] = []
        self.feed(html)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
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
    return GraphTailor(n_clusters=3, n_init=4, random_state=0).fit(frame), frame, y


def test_report(fitted: tuple[GraphTailor, pd.DataFrame, np.ndarray]) -> None:
    model, X, y = fitted
    summary = summarize_fit(
        model, data=HOSTILE, y_true=y, seconds=1.5, warnings=[HOSTILE]
    )
    command = f"graphtailor fit '{HOSTILE}'"
    html = fit_report(
        model, X, summary=summary, command=command, today=date(2026, 1, 2)
    )
    page = Page(html)
    assert "script" not in page.tags
    assert HOSTILE not in html
    assert HOSTILE in page.text
    assert len(page.addresses) == 3
    for address in page.addresses:
        html = html.replace(address, "")
    assert "http" not in html
    assert "url(" not in html
    assert all(a.startswith("data:image/png;base64,") for a in page.addresses)
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html
    for words in (
        f"60 samples of {HOSTILE} in 3 clusters",
        "2026-01-02",
        "1.50",
        "ARI",
        "1.000",
        "spectral",
        "random_state",
        "scikit-learn",
        command,
        "Learned graph: 100% inside clusters",
    ):
        assert words in page.text, words


def test_report_without_extras_and_of_a_compared_method() -> None:
    X = np.arange(20.0).reshape(10, 2)
    page = Page(fit_report(KMeansClustering(2, random_state=0).fit(X)))
    assert "Starts" not in page.text
    assert "known classes" not in page.text
    assert "KMeansClustering" in page.text


def test_summary(fitted: tuple[GraphTailor, pd.DataFrame, np.ndarray]) -> None:
    model, _, y = fitted
    summary = summarize_fit(model, y_true=y)
    assert summary.sizes == np.bincount(model.labels_).tolist()
    assert summary.scores is not None
    assert summary.scores["ACC"] == 1.0
    assert summary.objective == model.objective_[-1] <= summary.objective_at_start
    assert [start["kind"] for start in summary.starts] == [
        s.kind for s in model.starts_
    ]
    best = min(summary.starts, key=lambda start: start["objective"])
    assert best["agreement"] == pytest.approx(1.0)
    assert summary.to_dict()["parameters"]["graph"] == "knn"


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
    assert first.mean == pytest.approx(X[labels == 2, 1].mean())
    assert first.overall == pytest.approx(X[:, 1].mean())
    gap = X[labels == 2, 1].mean() - X[:, 1].mean()
    assert first.deviations == pytest.approx(gap / X[:, 1].std())
    # A constant tells nothing, whatever rounding leaves of its deviation.
    assert all(trait.feature != "f4" for p in found for trait in p.traits)
