"""The page of a fit in a browser: every state that a reader may bring it to."""

import dataclasses
import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

from graphtailor import GraphTailor, JointModel
from graphtailor.baselines import KMeansClustering
from graphtailor.decide.verdict import Verdict
from graphtailor.io.group_names import read_group_names
from graphtailor.report import fit_report, summarize_fit
from graphtailor.tables import Table

from .browser import Browser
from .pages import assert_accessible, page_with_levels, visit

HOSTILE = "</script><script>alert('x')</script>"
TEXT = "(id) => document.getElementById(id).textContent"
GROUPS = "document.querySelectorAll('#group-list li').length"
PICTURE = "document.getElementById('points').toDataURL()"


@pytest.fixture(scope="module")
def levels_page():
    """90 named rows in levels of 2 to 6 groups; 3 are taken, 5 suggested too."""
    X, _ = make_blobs(90, centers=3, n_features=4, cluster_std=1.5, random_state=0)
    frame = pd.DataFrame(X, columns=["height", "weight", "age", "=cost"])
    frame["color"] = np.where(X[:, 0] > 0, "red", "blue")
    model = GraphTailor(3, random_state=0).fit(X)
    ids = np.array([f"=item {i}" for i in range(90)])
    table = Table("items", X, ids, frame=frame)
    page = page_with_levels(model, X, 6, (3, 5), table=table)
    return page, model, frame


@pytest.fixture
def opened(levels_page, browser, tmp_path):
    visit(browser, levels_page[0], tmp_path)
    yield browser
    browser.settle()
    assert browser.faults == []


def place_of(browser: Browser, name: str) -> tuple[float, float]:
    """Find a row by its name; where its ring is on the screen."""
    return tuple(
        browser.ask(
            f"""(async () => {{
            const find = document.getElementById("find");
            find.value = {json.dumps(name)};
            find.dispatchEvent(new Event("input"));
            const rows = [...document.querySelectorAll("#found button")];
            rows.find((row) => row.textContent === {json.dumps(name)}).click();
            document.getElementById("stage").scrollIntoView({{ behavior: "instant" }});
            await new Promise((done) => requestAnimationFrame(
              () => requestAnimationFrame(() => setTimeout(done, 20))));
            const ring = document.getElementById("here").getBoundingClientRect();
            return [ring.x + ring.width / 2, ring.y + ring.height / 2]; }})()"""
        )
    )


def test_the_first_screen(levels_page, opened):
    _, model, _ = levels_page
    assert opened.ask("document.querySelector('h1').textContent") == (
        "90 rows fall into 3 groups"
    )
    names = opened.ask(
        "[...document.querySelectorAll('textarea.name')].map((name) => name.value)"
    )
    assert len(set(names)) == 3
    assert all(
        name.split()[0] in {"very", "high", "low", "red", "blue"} for name in names
    )
    sizes = opened.ask(
        "[...document.querySelectorAll('.size b')].map((b) => b.textContent)"
    )
    assert list(map(int, sizes)) == np.bincount(model.labels_).tolist()
    sure = opened.ask("document.querySelector('.sure').textContent")
    assert sure.split(",")[0] in {"clear", "mostly clear", "blurred"}
    assert not opened.ask("document.getElementById('statistician').open")


def test_the_slider_moves_everything(opened):
    before = opened.ask(PICTURE)
    assert opened.ask(f"({TEXT})('level-note')") == "the number asked for"
    opened.ask("document.getElementById('level').focus()")
    for _ in range(2):
        opened.press("ArrowRight")
    opened.settle()
    assert opened.ask("document.querySelector('h1').textContent").endswith("5 groups")
    assert opened.ask(GROUPS) == 5
    assert opened.ask("document.querySelectorAll('#profiles > details').length") == 5
    assert opened.ask("document.querySelectorAll('#legend button').length") == 5
    assert opened.ask("document.querySelectorAll('#numbers text').length") == 5
    assert opened.ask(
        "document.getElementById('level').ariaValueText ?? "
        "document.getElementById('level').getAttribute('aria-valuetext')"
    ) == ("5 groups, suggested")
    assert opened.ask(PICTURE) != before
    # Rows that were found follow too.
    find = "document.getElementById('find')"
    opened.ask(f"{find}.value = 'item 8'; {find}.dispatchEvent(new Event('input'))")
    fine = opened.ask(f"({TEXT})('found')")
    opened.ask("document.querySelector('[data-level]').click()")
    opened.settle()
    assert opened.ask(f"({TEXT})('found')") != fine
    assert opened.ask(GROUPS) == 3
    assert opened.ask(PICTURE) == before


