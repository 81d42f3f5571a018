"""A table goes one road, from Python and from the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from graphtailor import GraphTailor, TableBlocks, cluster_table, load_model, save_model
from graphtailor.cli.app import run


@pytest.fixture
def frame() -> pd.DataFrame:
    """Three groups in numbers and words; gaps, dates and hours."""
    rng = np.random.default_rng(0)
    n = 90
    group = np.arange(n) % 3
    table = pd.DataFrame(
        {
            "size": group + 0.2 * rng.normal(size=n),
            "weight": 2.0 * group + 0.3 * rng.normal(size=n),
            "kind": np.array(["ash", "oak", "elm"])[group],
            "site": rng.choice(["north", "south"], n),
            "hour": rng.integers(0, 24, n),
            # Not evenly: such dates only count the days and are left out.
            "day": (
                pd.Timestamp("2020-01-01")
                + pd.to_timedelta((np.arange(n) ** 1.5).astype(int), "D")
            ).astype(str),
        }
    )
    table.loc[rng.choice(n, 9, replace=False), "weight"] = np.nan
    return table


def test_the_command_and_python_find_the_same(
    frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    frame.to_csv("t.csv", index=False)
    assert run(["fit", "t.csv", "-c", "3", "-q", "-o", "back.csv"]) == 0
    command = pd.read_csv("graphtailor-t/labels.csv")
    read = pd.read_csv("t.csv")
    model = GraphTailor(3, random_state=0).fit(read)
    assert command["label"].tolist() == model.labels_.tolist()
    found = cluster_table(read, 3, random_state=0)
    assert found.table["cluster"].tolist() == model.labels_.tolist()
    back = pd.read_csv("back.csv")
    assert back.columns.tolist() == found.table.columns.tolist()
    np.testing.assert_allclose(back["certainty"], found.table["certainty"])
    np.testing.assert_allclose(back["distance"], found.table["distance"])


def test_a_table_is_its_blocks(frame: pd.DataFrame) -> None:
    model = GraphTailor(3, random_state=0).fit(frame)
    X = TableBlocks().set_output(transform="pandas").fit_transform(frame)
    other = GraphTailor(3, scaling=None, random_state=0).fit(X)
    np.testing.assert_array_equal(model.indicator_, other.indicator_)


def test_order_of_rows_changes_no_cluster(frame: pd.DataFrame) -> None:
    labels = GraphTailor(3, random_state=0).fit(frame).labels_
    rows = np.random.default_rng(1).permutation(len(frame))
    moved = GraphTailor(3, random_state=0).fit(frame.iloc[rows])
    np.testing.assert_array_equal(moved.labels_, labels[rows])


def of_fit(frame: pd.DataFrame) -> GraphTailor:
    return GraphTailor(3, random_state=0).fit(frame)


def of_cluster_table(frame: pd.DataFrame) -> GraphTailor:
    return cluster_table(frame, 3, random_state=0).model


@pytest.mark.parametrize("made", [of_fit, of_cluster_table])
def test_a_saved_model_prepares_tables_alike(
    frame: pd.DataFrame, tmp_path: Path, made: Callable[[Any], GraphTailor]
) -> None:
    model = made(frame)
    save_model(model, tmp_path / "model.npz")
    loaded = load_model(tmp_path / "model.npz")
    np.testing.assert_array_equal(loaded.predict(frame), model.labels_)
    # In any order, with other columns, and one row alone.
    one = frame.iloc[[7], ::-1].assign(more="x")
    assert loaded.predict(one)[0] == model.labels_[7]
    frame.to_csv(tmp_path / "t.csv", index=False)
    output = tmp_path / "new.csv"
    source = [str(tmp_path / "model.npz"), str(tmp_path / "t.csv")]
    assert run(["predict", *source, "-q", "-o", str(output)]) == 0
    assert pd.read_csv(output)["cluster"].tolist() == model.labels_.tolist()


def test_levels_are_no_shapes() -> None:
    """Two levels split a graph of neighbours into parts, which are not clusters."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(300, 2)) * [4, 0.3]
    X = np.column_stack([points, 3.0 * rng.integers(0, 2, 300)])
    model = GraphTailor(2, scaling=None, random_state=0).fit(X)
    assert model.decision_.leaving is None
    # The same gap in a column of many values is one that neighbours show.
    X[:, 2] += 0.1 * rng.normal(size=300)
    model = GraphTailor(2, scaling=None, random_state=0).fit(X)
    assert model.decision_.leaving is not None


def test_complete_numbers_are_left_as_they_are() -> None:
    table = pd.DataFrame(
        np.random.default_rng(0).normal(size=(50, 3)), columns=[*"abc"]
    )
    model = GraphTailor(2, random_state=0).fit(table)
    assert model.blocks_ is None
    other = GraphTailor(2, random_state=0).fit(table.to_numpy())
    np.testing.assert_array_equal(model.indicator_, other.indicator_)


def test_a_second_fit_keeps_the_first_model(
    frame: pd.DataFrame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    frame.to_csv("t.csv", index=False)
    assert run(["fit", "t.csv", "-c", "3", "-q"]) == 0
    first = Path("graphtailor-t/model.npz").read_bytes()
    assert run(["fit", "t.csv", "-c", "2", "-q"]) == 0
    assert run(["fit", "t.csv", "-c", "2", "-q", "--method", "PCA"]) == 0
    assert Path("graphtailor-t/model.npz").read_bytes() == first
    assert Path("graphtailor-t-2/model.npz").exists()
    assert Path("graphtailor-t-3/labels.csv").exists()
    # A folder that the user names is not filled twice.
    assert run(["fit", "t.csv", "-c", "2", "-q", "-o", "graphtailor-t"]) == 2
    assert "graphtailor-t holds the model of another fit" in capsys.readouterr().err
    assert Path("graphtailor-t/model.npz").read_bytes() == first
    assert run(["explain", "graphtailor-t"]) == 0


def test_one_number_beside_categories_does_not_decide_alone() -> None:
    """Ages of passengers have gaps, and clusters were slices of the age."""
    rng = np.random.default_rng(0)
    n = 300
    table = pd.DataFrame(
        {
            "age": rng.choice([*range(1, 9), *range(20, 80)], n),
            "sex": rng.choice(["f", "m"], n),
            "class": rng.choice(["first", "second", "third"], n),
        }
    )
    model = GraphTailor(2, random_state=0).fit(table)
    assert model.decision_.leaving is None
