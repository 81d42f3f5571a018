"""``graphtailor compare``: several methods on one table, none of them fatal."""

import csv
import json

import numpy as np
import pytest

from graphtailor.baselines import SymNMF
from graphtailor.cli import run_compare
from graphtailor.cli.estimators import Fit
from graphtailor.diagnostics.peers import PEERS
from graphtailor.linalg import free_memory
from graphtailor.registry import METHODS


def test_compare_writes_page_labels_and_summary(graphtailor, table, in_folder):
    table.to_csv("trees.csv", index=False)
    answer = graphtailor(
        "compare",
        "trees.csv",
        *("--methods", "GraphTailor,k-means,SC,kmeans"),
        *("--label", "kind", "--id", "name", "--output", "out"),
    )
    assert answer.code == 0, answer.err
    assert "trees: 60 rows by 3 methods" in answer.out
    assert "hardly matters whom you trust" in answer.out
    assert "Ward and Gaussian mixture agree most" in " ".join(answer.out.split())
    page = (in_folder / "out" / "compare.html").read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>")
    assert "tree003" in page
    with open("out/labels.csv", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["id", "GraphTailor", "K-means", "SC"]
    assert rows[1][0] == "tree000"
    assert len(rows) == 61
    summary = json.loads((in_folder / "out" / "summary.json").read_text())
    assert [m["method"] for m in summary["methods"]] == rows[0][1:]
    assert all(m["n_clusters"] == 3 for m in summary["methods"])
    assert summary["methods"][0]["scores"]["ACC"] > 0.9


def test_a_method_that_cannot_run_is_told(graphtailor, table, in_folder):
    table["width"] -= 100
    table.drop(columns=["kind", "name"]).to_csv("trees.csv", index=False)
    options = ("-m", "NMF,K-means", "-c", "3", "-o", "page.html")
    answer = graphtailor("compare", "trees.csv", *options, "--json")
    assert answer.code == 0, answer.err
    told = json.loads(answer.out)
    assert [m["method"] for m in told["methods"]] == ["K-means"]
    assert told["failed"][0]["method"] == "NMF"
    assert "--scale minmax" in told["failed"][0]["reason"]
    assert told["files"] == {"page": "page.html"}
    assert sorted(p.name for p in in_folder.iterdir()) == ["page.html", "trees.csv"]
    assert "did not finish" in (in_folder / "page.html").read_text(encoding="utf-8")
    mended = graphtailor("compare", "trees.csv", *options, "--scale", "minmax", "-q")
    assert (mended.code, mended.out, mended.err) == (0, "", "")


def test_a_method_over_its_time_is_stopped(graphtailor, table, in_folder, monkeypatch):
    def endless(self, X, y=None):
        while True:
            pass

    monkeypatch.setattr(SymNMF, "fit", endless)
    table.drop(columns=["kind", "name"]).to_csv("trees.csv", index=False)
    options = ("-m", "SymNMF,K-means", "-c", "3", "--seconds", "1", "-o", "a.html")
    answer = graphtailor("compare", "trees.csv", *options)
    assert answer.code == 0, answer.err
    assert "SymNMF: stopped after 1 s." in answer.err
    assert "60 rows by 1 method\n" in answer.out
    page = (in_folder / "a.html").read_text(encoding="utf-8")
    assert "<b>SymNMF</b>: stopped after 1 s." in page
    refused = graphtailor("compare", "trees.csv", "--seconds", "-1")
    assert refused.code == 2
    assert "--seconds" in refused.err


def test_same_seed_same_labels(graphtailor, in_folder):
    for name in ("a", "b"):
        options = ("--methods", "K-means,NMF", "--clusters", "3", "--seed", "5")
        answer = graphtailor("compare", "iris", *options, "-q", "-o", name)
        assert answer.code == 0, answer.err
    first, second = ((in_folder / f / "labels.csv").read_bytes() for f in "ab")
    assert first == second


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--methods", "GraphTailer"], ["--methods", "Did you mean 'GraphTailor'"]),
        (["--methods", ","], ["--methods: name at least one"]),
        (["--clusters", "999"], ["--clusters", "Ask for fewer"]),
        (["--scale", "rather"], ["--scale", "unknown"]),
        (["--output", "taken.csv"], ["--output", "is a file"]),
    ],
)
def test_mistakes_cost_no_work(graphtailor, in_folder, options, words):
    (in_folder / "taken.csv").write_text("mine")
    answer = graphtailor("compare", "iris", *options)
    assert answer.code == 2
    for word in words:
        assert word in answer.err
    assert (in_folder / "taken.csv").read_text() == "mine"


def test_only_one_method_finds_the_number(graphtailor, table):
    table.drop(columns=["kind", "name"]).to_csv("trees.csv", index=False)
    answer = graphtailor("compare", "trees.csv", "--methods", "SC,K-means")
    assert answer.code == 2
    assert "--clusters: say how many" in answer.err


def test_all_methods(graphtailor, table, in_folder):
    table.to_csv("trees.csv", index=False)
    answer = graphtailor(
        "compare", "trees.csv", "-m", "all", "--label", "kind", "--json"
    )
    told = json.loads(answer.out)
    peers = {name for name, peer in PEERS.items() if peer.is_installed}
    assert {m["method"] for m in told["methods"]} == {*METHODS, *peers}
    assert told["failed"] == []
    assert told["methods"][0]["method"] == "GraphTailor"
    assert len(told["agreement"]) == len(METHODS) + len(peers)
    assert told["path"]["methods"][0] == "GraphTailor"


@pytest.mark.parametrize(
    ("n_rows", "names", "runs"),
    [(300, "all", True), (301, "all", False), (301, "SC,Proposed", True)],
)
def test_algorithm_1_of_many_rows_runs_only_where_it_is_named(
    graphtailor, in_folder, monkeypatch, n_rows, names, runs
):
    fitted = []

    def pretend(name, model, table, watcher):
        fitted.append(name)
        model.labels_ = np.arange(len(table.X)) % 3
        return Fit(name, model, 1.0, [])

    monkeypatch.setattr(run_compare, "fit_timed", pretend)
    monkeypatch.setattr(run_compare, "view_of", lambda _: None)
    np.save("rows.npy", np.random.default_rng(0).normal(size=(n_rows, 3)))
    answer = graphtailor("compare", "rows.npy", "-m", names, "-c", 3, "-q")
    assert answer.code == 0, answer.err
    assert ("Proposed" in fitted) == runs
    assert names != "all" or set(METHODS) - {"Proposed"} <= set(fitted)


def test_memory_of_a_method_follows_the_limit_of_a_container(monkeypatch):
    # A control group may leave less than /proc/meminfo says the machine has.
    monkeypatch.setattr(free_memory, "_left_by_groups", lambda: iter([10**9]))
    assert run_compare._megabytes_to_spare() <= 800
    monkeypatch.setattr(free_memory, "available_bytes", lambda: None)
    assert run_compare._megabytes_to_spare() is None
