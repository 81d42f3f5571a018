"""What becomes of columns: filling, levels, weights; and that it can be repeated."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import KMeans
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from graphtailor import GraphTailor
from graphtailor.columns.blocks import TableBlocks
from graphtailor.columns.messages import command_words
from graphtailor.tables import Table, cluster_table, read_table

N = 60


@pytest.fixture
def mixed() -> pd.DataFrame:
    """A column of every kind, most with gaps."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "width": rng.normal(10, 2, N).round(3),
            "price": [f"$1,{k:03}.25" for k in rng.integers(0, 999, N)],
            "kind": rng.choice(["ash", "oak", "elm"], N),
            "many": [f"m{min(k % 40, 19 + k % 3)}" for k in range(N)],
            "fine": rng.choice(["yes", "no"], N),
            "day": [f"2020-{m:02}-11" for m in rng.integers(1, 13, N)],
            "code": rng.choice(["01", "02", "1"], N),
            "same": "x",
            "name": [f"tree{k:02}" for k in range(N)],
            "story": [f"the tale of tree {k} and its birds" for k in range(N)],
        }
    )
    for place, name in enumerate(["width", "price", "kind", "fine", "day"]):
        frame.loc[rng.choice(N, 3 + place, replace=False), name] = None
    return frame


def saved(path: Path, frame: pd.DataFrame) -> str:
    frame.to_csv(path, index=False)
    return str(path)


def stored(table: Table) -> TableBlocks:
    """The blocks as a model file gives them back."""
    assert table.blocks is not None
    return TableBlocks.from_dict(json.loads(json.dumps(table.blocks.to_dict())))


@pytest.mark.parametrize("scale", ["auto", "maxabs", "minmax", "none"])
def test_new_rows_are_prepared_as_the_fitted_ones(
    tmp_path: Path, mixed: pd.DataFrame, scale: str
) -> None:
    path = saved(tmp_path / "t.csv", mixed)
    table = read_table(path, scale=scale, categorical=["code"])
    again = read_table(path, blocks=stored(table))
    pd.testing.assert_frame_equal(again.X, table.X, check_exact=True)
    assert again.ids.tolist() == table.ids.tolist() == mixed["name"].tolist()
    # Also alone, where nobody could tell what the columns are; in any order.
    for row in (0, 7, 33):
        one = saved(tmp_path / "one.csv", mixed.iloc[[row], ::-1])
        alone = read_table(one, blocks=stored(table))
        expected = table.X.iloc[[row]].reset_index(drop=True)
        pd.testing.assert_frame_equal(alone.X, expected, check_exact=True)


def test_order_of_rows_and_columns_changes_nothing_else(
    tmp_path: Path, mixed: pd.DataFrame
) -> None:
    table = read_table(saved(tmp_path / "t.csv", mixed))
    rows = np.random.default_rng(1).permutation(N)
    moved = read_table(saved(tmp_path / "m.csv", mixed.iloc[rows, ::-1]))
    assert moved.ids.tolist() == table.ids[rows].tolist()
    expected = table.X.iloc[rows].reset_index(drop=True)
    np.testing.assert_allclose(moved.X[expected.columns], expected, rtol=1e-12)
    kinds = {c.name: (c.kind, c.treatment) for c in table.columns}
    assert {c.name: (c.kind, c.treatment) for c in moved.columns} == kinds


def test_unknown_levels_and_words(tmp_path: Path, mixed: pd.DataFrame) -> None:
    table = read_table(saved(tmp_path / "t.csv", mixed))
    new = mixed.iloc[[0]].assign(
        kind="birch", many="new", width="?", day="never", fine="perhaps", price="free"
    )
    found = read_table(saved(tmp_path / "n.csv", new), blocks=stored(table))
    X = found.X.iloc[0]
    # What is not known lies in the middle, equally far from all that is.
    assert X[["kind=ash", "kind=oak", "kind=elm", "fine=yes", "fine=no"]].eq(0).all()
    assert X[["width", "price", "day"]].abs().max() < 1e-12
    assert X["many=other"] > 0
    notes = " ".join(found.notes)
    for name, what in {
        "kind": "1 of 1 rows have a level that the fitted rows did not have ('birch')",
        "width": "1 of 1 rows have no value",
        "day": "1 of 1 rows have a text where a number or date belongs ('never')",
        "price": "1 of 1 rows have a text where a number or date belongs ('free')",
        "fine": "1 of 1 rows have a level that the fitted rows did not have",
    }.items():
        assert f"Column {name!r}: {what}" in notes
    assert "'many'" not in notes


