import re
import shutil
import subprocess
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path

import pandas as pd
import pytest

from graphtailor.bench import Store, load_plan, parse_plan, run_plan
from graphtailor.bench.results.latex import plain_latex
from graphtailor.bench.results.results import collect_results
from graphtailor.bench.results.tables import Cause
from graphtailor.plot.bench_figures import critical_difference_figure, mean_figure
from graphtailor.plot.heat_maps import difference_figure, search_figure, time_figure
from graphtailor.report.bench import bench_report, write_figures, write_tables
from graphtailor.statistics import friedman_test

SCRIPT_NAME = "<script>alert(1)</script>"
SMALL = Path(__file__).parent / "small.toml"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
CHROMIUM = CHROMIUM or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium here: the page was NOT tried in a browser"
)


@pytest.fixture(scope="module")
def page(filled_store):
    return bench_report(filled_store)


def test_page_needs_nothing_else(page):
    assert page.startswith("<!doctype html>")
    # Addresses occur only as names of the SVG language, never to fetch anything.
    for attribute in ("src", "href"):
        for address in re.findall(rf'\b{attribute}="([^"]*)"', page):
            assert address.startswith(("#", "data:image/png")), address
    assert "@import" not in page
    assert "url(http" not in page


def test_every_table_says_how_its_settings_were_chosen(page):
    words = {"oracle": "with the true labels", "blind": "without labels"}
    captions = dict(
        re.findall(
            r'<table class="results" id="table-(.*?)">\s*<caption><span>(.*?)<', page
        )
    )
    tables = ["means", "ranks", "wins", "iris", "wine"]
    expected = {f"{table}-{choice}" for table in tables for choice in words}
    assert set(captions) == expected
    for key, caption in captions.items():
        assert f"chosen {words[key.rpartition('-')[2]]}" in caption


def test_every_figure_has_a_sentence(page):
    figures = re.findall(
        r'<figure class="drawn" id="figure-(.*?)">(.*?)</figure>', page, re.DOTALL
    )
    names = {name for name, _ in figures}
    assert {"means-oracle", "time-blind", "differences-oracle", "ranks-blind"} <= names
    for _, content in figures:
        assert "<svg" in content
        assert len(re.search("<figcaption>(.*?)</figcaption>", content)[1]) > 40


@pytest.fixture(scope="module")
def special(tmp_path_factory):
    """The page and the LaTeX of methods with an odd name, a note, and a gap."""
    folder = tmp_path_factory.mktemp("special")
    plan = parse_plan(
        {
            "methods": ["L2-Graph", SCRIPT_NAME],
            "datasets": ["wine"],
            "reference": "L2-Graph",
            "method": {
                "L2-Graph": {"grid": {"lam": [1000.0]}},
                SCRIPT_NAME: {"uses": "PCA", "report": 2, "note": "two repeats"},
            },
        }
    )
    with Store(folder) as store:
        run_plan(plan, store, jobs=1)
        assert sorted(store.runs().groupby("method").size()) == [2, 40]
        causes = [Cause("too large a weight", metric="ACC")]
        write_tables(store, folder)
        page = bench_report(store, causes=causes)
        return page, (folder / "wine-blind.tex").read_text()


def test_cells_below_the_studys_are_listed_with_their_causes(special):
    page, _ = special
    table = re.search(r'id="table-gaps-oracle">(.*?)</table>', page, re.DOTALL)[1]
    assert "chosen with the true labels (oracle)" in table
    assert table.count("too large a weight") == 2  # as text, and to sort by
    assert "not looked into" in table
    assert "Of 8 cells that the study has too" in page


def test_what_is_reduced_stands_beside_the_name(special):
    page, latex = special
    name = "&lt;script&gt;alert(1)&lt;/script&gt;"
    # In two tables of data sets and in the six summaries.
    beside = f'title="two repeats"><span>{name}</span><small>†</small>'
    assert page.count(beside) == 2 + 6
    assert f"† {name}: two repeats." in page
    assert r"</script>$^\dagger$" in latex
    assert "</script>: two repeats" in latex


def test_names_are_escaped(special):
    page, _ = special
    assert SCRIPT_NAME not in page
    assert "&lt;script&gt;alert(1)" in page


def test_ids_are_unique(page):
    class Ids(HTMLParser):
        found: list[str] = []  # noqa: RUF012

        def handle_starttag(self, tag, attributes):
            self.found += [value for name, value in attributes if name == "id"]

    parser = Ids()
    parser.feed(page)
    assert len(parser.found) == len(set(parser.found))
    assert {"set-iris", "table-wine-oracle", "table-ranks-blind"} <= set(parser.found)


def test_page_of_an_unfinished_benchmark(tmp_path):
    class Enough(Exception):
        pass

    def stop(progress):
        if progress.done >= 3:
            raise Enough

    with Store(tmp_path) as store:
        with pytest.raises(Enough):
            run_plan(load_plan(SMALL), store, jobs=1, watch=stop)
        assert "not run yet" in bench_report(store)


def test_empty_store(tmp_path):
    with Store(tmp_path) as store, pytest.raises(ValueError, match="no runs yet"):
        bench_report(store)


def test_tables_as_files(filled_store, tmp_path):
    written = write_tables(filled_store, tmp_path)
    # CSV and LaTeX of the summaries and data sets, the differences, the gaps.
    assert len(written) == 2 * 2 * (3 + 2) + 2 + 2
    assert len(pd.read_csv(tmp_path / "differences-blind.csv")) == 2 * 4 * 4
    table = pd.read_csv(tmp_path / "wine-oracle.csv", index_col=0)
    cells = collect_results(filled_store).cells["oracle"]
    cell = cells.query("dataset == 'wine' and method == 'GMF' and metric == 'ACC'")
    assert table.at["GMF", "ACC mean"] == pytest.approx(cell["mean"].item())


