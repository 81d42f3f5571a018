"""The choice of settings: what was tried as a map, and what is said of it."""

import json
from dataclasses import replace

import numpy as np
import pytest
from graphtailor.decide.settings import ALPHAS, DIFFUSIONS, ENSEMBLE_ALPHAS
from sklearn.datasets import make_blobs

from graphtailor import GraphTailor, plot
from graphtailor.baselines import KMeansClustering
from graphtailor.cli.app import run
from graphtailor.diagnostics.model_access import view_of
from graphtailor.diagnostics.selection import (
    Selection,
    selection_finding,
    selection_map,
    selection_reading,
    selection_view,
)
from graphtailor.io.models import load_model, save_model
from graphtailor.report import fit_report, summarize_fit

X, _ = make_blobs(120, centers=4, cluster_std=2.5, random_state=0)


@pytest.fixture(scope="module")
def model():
    return GraphTailor(4, graph="knn", n_init=3, random_state=0).fit(X)


def test_every_setting_is_in_its_cell(model):
    found = selection_map(view_of(model))
    assert found.alphas.tolist() == sorted(ALPHAS)
    assert found.diffusions.tolist() == sorted(DIFFUSIONS)
    assert found.n_tried == 8
    tried = model.selection_
    for alpha, steps, value in zip(
        tried["alpha"], tried["diffusion"], tried["agreement"], strict=True
    ):
        i, j = list(found.alphas).index(alpha), list(found.diffusions).index(steps)
        assert found.agreement[i, j] == value
    i, j = found.kept
    assert (found.alphas[i], found.diffusions[j]) == (model.alpha_, model.diffusion_)
    assert found.agreement[found.kept] == found.agreement.max()


def test_a_given_diffusion_is_one_column():
    found = selection_map(view_of(GraphTailor(4, diffusion=2, random_state=0).fit(X)))
    assert found.agreement.shape == (4, 1)
    told = selection_finding(found)
    assert " was chosen: its clusters agree most with the other 3 settings'" in told
    assert "diffusion" not in told


def _selection(agreement, kept):
    values = np.array(agreement)
    a, b = values.shape
    return Selection(10.0 ** np.arange(a), 4 * np.arange(1, b + 1), values, kept)


def test_findings():
    told = selection_finding(_selection([[0.2, 0.3], [0.9, 0.8]], (1, 0)))
    assert told == (
        "alpha = 10 and diffusion = 4 were chosen: their clusters agree most with the "
        "other 3 settings'"
    )
    same = selection_finding(_selection([[1.0, 0.999], [1.0, 1.0]], (0, 0)))
    assert same.endswith("all 4 settings lead to the same clusters")


@pytest.mark.parametrize(
    ("agreement", "tie"),
    [([[0.2, 0.3], [0.9, 0.8]], False), ([[0.2, 0.903], [0.904, 0.8]], True)],
)
def test_equals_are_told(agreement, tie):
    told = selection_reading(_selection(agreement, (1, 0)))
    assert "with those of all 4 settings (" in told
    assert ("equally good" in told) == tie


def test_a_fit_that_was_stopped_leaves_cells_empty():
    found = _selection([[0.7, np.nan], [0.9, np.nan]], (1, 0))
    assert found.n_tried == 2
    display = plot.SelectionDisplay(found).plot()
    display.figure_.canvas.draw()
    drawn = [text.get_text() for text in display.ax_.texts]
    assert drawn[:-1] == ["0.70", "0.90"]
    assert selection_finding(found).endswith("agree most with the other setting's")


def test_the_picture_has_a_frame_around_the_chosen(model):
    display = plot.SelectionDisplay.from_estimator(model)
    found = display.selection
    drawn = [text.get_text() for text in display.ax_.texts]
    assert drawn[:8] == [f"{value:.2f}" for value in found.agreement.ravel()]
    (frame,) = display.ax_.patches
    i, j = found.kept
    np.testing.assert_allclose(frame.get_xy(), (j - 0.46, i - 0.46))
    labels = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert labels == ["0", "100", "1,000", "10,000"]


def test_a_loaded_model_draws_the_same(model, tmp_path):
    save_model(model, tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    assert plot.selection(again).get_title() == plot.selection(model).get_title()
    first, second = selection_map(view_of(model)), selection_map(view_of(again))
    np.testing.assert_array_equal(first.agreement, second.agreement)
    assert first.kept == second.kept
    assert summarize_fit(again).selection == summarize_fit(model).selection


def test_the_summary_tells_settings_and_what_was_tried(model):
    summary = summarize_fit(model)
    assert summary.settings == {
        "graph": "knn",
        "alpha": model.alpha_,
        "beta": 100.0,
        "diffusion": model.diffusion_,
    }
    assert len(summary.selection) == 8
    best = max(summary.selection, key=lambda row: row["agreement"])
    settings = {name: best[name] for name in ("alpha", "beta", "diffusion")}
    assert {"graph": "knn", **settings} == summary.settings
    assert json.loads(json.dumps(summary.to_dict()))["selection"] == summary.selection
    plain = summarize_fit(KMeansClustering(2, random_state=0).fit(X))
    assert (plain.settings, plain.selection) == ({}, [])


def test_explain_tells_the_settings(model, tmp_path, capsys):
    save_model(model, tmp_path / "model.npz")
    assert run(["explain", str(tmp_path / "model.npz")]) == 0
    told = f"alpha {model.alpha_:,.0f}, beta 100, diffusion {model.diffusion_}"
    told = f"graph knn, {told}; chosen from 8 settings"
    assert told in " ".join(capsys.readouterr().out.split())


def test_the_members_of_an_ensemble_judge(tmp_path):
    model = GraphTailor(4, graph="ensemble", random_state=0).fit(X)
    found = selection_map(view_of(model))
    assert found.by_members
    assert found.alphas.tolist() == sorted(ENSEMBLE_ALPHAS)
    title = plot.selection(model).get_title()
    assert "the clusterings that the graph was made of" in title
    assert (
        "agree with the quick clusterings" in selection_view(view_of(model))["reading"]
    )
    said = selection_view(view_of(model))["members"]
    assert f"made of {len(model.ensemble_.members_)} quick clusterings" in said
    surely = np.median(model.ensemble_.stability_)
    assert f"at least {surely:.0%} more" in said
    assert said in fit_report(model)
    save_model(model, tmp_path / "model.npz")
    again = load_model(tmp_path / "model.npz")
    assert plot.selection(again).get_title() == title
    assert selection_view(view_of(again))["members"] == ""


@pytest.mark.parametrize(
    ("agreement", "told"),
    [([[0.2], [0.4]], "agree most with"), ([[0.401], [0.402]], "agree equally with")],
)
def test_findings_by_members(agreement, told):
    found = replace(_selection(agreement, (1, 0)), by_members=True)
    assert told in selection_finding(found)