def test_the_tree_chooses_a_level(opened):
    opened.ask("document.getElementById('tree').open = true")
    opened.ask(
        "document.querySelector('#tree [id=level-4]')"
        ".dispatchEvent(new MouseEvent('click', { bubbles: true }))"
    )
    assert opened.ask(GROUPS) == 4
    assert opened.ask("document.querySelector('#tree .now').id") == "level-4"


def test_hover_search_and_why(levels_page, opened):
    _, _, frame = levels_page
    x, y = place_of(opened, "=item 7")
    why = opened.ask(f"({TEXT})('why-content')")
    assert why.startswith("Why is =item 7 here?")
    assert "For this group" in why
    assert "The next group would be" in why
    opened.ask("document.getElementById('why-close').click()")
    opened.mouse("Moved", x, y)
    opened.settle()
    tip = opened.ask(f"({TEXT})('tip')")
    assert tip.startswith("=item 7")
    assert f"color: {frame.color[7]}" in tip
    assert opened.ask("getComputedStyle(document.getElementById('tip')).display") == (
        "block"
    )
    opened.click(x, y)
    opened.settle()
    assert not opened.ask("document.getElementById('why').hidden")
    opened.ask(
        "document.getElementById('find').value = 'nobody';"
        "document.getElementById('find').dispatchEvent(new Event('input'))"
    )
    assert not opened.ask("document.getElementById('found-none').hidden")


def test_two_fingers_zoom_and_move_the_map(opened):
    x, y = place_of(opened, "=item 3")
    a, b = place_of(opened, "=item 8")
    opened.touch("Start", (x - 30, y))
    opened.touch("Start", (x - 30, y), (x + 30, y))
    for step in range(10, 70, 10):
        opened.touch("Move", (x - 30 - step, y), (x + 30, y))
        opened.settle()
    opened.touch("End")
    opened.settle()
    # Two times further apart, about a middle that moved 30 to the left.
    there = place_of(opened, "=item 3")
    assert there == pytest.approx((x - 30, y), abs=3)
    other = place_of(opened, "=item 8")
    assert np.subtract(other, there) == pytest.approx((2 * (a - x), 2 * (b - y)), abs=3)
    # One finger moves the map; lifted, it does nothing more.
    opened.touch("Start", there)
    for step in (10, 25, 40):
        opened.touch("Move", (there[0] + step, there[1]))
    opened.touch("End")
    opened.settle()
    assert place_of(opened, "=item 3")[0] == pytest.approx(there[0] + 40, abs=12)


def test_the_map_by_keyboard(opened):
    opened.ask("document.getElementById('stage').focus()")
    for key in ("+", "-", "ArrowLeft", "ArrowRight"):
        opened.press(key)
    opened.settle()
    tip = opened.ask(f"({TEXT})('tip')")
    assert tip.startswith("=item")
    opened.press("Enter")
    opened.settle()
    name = opened.ask("document.querySelector('#tip b').textContent")
    assert f"Why is {name} here?" in opened.ask(f"({TEXT})('why-content')")


def axes_of(browser: Browser) -> tuple[list[str], list[str], list[str]]:
    """Names of the axes, numbers to the right and numbers downwards."""
    return tuple(
        browser.ask(
            f"[...document.querySelectorAll('#axes text{which}')]"
            ".map((text) => text.textContent)"
        )
        for which in (".name", "[text-anchor=middle]", ":not([text-anchor]):not(.name)")
    )


