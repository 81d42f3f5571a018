"""The page of a fit in a browser: hover, folding, widths, hostile names."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

from graphtailor import GraphTailor, JointModel
from graphtailor.baselines import KMeansClustering
from graphtailor.diagnostics.sensitivity import SettingsAgreement
from graphtailor.report import fit_report, summarize_fit
from graphtailor.tables import Table

HOSTILE = "<script>alert('x')</script>"
ALERT = "window.alert = () => faults.push('alert');"

# Eleven refits take seconds: pages that show other things do without them.
ONE = np.ones((1, 1))
NOTHING = np.array([])
NO_CHANGE = SettingsAgreement(
    *(ONE[0], ONE[0], ONE, (0, 0), 0, NOTHING, NOTHING, 9, 9),
)

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
    model = GraphTailor(n_clusters=3, random_state=0).fit(frame)
    ids = np.array([f"{HOSTILE} {i}" for i in range(90)])
    table = Table("t", frame, ids, y=np.array(["a", HOSTILE, "c"])[y])
    summary = summarize_fit(model, data=HOSTILE, y_true=y, warnings=[HOSTILE])
    return fit_report(model, frame, summary=summary, command=HOSTILE, table=table)


def test_page_of_200_hostile_features(wide_page, browse):
    told = browse(wide_page, ALERT + SCRIPT)
    assert told["tip"].startswith(f"{HOSTILE} ")
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


SETTINGS = """
const figure = document.getElementById("settings");
const tables = [...figure.querySelectorAll("table")];
const read = (cells) => [...cells].map((cell) => cell.textContent);
told.title = figure.querySelector("h3").textContent;
told.heads = tables.map((table) => read(table.querySelectorAll("th")).filter(Boolean));
told.values = tables.map((table) => read(table.querySelectorAll("td")));
told.framed = tables.map((table) => read(table.querySelectorAll("td.framed")));
told.outline = getComputedStyle(figure.querySelector(".framed")).outlineStyle;
const colour = (cell) => getComputedStyle(cell).backgroundColor;
const cells = figure.querySelectorAll("td");
told.shades = colour(cells[0]) !== colour(cells[4]);
told.caption = figure.querySelector("figcaption").textContent;
told.wide = figure.getBoundingClientRect().right <= innerWidth;
told.verdicts = read(document.querySelectorAll("#trust .verdict"));
"""


@pytest.mark.parametrize("width", [1200, 390])
def test_agreement_between_settings(browse, width):
    X, _ = make_blobs(60, centers=3, random_state=0)
    model = JointModel(3, n_init=2, random_state=0).fit(X)
    agreement = np.array([[0.2, 0.5, 1.0], [0.3, 1.0, 1.0], [0.4, 1.0, 0.99]])
    weights, sizes = np.array([10.0, 100.0, 1000.0]), np.array([3, 12])
    found = SettingsAgreement(
        *(weights, weights, agreement, (1, 1), 6),
        *(sizes, np.array([0.7, 1.0]), 60, 60),
    )
    told = browse(fit_report(model, X, settings=found), SETTINGS, width)
    expected = "The clusters change with alpha, beta and the number of neighbours"
    assert told["title"] == expected
    assert f"{expected}." in told["verdicts"]
    rows = ["alpha 10", "alpha 100", "alpha 1,000"]
    assert told["heads"][0] == ["beta 10", "beta 100", "beta 1,000", *rows]
    assert told["heads"][1] == ["3 neighbours", "6 neighbours", "12 neighbours"]
    assert told["values"][0] == [f"{value:.2f}" for value in agreement.ravel()]
    assert told["values"][1] == ["0.70", "1.00", "1.00"]
    assert told["framed"] == [["1.00"], ["1.00"]]
    assert told["outline"] == "solid"
    assert told["shades"]
    assert "what other starts alone change" in told["caption"]
    assert told["wide"]


DECISION = """
const section = document.getElementById("decision");
const read = (cells) => [...cells].map((cell) => cell.textContent);
told.sentences = read(section.querySelectorAll("li"));
told.names = read(section.querySelectorAll("#tried th"));
told.values = read(section.querySelectorAll("#tried td"));
told.framed = read(section.querySelectorAll("#tried td.framed"));
told.curves = section.querySelectorAll("svg").length;
told.wide = section.getBoundingClientRect().right <= innerWidth;
"""


@pytest.mark.parametrize("width", [1200, 390])
def test_everything_decided_is_on_the_page(browse, width):
    X, _ = make_blobs(90, centers=3, cluster_std=2.5, random_state=0)
    model = GraphTailor(random_state=0).fit(X)
    decision = model.decision_
    told = browse(fit_report(model, X, settings=NO_CHANGE), DECISION, width)
    assert told["sentences"] == decision.sentences()
    models = [f"joint model, alpha {s.alpha:,.0f}" for s in decision.settings]
    assert told["names"] == [f"cut by {decision.cut}", *models]
    agreement = [decision.cut_agreement, *(s.agreement for s in decision.settings)]
    assert told["values"] == [f"{value:.3f}" for value in agreement]
    assert told["framed"] == [f"{max(agreement):.3f}"]
    assert told["curves"] == 1
    assert told["wide"]


def test_a_model_that_decides_nothing_has_no_decisions():
    X, _ = make_blobs(40, centers=2, random_state=0)
    page = fit_report(JointModel(2, random_state=0).fit(X))
    assert 'id="decision"' not in page
    assert "#decision" not in page


def test_points_of_the_map_have_the_names_of_their_rows(browse):
    """Representatives are in another order than the rows, and may be several rows."""
    X, y = make_blobs(40, centers=3, cluster_std=3.0, random_state=0)
    X, y = np.vstack([X, X[:10]]), np.append(y, y[:10])
    frame = pd.DataFrame(X, index=[f"name {i}" for i in range(50)])
    frame.columns = ["a", "b"]
    model = GraphTailor(3, random_state=0).fit(frame)
    table = Table("t", frame, np.array(frame.index), y=y)
    page = fit_report(model, frame, table=table, settings=NO_CHANGE)
    script = """
    const data = JSON.parse(document.querySelector(".maps script").textContent);
    told.names = data.names; told.panel = data.panels[0];
    """
    told = browse(page, script)
    numbers = [int(name.removeprefix("name ")) for name in told["names"]]
    assert sorted(numbers) == list(range(40))
    assert told["panel"]["labels"] == model.labels_[numbers].tolist()
    for i, note in zip(numbers, told["panel"]["notes"], strict=True):
        certainty = model.indicator_[i].max()
        assert f"certainty {certainty:.0%}, class {y[i]}" in note
        assert note.startswith("stands for 2 rows," if i < 10 else "stands for 1 row,")


def test_settings_that_cannot_be_tried():
    X, _ = make_blobs(40, centers=2, random_state=0)
    page = fit_report(GraphTailor(1, random_state=0).fit(X), X)
    assert "Neighbouring settings were not tried: a single cluster is the same" in page
    page = fit_report(GraphTailor(2, random_state=0).fit(X))
    assert (
        "Neighbouring settings were not tried: this needs the data of the fit" in page
    )


def test_page_on_a_phone(wide_page, browse):
    meanings = """
    const meanings = [...document.querySelectorAll("table.meanings td.soft")];
    told.meaning = Math.min(...meanings.map((cell) => cell.clientWidth));
    """
    told = browse(wide_page, ALERT + SCRIPT + meanings, width=390)
    assert told["meaning"] > 250
    assert told["width"] == 390
    assert told["overflow"] <= 0
    assert told["tip"].startswith(HOSTILE)


def test_page_of_many_rows_stays_small(browse):
    n, c = 60_000, 60
    rng = np.random.default_rng(0)
    labels = np.sort(rng.integers(0, c, n))
    X = rng.normal(size=(n, 8)) + labels[:, None]
    model = KMeansClustering(c, n_init=1, random_state=0).fit(X[:200])
    model.labels_ = labels
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