def test_few_missing_numbers_lie_in_the_middle(tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("a,b\n1,5\n1,6\n?,7\n3,7\n11,7.5\n")
    table = read_table(str(path))
    assert table.X["a"][2] == 0
    assert table.X["a"].mean() == pytest.approx(0)
    assert "1 missing: in the middle" in table.columns[0].treatment


def test_missing_values_are_flagged_once(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(100, 4)), columns=list("abcd"))
    frame.loc[:5, ["a", "b"]] = None  # 6 %, the same rows
    frame.loc[50:55, "c"] = None
    frame.loc[70:73, "d"] = None  # too few to mean anything
    table = read_table(saved(tmp_path / "t.csv", frame), scale="standard")
    assert table.X.columns.tolist() == ["a", "a missing", "b", "c", "c missing", "d"]
    np.testing.assert_array_equal(table.X["a missing"] > 0, frame["a"].isna())
    said = {c.name: c.treatment for c in table.columns}
    assert said["b"].endswith("flagged with 'a'")
    assert "flagged" not in said["d"]


def test_missing_levels_are_a_level(tmp_path: Path) -> None:
    frame = pd.DataFrame({"k": ["a", "b", None, "a"] * 10, "note": [None, "x"] * 20})
    frame["few"] = ["p"] * 20 + ["q"] * 19 + [None]
    table = read_table(saved(tmp_path / "t.csv", frame))
    expected = ["k=a", "k=b", "k missing", "note missing", "few=p", "few=q"]
    assert table.X.columns.tolist() == expected
    assert ((table.X[expected[:3]] > 0).sum(axis=1) == 1).all()
    np.testing.assert_array_equal(table.X["k missing"] > 0, frame["k"].isna())
    np.testing.assert_array_equal(table.X["note missing"] > 0, frame["note"].isna())
    assert table.X[["few=p", "few=q"]].iloc[-1].tolist() == [0, 0]
    new = read_table(
        saved(tmp_path / "n.csv", frame.iloc[[0]].assign(k="new")),
        blocks=stored(table),
    )
    assert new.X[expected[:3]].iloc[0].tolist() == [0, 0, 0]


@pytest.mark.parametrize("scale", ["auto", "maxabs", "minmax", "none"])
@pytest.mark.parametrize("levels", [2, 3, 7])
def test_columns_of_a_kind_weigh_alike(scale: str, levels: int) -> None:
    rng = np.random.default_rng(0)
    n = 420
    frame = pd.DataFrame(
        {
            "a": rng.random(n),
            "b": rng.random(n),
            "even": [f"e{k % levels}" for k in range(n)],
            "uneven": ["r" if k < 40 else f"e{k % 2}" for k in range(n)],
            "truth": ["yes" if k % 3 else "no" for k in range(n)],
            "hour": [k % 24 for k in range(n)],
            # Not evenly: such dates only count the days and are left out.
            "day": pd.Timestamp("2020-01-01")
            + pd.to_timedelta((np.arange(n) ** 1.5).astype(int), "D"),
            "parts": [f"p{k % 3}|q{k % 5}" for k in range(n)],
            "rare": ["x" if k else "y" for k in range(n)],
        }
    )
    frame.loc[:100, "b"] = None
    blocks = TableBlocks(scale=scale).set_output(transform="pandas").fit(frame)
    variances = blocks.transform(frame).var(ddof=0)
    of = {
        name: sum(v for c, v in variances.items() if name in re.split("[ =]", c))
        for name in frame
    }
    flag = variances["b missing"]
    unit = (variances["a"] + variances["b"] + 2 * variances["day"]) / 3
    assert flag == pytest.approx(unit / 32)
    assert of["hour"] == pytest.approx(unit)
    for name in ("even", "uneven", "truth", "parts"):
        assert of[name] == pytest.approx(unit / 16), name
    if scale == "auto":
        assert of["day"] == of["a"] == pytest.approx(1)
    # A level of one row in 420 does not decide everything.
    assert of["rare"] < unit / 20