def test_two_columns_have_axes(browser, tmp_path):
    X, _ = make_blobs(80, centers=[[1910.0, 0.0], [1990.0, 1e6]], random_state=0)
    frame = pd.DataFrame({"founded": X[:, 0].round(), "people": 1000 * X[:, 1]})
    model = GraphTailor(2, random_state=0).fit(frame)
    visit(browser, fit_report(model, frame), tmp_path)
    names, across, down = axes_of(browser)
    assert names == ["founded →", "↑ people"]
    assert set(across) >= {"1920", "1940", "1960", "1980"}
    assert len(down) > 3
    assert all(number.endswith(",000,000") or number == "0" for number in down)
    # They go along when the map is zoomed.
    for _ in range(9):
        browser.ask("document.getElementById('zoom-in').click()")
    browser.settle()
    zoomed = axes_of(browser)
    assert zoomed[0] == names
    assert across != zoomed[1] != []
    assert len(set(zoomed[1])) == len(zoomed[1])
    visit(browser, fit_report(model, frame), tmp_path, 390)
    assert len(axes_of(browser)[1]) >= 2
    assert browser.faults == []


@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_numbers_of_any_size(browser, tmp_path, scale):
    X, _ = make_blobs(40, centers=2, random_state=0)
    X *= scale
    visit(browser, fit_report(GraphTailor(2, random_state=0).fit(X), X), tmp_path)
    place_of(browser, "row 3")
    assert browser.ask("document.querySelectorAll('.rule').length") == 2
    assert browser.ask("document.documentElement.scrollWidth - innerWidth") <= 0
    # Axes, rules, reasons and differences say numbers that fit on a line.
    words = browser.ask("document.querySelector('main').innerText").split()
    assert max(map(len, words)) < 40
    assert browser.faults == []


def test_longitude_and_latitude_are_a_map(browser, tmp_path):
    corners = [[-120.0, 35.0], [-60.0, 35.0], [-60.0, 65.0], [-120.0, 65.0]]
    X, _ = make_blobs(40, centers=corners, cluster_std=0.1, random_state=0)
    frame = pd.DataFrame(X, columns=["lon", "lat"])
    model = GraphTailor(4, random_state=0).fit(frame)
    visit(browser, fit_report(model, frame), tmp_path)
    assert axes_of(browser)[0] == ["lon →", "↑ lat"]
    first, second, third = (
        place_of(browser, f"row {np.flatnonzero(near)[0]}")
        for near in (np.abs(X - corner).max(axis=1) < 1 for corner in corners[:3])
    )
    # At 50 degrees north 60 degrees of longitude are as long as 38.6 of latitude.
    width, height = second[0] - first[0], second[1] - third[1]
    assert width / height == pytest.approx(60 * np.cos(np.radians(50)) / 30, rel=0.03)


def test_lasso_and_legend_select(levels_page, opened):
    _, model, _ = levels_page
    opened.ask(
        "document.getElementById('lasso').click();"
        "document.getElementById('stage').scrollIntoView({ behavior: 'instant' })"
    )
    box = opened.ask(
        "document.getElementById('stage').getBoundingClientRect().toJSON()"
    )
    left, top, width, height = (box[k] for k in ("left", "top", "width", "height"))
    corners = [(3, 3), (width - 3, 3), (width - 3, height - 3), (3, height - 3)]
    opened.drag([(left + a, top + b) for a, b in corners])
    opened.settle()
    said = opened.ask(f"({TEXT})('selection')")
    assert "90 rows selected, 100" in said
    # Their profile is beside that of the group of most of them.
    assert "The selected rows" in said
    assert "The group of most of them" in said
    opened.ask("document.querySelector('#legend button').click()")
    opened.settle()
    said = opened.ask(f"({TEXT})('selection')")
    assert f"{np.bincount(model.labels_)[0]} rows selected" in said
    profile = "[...document.querySelectorAll('{} .trait')].map((t) => t.textContent)"
    assert opened.ask(profile.format("#selection")) == (
        opened.ask(profile.format("#group-0"))
    )
    opened.ask("document.getElementById('selection-clear').click()")
    assert opened.ask("document.getElementById('selection').hidden")


