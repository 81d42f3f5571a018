import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from graphtailor.bench import Store, paper_results, parse_plan, run_plan
from graphtailor.bench.results.latex import dataset_latex
from graphtailor.bench.results.results import collect_results, failure_table
from graphtailor.bench.results.tables import (
    complete_means,
    dataset_table,
    mean_table,
    rank_table,
    win_table,
)
from graphtailor.bench.run.data import BenchData
from graphtailor.bench.run.execute import Run
from graphtailor.bench.run.work_units import environment, make_units, method_source
from graphtailor.bench.store.store import Session
from graphtailor.statistics import mark


def reported(store, plan, method, dataset, metric, params):
    """Scores of the report seeds, straight from the store."""
    runs = store.runs().join(store.scores(), on="key")
    rows = runs[
        (runs["method"] == method)
        & (runs["dataset"] == dataset)
        & (runs["params"] == params)
        & runs["seed"].isin(plan.report_seeds)
    ]
    return rows[metric].to_numpy()


def test_cells_are_the_means_of_the_fresh_seeds(results, filled_store):
    cells = results.cells["oracle"].set_index(["dataset", "method", "metric"])
    assert len(cells) == 2 * 4 * 4
    for metric in ("ACC", "NMI"):
        scores = reported(filled_store, results.plan, "PCA", "wine", metric, "{}")
        cell = cells.loc[("wine", "PCA", metric)]
        assert len(scores) == cell["n_runs"] == 4
        assert cell["mean"] == pytest.approx(scores.mean())
        assert cell["std"] == pytest.approx(scores.std(ddof=1))
        assert cell["low"] <= cell["mean"] <= cell["high"]


def test_search_and_report_are_both_kept(results):
    cells = results.cells["oracle"]
    searched = cells[cells["method"].isin(["GLPCA", "GMF"])]
    assert searched["search"].notna().all()
    assert searched["setting"].str.startswith("alpha = ").all()
    blind = results.cells["blind"]
    assert (blind[blind["method"] == "GMF"]["setting"] == "defaults").all()


def test_another_reference_turns_the_marks_round(results, filled_store):
    def verdict(results, method):
        cells = results.cells["blind"].set_index(["dataset", "method", "metric"])
        return cells.loc[("wine", method, "ACC"), "versus_reference"]

    reference = results.plan.reference
    other = next(m.name for m in results.plan.methods if m.name != reference)
    turned = collect_results(filled_store, other)
    opposite = {"better": "worse", "same": "same", "worse": "better"}
    assert verdict(turned, reference) == opposite[verdict(results, other)]
    assert turned.plan.reference == other


def test_marks_are_those_of_the_rank_sum_test(results, filled_store):
    cells = results.cells["blind"].set_index(["dataset", "method", "metric"])
    reference = reported(filled_store, results.plan, "GLPCA", "wine", "ACC", "{}")
    other = reported(filled_store, results.plan, "K-means", "wine", "ACC", "{}")
    turned = {"better": "worse", "same": "same", "worse": "better"}
    cell = cells.loc[("wine", "K-means", "ACC")]
    assert cell["versus_reference"] == turned[mark(reference, other)]
    assert cell["p_holm"] >= cell["p"]
    assert pd.isna(cells.loc[("wine", "GLPCA", "ACC")]["versus_reference"])


def test_the_studys_numbers_stand_beside(results):
    study = paper_results().set_index(["dataset", "method", "metric"])
    for choice in results.plan.choices:
        for _, cell in results.cells[choice].iterrows():
            printed = study.loc[(cell["dataset"], cell["method"], cell["metric"])]
            assert cell["printed"] == printed["mean"]
            assert cell["difference"] == pytest.approx(cell["mean"] - printed["mean"])


def test_ranks_and_counts_are_complete(results):
    for choice in results.plan.choices:
        ranks = rank_table(results, choice)
        # Every method has a rank in each of 2 data sets times 4 metrics.
        assert (ranks["ours"].sum(axis="columns") == 8).all()
        assert (ranks["study"].sum(axis="columns") == 8).all()
        wins = win_table(results, choice)
        assert wins["ours"].loc["all methods"].sum() == 3 * 8
        assert "GLPCA" not in wins.index
        assert (wins.iloc[:-1].sum() == wins.iloc[-1]).all()
        assert complete_means(results, choice).shape == (4, 2)
        means = mean_table(results, choice)
        assert means["ours"].is_monotonic_decreasing


