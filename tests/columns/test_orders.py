"""Categories with an order are numbers by their places."""

import json

import numpy as np
import pandas as pd
import pytest

from graphtailor.columns.blocks import TableBlocks
from graphtailor.columns.column import LEVELS_SHARE
from graphtailor.columns.orders import order_of


@pytest.mark.parametrize(
    "levels",
    [
        "low medium high",
        "XS S M L XL",
        "Bad Medium Good",
        "1st 2nd 3rd 10th",
        "Never Sometimes Always",
        "<18 18-24 25-64 65+",
        "1,000-1,999 2,000-2,999 10,000+",
    ],
)
def test_known_scales(levels: str) -> None:
    ordered = tuple(levels.split())
    assert order_of(ordered[::-1]) == ordered


@pytest.mark.parametrize(
    "levels", ["low high", "low medium tall", "1 2 3", "low Low high", "ash oak elm"]
)
def test_what_has_no_known_order(levels: str) -> None:
    assert order_of(levels.split()) is None


@pytest.fixture
def frame() -> pd.DataFrame:
    size = pd.Categorical(
        [["small", "huge", "mid"][k % 3] for k in range(60)],
        categories=["small", "mid", "huge", "never"],
        ordered=True,
    )
    rank = [["2nd", "1st", "3rd", None][k % 4] for k in range(60)]
    rank[5] = "*"
    a = np.random.default_rng(0).normal(size=60)
    return pd.DataFrame({"a": a, "size": size, "rank": rank})


def test_places_are_numbers_with_the_weight_of_levels(frame: pd.DataFrame) -> None:
    blocks = TableBlocks().set_output(transform="pandas").fit(frame)
    X = blocks.transform(frame)
    assert X.columns.tolist() == ["a", "size", "rank", "rank missing"]
    of_level = X["size"].groupby(frame["size"].astype(str)).first()
    assert of_level["small"] < of_level["mid"] < of_level["huge"]
    gaps = np.diff(of_level[["small", "mid", "huge"]])
    np.testing.assert_allclose(gaps[0], gaps[1])
    np.testing.assert_allclose(X["size"].var(ddof=0), 2 * LEVELS_SHARE * 2 / 3)
    treatments = [column.treatment for column in blocks.columns_]
    assert "levels in order: small < mid < huge" in treatments[1]
    # The star is one value in 60 beside a scale: it lies in the middle.
    assert X["rank"][5] == pytest.approx(X["rank"][3])


def test_new_rows_and_saved_blocks(frame: pd.DataFrame) -> None:
    blocks = TableBlocks().fit(frame)
    new = frame.head(2).assign(size=["never", "mid"])
    (note,) = blocks.notes_on(new)
    assert "1 of 2 rows have a level that the fitted rows did not have" in note
    again = TableBlocks.from_dict(json.loads(json.dumps(blocks.to_dict())))
    np.testing.assert_array_equal(again.transform(new), blocks.transform(new))
    assert blocks.transform(new)[0, 1] == pytest.approx(0)


def test_few_numbers_weigh_like_levels() -> None:
    frame = pd.DataFrame({"year": [2007, 2008, 2009] * 20, "kind": list("xy") * 30})
    frame["many"] = np.arange(60.0) ** 1.5
    X = TableBlocks().set_output(transform="pandas").fit_transform(frame)
    assert X["year"].var(ddof=0) == pytest.approx(2 * LEVELS_SHARE * 2 / 3)
    assert X["many"].var(ddof=0) == pytest.approx(1)