def test_pan_and_zoom(opened):
    start = place_of(opened, "=item 3")
    opened.ask("document.getElementById('zoom-in').click()")
    zoomed = place_of(opened, "=item 3")[0]
    focus = "document.getElementById('stage').focus({ preventScroll: true })"
    opened.ask(focus)
    opened.press("ArrowRight")
    moved = place_of(opened, "=item 3")[0]
    assert moved < zoomed
    opened.ask(focus)
    opened.press("0")
    assert place_of(opened, "=item 3") == pytest.approx(start, abs=1)
    x, y = start
    opened.drag([(x, y), (x + 20, y + 10), (x + 40, y + 10)])
    opened.settle()
    assert place_of(opened, "=item 3") == pytest.approx((x + 40, y + 10), abs=1)


def test_colour_by_certainty_and_columns(opened):
    seen = {opened.ask(PICTURE)}
    options = opened.ask(
        "[...document.querySelectorAll('#colour-by option')].map((o) => o.textContent)"
    )
    assert options[:2] == ["Group", "How sure"]
    assert {"height", "color"} <= set(options)
    for name in ("How sure", "height", "color"):
        opened.ask(
            "(() => { const choice = document.getElementById('colour-by');"
            f"choice.selectedIndex = {options.index(name)};"
            "choice.dispatchEvent(new Event('change')); })()"
        )
        opened.settle()
        seen.add(opened.ask(PICTURE))
    assert len(seen) == 4
    legend = opened.ask(f"({TEXT})('legend')")
    assert "red" in legend
    assert "blue" in legend


def test_names_merges_and_files(levels_page, opened):
    _, model, _ = levels_page
    opened.ask(
        """(() => { const name = document.querySelector("textarea.name");
        name.value = "=my,\\n group";
        name.dispatchEvent(new Event("change")); })()"""
    )
    opened.ask(
        """(() => { const ticks = document.querySelectorAll("[type=checkbox]");
        ticks[1].click(); ticks[2].click();
        document.getElementById("merge").click(); })()"""
    )
    assert opened.ask(GROUPS) == 2
    assert opened.ask("document.querySelectorAll('#profiles > details').length") == 2
    assert "Merged on this page" in opened.ask(f"({TEXT})('profiles')")
    opened.ask("document.getElementById('save-names').click()")
    found = read_group_names(opened.downloaded("names.json"))
    assert found.n_clusters == 3
    assert found.names[0] == "=my, group"
    assert sorted(found.merged) + list(found.merged.values()) in ([1, 2], [2, 1])
    opened.ask("document.getElementById('save-labels').click()")
    saved = pd.read_csv(opened.downloaded("labels.csv"))
    assert saved.id.tolist() == [f"'=item {i}" for i in range(90)]
    np.testing.assert_array_equal(saved.label, found.merge(model.labels_))
    assert saved.group[saved.label == 0].unique().tolist() == ["'=my, group"]
    opened.ask("document.getElementById('undo').click()")
    assert opened.ask(GROUPS) == 3


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_widths_and_colours(levels_page, browser, tmp_path, width, scheme):
    visit(browser, levels_page[0], tmp_path, width, 800, scheme)
    browser.ask(
        "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
    )
    browser.settle()
    assert browser.ask("document.documentElement.scrollWidth - innerWidth") <= 0
    # The longest count of rows does not run into what stands beside it.
    left, needed = browser.ask(
        """(() => { const size = document.querySelector("#group-list .size");
        size.textContent = "1,000,000 rows, 100 %";
        return [size.clientWidth, size.scrollWidth]; })()"""
    )
    assert needed <= left
    paper = browser.ask("getComputedStyle(document.body).backgroundColor")
    assert paper == {"light": "rgb(246, 246, 243)", "dark": "rgb(21, 23, 26)"}[scheme]
    assert browser.faults == []


