"""Pieces of work, a fit for one seed or for several, and what names their runs."""

import ast
import hashlib
import json
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.machinery import ModuleSpec
from importlib.metadata import version
from importlib.util import find_spec, resolve_name
from pathlib import Path
from platform import python_version
from typing import NamedTuple, Self

from graphtailor.bench.plan.plan import Phase, Plan, PlannedData, PlannedMethod, Setting
from graphtailor.bench.results.scores import is_import_path
from graphtailor.registry import get_method

# A method as it is run on the data, the data, and their checksum.
Pair = tuple[PlannedMethod, PlannedData, str]
# A change of any of them may change a label.
_PACKAGES = ("graphtailor", "numba", "numpy", "scikit-learn", "scipy")
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


@cache
def environment() -> str:
    """Versions of Python and of the packages below, as JSON."""
    versions = {package: version(package) for package in _PACKAGES}
    return json.dumps({"python": python_version(), **versions}, sort_keys=True)


@dataclass(frozen=True)
class Unit:
    """One setting of one method on one data set, for some seeds."""

    method: PlannedMethod
    params: Setting
    data: PlannedData
    data_hash: str
    seeds: tuple[int, ...]
    metrics: tuple[str, ...]
    seconds: float | None = None
    megabytes: float | None = None

    def keys(self) -> list[str]:
        """The keys of the runs in the store, one for each seed."""
        return [
            run_key(self.method.uses, self.params, self.data_hash, seed)
            for seed in self.seeds
        ]

    def without(self, stored: Container[str]) -> Self:
        """The unit with the seeds whose keys are not stored."""
        pairs = zip(self.seeds, self.keys(), strict=True)
        return replace(self, seeds=tuple(s for s, key in pairs if key not in stored))


def run_key(uses: str, params: Setting, data_hash: str, seed: int) -> str:
    """The name of a run: a hash of method, setting, data, seed, versions and source.

    Runs with equal keys have equal labels. The versions are those of
    :func:`environment`, the source that of
    :func:`graphtailor.bench.run.work_units.method_source`.
    """
    setting = (uses, params_text(params), data_hash, int(seed))
    parts = (*setting, environment(), method_source(uses))
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


def params_text(params: Setting) -> str:
    """A setting as JSON that does not depend on the order of its names."""
    plain = {k: float(v) if type(v) is int else v for k, v in params.items()}
    return json.dumps(plain, sort_keys=True)


def make_units(
    plan: Plan, phase: Phase, pair: Pair, settings: Iterable[Setting]
) -> Iterator[Unit]:
    """The units of some settings, with as few fits as the method needs.

    A unit has one seed if the whole fit is random, and all seeds of the phase if one
    fit serves them.
    """
    method, planned, data_hash = pair
    seeds = plan.seeds(method, phase)
    groups = [(seed,) for seed in seeds] if method.randomness == "all" else [seeds]
    for params in settings:
        for group in groups:
            what = (method, params, planned, data_hash, group)
            yield Unit(*what, plan.metrics, plan.seconds, plan.megabytes)