def test_figures_draw_everything(filled_store):
    results = collect_results(filled_store)
    text = StringIO()
    mean_figure(results, "oracle").savefig(text, format="svg")
    assert len(time_figure(results, "blind").axes[0].texts) == 4 * 2
    assert len(difference_figure(results, "oracle").axes[0].texts) == 4 * 2
    assert search_figure(results, "GMF") is None  # one weight is no map
    means = pd.DataFrame({"a": [3.0, 2, 1], "b": [3.0, 1, 2]}, ["A", "B", "C"])
    figure = critical_difference_figure(friedman_test(means))
    told = [item.get_text() for item in figure.axes[0].texts]
    assert "A  1.00" in told
    assert any(text.startswith("critical difference") for text in told)


def test_figures_as_files(filled_store, tmp_path):
    written = write_figures(filled_store, tmp_path)
    assert {path.suffix for path in written} == {".svg", ".png"}
    # Means, times, differences, ranks, for both ways of choosing.
    assert len(written) == 2 * 2 * 4
    assert all(path.stat().st_size > 1000 for path in written)


def in_browser(page, script, tmp_path):
    """What the script writes into the page, run in a real browser from a file."""
    path = tmp_path / "page.html"
    ending = f"<pre id=told></pre><script>{script}</script></body>"
    path.write_text(page.replace("</body>", ending), encoding="utf-8")
    command = [
        CHROMIUM,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--dump-dom",
        path.as_uri(),
    ]
    dom = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=True
    ).stdout
    return re.search(r'<pre id="told">(.*?)</pre>', dom, re.DOTALL).group(1).split("|")


SCRIPT = """
const told = [];
window.onerror = (message) => told.push("error " + message);
const table = document.getElementById("table-wine-oracle");
const heads = [...table.tHead.rows].at(-1).cells;
const rows = () => [...table.tBodies[0].rows];
const column = (k) => rows().map((row) => row.cells[k].dataset.value);
heads[1].firstElementChild.click();
told.push(heads[1].getAttribute("aria-sort"), column(1).join(" "));
heads[1].firstElementChild.click();
told.push(heads[1].getAttribute("aria-sort"), column(1).join(" "));
heads[0].firstElementChild.click();
told.push(heads[0].getAttribute("aria-sort"), column(0).join(" "));
told.push(heads[1].getAttribute("aria-sort"));
const shown = (id) => document.getElementById(id).offsetParent !== null;
told.push(shown("table-wine-oracle"), shown("table-wine-blind"));
document.querySelector('.switch button[data-choice="blind"]').click();
told.push(shown("table-wine-oracle"), shown("table-wine-blind"));
told.push(document.documentElement.scrollWidth <= window.innerWidth);
document.getElementById("told").textContent = told.join("|");
"""


@needs_browser
def test_page_in_a_browser(page, tmp_path):
    told = in_browser(page, SCRIPT, tmp_path)
    falling = [float(value) for value in told[1].split()]
    rising = [float(value) for value in told[3].split()]
    assert told[0] == "descending"
    assert falling == sorted(falling, reverse=True)
    assert len(falling) == 4
    assert told[2] == "ascending"
    assert rising == sorted(rising)
    assert told[4:6] == ["ascending", "glpca gmf k-means pca"]
    assert told[6] == ""
    # First the oracle's tables are shown, after the click the blind ones.
    assert told[7:11] == ["true", "false", "false", "true"]
    # The page itself never scrolls sideways; wide tables do inside it.
    assert told[11] == "true"


def test_latex_tables_have_nothing_that_latex_refuses(filled_store, tmp_path):
    """Plain letters, braces in pairs, and as many cells in each row as columns."""
    causes = [Cause("A sentence with 50 % and a_b that is too long for one line.")]
    paths = [
        p for p in write_tables(filled_store, tmp_path, causes) if p.suffix == ".tex"
    ]
    assert len(paths) > 4
    for path in paths:
        text = path.read_text()
        assert text.isascii(), path.name
        plain = text.replace(r"\{", "").replace(r"\}", "")
        assert plain.count("{") == plain.count("}")
        form = re.search(r"\\begin{tabular}{(.*)}\n", text)[1].replace("p{7cm}", "p")
        rows = re.findall(r"^(?!\\)(.*) \\\\$", text, re.MULTILINE)
        assert rows
        assert {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows} == {len(form)}


def test_a_table_that_no_page_holds_is_a_longtable():
    text = plain_latex(pd.DataFrame({"here better": range(99)}), "Long")
    assert text.startswith(r"\begin{longtable}{lr}")
    assert r"\shortstack[r]{here\\better}" in text


def test_marked_up_cells_are_no_paragraphs(filled_store, tmp_path):
    """Marks make a cell long in LaTeX, not on paper."""
    tables = write_tables(filled_store, tmp_path)
    (path, *_) = [p for p in tables if p.name == "iris-oracle.tex"]
    assert "underline" in path.read_text()
    assert "p{7cm}" not in path.read_text()


def test_a_long_text_is_a_paragraph_of_the_latex_table():
    cause = "A sentence with 50 % and a_b that is too long for one line."
    text = plain_latex(pd.DataFrame({"Δ": [0.1], "cause": [cause]}), "Causes")
    assert r"\begin{tabular}{lrp{7cm}}" in text
    assert r"50 \% and a\_b" in text
    assert text.isascii()
