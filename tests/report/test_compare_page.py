"""The page that compares methods: numbers, reasons, and a browser that sorts."""

from datetime import date

import numpy as np
import pytest
from sklearn.datasets import make_moons
from sklearn.metrics import adjusted_rand_score, silhouette_score

from graphtailor.diagnostics.comparison import Run, compare_runs, match_clusters
from graphtailor.report.compare_page import compare_report

HOSTILE = "<script>alert('x')</script>"
SCRIPT = """
window.alert = () => faults.push("alert");
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
def test_page_in_a_browser(data, browse, width):
    _, y, _, found = data
    page = compare_report(
        found,
        data=HOSTILE,
        ids=[f"{HOSTILE} {i}" for i in range(120)],
        y_true=np.array(["up", HOSTILE])[y],
        command=HOSTILE,
        today=date(2026, 1, 2),
    )
    assert "2026-01-02" in page
    told = browse(page, SCRIPT, width)
    assert told["heads"][:4] == ["Method", "Clusters", "Sizes", "Seconds"]
    assert told["heads"][-1] == "ARI"
    assert told["falling"] == ["descending", ["20.0", "3.0"]]
    assert told["rising"] == ["ascending", ["3.0", "20.0"]]
    assert told["names"] == [HOSTILE, "right"]
    # Two methods and the classes; the point is marked in all of them.
    assert told["marked"] == [True, True, True]
    assert told["tip"].startswith(f"{HOSTILE} 5cluster ")
    assert ", class " in told["tip"]
    assert told["overflow"] <= 0