@pytest.mark.parametrize("level", ["none", "weak"])
def test_words_are_no_stronger_than_the_verdict(browser, tmp_path, level):
    """Clusters that chance gives too are not called clear, on any page or level."""
    X, _ = make_blobs(60, centers=3, cluster_std=0.2, random_state=0)
    model = GraphTailor(random_state=0).fit(X)
    p_value = {"none": 0.5, "weak": 0.02}[level]
    verdict = Verdict(level, 0.5, 0.5, p_value, 29)
    model.decision_ = dataclasses.replace(model.decision_, verdict=verdict)
    visit(browser, fit_report(model, X), tmp_path)
    said = browser.ask("document.querySelector('main').innerText").lower()
    assert "shuffled columns" in said
    for word in ("clear", *(["% sure", "suggested", "doubtful"] * (level == "none"))):
        assert word not in said
    expected = {"none": "as chance gives it", "weak": "tentative"}[level]
    assert expected in browser.ask("document.querySelector('.sure').textContent")
    assert browser.faults == []


def test_print(levels_page, opened):
    assert opened.pdf().startswith(b"%PDF")
    opened.media(kind="print")
    shown = "getComputedStyle(document.getElementById('{}')).display"
    assert opened.ask(shown.format("points")) == "none"
    assert opened.ask(shown.format("dots")) == "inline"
    assert opened.ask("document.querySelectorAll('#dots path').length") >= 3
    # What is folded on the screen is open on paper.
    assert opened.ask(
        "[...document.querySelectorAll('#profiles details')].every((each) => each.open)"
    )
    opened.media()


def test_a_dark_screen_prints_on_white(levels_page, browser, tmp_path):
    visit(browser, levels_page[0], tmp_path, 1280, 900, "dark")
    paths = "[...document.querySelectorAll('#dots path')]"
    strokes = f"{paths}.map((path) => path.getAttribute('stroke'))"
    dark = browser.ask(strokes)
    browser.media("dark", "print")
    browser.settle()
    printed = browser.ask(strokes)
    visit(browser, levels_page[0], tmp_path)
    assert printed == browser.ask(strokes) != dark


def test_known_classes_name_the_groups(browser, tmp_path):
    X, y = make_blobs(60, centers=3, cluster_std=0.3, random_state=0)
    names = np.array(["ash", "oak", "elm"], dtype=object)
    some = np.where(np.arange(60) < 30, names[y], None)
    model = GraphTailor(3, random_state=0).fit(X, known=some)
    visit(browser, fit_report(model, X), tmp_path)
    shown = browser.ask(
        "[...document.querySelectorAll('textarea.name')].map((name) => name.value)"
    )
    assert shown == [str(name) for name in model.known_classes_]
    assert sorted(shown) == ["ash", "elm", "oak"]
    text = browser.ask("document.querySelector('main').textContent")
    assert "whose class was given" in text
    assert "No labels were used" not in text


def test_without_webgl(levels_page, tmp_path, browser):
    with Browser(tmp_path, webgl=False) as flat:
        visit(flat, levels_page[0], tmp_path)
        assert flat.ask("document.getElementById('stage').className") == "flat"
        shown = "getComputedStyle(document.getElementById('dots')).display"
        assert flat.ask(shown) == "inline"
        place_of(flat, "=item 7")


def sizes_of_pages(paper: bytes) -> list[int]:
    """Bytes of what is drawn on each page of a PDF of Chromium."""
    sizes = []
    for number in re.findall(rb"/Contents (\d+) 0 R", paper):
        drawn = rb"\n%s 0 obj\n<<.*?/Length (\d+)" % number
        sizes.append(int(re.search(drawn, paper, re.DOTALL)[1]))
    return sizes


