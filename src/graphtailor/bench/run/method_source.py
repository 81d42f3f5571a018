"""The source of a method as a checksum: an edited method is run again."""

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, resolve_name
from pathlib import Path
from typing import NamedTuple

from graphtailor.bench.results.scores import is_import_path
from graphtailor.registry import get_method

# A model imports these rooms to show itself, which changes no label.
_SHOWING = ("graphtailor.report", "graphtailor.plot")


class _Module(NamedTuple):
    code: str
    imports: frozenset[str]


@cache
def method_source(uses: str) -> str:
    """A checksum of the code that a method may run.

    It covers the module of the method's class and every module of the same top-level
    package that this one imports, directly or through others. Comments, docstrings and
    the layout of the code do not count. Other packages count by their versions only.
    """
    first = (
        uses.partition(":")[0]
        if is_import_path(uses)
        else get_method(uses).estimator.__module__
    )
    top = first.partition(".")[0]
    found: dict[str, str] = {}
    waiting = {first}
    while waiting:
        name = waiting.pop()
        module = _module(name)
        if module is not None and name not in found:
            found[name] = module.code
            waiting |= {
                each for each in module.imports if each.partition(".")[0] == top
            }
    content = repr(sorted(found.items()))
    return hashlib.sha256(content.encode()).hexdigest()[:16]


@cache
def _module(name: str) -> _Module | None:
    """The code of a module and what it imports; None if it has no Python source."""
    try:
        spec = None if name.startswith(_SHOWING) else find_spec(name)
    except (ImportError, ValueError):
        return None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        return None
    tree = ast.parse(Path(spec.origin).read_bytes())
    return _Module(_code(tree), frozenset(_imports(tree, spec)))


def _code(tree: ast.Module) -> str:
    """The tree as text, without its docstrings."""
    for node in ast.walk(tree):
        if isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ):
            has_docstring = ast.get_docstring(node, clean=False) is not None
            node.body = node.body[1:] if has_docstring else node.body
    return ast.dump(tree)


def _imports(tree: ast.Module, spec: ModuleSpec) -> Iterator[str]:
    """Names of modules, and of things in them that may be modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            relative = "." * node.level + (node.module or "")
            module = resolve_name(relative, spec.parent or None)
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)
