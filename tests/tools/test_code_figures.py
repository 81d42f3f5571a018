import ast
import sys
from pathlib import Path
from textwrap import dedent

import pytest

sys.path.append(str(Path(__file__).parents[2] / "tools"))
from code_figures import (
    Lines,
    Road,
    count_any,
    functions_of,
    lines_of,
    n_parameters,
    numeric_constants,
    public_names,
)


def test_every_line_is_counted_once():
    text = dedent(
        '''
        """Module.

        It has three lines.
        """

        # Why.
        x = "# not a comment"  # code


        def f():
            """One."""
            return """not
            a docstring"""
        '''
    ).lstrip()
    assert lines_of(text) == Lines(docstring=5, comment=1, blank=3, code=4)
    assert lines_of(text).all == len(text.splitlines())


@pytest.mark.parametrize(
    ("signature", "count"),
    [("self, a, b", 2), ("a, /, b, *, c", 3), ("*args, **kwargs", 2), ("", 0)],
)
def test_parameters(signature, count):
    (function,) = functions_of(ast.parse(f"def f({signature}): ..."))
    assert n_parameters(function) == count


def test_any_is_counted_where_it_is_used():
    tree = ast.parse("from typing import Any\ndef f(x: Any) -> list[Any]: ...")
    assert count_any(tree) == 2


@pytest.mark.parametrize(
    ("statement", "count"),
    [
        ("LIMIT = 3", 1),
        ("_LIMIT: float = -2.5e-3", 1),
        ("SIZE = 2**20 * 14", 1),
        ("A, B = 1, 2.0", 2),
        ("A, B = 1, 'two'", 1),
        ("NAME = 'x'", 0),
        ("FLAG = True", 0),
        ("small = 3", 0),
        ("MORE = LIMIT + 1", 0),
    ],
)
def test_constants_are_names_of_numbers(statement, count):
    assert numeric_constants(ast.parse(statement)) == count


def test_public_names():
    assert public_names(ast.parse("x = 1\n__all__ = ['a', 'b']")) == ["a", "b"]
    assert public_names(ast.parse("x = 1")) == []


def test_the_road_holds_functions_of_the_package_alone(tmp_path, monkeypatch):
    (tmp_path / "small_package").mkdir()
    (tmp_path / "small_package" / "one.py").write_text(
        "def used():\n    return [x for x in range(3)]\n\ndef idle():\n    pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    from small_package.one import used

    assert Road(tmp_path / "small_package").run(lambda: (used(), dedent("x"))) == (1, 1)
