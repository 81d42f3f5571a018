from dataclasses import replace

import numpy as np
import pytest

from graphtailor.bench import paper_results
from graphtailor.bench.results.tables import (
    Cause,
    count_gaps,
    difference_table,
    gap_table,
    load_causes,
)
from graphtailor.report.bench.summary_views import gap_view
from graphtailor.report.bench.views import note_lines


def test_every_cell_of_the_study_has_its_difference(results):
    table = difference_table(results, "oracle")
    assert len(table) == 2 * 4 * 4
    study = paper_results().set_index(["dataset", "method", "metric"])
    for row in table.to_dict("records"):
        printed = study.loc[(row["dataset"], row["method"], row["metric"])]
        expected = round(row["here"], 3) - printed["mean"]
        assert row["difference"] == pytest.approx(expected, abs=1e-9)


def test_gaps_are_the_cells_below_by_more_than_the_std(results):
    cells = results.cells["oracle"].copy()
    # Some far below the study's, some close to it, some above.
    shifts = np.resize([0.2, 0.003, -0.1, 0.03], len(cells))
    cells["printed"], cells["printed_std"] = cells["mean"].round(3) + shifts, 0.01
    moved = replace(results, cells={"oracle": cells})
    gaps = gap_table(moved, "oracle")
    expected = cells[np.isin(shifts, [0.2, 0.03])]
    names = ["method", "dataset", "metric"]
    assert set(gaps[names].itertuples(index=False, name=None)) == set(
        expected[names].itertuples(index=False, name=None)
    )
    assert gaps["difference"].is_monotonic_increasing
    assert (gaps["cause"] == "not looked into").all()
    counts = count_gaps(moved, "oracle")
    assert counts == (len(gaps), len(cells) // 4, len(cells) // 4)


def changed(results, **columns):
    """The results with one cell of PCA on wine, whose numbers are given."""
    cells = results.cells["oracle"]
    one = (cells["method"] == "PCA") & (cells["dataset"] == "wine")
    cell = cells[one & (cells["metric"] == "ACC")].assign(**columns)
    return replace(results, cells={"oracle": cell})


@pytest.mark.parametrize(
    ("mean", "printed", "std", "is_gap"),
    [
        (0.90, 0.95, 0.04, True),
        (0.91, 0.95, 0.04, False),  # by exactly the std
        (0.9096, 0.91, 0.0, False),  # the study prints three digits
        (0.9090, 0.91, 0.0, True),
        (0.90, 0.91, float("nan"), True),  # deterministic: no std
        (0.95, 0.90, 0.01, False),
    ],
)
def test_what_counts_as_a_gap(results, mean, printed, std, is_gap):
    one = changed(results, mean=mean, printed=printed, printed_std=std)
    assert len(gap_table(one, "oracle")) == is_gap


def test_the_first_cause_that_fits_is_told(tmp_path, results):
    path = tmp_path / "causes.toml"
    path.write_text(
        '[[cause]]\nmethod = "P*"\ndata = "wine"\nmetric = "A[CR]*"\ntext = "one"\n'
        '[[cause]]\nmethod = "PCA"\ntext = "two"\n'
    )
    causes = load_causes(path)
    one = changed(results, mean=0.1)
    assert gap_table(one, "oracle", causes)["cause"].tolist() == ["one"]
    assert gap_table(one, "oracle", causes[1:])["cause"].tolist() == ["two"]
    other = [Cause("three", method="pca"), Cause("four", data="iris")]
    assert gap_table(one, "oracle", other)["cause"].tolist() == ["not looked into"]
    view = gap_view(one, "oracle", causes)
    assert view.rows[0][-1].text == "one"
    assert "one" in view.csv
    assert "one" in view.latex


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[[cause]\n", "not a TOML file"),
        ('[[cause]]\nmethod = "PCA"\n', "lacks 'text'"),
        ('[[cause]]\ntext = "why"\nmetod = "PCA"\n', "Did you mean 'method'"),
        ('[[causes]]\ntext = "why"\n', "nothing else"),
        ('[cause]\ntext = "why"\n', "nothing else"),
    ],
)
def test_bad_causes_are_named(tmp_path, text, message):
    path = tmp_path / "causes.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=message):
        load_causes(path)


def test_no_gaps_is_an_empty_table(results):
    cells = results.cells["oracle"].assign(printed=np.nan)
    view = gap_view(replace(results, cells={"oracle": cells}), "oracle", ())
    assert view.rows == []


def test_equal_notes_are_told_once(results):
    methods = [replace(method, note="a") for method in results.plan.methods[:2]]
    methods += [replace(results.plan.methods[2], note="b"), results.plan.methods[3]]
    plan = replace(results.plan, methods=tuple(methods))
    assert note_lines(plan) == ["† K-means, PCA: a", "† GLPCA: b"]
