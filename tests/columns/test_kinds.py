"""What columns are taken for: exact on clear cases, and never a crash."""

import json
import string
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from graphtailor.columns.blocks import TableBlocks
from graphtailor.columns.kinds import guess_kind
from graphtailor.columns.parse_values import (
    TEXT,
    guess_decimal,
    parse_numbers,
    plain_column,
)

N = 40
RANGE = range(N)


def taken_as(values: Any, name: str = "x", decimal: str = ".") -> tuple[str, Any]:
    guess = guess_kind(plain_column(pd.Series(values, name=name)), decimal)
    return guess.kind, guess.form


CLEAR: dict[str, tuple[Any, tuple[str, str | None]]] = {
    "floats": ([k / 7 for k in RANGE], ("numeric", "number")),
    "few integers": ([k % 3 for k in RANGE], ("numeric", "number")),
    "numbers with gaps": ([None if k < 9 else k / 7 for k in RANGE], ("numeric",) * 2),
    "money": ([f"$1,{k + 100}.50" for k in RANGE], ("numeric", "number")),
    "percent": ([f"{k} %" for k in RANGE], ("numeric", "number")),
    "negative euro": ([f"-{k}.5€" for k in RANGE], ("numeric", "number")),
    "spaced thousands": ([f"{k + 1} 000" for k in RANGE], ("numeric", "number")),
    "a word among numbers": (
        ["unknown" if k % 5 == 0 else f"{k}.5" for k in RANGE],
        ("numeric", "number"),
    ),
    "booleans": ([k % 2 == 0 for k in RANGE], ("category", "truth")),
    "yes and no": (["Yes", "no"] * 20, ("category", "truth")),
    "1 and 0": ([1, 0] * 20, ("category", "truth")),
    "1 and 2": ([1, 2] * 20, ("category", "levels")),
    "levels": (["ash", "oak", "elm", "fir"] * 10, ("category", "levels")),
    "given or not": ([None, "x"] * 20, ("category", "levels")),
    "one number or none": ([None, 1.0] * 20, ("category", "levels")),
    "iso dates": ([f"2020-03-{k % 28 + 1:02}" for k in RANGE], ("date", "date")),
    "times": ([f"2020-03-01T10:{k:02}:00Z" for k in RANGE], ("date", "date")),
    "german dates": ([f"{k % 28 + 1}.3.2020" for k in RANGE], ("date", "date")),
    "american dates": ([f"3/{k % 28 + 1}/2020" for k in RANGE], ("date", "date")),
    "dates": (pd.date_range("2020-01-01", periods=N), ("date", "date")),
    "codes": ([f"tree{k:03}" for k in RANGE], ("id", None)),
    "count from 0": ([*RANGE], ("id", None)),
    "shuffled count from 1": ([k * 7 % N + 1 for k in RANGE], ("id", None)),
    "constant": (["x"] * N, ("constant", None)),
    "constant number": ([3.5] * N, ("constant", None)),
    "prose": ([f"the tale of tree {k} and bird" for k in RANGE], ("text", None)),
    "nearly all different": (
        [f"n{k // 2 * 2 if k < 9 else k}" for k in RANGE],
        ("text",),
    ),
    "empty": ([None] * N, ("empty", None)),
    "nearly empty": ([5.0] + [None] * (N - 1), ("empty", None)),
    "lists": (
        [["a", "b"][: k % 2 + 1] + [f"p{k % 7}"] for k in RANGE],
        ("text", "parts"),
    ),
    "few lists": (
        ["ash, oak", "oak, elm", "elm, ash", "fir, ash"] * 9,
        ("category", "levels"),
    ),
    "more lists than parts": (
        [["ash, oak", "oak, ash", "ash", "oak, fir", "fir"][k % 5] for k in RANGE],
        ("text", "parts"),
    ),
    "lists as text": ([f"p{k % 5}|q{k % 7}" for k in RANGE], ("text", "parts")),
    "short texts": (
        [f"{('red', 'blue')[k % 2]} box number{k} of wood" for k in RANGE] * 2,
        ("text", "parts"),
    ),
    "leading zeros": ([f"0{k % 4}" for k in RANGE], ("category", "levels")),
    "thirty digits": ([10**30 + k for k in RANGE], ("id", None)),
    "thirty digits again": ([10**30 + k % 3 for k in RANGE], ("category", "levels")),
    "nearly unique names": (
        [f"{chr(65 + k % 26)}nna B. Miller {k if k else 1}" for k in range(90)],
        ("id", None),
    ),
    "different by more than chance": (
        [10_000 + 7 * k for k in range(100)],
        ("id", None),
    ),
    "different by chance": ([k**4 for k in range(2, 90)], ("numeric", "number")),
    "clock": ([f"{k % 24}:30" for k in RANGE], ("numeric", "cycle")),
    "clock with halves": (
        [f"{k % 12 + 1}:30 {'ap'[k % 2]}m" for k in RANGE],
        ("numeric", "cycle"),
    ),
    "durations": ([f"{k + 9}:{k % 60:02}" for k in RANGE], ("numeric", "number")),
    "units": ([f"{k * 1.5} kg" for k in RANGE], ("numeric", "number")),
    "units and other words": (
        [f"{k * 1.5} {('kg', 'lb')[k % 2]}" for k in RANGE],
        ("id",),
    ),
    "quarters": ([f"{1990 + k % 9} Q{k % 4 + 1}" for k in RANGE], ("date", "date")),
    "months of years": (
        [f"{1990 + k**2 // 99} {('Jan', 'May')[k % 2]}" for k in RANGE],
        ("date", "date"),
    ),
    "months": (["Jan", "february", "Dec."] * 9, ("category", "cycle")),
    "weekdays": (["Mon", "Tue", "Sunday"] * 9, ("category", "cycle")),
    "directions": (["N", "SW", "NNE", "E"] * 9, ("category", "cycle")),
    "letters": (["N", "S", "M", "E"] * 9, ("category", "levels")),
    "complex": ([complex(k, 1) for k in RANGE], ("text", None)),
    "years": ([1950 + k for k in RANGE], ("numeric", "number")),
}