def test_36_groups_are_distinguishable(browser, tmp_path):
    X, y = make_blobs(720, centers=36, n_features=5, random_state=0)
    model = JointModel(36, n_init=1, random_state=0).fit(X)
    model.labels_ = y
    visit(browser, page_with_levels(model, X, 12), tmp_path)
    looks = browser.ask(
        "[...document.querySelectorAll('#group-list .swatch')].map((each) => "
        "each.style.getPropertyValue('--k') + each.dataset.shape + each.textContent)"
    )
    assert len(looks) == 36
    assert len({look.rstrip("0123456789") for look in looks}) == 36
    names = browser.ask(
        "[...document.querySelectorAll('textarea.name')].map((name) => name.value)"
    )
    assert len(set(names)) == 36
    # On paper all are unfolded, four at most on a page, and no page is empty.
    pages = sizes_of_pages(browser.pdf())
    assert len(pages) >= 9
    assert min(pages) > 1000
    browser.media(kind="print")
    browser.settle()
    assert browser.ask(
        "[...document.querySelectorAll('#profiles details')].every((each) => each.open)"
    )
    legend = "document.getElementById('legend')"
    assert browser.ask(f"{legend}.scrollHeight <= {legend}.clientHeight")
    browser.media()
    assert browser.faults == []


def test_hostile_names(browser, tmp_path):
    """200 features, rows, a class, the data and the command are hostile."""
    X, y = make_blobs(90, centers=3, n_features=200, cluster_std=4.0, random_state=0)
    backwards = "\u202e"
    frame = pd.DataFrame(X, columns=[f"{HOSTILE}{backwards} {j}" for j in range(200)])
    frame[HOSTILE] = [HOSTILE, "b", "c"] * 30
    model = GraphTailor(3, random_state=0).fit(X)
    ids = np.array([f"{HOSTILE} {i}" for i in range(90)])
    table = Table("t", X, ids, y=np.array(["a", HOSTILE, "c"])[y], frame=frame)
    summary = summarize_fit(model, data=HOSTILE, y_true=y, warnings=[HOSTILE])
    page = page_with_levels(model, X, 5, summary=summary, command=HOSTILE, table=table)
    assert HOSTILE not in page
    visit(browser, page, tmp_path)
    assert browser.ask("document.scripts.length") == 4
    left = browser.ask(f"({TEXT})('columns-left')")
    assert left.startswith("200 of 201 columns are on this page")
    place_of(browser, f"{HOSTILE} 4")
    assert HOSTILE in browser.ask(f"({TEXT})('why-content')")
    # A name that is written from right to left turns no other words around.
    assert browser.ask(
        """(() => { const text = document.querySelector(".rule").lastChild;
        const [h, o] = [1, 6].map((i) => { const range = document.createRange();
          range.setStart(text, i); range.setEnd(text, i + 1);
          return range.getBoundingClientRect(); });
        return o.left > h.left || o.top > h.top; })()"""
    )
    browser.resize(390, 800)
    browser.settle()
    assert browser.ask("document.documentElement.scrollWidth - innerWidth") <= 0
    assert browser.faults == []


def test_the_policy_stops_other_scripts(levels_page, browser, tmp_path):
    page = levels_page[0].replace("</main>", "<script>alert(1)</script></main>")
    visit(browser, page, tmp_path)
    assert any("Content Security Policy" in fault for fault in browser.faults)
    assert not any("dialog" in fault for fault in browser.faults)


def test_a_page_without_data_or_levels(browser, tmp_path):
    X, _ = make_blobs(60, centers=2, random_state=0)
    model = KMeansClustering(2, random_state=0).fit(X)
    visit(browser, fit_report(model), tmp_path)
    assert browser.ask(GROUPS) == 2
    assert browser.ask("document.getElementById('level') === null")
    assert "cannot be placed" in browser.ask(f"({TEXT})('map')")
    browser.ask("document.getElementById('save-labels').click()")
    assert browser.faults == []


