"""What the page tells the statistician, in a browser."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

from graphtailor import GraphTailor, JointModel
from graphtailor.diagnostics.sensitivity import SettingsAgreement
from graphtailor.report import fit_report

SETTINGS = """
document.getElementById("statistician").open = true;
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
document.getElementById("statistician").open = true;
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
    told = browse(fit_report(model, X), DECISION, width)
    assert told["sentences"] == decision.sentences()
    joint = f"joint model, alpha {decision.alpha:,.0f}"
    assert told["names"] == [f"cut by {decision.cut}", joint]
    agreement = [decision.cut_agreement, decision.model_agreement]
    assert told["values"] == [f"{value:.3f}" for value in agreement]
    assert told["framed"] == [f"{decision.cut_agreement:.3f}"]
    assert told["curves"] == 1
    assert told["wide"]


def test_all_settings_are_on_the_page():
    X, _ = make_blobs(40, centers=2, random_state=0)
    model = GraphTailor(2, random_state=0).fit(X)
    page = fit_report(model, X)
    assert "SpectralMembers(n_graphs=" in page
    assert " object at 0x" not in page
    for fitted in (model, model.model_):
        for name, value in fitted.get_params(deep=False).items():
            assert f'row">{name}</th><td>' in page, name
            if isinstance(value, int | float):
                assert f'row">{name}</th><td>{value}</td>' in page, name


def test_a_model_that_decides_nothing_has_no_decisions():
    X, _ = make_blobs(40, centers=2, random_state=0)
    page = fit_report(JointModel(2, random_state=0).fit(X))
    assert 'id="decision"' not in page
    assert "#decision" not in page


def test_settings_that_were_not_tried():
    X, _ = make_blobs(40, centers=2, random_state=0)
    said = "Neighbouring settings were not tried: "
    page = fit_report(GraphTailor(1, random_state=0).fit(X), X)
    assert f"{said}a single cluster is the same" in page
    model = GraphTailor(2, random_state=0).fit(X)
    assert f"{said}this needs the data of the fit" in fit_report(model)
    assert f"{said}the page was made without them" in fit_report(model, X)
