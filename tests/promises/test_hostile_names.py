"""Names from data reach neither the file system, a page nor a spreadsheet raw."""

import csv
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import make_blobs

from graphtailor.bench import Store, export, parse_plan, run_plan
from graphtailor.cli.app import run
from graphtailor.io.atomic import atomic_open, file_name
from graphtailor.io.spreadsheets import plain_text, read_labels, safe_frame, safe_text
from graphtailor.report.bench import bench_report, write_figures, write_tables

SCRIPT = "<script>alert(1)</script>"
NAMES = [
    *("../../x", SCRIPT, "=1+1", "a\x00b", "'=1+1", "-x", "@sum", "x" * 300, "&lt;"),
    *("</style>", '" onload="alert(1)', "../../etc/passwd", "\u202egnp", "{{ 7 * 7 }}"),
]
STARTS = ("=", "+", "-", "@", "\t", "\r")


@given(st.text(alphabet=st.sampled_from("'=+-@\t\r5.e x"), max_size=8))
def test_safe_texts_come_back(text: str) -> None:
    safe = safe_text(text)
    assert plain_text(safe) == text
    assert not safe.startswith(STARTS)


def test_labels_come_back_with_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("id,label,certainty\n'=1+1,0,0.5\n007,1,\n", encoding="utf-8")
    found = read_labels(path)
    assert found["label"].tolist() == [0, 1]
    assert found["certainty"].fillna(-1).tolist() == [0.5, -1.0]
    for text in ("", "id,label\n1\n", "a,b\n1,2\n", "id,label\na,b\n"):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=r"labels\.csv is not a file of labels"):
            read_labels(path)


def test_frames_keep_their_numbers() -> None:
    frame = pd.DataFrame({"=x": [-1.5, np.nan], "t": ["=1+1", None]}, index=["@a", "b"])
    safe = safe_frame(frame)
    assert safe.columns.tolist() == ["'=x", "t"]
    assert safe.index.tolist() == ["'@a", "b"]
    np.testing.assert_array_equal(safe["'=x"], frame["=x"])
    assert safe["t"].tolist()[0] == "'=1+1"
    assert pd.isna(safe["t"].iloc[1])
    assert frame["t"].tolist()[0] == "=1+1"


@pytest.mark.parametrize("name", [*NAMES, ".", "..", "con/aux", "é" * 200])
def test_names_of_files(name: str, tmp_path: Path) -> None:
    safe = file_name(f"{name}.csv")
    assert safe not in ("", ".", "..")
    assert not set(safe) & set('/\\\x00<>:"|?*\n')
    assert not safe.startswith((".", "-"))
    assert safe.endswith(".csv")
    with atomic_open(tmp_path / safe, "w") as file:
        file.write("1")
    assert [path.name for path in tmp_path.iterdir()] == [safe]


def test_different_names_stay_different() -> None:
    names = [*NAMES, "a/b", "a\\b", "a:b", "x" * 301, "iris"]
    assert len({file_name(name) for name in names}) == len(names)


def test_a_name_as_long_as_a_file_system_takes(tmp_path: Path) -> None:
    with atomic_open(tmp_path / ("x" * 255), "w") as file:
        file.write("1")
    assert [path.name for path in tmp_path.iterdir()] == ["x" * 255]


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    """A table whose columns, rows and classes have hostile names."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    X, y = make_blobs(60, n_features=3, centers=3, random_state=0)
    frame = pd.DataFrame(X, columns=[SCRIPT, "../../x", "=cmd|' /C calc'!A0"])
    frame["id"] = [f"{NAMES[i % len(NAMES)]} {i}" for i in range(60)]
    frame["class"] = np.array(["</script>" + SCRIPT, "=1+1", "../../y"])[y]
    frame["kind"] = np.array([SCRIPT, "oak"])[np.arange(60) % 2]
    frame.to_parquet("table.parquet", index=False)
    return frame


def check_pages(folder: Path) -> None:
    """No page has markup of the data's, nor is anything written elsewhere."""
    pages = list(folder.rglob("*.html"))
    assert pages
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for bad in ("<script>alert", 'onload="alert', "</script><script>alert"):
            assert bad not in text
        assert "alert(1)" in text  # the names are there, but harmless
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]


def check_cells(path: Path) -> None:
    with open(path, newline="", encoding="utf-8") as file:
        for row in csv.reader(file):
            for cell in row:
                if cell.startswith(STARTS):
                    float(cell)


def test_fit_and_predict(table: pd.DataFrame, tmp_path: Path) -> None:
    options = [
        "--label",
        "class",
        "--id",
        "id",
        "-m",
        "JointModel",
        "--starts",
        "2",
        "--quiet",
    ]
    target = ["--output", "out", "--report", "report.html"]
    assert run(["fit", "table.parquet", *options, *target]) == 0
    check_pages(tmp_path / "work")
    predicted = ["predict", "out/model.npz", "table.parquet", "--output", "p.csv"]
    assert run([*predicted, "--quiet"]) == 0
    for path in (Path("out/labels.csv"), Path("p.csv")):
        check_cells(path)
    assert read_labels("out/labels.csv")["id"].tolist() == table["id"].tolist()


def test_compare(table: pd.DataFrame, tmp_path: Path) -> None:
    options = ["--label", "class", "--id", "id", "--methods", "K-means,PCA"]
    command = ["compare", "table.parquet", *options, "--clusters", "3", "--quiet"]
    assert run(command) == 0
    check_pages(tmp_path / "work")
    (path,) = Path().rglob("labels.csv")
    check_cells(path)
    assert read_labels(path)["id"].tolist() == table["id"].tolist()


def test_benchmark(table: pd.DataFrame, tmp_path: Path) -> None:
    plan = parse_plan(
        {
            "name": SCRIPT,
            "description": f"</script>{SCRIPT}",
            "methods": [SCRIPT, "../../x", "=1+1"],
            "method": {
                name: {"uses": "K-means", "note": f"{SCRIPT} =1", "report": 2}
                for name in (SCRIPT, "../../x", "=1+1")
            },
            "datasets": ["../../x", SCRIPT],
            "data": {
                name: {"file": "table.parquet", "label": "class"}
                for name in ("../../x", SCRIPT)
            },
            "seeds": {"report": {"first": 100, "count": 3}},
        },
        Path(),
    )
    with Store("results") as store:
        run_plan(plan, store, jobs=1)
        Path("report.html").write_text(bench_report(store), encoding="utf-8")
        tables = write_tables(store, "tables")
        figures = write_figures(store, "figures")
        export(store, "runs.csv")
    check_pages(tmp_path / "work")
    work = (tmp_path / "work").resolve()
    for path in (*tables, *figures):
        assert path.resolve().parent in (work / "tables", work / "figures")
        assert path.is_file()
    for path in (*(p for p in tables if p.suffix == ".csv"), Path("runs.csv")):
        check_cells(path)
    for path in (p for p in figures if p.suffix == ".svg"):
        assert "<script>alert" not in path.read_text(encoding="utf-8")
