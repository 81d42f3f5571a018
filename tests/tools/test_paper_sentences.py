"""The script that checks the paper's sentences, on what the paper prints itself."""

import sys
from pathlib import Path

import pandas as pd
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))

from paper_sentences import SENTENCES, Tables, beside_paper, printed

COUNTS = {
    "first in 23 of 40 cells, among the first three in 36": (
        "23 first, 36 in three of 40"
    ),
    "above SymNMF in all cells": "40 of 40",
    # The paper's text says 29.
    "SymNMF above SC in 29 of 40": "27 of 40",
    "above L2-Graph, significantly in 34": "34 above, 0 below",
    "above L2-SymNMF in 34": "34 of 40",
    "... significantly in 30": "30 above, 5 below",
    "SSC above CAN on six sets": "6 of 10",
}


@pytest.mark.parametrize(("sentence", "count"), COUNTS.items())
def test_sentences_hold_in_the_printed_tables(sentence, count):
    assert dict(SENTENCES)[sentence](printed(), "Proposed") == count


def test_the_paper_is_level_with_itself():
    assert beside_paper(printed(), "Proposed") == "40 of 40"


def test_counts_of_a_small_table():
    index = pd.MultiIndex.from_product(
        [["a", "b"], ["ACC"]], names=["dataset", "metric"]
    )
    means = pd.DataFrame({"A": [0.9, 0.4], "B": [0.8, 0.4]}, index)
    marks = pd.DataFrame({"B": ["worse", "same"]}, index)
    tables = Tables(means, lambda method: marks)
    assert tables.above("A", "B") == "1 of 2"
    assert tables.first("A") == "2 first, 2 in three of 2"
    assert tables.verdicts("A") == "1/1/0 of 2"
    assert tables.significant("A", "B") == "1 above, 0 below"
    assert tables.sets_above("A", "B") == "1 of 2"
