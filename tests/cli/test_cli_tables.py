"""A table nobody prepared: fitted, told, predicted and explained."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

from graphtailor import GraphTailor, JointModel
from graphtailor.cli.app import COMMANDS, load_command
from graphtailor.cli.pdf import write_pdf
from graphtailor.io.models import save_model
from graphtailor.metrics import adjusted_rand_score


@pytest.fixture
def mixed(in_folder: Path, table: pd.DataFrame) -> pd.DataFrame:
    """Trees with a column of every kind, as a file of the user."""
    table["grown"] = np.where(table["kind"] == "oak", "yes", "no")
    table["day"] = [f"{k % 28 + 1}.{k % 12 + 1}.2020" for k in range(60)]
    table["price"] = [f"${k * 37 % 61 + 1000:,}" for k in range(60)]
    table["story"] = [f"the tale of tree {k} and its birds" for k in range(60)]
    table["planet"] = "earth"
    table["<b>[red]x"] = np.random.default_rng(0).normal(size=60)
    table.loc[::9, "width"] = None
    table.loc[:1, "kind"] = None
    table.to_csv("trees.csv", index=False)
    return table


KINDS = {
    "width": "numeric",
    "height": "numeric",
    "weight": "numeric",
    "kind": "category",
    "name": "id",
    "grown": "category",
    "day": "calendar",
    "price": "numeric",
    "story": "text",
    "planet": "constant",
    "<b>[red]x": "numeric",
}


def test_everything_is_said(
    graphtailor: Callable[..., Any], mixed: pd.DataFrame
) -> None:
    answer = graphtailor("fit", "trees.csv", "-c", 3, "-o", "out")
    assert answer.code == 0
    # Two notes: on a date that only counts days, and on what the clusters follow.
    day, levels = answer.err.splitlines()
    assert "'day' is spread evenly over time" in day
    assert "within one level of each of 'kind', 'grown'" in levels
    lines = answer.out.splitlines()
    for name, kind in KINDS.items():
        line = next(line for line in lines if name in line)
        assert kind in line
    assert "names the rows" in answer.out
    assert "7 missing: in the middle, and flagged" in answer.out
    told = json.loads(Path("out/summary.json").read_text())
    assert {each["name"]: each["kind"] for each in told["columns"]} == KINDS
    assert (told["id"], told["label"], told["scale"]) == ("name", None, "auto")
    labels = pd.read_csv("out/labels.csv")
    assert labels["id"].tolist() == mixed["name"].tolist()
    kinds = mixed["kind"].fillna("?")
    assert adjusted_rand_score(kinds, labels["label"]) > 0.5
    answer = graphtailor("explain", "out/model.npz")
    assert (answer.code, answer.err) == (0, "")
    for words in (*lines[:11], "60 samples", "n_clusters=3", "numba="):
        assert words.strip() in answer.out
    same = json.loads(graphtailor("explain", "out/model.npz", "--json").out)
    assert same == {
        key: value for key, value in told.items() if key not in ("files", "label")
    }


@pytest.mark.parametrize("scale", ["auto", "none"])
def test_predict_repeats_the_fit(
    graphtailor: Callable[..., Any], mixed: pd.DataFrame, scale: str
) -> None:
    options = ("-c", 3, "--scale", scale, "-q", "-o", "out")
    assert graphtailor("fit", "trees.csv", *options).code == 0
    expected = Path("out/labels.csv").read_text().splitlines()
    answer = graphtailor("predict", "out/model.npz", "trees.csv")
    assert answer.out.splitlines() == expected
    mixed.iloc[[9, 0], ::-1].to_csv("two.csv", index=False)
    answer = graphtailor("predict", "out/model.npz", "two.csv")
    assert answer.out.splitlines() == [expected[0], expected[10], expected[1]]


def test_the_number_of_clusters_is_found(
    graphtailor: Callable[..., Any], in_folder: Path
) -> None:
    X, y = make_blobs(90, centers=4, cluster_std=0.5, random_state=3)
    pd.DataFrame(X, columns=["a", "b"]).to_csv("blobs.csv", index=False)
    answer = graphtailor("fit", "blobs.csv")
    assert (answer.code, answer.err) == (0, "")
    assert "4 clusters (the number was found" in answer.out
    labels = pd.read_csv("graphtailor-blobs/labels.csv")["label"]
    assert adjusted_rand_score(y, labels) == 1.0
    told = json.loads(Path("graphtailor-blobs/summary.json").read_text())
    assert (told["n_clusters"], told["parameters"]["n_clusters"]) == (4, "auto")
    answer = graphtailor("predict", "graphtailor-blobs/model.npz", "blobs.csv")
    assert answer.out == Path("graphtailor-blobs/labels.csv").read_text()


def test_counted_combinations_are_told(
    graphtailor: Callable[..., Any], in_folder: Path
) -> None:
    """Categories alone: a cluster for each combination says nothing new."""
    rng = np.random.default_rng(0)
    levels = ("abc", "xy", "uv")
    table = pd.DataFrame(
        {f"k{j}": rng.choice(list(names), 400) for j, names in enumerate(levels)}
    )
    table.to_csv("kinds.csv", index=False)
    answer = graphtailor("fit", "kinds.csv")
    found = len(pd.read_csv("graphtailor-kinds/labels.csv")["label"].unique())
    said = "Only 12 rows differ from each other" in answer.err
    assert said == (2 * found >= 12)
    told = graphtailor("fit", "kinds.csv", "--clusters", "12")
    assert "rows differ" not in told.err


def test_order_of_rows_changes_no_cluster(
    graphtailor: Callable[..., Any], mixed: pd.DataFrame
) -> None:
    """Not even the last bit of a weight: members are drawn by the bits of the rows."""
    moved = mixed.sample(frac=1, random_state=0)
    moved.to_csv("moved.csv", index=False)
    found = []
    for name in ("trees", "moved"):
        assert graphtailor("fit", f"{name}.csv", "-c", 3, "-q", "-o", name).code == 0
        labels = pd.read_csv(f"{name}/labels.csv", index_col="id")
        found.append(labels["label"].sort_index())
    assert found[0].index.equals(found[1].index)
    assert found[0].equals(found[1])


def test_a_report_of_hostile_names(
    graphtailor: Callable[..., Any], mixed: pd.DataFrame
) -> None:
    mixed.rename(columns={"height": "<script>alert(1)</script>"}).to_csv("trees.csv")
    options = ("-c", 3, "-o", "out", "--report", "page.html")
    assert graphtailor("fit", "trees.csv", *options).code == 0
    assert "<script>alert(1)" not in Path("page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["joint", "tailor", "on Dask"])
def test_a_model_saved_from_python_is_explained(
    graphtailor: Callable[..., Any], in_folder: Path, kind: str
) -> None:
    X: Any = np.random.default_rng(0).normal(size=(30, 2))
    if kind == "on Dask":
        X = pytest.importorskip("dask.array").from_array(X, chunks=(10, 2))
    tailor, joint = GraphTailor(2, random_state=0), JointModel(2, n_init=1)
    save_model((joint if kind == "joint" else tailor).fit(X), "model.npz")
    answer = graphtailor("explain", "model.npz")
    assert answer.code == 0, answer.err
    assert "30 samples, 2 features, 2 clusters" in answer.out
    decides = "Each of the 30 rows represents itself." in answer.out
    assert decides == (kind != "joint")


@pytest.mark.parametrize("name", COMMANDS)
def test_lines_of_commands_are_those_of_their_help(name: str) -> None:
    assert load_command(name).help.splitlines()[0] == COMMANDS[name]


def test_several_files_and_names_of_clusters(
    graphtailor: Callable[..., Any], table: pd.DataFrame
) -> None:
    table.iloc[:30].to_csv("a.csv", index=False)
    table.iloc[30:].to_csv("b.csv", index=False)
    answer = graphtailor("fit", "a.csv", "b.csv", "-c", 3, "-o", "back.csv")
    assert answer.code == 0
    assert "2 files with the same columns are one table." in answer.err
    back = pd.read_csv("back.csv")
    assert back["name"].tolist() == table["name"].tolist()
    names = back.groupby("cluster")["group"].unique().map(list)
    assert [len(each) for each in names] == [1, 1, 1]
    told = json.loads(Path("graphtailor-a/summary.json").read_text())
    assert [name for (name,) in names] == told["names"]
    for name in told["names"]:
        assert name in answer.out
    answer = graphtailor("predict", "graphtailor-a", "b.csv", "-o", "new.csv")
    assert answer.code == 0
    new = pd.read_csv("new.csv")
    assert new["group"].tolist() == back["group"].tolist()[30:]
    answer = graphtailor("fit", "a.csv", "b.csv", "-o", "a.csv")
    assert answer.code == 2
    assert "would overwrite what is read" in answer.err


def test_a_pdf_without_a_browser_is_a_page(
    graphtailor: Callable[..., Any],
    table: pd.DataFrame,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table.to_csv("trees.csv", index=False)
    monkeypatch.setattr("shutil.which", lambda name: None)
    answer = graphtailor(
        "fit", "trees.csv", "-c", 3, "-m", "KMeans", "--report", "out.pdf"
    )
    assert answer.code == 0
    assert "so the page is written as HTML: out.html" in answer.err
    assert Path("out.html").read_text().startswith("<!")
    assert not Path("out.pdf").exists()


def test_a_page_is_printed_by_the_browser(
    in_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = in_folder / "chromium"
    browser.write_text(
        """#!/bin/sh
for each; do case $each in --print-to-pdf=*) target=${each#*=};; esac; last=$each; done
test "$last" = "${last#file://}" || echo printed > "$target"
"""
    )
    browser.chmod(0o755)
    monkeypatch.setenv("PATH", str(in_folder), prepend=os.pathsep)
    write_pdf("<p>page</p>", Path("out.pdf"))
    assert Path("out.pdf").read_text() == "printed\n"
    browser.write_text("#!/bin/sh\n")
    with pytest.raises(ValueError, match="did not print the page"):
        write_pdf("<p>page</p>", Path("other.pdf"))
    assert not Path("other.pdf").exists()
