"""``graphtailor fit`` on every kind of table, and what it writes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from graphtailor.cli import results, run_fit
from graphtailor.diagnostics import sensitivity
from graphtailor.io.models import load_model
from graphtailor.metrics import adjusted_rand_score

FEATURES = ["width", "height", "weight"]
QUICK = ("--method", "JointModel", "--starts", 1)


def write(frame: pd.DataFrame, path: Path) -> None:
    if path.suffix == ".parquet":
        frame.to_parquet(path, index=False)
    elif path.suffix == ".npz":
        X, y = frame[FEATURES].to_numpy(), frame["kind"].to_numpy(dtype=str)
        ids = frame["name"].to_numpy(dtype=str)
        np.savez(path, X=X, y=y, ids=ids, feature_names=np.array(FEATURES))
    else:
        separator = {".tsv": "\t", ".csv": ";"}[path.suffix]
        frame.to_csv(path, sep=separator, index=False)


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".parquet", ".npz"])
def test_all_kinds_of_files_give_the_same_clusters(
    graphtailor: Callable[..., Any], in_folder: Path, table: pd.DataFrame, ending: str
) -> None:
    write(table, in_folder / f"trees{ending}")
    columns = [] if ending == ".npz" else ["--label", "kind", "--id", "name"]
    answer = graphtailor("fit", f"trees{ending}", *columns, *QUICK, "--json")
    assert (answer.code, answer.err) == (0, "")
    found = json.loads(answer.out)
    assert (found["n_features"], found["n_clusters"]) == (3, 3)
    assert found["scores"]["ACC"] == 1.0
    labels = pd.read_csv(found["files"]["labels"])
    assert labels.columns.tolist() == ["id", "label", "certainty"]
    assert labels["id"].tolist() == table["name"].tolist()
    assert adjusted_rand_score(table["kind"], labels["label"]) == 1.0
    assert labels["certainty"].between(1 / 3, 1).all()
    model = load_model(found["files"]["model"])
    assert model.feature_names_in_.tolist() == FEATURES


def test_options_reach_the_model(
    graphtailor: Callable[..., Any], in_folder: Path, table: pd.DataFrame
) -> None:
    table.to_csv("trees.csv", index=False)
    answer = graphtailor(
        *("fit", "trees.csv", "--clusters", 2, "--drop", "kind", "--id", "name"),
        *("--method", "JointModel", "--alpha", "7", "--beta", "30.5", "--starts", 3),
        *("--scale", "standard", "--seed", 5, "--jobs", 1),
        *("--param", "solver=descent", "--param", "tol=1e-4", "--json"),
    )
    found = json.loads(answer.out)
    expected = {
        "n_clusters": 2,
        "alpha": 7,
        "beta": 30.5,
        "scaling": "standard",
        "n_init": 3,
        "random_state": 5,
        "n_jobs": 1,
        "solver": "descent",
        "tol": 1e-4,
    }
    assert found["parameters"].items() >= expected.items()
    assert found["scores"] is None
    assert found["decision"] is None
    assert len(found["sizes"]) == 2


def test_the_decision_is_printed_kept_and_explained(
    graphtailor: Callable[..., Any], in_folder: Path, table: pd.DataFrame
) -> None:
    table.to_csv("trees.csv", index=False)
    options = ("--drop", "kind", "--id", "name", "-o", "out")
    fitted = graphtailor("fit", "trees.csv", *options)
    assert fitted.code == 0
    decision = load_model("out/model.npz").decision_
    told = json.loads(Path("out/summary.json").read_text())["decision"]
    assert told["verdict"] == vars(decision.verdict)
    assert told["sentences"] == decision.sentences()
    assert told["n_clusters"] == decision.n_clusters == 3
    assert told["suggestions"] == list(decision.suggestions)
    for shown in (fitted, graphtailor("explain", "out/model.npz")):
        words = " ".join(shown.out.split())
        assert words.index("clusters: rows lie closer") < words.index("share")
        for sentence in decision.sentences():
            assert sentence in words
        assert words.count("Each of the 60 rows represents itself.") == 1
    same = json.loads(graphtailor("explain", "out/model.npz", "--json").out)
    assert same["decision"] == told


@pytest.mark.parametrize(
    ("scale", "views"),
    [("none", ["as it is", "unit rows", "centred unit rows"]), ("minmax", "auto")],
)
def test_weights_of_the_user_are_kept_in_every_view(
    graphtailor: Callable[..., Any],
    in_folder: Path,
    table: pd.DataFrame,
    scale: str,
    views: object,
) -> None:
    table[FEATURES].to_csv("trees.csv", index=False)
    options = ("-c", 3, "--scale", scale, "-q", "-o", "out")
    assert graphtailor("fit", "trees.csv", *options).code == 0
    model = load_model("out/model.npz")
    assert model.scaling == (None if scale == "none" else scale)
    assert model.views == views


def test_the_paper_is_a_comparison_and_the_joint_model_predicts(
    graphtailor: Callable[..., Any], in_folder: Path, table: pd.DataFrame
) -> None:
    """A model that was fitted to features scaled elsewhere could not predict."""
    table.iloc[:30].to_csv("trees.csv", index=False)
    columns = ("--label", "kind", "--id", "name", "--json")
    found = [
        json.loads(graphtailor("fit", "trees.csv", "-m", name, *columns).out)
        for name in ("Proposed", "JointModel")
    ]
    assert [each["parameters"]["solver"] for each in found] == [
        "Multiplicative(dtype='float32')",
        "descent",
    ]
    assert [each["parameters"]["scaling"] for each in found] == [None, "maxabs"]
    assert "model" not in found[0]["files"]
    again = graphtailor("predict", found[1]["files"]["model"], "trees.csv")
    assert again.out == Path(found[1]["files"]["labels"]).read_text()


def test_missing_values_are_filled_for_fit_and_predict(
    graphtailor: Callable[..., Any], in_folder: Path, table: pd.DataFrame
) -> None:
    table.loc[[3, 7], "width"] = np.nan
    table.to_csv("gaps.csv", index=False)
    columns = ("--id", "name")
    fit = ("fit", "gaps.csv", "--label", "kind", *columns)
    assert graphtailor(*fit, *QUICK, "--quiet", "-o", "out").code == 0
    # One row with a gap has no median of its own: the fitted one is used.
    table.iloc[[3]].to_csv("row.csv", index=False)
    answer = graphtailor("predict", "out/model.npz", "row.csv", *columns)
    assert answer.code == 0
    assert (
        answer.out.split("\n")[1] == Path("out/labels.csv").read_text().split("\n")[4]
    )


@pytest.mark.parametrize("method", ["SC", "k-means", "GNMF"])
def test_compared_methods(
    graphtailor: Callable[..., Any], in_folder: Path, method: str
) -> None:
    answer = graphtailor("fit", "wine", "--method", method, "--output", "out")
    assert answer.code == 0
    assert "ACC 0." in answer.out
    assert "no saved model" in answer.err
    names = {path.name for path in Path("out").iterdir()}
    assert "model.npz" not in names
    assert ("graph.npz" in names) == (method == "SC")
    labels = pd.read_csv("out/labels.csv")
    assert labels["certainty"].isna().all()


def test_features_of_compared_methods_are_divided_by_their_largest_value(
    graphtailor: Callable[..., Any], in_folder: Path
) -> None:
    # In raw units one feature of wine drowns all others.
    scaled = graphtailor("fit", "wine", "-m", "SC", "--json")
    raw = graphtailor("fit", "wine", "-m", "SC", "--scale", "none", "--json")
    accuracy = [json.loads(each.out)["scores"]["ACC"] for each in (scaled, raw)]
    assert accuracy[0] > 0.9 > 0.8 > accuracy[1]


def test_files_of_an_earlier_run_are_replaced(
    graphtailor: Callable[..., Any], in_folder: Path
) -> None:
    Path("out").mkdir()
    Path("out/mine.txt").write_text("keep")
    assert graphtailor("fit", "iris", "-q", "-m", "CAN", "-o", "out").code == 0
    assert Path("out/graph.npz").exists()
    before = Path("out/picture.png").read_bytes()
    assert graphtailor("fit", "iris", "-q", "-m", "k-means", "-o", "out").code == 0
    names = {path.name for path in Path("out").iterdir()}
    assert names == {"labels.csv", "mine.txt", "picture.png", "summary.json"}
    assert Path("out/picture.png").read_bytes() != before


def test_a_folder_of_strangers_keeps_its_files(
    graphtailor: Callable[..., Any], in_folder: Path
) -> None:
    Path("out").mkdir()
    Path("out/graph.npz").write_text("not ours")
    assert graphtailor("fit", "iris", "-q", "-m", "k-means", "-o", "out").code == 0
    assert Path("out/graph.npz").read_text() == "not ours"


def test_ids_are_safe_in_a_spreadsheet_and_kept_as_written(
    graphtailor: Callable[..., Any], in_folder: Path, table: pd.DataFrame
) -> None:
    table["name"] = [f"{k:05d}" for k in range(60)]
    table.loc[:5, "name"] = ["=1+1", "+1", "-1", "@SUM(A1)", "NA", "a,b"]
    table.to_csv("trees.csv", index=False)
    columns = ("--id", "name", "--label", "kind")
    assert graphtailor("fit", "trees.csv", *columns, "-q", *QUICK).code == 0
    path = Path("graphtailor-trees/labels.csv")
    ids = pd.read_csv(path, dtype=str, keep_default_na=False)["id"].tolist()
    assert ids[:6] == ["'=1+1", "'+1", "'-1", "'@SUM(A1)", "NA", "a,b"]
    assert ids[6] == "00006"


def stopped(*args: object, **kwargs: object) -> None:
    """In place of what Ctrl-C interrupts."""
    raise KeyboardInterrupt


def test_ctrl_c_leaves_nothing_behind(
    graphtailor: Callable[..., Any],
    in_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(run_fit, "fit_timed", stopped)
    answer = graphtailor("fit", "iris", "--output", "out")
    assert answer.code == 130
    assert "Traceback" not in answer.err
    assert "Nothing was written" in answer.err
    assert not any(in_folder.iterdir())


def test_ctrl_c_says_what_was_kept(
    graphtailor: Callable[..., Any],
    in_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(results, "save_model", stopped)
    answer = graphtailor("fit", "iris", *QUICK, "--output", "out")
    assert answer.code == 130
    assert "Kept: out/labels.csv, out/graph.npz." in answer.err
    assert {path.name for path in Path("out").iterdir()} == {"labels.csv", "graph.npz"}


def test_ctrl_c_on_the_way_to_the_report_keeps_the_clusters(
    graphtailor: Callable[..., Any],
    in_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sensitivity, "neighboring_settings", stopped)
    asked = (*QUICK, "--output", "out", "--report", "page.html")
    answer = graphtailor("fit", "iris", *asked)
    assert answer.code == 130
    assert "out/labels.csv" in answer.err
    assert "page.html" not in answer.err
    files = json.loads(Path("out/summary.json").read_text())["files"]
    assert {Path(path).name for path in files.values()} == {
        path.name for path in Path("out").iterdir()
    }
    assert not Path("page.html").exists()


def test_a_fault_of_ours_is_called_that(
    graphtailor: Callable[..., Any],
    in_folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("wheels came off")

    monkeypatch.setattr(run_fit, "fit_timed", broken)
    answer = graphtailor("fit", "iris")
    assert answer.code == 1
    assert "wheels came off" in answer.err
    assert "Traceback" not in answer.err


def test_known_classes_guide_the_clusters_and_name_them(
    graphtailor: Callable[..., Any], in_folder: Path, table: pd.DataFrame
) -> None:
    kind = table["kind"]
    some = table.assign(kind=kind.where(np.arange(len(table)) % 5 == 0))
    some.to_csv("trees.csv", index=False)
    answer = graphtailor(
        "fit", "trees.csv", "--known", "kind", "--id", "name", "-c", 3, *QUICK, "--json"
    )
    assert (answer.code, answer.err) == (0, "")
    found = json.loads(answer.out)
    assert found["n_features"] == 3
    labels = pd.read_csv(found["files"]["labels"])
    assert labels["group"].tolist() == kind.tolist()
    # The terminal shows these names beside the sizes.
    assert sorted(found["names"]) == sorted(set(kind))
    wrong = graphtailor("fit", "trees.csv", "--known", "kid", "-c", 3)
    assert "--known: there is no column 'kid'" in wrong.err
    other = graphtailor("fit", "trees.csv", "--known", "kind", "-m", "K-means", "-c", 3)
    assert "--known: K-means takes no known classes" in other.err