def test_the_studys_own_summary_comes_out(tmp_path):
    """Over all its cells, its method ranks 23, 13, 2, 2 and the printed marks count."""
    plan = parse_plan({"methods": ["K-means", "JointModel"], "datasets": "all"})
    with Store(tmp_path) as store:
        _fill_with_truth(plan, store)
        results = collect_results(store)
    ranks = rank_table(results, "blind").loc["JointModel", "study"]
    assert ranks.tolist() == [23, 13, 2, 2]
    counts = win_table(results, "blind").loc["K-means", "study"]
    printed = paper_results().query("method == 'K-means'")["versus_proposed"]
    assert counts["worse"] == (printed == "worse").sum()
    assert counts["better"] == (printed == "better").sum()


def _fill_with_truth(plan, store):
    """As if every blind run had found the classes, on tiny stand-ins for the data."""
    sources = json.dumps({m.uses: method_source(m.uses) for m in plan.methods})
    store.begin_session(
        Session("now", plan.to_json(), environment(), "{}", "{}", sources)
    )
    y = np.array([0, 0, 1, 1])
    for planned in plan.datasets:
        data = BenchData(planned.name, planned.scaling, np.eye(4), y, planned.name)
        store.add_data(data)
        for method in plan.methods:
            pair = (method, planned, planned.name)
            units = make_units(plan, "report", pair, [method.params])
            for unit in units:
                scores = dict.fromkeys(plan.metrics, 1.0)
                labels = y.astype(np.int32)
                runs = [Run(s, "done", "", 1.0, 1, labels, scores) for s in unit.seeds]
                store.add(unit, runs)


def test_failures_count_nowhere(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(__file__.rsplit("/", 1)[0])
    entry = {"uses": "bench_helpers:Trouble", "params": {"kind": "error"}}
    plan = parse_plan(
        {
            "methods": ["PCA", "Trouble", "Never"],
            "datasets": ["iris"],
            "reference": "PCA",
            "method": {
                "Trouble": entry,
                "Never": {**entry, "params": {"kind": "nothing of the kind"}},
            },
            "seeds": {"report": {"first": 101, "count": 3}},
        }
    )
    with Store(tmp_path) as store:
        run_plan(plan, store, jobs=1)
        results = collect_results(store)
    table = dataset_table(results, "blind", "iris")["ACC"]
    assert table.loc["Trouble", ["n_runs", "n_failed"]].tolist() == [1, 2]
    assert "2 of 3 runs error: ValueError: no such luck" in table.loc["Trouble", "note"]
    assert table.loc["Never", ["n_runs", "n_failed"]].tolist() == [1, 2]
    assert failure_table(results)["runs"].sum() == 4


def test_latex_has_the_looks_of_the_study(results):
    table = dataset_table(results, "oracle", "wine")
    text = dataset_latex(table, "wine & co")
    assert text.count(r"\cellcolor") >= 4
    assert r"\textbf" in text
    assert r"wine \& co" in text
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    assert [row.count("&") for row in rows] == [4] * 5
    assert rows[0] == r"Method & ACC & NMI & PUR & ARI \\"


def test_any_method_may_be_the_reference(tmp_path):
    plan = parse_plan({"methods": ["PCA", "K-means"], "datasets": ["iris"]})
    with Store(tmp_path) as store:
        run_plan(plan, store, jobs=1)
        usual = collect_results(store)
        run_plan(replace(plan, reference="PCA"), store, jobs=1)
        other = collect_results(store)
    turned = {"better": "worse", "same": "same", "worse": "better"}
    pca = dataset_table(usual, "blind", "iris").loc["PCA"]
    k_means = dataset_table(other, "blind", "iris").loc["K-means"]
    for metric in plan.metrics:
        expected = turned[pca[metric, "versus_reference"]]
        assert k_means[metric, "versus_reference"] == expected