@pytest.mark.parametrize(("values", "expected"), CLEAR.values(), ids=[*CLEAR])
def test_clear_cases(values: Any, expected: tuple[str, Any]) -> None:
    assert taken_as(values)[0] == expected[0]
    shuffled = pd.Series(values).sample(frac=1, random_state=1).reset_index(drop=True)
    assert taken_as(shuffled) == taken_as(values)
    assert (taken_as(values)[1] is None) == (len(expected) == 1 or expected[1] is None)


@pytest.mark.parametrize("name", ["id", "patient_id", "Patient ID", "userId", "uuid"])
def test_integers_by_name(name: str) -> None:
    assert taken_as([k * 13 + 5 for k in RANGE], name) == ("id", None)
    # Ids of few other things are levels, of many they are no quantity.
    assert taken_as([k % 4 for k in RANGE], name) == ("category", "levels")
    assert taken_as([k % 30 for k in RANGE], name) == ("code", None)
    # Words that merely end so.
    assert taken_as([k * 13 + 5 for k in RANGE], "acid") == ("numeric", "number")
    assert taken_as([k * 13.5 for k in RANGE], name) == ("numeric", "number")


@pytest.mark.parametrize(
    ("name", "values", "form"),
    [
        ("hour", [k % 24 for k in RANGE], "cycle"),
        ("mnth", [k % 12 + 1 for k in RANGE], "cycle"),
        ("weekday", [k % 7 for k in RANGE], "cycle"),
        ("wind_dir", [k * 30 % 360 for k in RANGE], "cycle"),
        ("Wind Direction", [k * 30 % 360 for k in RANGE], "cycle"),
        ("wind_deg", [k * 30 % 360 for k in RANGE], "cycle"),
        ("pickup_hour", [k % 24 for k in RANGE], "cycle"),
        ("calls per month", [k % 12 + 1 for k in RANGE], "number"),
        ("dep_time", [k // 60 * 100 + k % 60 for k in range(0, 1440, 9)] * 2, "cycle"),
        ("hours", [k * 9 for k in RANGE], "number"),  # of work, not of the day
        ("time", [k % 90 for k in range(200)], "number"),  # 75 is not a minute
        ("zip", [10_000 + k % 30 for k in RANGE], None),
        ("zip", [10_000 + k % 3 for k in RANGE], "levels"),
        ("zip", [10_000 + k * 997 for k in RANGE], None),
        ("Customer", [10_000 + k * 997 for k in RANGE], None),
        ("Customer", [k % 9 * 997 for k in RANGE], "number"),
    ],
)
def test_whole_numbers_by_name(name: str, values: Any, form: str | None) -> None:
    assert taken_as(values, name)[1] == form
    is_other = form in ("number", "levels", None)
    assert is_other or taken_as(values, "x")[1] == "number"


def test_decimal_commas() -> None:
    values = [f"{k},5" for k in RANGE]
    assert taken_as(values, decimal=",") == ("numeric", "number")
    assert guess_decimal([pd.Series(values)]) == ","


def test_levels_beyond_the_cap() -> None:
    few_matter = [f"c{k}" if k < 30 else f"t{k % 5}" for k in range(100)]
    assert taken_as(few_matter) == ("category", "levels")
    none_matters = [f"c{k % 40}" for k in range(100)]
    assert taken_as(none_matters)[0] == "text"


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_numbers_are_parsed_as_they_are_written(value: float) -> None:
    written = pd.Series([repr(value), f"{value:,.3f}", f"{value:.4f} %"])
    expected = [value, float(f"{value:.3f}"), float(f"{value:.4f}")]
    np.testing.assert_array_equal(parse_numbers(written), expected)
    comma = pd.Series([f"{value:.3f}".replace(".", ",")])
    np.testing.assert_array_equal(parse_numbers(comma, ","), expected[1:2])


CELLS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_infinity=False),
    st.text(max_size=20),
    st.text(alphabet=string.digits + "-/:., $%", max_size=12),
    st.dates().map(str),
    st.lists(st.integers(), max_size=2),
)


