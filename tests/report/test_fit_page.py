"""The page of a fit in a browser: hover, folding, widths, hostile names."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

from graphtailor import GraphTailor
from graphtailor.report import fit_report, summarize_fit

HOSTILE = "<script>alert('x')</script>"
ALERT = "window.alert = () => faults.push('alert');"

# Point at the place of point 3 and read the tip; take the pointer away.
SCRIPT = """
const holder = document.querySelector(".maps"), map = holder.querySelector("svg.map");
const data = JSON.parse(holder.querySelector("script").textContent);
const box = map.getBoundingClientRect(), scale = box.width / map.viewBox.baseVal.width;
const clientX = box.left + scale * data.x[3], clientY = box.top + scale * data.y[3];
map.dispatchEvent(new PointerEvent("pointermove", {clientX, clientY}));
const tip = holder.querySelector(".tip"), here = map.querySelector(".here");
told.tip = tip.textContent;
told.shown = getComputedStyle(tip).display + getComputedStyle(here).visibility;
map.dispatchEvent(new PointerEvent("pointerleave", {}));
told.after = getComputedStyle(tip).display + getComputedStyle(here).visibility;
const [first, second] = holder.querySelectorAll(".legend button");
second.click();
const isFaint = (dots) => dots.classList.contains("faint");
told.faint = [...map.querySelectorAll(".dots")].map(isFaint);
second.click();
told.back = map.querySelectorAll(".faint").length;
told.width = innerWidth;
told.overflow = document.documentElement.scrollWidth - innerWidth;
told.scripts = document.scripts.length;
told.folded = !document.querySelector("#differences details").open;
told.features = document.querySelectorAll("#differences details tbody tr").length;
told.traits = document.querySelectorAll("#cluster-0 .trait").length;
"""


@pytest.fixture(scope="module")
def wide_page() -> str:
    """200 features and rows with hostile names, and a hostile class."""
    X, y = make_blobs(90, centers=3, n_features=200, cluster_std=4.0, random_state=0)
    names = [f"{HOSTILE} a name that is rather long {j}" for j in range(200)]
    frame = pd.DataFrame(X, columns=names)
    model = GraphTailor(n_clusters=3, n_init=3, random_state=0).fit(frame)
    table = SimpleNamespace(
        ids=[f"{HOSTILE} {i}" for i in range(90)], y=np.array(["a", HOSTILE, "c"])[y]
    )
    summary = summarize_fit(model, data=HOSTILE, y_true=y, warnings=[HOSTILE])
    return fit_report(model, frame, summary=summary, command=HOSTILE, table=table)


def test_page_of_200_hostile_features(wide_page, browse):
    told = browse(wide_page, ALERT + SCRIPT)
    assert told["tip"].startswith(f"{HOSTILE} 3cluster ")
    assert "certainty" in told["tip"]
    assert told["shown"] == "blockvisible"
    assert told["after"] == "nonehidden"
    assert told["faint"] == [True, False, True]
    assert told["back"] == 0
    # The data of the map, its script, and two of this test.
    assert told["scripts"] == 4
    assert told["folded"]
    assert told["features"] == 200
    assert told["traits"] == 6
    assert told["overflow"] <= 0


def test_page_on_a_phone(wide_page, browse):
    told = browse(wide_page, ALERT + SCRIPT, width=390)
    assert told["width"] == 390
    assert told["overflow"] <= 0
    assert told["tip"].startswith(HOSTILE)


def test_page_of_many_rows_stays_small(browse):
    n, c = 60_000, 60
    rng = np.random.default_rng(0)
    labels = np.sort(rng.integers(0, c, n))
    V = rng.random((n, c)) * 0.2
    V[np.arange(n), labels] += 1
    chain = np.arange(n - 1)
    graph = sparse.coo_array((np.ones(n - 1), (chain, chain + 1)), shape=(n, n)).tocsr()
    model = GraphTailor(n_clusters=c)
    model.labels_, model.indicator_ = labels, V
    model.affinity_matrix_ = model.given_graph_ = graph + graph.T
    model.objective_, model.n_iter_, model.converged_ = np.array([2.0, 1.0]), 1, True
    model.n_features_in_, model.starts_ = 8, []
    X = rng.normal(size=(n, 8)) + labels[:, None]
    page = fit_report(model, X)
    assert len(page) < 3_000_000
    assert "a sample of 3,0" in page
    assert "20 smaller clusters are not listed" in page
    told = browse(page, "told.points = document.querySelectorAll('.dots').length;")
    assert told["points"] == c


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("<img src='http://example.org/a.png'>", "asked for http://example.org"),
        ("<link rel=stylesheet href='a.css'>", "asked for"),
        ("<script>nothing.there();</script>", "error"),
        ("<script>console.error('oh')</script>", "console oh"),
    ],
)
def test_the_browser_would_notice(browse, fault, said):
    page = f"<!doctype html><html><head></head><body>{fault}</body></html>"
    with pytest.raises(AssertionError, match=said):
        browse(page, "")
