"""Charts of a page: inside their frame, in the colours of the page, escaped."""

import re

import numpy as np
import pytest
from matplotlib.figure import Figure

from graphtailor.diagnostics.formatting import PALETTE
from graphtailor.diagnostics.graph_map import full_weight
from graphtailor.plot.affinity_display import draw_matrix, matrix_figure
from graphtailor.plot.curves import curve_figure, draw_curve
from graphtailor.plot.inline_svg import inline_svg
from graphtailor.plot.style import ACCENT, INK, LINE, SOFT

NAMES = ("<x>", "y")


@pytest.mark.parametrize(
    "values",
    [[5.0], [1.0, 1.0], [1e9, 1.0, 1e-3], [-3.0, -4.0], [1e-12, 2e-12], [np.nan], []],
)
def test_curves_of_any_size(values):
    svg = inline_svg(curve_figure(range(len(values)), values, NAMES), '"d" <d>')
    assert "<x>" not in svg
    assert "<d>" not in svg
    assert "nan" not in svg
    width, height = map(float, re.search(r'viewBox="0 0 (\S+) (\S+)"', svg).groups())
    for path in re.findall(r'<path d="([^"]*)"[^>]*stroke: var\(--accent', svg):
        points = np.array(re.findall(r"[ML] (\S+) (\S+)", path), dtype=float)
        assert ((points >= 0) & (points <= (width, height))).all()


def test_a_curve_has_its_values_and_its_ring():
    ax = Figure().subplots()
    draw_curve(ax, [2, 3, 4, 5], [0.1, 0.9, np.inf, 0.2], NAMES, chosen=3)
    curve, ring = ax.lines
    assert curve.get_xydata().tolist() == [[2, 0.1], [3, 0.9], [5, 0.2]]
    assert ring.get_xydata().tolist() == [[3, 0.9]]
    assert ax.get_yscale() == "linear"
    draw_curve(ax, [0, 1], [500.0, 1.0], NAMES)
    assert ax.get_yscale() == "log"


def test_long_curves_are_thinned():
    ax = Figure().subplots()
    draw_curve(ax, np.arange(10_000), np.arange(10_000)[::-1], NAMES)
    drawn = ax.lines[0].get_xydata()
    assert len(drawn) == 400
    assert drawn[-1].tolist() == [9999, 0]
    assert ax.lines[0].get_marker() == ""


def test_ticks_differ_from_each_other():
    figure = curve_figure(range(3), [196.21, 196.3, 196.9], NAMES)
    figure.canvas.draw()
    ticks = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert len(set(ticks)) == len(ticks) > 2
    steps = np.diff([float(tick) for tick in ticks])
    np.testing.assert_allclose(steps, steps[0], rtol=1e-6)


def test_matrices_share_a_scale():
    weak, strong = np.full((3, 3), 0.1), np.full((3, 3), 1.0)
    top = full_weight([weak, strong])
    assert top == 1.0
    sizes = np.array([2, 0, 1])
    pictures = [
        inline_svg(matrix_figure(image, sizes, top), "<t>") for image in (weak, strong)
    ]
    assert pictures[0] != pictures[1]
    assert all("<t>" not in picture for picture in pictures)
    nothing = np.zeros((2, 2))
    assert inline_svg(matrix_figure(nothing, sizes, full_weight([nothing])), "")


def test_strips_show_the_clusters():
    ax = Figure().subplots()
    draw_matrix(ax, np.ones((3, 3)), np.array([2, 0, 1]), 1.0)
    across = ax.patches[::2]
    assert [(patch.get_x(), patch.get_width()) for patch in across] == [(0, 2), (2, 1)]
    svg = inline_svg(matrix_figure(np.ones((3, 3)), np.array([2, 0, 1]), 1.0), "")
    assert all(f"var(--k{k}, {PALETTE[k]})" in svg for k in (0, 2))
    assert "var(--k1" not in svg


def test_a_picture_belongs_to_its_page():
    figure = curve_figure([0, 1, 2], [3.0, 2.0, 1.0], NAMES, chosen=1)
    svg = inline_svg(figure, "first")
    assert svg == inline_svg(figure, "first")
    # No style of the picture reaches the page, and no fixed colour stays in the dark.
    assert "<style" not in svg
    assert "http" not in svg
    assert "font-family" not in svg
    for fixed in (INK, SOFT, LINE):
        assert fixed not in svg
    assert svg.count(ACCENT) == svg.count(f"var(--accent, {ACCENT})") > 0
    # Two pictures of one page have no name in common.
    names = [
        set(re.findall(r' id="([^"]+)"', s)) for s in (svg, inline_svg(figure, "2"))
    ]
    assert names[0]
    assert not names[0] & names[1]
