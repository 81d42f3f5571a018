"""The examples compile and name nothing that is not there; `make docs` runs them."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("plot_*.py"))
ROLE = re.compile(r":(?:class|func|meth|mod):`~?(graphtailor[\w.]*)`")
LINK = re.compile(r":doc:`/([^`]+)`")


def imported_names(tree: ast.Module) -> dict[str, str]:
    """What an example imports from graphtailor: full names by those it uses."""
    return {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").split(".")[0] == "graphtailor"
        for alias in node.names
    }


def called_with(tree: ast.Module) -> list[tuple[str, set[str]]]:
    """Calls of plain or dotted names, with the keywords that they use."""
    return [
        (ast.unparse(node.func), {word.arg for word in node.keywords if word.arg})
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
    ]


def test_there_are_enough_examples():
    assert len(EXAMPLES) >= 12


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_names_in_examples_exist(example, look_up):
    tree = ast.parse(example.read_text(), str(example))
    names = imported_names(tree)
    assert names, "an example shows something of graphtailor"
    found = {short: look_up(name) for short, name in names.items()}
    for called, keywords in called_with(tree):
        first, _, rest = called.partition(".")
        if first not in found or "(" in called:
            continue
        target = look_up(f"{names[first]}.{rest}" if rest else names[first])
        parameters = getattr(target, "_parameter_constraints", None)
        if parameters is not None:
            assert keywords <= set(parameters), called


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_links_in_examples_lead_somewhere(example, docs, look_up):
    text = example.read_text()
    for name in ROLE.findall(text):
        assert look_up(name) is not None, name
    for link in LINK.findall(text):
        ends = [docs / f"{link}.md", docs / f"{link}.rst"]
        assert any(end.is_file() for end in ends), link


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_show_pictures_and_say_what_they_ask(example):
    tree = ast.parse(example.read_text())
    title, _, text = (ast.get_docstring(tree) or "").partition("\n")
    assert set(text.splitlines()[0]) == {"="}, "the title is underlined"
    assert len(text.splitlines()[0]) >= len(title)
    assert "plt.show()" in example.read_text()


def test_gallery_orders_all_examples(monkeypatch, docs):
    monkeypatch.syspath_prepend(docs / "_ext")
    order = import_module("gallery_order")
    assert {f"plot_{name}" for name in order._FIRST} == {e.stem for e in EXAMPLES}
    first = min(EXAMPLES, key=lambda e: order.ReadingOrder("")(str(e)))
    assert first.stem == "plot_table_penguins"