def test_a_model_brings_its_levels_and_their_certainty(browser, tmp_path):
    """Without data the rows of a GraphTailor have places, levels and certainty."""
    X, _ = make_blobs(60, centers=3, cluster_std=0.7, random_state=0)
    model = GraphTailor(random_state=0).fit(X)
    visit(browser, fit_report(model), tmp_path)
    path = [level.n_clusters for level in model.n_clusters_path_]
    suggested = browser.ask(
        "[...document.querySelectorAll('[data-level]')].map((b) => b.textContent)"
    )
    assert suggested == [f"{k} groups" for k in sorted(model.suggested_n_clusters_)]
    browser.ask(
        f"document.getElementById('level').value = {len(path) - 1};"
        "document.getElementById('level').dispatchEvent(new Event('input'))"
    )
    assert browser.ask(GROUPS) == len(np.unique(model.cluster_layers_[0]))
    assert "% sure" in browser.ask("document.querySelector('.sure').textContent")
    assert browser.faults == []


def test_levels_that_are_not_nested_and_a_sample(browser, tmp_path):
    """The script unpacks the clusters of all rows at every level, to the last one."""
    rng = np.random.default_rng(0)
    n = 26_000
    X = rng.normal(size=(n, 2))
    model = KMeansClustering(3, n_init=1, random_state=0).fit(X[:30])
    layers = [rng.integers(0, k, n) for k in (300, 7)]
    model.labels_ = rng.integers(0, 3, n)
    two = rng.integers(0, 2, n)
    page = page_with_levels(model, X, (*layers, two))
    assert len(page) < 1_000_000
    visit(browser, page, tmp_path)
    assert "a sample of 4," in browser.ask(f"({TEXT})('map')")
    for place, labels in enumerate([two, model.labels_, layers[1], layers[0]]):
        for old in browser.folder.glob("labels*.csv"):
            old.unlink()
        browser.ask(
            f"document.getElementById('level').value = {place};"
            "document.getElementById('level').dispatchEvent(new Event('input'));"
            "document.getElementById('save-labels').click()"
        )
        saved = pd.read_csv(browser.downloaded("labels*.csv"))
        np.testing.assert_array_equal(saved.id, np.arange(n))
        np.testing.assert_array_equal(saved.label, labels)
    assert_pushed_picture_settles(browser)
    browser.media(kind="print")
    assert "a sample of 4," in browser.ask("document.querySelector('#map').innerText")
    browser.media()
    assert browser.faults == []


def assert_pushed_picture_settles(browser: Browser) -> None:
    """A picture of many rows is pushed as it is, and drawn in its new place at rest."""
    x, y = place_of(browser, "row 0")
    browser.ask(
        """window.pushed = []; const points = document.getElementById("points");
        new MutationObserver(() => window.pushed.push(points.style.transform))
          .observe(points, { attributes: true }); true"""
    )
    browser.drag([(x, y), (x + 10, y), (x + 40, y)])
    browser.ask("new Promise((done) => setTimeout(done, 300))")
    browser.settle()
    pushed = browser.ask("window.pushed")
    assert any(each.startswith("translate(") for each in pushed)
    assert pushed[-1] == "none"
    assert place_of(browser, "row 0") == pytest.approx((x + 40, y), abs=1)


def test_axe_finds_nothing_serious(opened):
    opened.ask(
        "document.querySelectorAll('details').forEach((each) => { each.open = true; })"
    )
    place_of(opened, "=item 5")
    opened.ask("document.querySelector('#legend button').click()")
    assert_accessible(opened)


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("<img src='http://example.org/a.png'>", "asked for http://example.org"),
        ("<link rel=stylesheet href='a.css'>", "asked for"),
        ("<script>nothing.there();</script>", "error"),
        ("<script>console.error('oh')</script>", "console oh"),
        ("<script>alert('hm')</script>", "dialog hm"),
    ],
)
def test_the_browser_would_notice(browse, fault, said):
    page = f"<!doctype html><html><head></head><body>{fault}</body></html>"
    with pytest.raises(AssertionError, match=said):
        browse(page, "")