def test_short_texts_are_a_block_of_tf_idf(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    words = ["ash", "Elm", "oak", "new", "old", "saw", "big", "box"]
    odds = np.arange(8, 0, -1) / 36
    texts = [" ".join(rng.choice(words, 3, p=odds)) for _ in range(300)]
    frame = pd.DataFrame({"title": texts, "size": rng.normal(size=300)})
    table = read_table(saved(tmp_path / "t.csv", frame))
    block = table.X.filter(like="title=")
    assert block.shape[1] == len(words)
    expected = TfidfVectorizer(binary=True).fit(texts)
    column = stored(table).columns_[0]
    names = [f"title={word}" for word in expected.get_feature_names_out()]
    found = block[names] / column.weight
    np.testing.assert_allclose(found, expected.transform(texts).toarray())
    assert block.var(ddof=0).sum() == pytest.approx(1 / 16)
    new = pd.DataFrame({"title": ["OAK, box", "fir", None], "size": [0.0, 1.0, 2.0]})
    again = read_table(saved(tmp_path / "n.csv", new), blocks=stored(table))
    rows = expected.transform(["oak box", "", ""]).toarray() * column.weight
    np.testing.assert_allclose(again.X[names], rows)


def test_units_behind_numbers_are_read_and_others_are_reported() -> None:
    frame = pd.DataFrame({"w": [f"{k} kg" for k in range(40)], "a": np.arange(40) ** 2})
    blocks = TableBlocks().fit(frame)
    again = TableBlocks.from_dict(json.loads(json.dumps(blocks.to_dict())))
    bare = pd.DataFrame({"w": [7, 8], "a": [1, 2]})
    np.testing.assert_array_equal(
        again.transform(bare), again.transform(frame.loc[7:8, ["w"]].assign(a=[1, 2]))
    )
    new = pd.DataFrame({"w": ["7 kg", "8kg", "9 lb"], "a": [1, 2, 3]})
    found = again.transform(new)[:, 0]
    np.testing.assert_allclose(found[:2], blocks.transform(frame)[7:9, 0])
    assert again.notes_on(new) == [
        "Column 'w': 1 of 3 rows have a text where a number or date belongs ('9 lb')."
    ]


def test_weights_of_words_that_do_not_fit_are_refused() -> None:
    titles = [f"{a} {b} wood" for a in ("red", "old", "raw") for b in ("ash", "elm")]
    state = TableBlocks().fit(pd.DataFrame({"t": titles * 9 + ["new"] * 7})).to_dict()
    state["columns"][0]["rarity"] = [1.0]
    with pytest.raises(ValueError, match="'t' lacks weights of words"):
        TableBlocks.from_dict(state)


def test_numbers_alone_are_left_to_the_model(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1.0, 2.0, 4.0], "b": [10.0, -5.0, 0.5]})
    table = read_table(saved(tmp_path / "t.csv", frame), scale="minmax")
    np.testing.assert_array_equal(table.X, frame)
    assert table.scaling == "minmax"


CHOICES: list[tuple[dict[str, Any], list[str]]] = [
    ({"columns": ["width,n"]}, ["width", "n"]),
    ({"columns": ["a, b"]}, ["a, b"]),
    ({"drop": ["width", "kind,n"]}, ["a, b"]),
    ({"categorical": ["n"], "drop": ["kind", "width"]}, ["n=1", "n=3", "n=4", "a, b"]),
    ({"columns": ["count"], "numeric": ["count"]}, ["count"]),
    ({"label": "kind", "columns": ["n"]}, ["n"]),
    ({"id": "width", "columns": ["n"]}, ["n"]),
]


@pytest.mark.parametrize(("options", "expected"), CHOICES)
def test_choices(tmp_path: Path, options: dict[str, Any], expected: list[str]) -> None:
    frame = pd.DataFrame(
        {
            "width": np.arange(20) * 1.5,
            "kind": ["x", "y"] * 10,
            "n": [3, 1, 4, 1] * 5,
            "a, b": np.arange(20) * 2.5,
            "count": range(20),
        }
    )
    table = read_table(saved(tmp_path / "t.csv", frame), **options)
    assert table.X.columns.tolist() == expected
    assert [column.name for column in table.columns] == frame.columns.tolist()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"columns": ["widht"]}, "--columns: .*Did you mean 'width'"),
        ({"categorical": ["knid"]}, "--categorical: .*Did you mean 'kind'"),
        ({"numeric": ["kind"]}, "--numeric: no value of column 'kind' is a number"),
        (
            {"numeric": ["kind"], "categorical": ["kind"]},
            "--categorical: .* are --numeric too",
        ),
        ({"scale": "maxbas"}, "--scale: .*Did you mean 'maxabs'"),
    ],
)
def test_impossible_choices(
    tmp_path: Path, mixed: pd.DataFrame, options: dict[str, Any], words: str
) -> None:
    with pytest.raises(ValueError, match=words.replace("--", "")) as error:
        read_table(saved(tmp_path / "t.csv", mixed), **options)
    assert "--" not in str(error.value)
    assert re.search(words, command_words(error.value))


