"""``graphtailor page``, and names made on the page taken up by ``predict``."""

import json
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from graphtailor.io.models import load_model


@pytest.fixture
def fitted(
    graphtailor: Callable[..., Any], in_folder: Path, table: pd.DataFrame
) -> Callable[..., Any]:
    table.to_csv("trees.csv", index=False)
    columns = ("--label", "kind", "--id", "name")
    assert graphtailor("fit", "trees.csv", *columns, "-q", "-o", "out").code == 0
    return graphtailor


def test_a_page_of_a_saved_model(fitted: Callable[..., Any]) -> None:
    arguments = ("page", "out/model.npz", "trees.csv", "--id", "name")
    answer = fitted(*arguments, "-o", "page.html", "--json")
    assert answer.code == 0
    assert json.loads(answer.out) == {"files": {"page": "page.html"}}
    page = Path("page.html").read_text()
    assert page.startswith("<!doctype html>")
    assert "60 rows fall into 3 groups" in page
    # The agreement with the classes that the fit knew is there.
    assert "Agreement with the known classes" in page
    assert fitted(*arguments, "-o", "again.html", "-q") == (0, "", "")


def test_what_is_read_is_not_overwritten(fitted: Callable[..., Any]) -> None:
    read = (Path("trees.csv"), Path("out/model.npz"))
    before = [path.read_bytes() for path in read]
    Path("names.json").write_text("{}")
    predict = ("predict", "out", "trees.csv", "--names", "names.json")
    for arguments in (
        ("page", "out", "trees.csv", "-o", "trees.csv"),
        ("page", "out", "trees.csv", "-o", "out/model.npz"),
        (*predict, "-o", "out/../trees.csv"),
        (*predict, "-o", "names.json"),
        ("fit", "trees.csv", "-o", "other", "--report", "trees.csv"),
    ):
        answer = fitted(*arguments)
        assert answer.code == 2
        flag = "--report" if "--report" in arguments else "--output"
        assert f"{flag}: {arguments[-1]} would overwrite what is read" in answer.err
    assert before == [path.read_bytes() for path in read]


def test_a_page_of_other_rows_is_refused(
    fitted: Callable[..., Any], table: pd.DataFrame
) -> None:
    table[:50].to_csv("fewer.csv", index=False)
    table[::-1].to_csv("backwards.csv", index=False)
    for name in ("fewer", "backwards"):
        answer = fitted("page", "out/model.npz", f"{name}.csv")
        assert answer.code == 2
        assert f"DATA: {name} (" in answer.err
        assert "is not the table that the model was fitted to (60 rows)" in answer.err
        assert not Path("page.html").exists()


def test_names_and_merges(fitted: Callable[..., Any]) -> None:
    names = {"0": "small", "1": "=large"}
    content = {"format": "graphtailor names", "n_clusters": 3, "names": names}
    Path("names.json").write_text(json.dumps({**content, "merged": {"2": 0}}))
    arguments = ("predict", "out/model.npz", "trees.csv", "--names", "names.json")
    assert fitted(*arguments, "-o", "new.csv", "-q").code == 0
    before, after = pd.read_csv("out/labels.csv"), pd.read_csv("new.csv")
    assert after.cluster.tolist() == before.label.replace({2: 0}).tolist()
    assert set(after.group[after.cluster == 0]) == {"small"}
    assert set(after.group[after.cluster == 1]) == {"'=large"}
    printed = pd.read_csv(StringIO(fitted(*arguments).out))
    assert printed.label.tolist() == after.cluster.tolist()
    assert printed.group.tolist() == after.group.tolist()
    found = json.loads(fitted(*arguments, "--json").out)
    assert found["groups"] == [names[str(k)] for k in found["labels"]]


def test_names_of_another_level(fitted: Callable[..., Any]) -> None:
    content: dict[str, Any] = {"format": "graphtailor names", "merged": {}}
    content |= {"n_clusters": 2, "names": {"0": "one", "1": "two"}}
    Path("names.json").write_text(json.dumps(content))
    arguments = ("predict", "out/model.npz", "trees.csv", "--names", "names.json")
    answer = json.loads(fitted(*arguments, "--json").out)
    coarse = load_model("out/model.npz").cluster_layers_[-1]
    assert answer["labels"] == coarse.tolist()
    Path("names.json").write_text(json.dumps({**content, "n_clusters": 99}))
    refused = fitted(*arguments)
    assert refused.code == 2
    assert "--names: the file names 99 groups" in refused.err
