"""Every promise names tests that are there and run."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEST = re.compile(r"`(tests/[\w/]+\.py::\w+)`")
PAGE = (ROOT / "docs" / "promises.md").read_text()
ROWS = [
    line
    for line in PAGE.splitlines()
    if line.startswith("| ") and not line.startswith(("| promise", "| ---"))
]


def test_there_are_promises():
    assert len(ROWS) > 30


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[2:42])
def test_a_promise_names_what_holds_it(row):
    _, _, held_by, _, _ = (cell.strip() for cell in row.split("|"))
    assert held_by
    assert held_by == ", ".join(f"`{name}`" for name in TEST.findall(held_by))


def test_what_holds_a_promise_is_there():
    for name in sorted(set(TEST.findall(PAGE))):
        file, _, test = name.partition("::")
        assert test.startswith("test_")
        assert Path(file).name.startswith("test_")
        defined = ast.parse((ROOT / file).read_text()).body
        functions = {each.name for each in defined if isinstance(each, ast.FunctionDef)}
        assert test in functions, name