@settings(max_examples=150, deadline=None)
@given(cells=st.lists(CELLS, min_size=1, max_size=30), name=st.text(max_size=8))
def test_never_crashes(cells: list[Any], name: str) -> None:
    frame = pd.DataFrame({name: plain_column(pd.Series(cells, dtype=object))})
    guess = guess_kind(frame[name])
    assert guess.kind in (
        *("numeric", "category", "date", "id", "constant", "text", "empty"),
    )
    blocks = TableBlocks().fit(frame)
    assert blocks.columns_[0].kind in (guess.kind, "constant")
    if blocks.used_:
        X = blocks.transform(frame)
        assert X.shape == (len(frame), len(blocks.get_feature_names_out()))
        assert np.isfinite(X).all()
        again = TableBlocks.from_dict(json.loads(json.dumps(blocks.to_dict())))
        np.testing.assert_array_equal(again.transform(frame), X)
        assert not any("level" in note for note in again.notes_on(frame))


@settings(max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(["numeric", "date", "levels", "truth"]),
    seed=st.integers(0, 2**16),
    gaps=st.floats(0, 0.5),
)
def test_exact_on_made_columns(kind: str, seed: int, gaps: float) -> None:
    rng = np.random.default_rng(seed)
    made: dict[str, Any] = {
        "numeric": rng.normal(size=N).round(3),
        "date": pd.Timestamp("2000-01-01")
        + pd.to_timedelta(rng.integers(0, 9999, N), unit="D"),
        "levels": rng.choice(["ash", "oak", "elm"], N),
        "truth": rng.choice(["yes", "no"], N),
    }
    column = pd.Series(made[kind]).astype(TEXT).where(rng.random(N) >= gaps)
    if column.nunique() < 3 - (kind == "truth"):
        return
    expected = {"numeric": "number"}.get(kind, kind)
    assert guess_kind(column).form == expected


def test_texts_without_words_are_left_out() -> None:
    """Short codes of two parts, like 1s2 2p1 of the elements, have no word in them."""
    codes = pd.Series([f"{k % 50}s {k % 50 % 7}p" for k in range(55)])
    assert guess_kind(codes).form is None