def test_hostile_names(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    names = [
        "<script>alert(1)</script>",
        "[bold]x[/]",
        "a=b",
        "a",
        "",
        "ü\tz",
        "x" * 300,
    ]
    frame = pd.DataFrame({name: rng.normal(size=20) for name in names})
    frame["a"] = ["b", "c"] * 10  # its level is called like another column
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_table(str(tmp_path / "t.parquet"))
    assert len(set(table.X.columns)) == table.X.shape[1] == 8
    assert {"a=b", "a=b (2)", "a=c"} <= set(table.X.columns)
    again = read_table(str(tmp_path / "t.parquet"), blocks=stored(table))
    pd.testing.assert_frame_equal(again.X, table.X, check_exact=True)


def test_flat_columns_are_remarked_upon(tmp_path: Path) -> None:
    frame = pd.DataFrame({"year": range(1990, 2010, 2), "a": np.sin(np.arange(10))})
    path = saved(tmp_path / "t.csv", frame)
    assert "'year'" in read_table(path).notes[0]
    assert read_table(path, scale="minmax").notes == ()


def test_the_same_levels_twice_count_once(tmp_path: Path) -> None:
    kinds = ["ash", "oak", "elm"] * 8
    frame = pd.DataFrame(
        {
            "kind": kinds,
            "kind_id": [len(kind) + ord(kind[0]) for kind in kinds],
            "site": (["north"] * 5 + ["south"] * 7) * 2,
            "width": np.arange(24) * 1.5,
        }
    )
    path = saved(tmp_path / "t.csv", frame)
    table = read_table(path)
    assert "says the same as 'kind'" in table.columns[1].treatment
    assert "kind_id=ash" not in table.X.columns
    assert table.X.shape[1] == 3 + 2 + 1
    asked = read_table(path, categorical=["kind_id"])
    assert asked.X.shape[1] == 3 + 3 + 2 + 1


def test_in_a_pipeline(mixed: pd.DataFrame) -> None:
    pipeline = make_pipeline(TableBlocks(drop=["name"]), KMeans(2, random_state=0))
    labels = pipeline.fit_predict(mixed)
    assert (pipeline.predict(mixed) == labels).all()
    names = pipeline[0].get_feature_names_out().tolist()
    assert {"width", "kind=ash", "day"} <= set(names)


@parametrize_with_checks([TableBlocks()])
def test_it_is_a_transformer_of_scikit_learn(
    estimator: Any, check: Callable[[Any], None]
) -> None:
    check(estimator)


def test_a_table_of_names_alone_is_refused() -> None:
    frame = pd.DataFrame({"name": [f"n{k}" for k in range(30)], "k": "x"})
    for fit in (TableBlocks().fit_transform, GraphTailor(2).fit):
        with pytest.raises(ValueError, match=r"no column is left .*id: 'name'; const"):
            fit(frame)


def test_polars_tables() -> None:
    polars = pytest.importorskip(
        "polars", reason="polars is not installed: its tables are NOT tested"
    )
    rng = np.random.default_rng(0)
    size = polars.Enum(["S", "M", "L"])
    day = polars.date_range(
        polars.date(2020, 1, 1), polars.date(2020, 1, 30), eager=True
    )
    frame = polars.DataFrame(
        {
            "a": np.r_[rng.normal(size=15), rng.normal(9, size=15)],
            "gaps": [None, *range(29)],
            "kind": ["ash", "oak", None] * 10,
            "size": polars.Series(["S", "L", "M"] * 10, dtype=size),
            "day": day,
        }
    )
    blocks = TableBlocks()
    X = blocks.fit_transform(frame)
    np.testing.assert_array_equal(X, blocks.transform(frame.to_pandas()))
    by_name = {column.name: column for column in blocks.columns_}
    assert by_name["size"].levels == ("S", "M", "L")
    assert by_name["day"].kind == "date"
    found = cluster_table(frame, 2, random_state=0)
    labels = GraphTailor(2, random_state=0).fit(frame).labels_
    np.testing.assert_array_equal(found.table["cluster"], labels)
    assert found.predict(frame.head(3)).table["cluster"].tolist() == labels[:3].tolist()


def test_a_column_that_is_not_there(mixed: pd.DataFrame) -> None:
    blocks = TableBlocks().fit(mixed)
    with pytest.raises(ValueError, match=r"not there: 'width'\. Did you mean 'widht'"):
        blocks.transform(mixed.rename(columns={"width": "widht"}))
