"""Figures of the code: its size, its names, and what is on the road of a fit.

    python tools/code_figures.py [--source FOLDER] [--no-road]

FOLDER holds the package graphtailor; it is src/ by default. The road is what runs, of
the package itself, in a default fit of 50 rows of iris and in
``graphtailor fit FILE --report``: functions that are called, and their files. Compiled
functions and those that run while modules are imported are not counted.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import threading
import tokenize
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType

import numpy as np
from sklearn.datasets import load_iris

ROOT = Path(__file__).parent.parent
# More parameters than this are many; `self` and `cls` are not counted.
FEW_PARAMETERS = 6
# Comprehensions and lambdas belong to the function around them.
_INNER = {"<listcomp>", "<genexpr>", "<dictcomp>", "<setcomp>", "<lambda>", "<module>"}
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Lines:
    """Lines of a file by what stands on them."""

    docstring: int
    comment: int
    blank: int
    code: int

    @property
    def all(self) -> int:
        return self.docstring + self.comment + self.blank + self.code


def lines_of(text: str) -> Lines:
    """Count lines; one with code and a comment is code."""
    docstrings = {
        number
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Module | ast.ClassDef | Function)
        and ast.get_docstring(node, clean=False) is not None
        for number in range(node.body[0].lineno, node.body[0].end_lineno + 1)
    }
    comments = {
        token.start[0]
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type == tokenize.COMMENT and token.line[: token.start[1]].strip() == ""
    }
    lines = text.splitlines()
    blank = {n for n, line in enumerate(lines, 1) if not line.strip()} - docstrings
    code = len(lines) - len(docstrings) - len(comments) - len(blank)
    return Lines(len(docstrings), len(comments), len(blank), code)


def n_parameters(function: Function) -> int:
    """Number of parameters of a function, without `self` and `cls`."""
    given = function.args
    names = [*given.posonlyargs, *given.args, *given.kwonlyargs]
    stars = [star for star in (given.vararg, given.kwarg) if star is not None]
    return len([x for x in names if x.arg not in ("self", "cls")]) + len(stars)


def functions_of(tree: ast.Module) -> list[Function]:
    return [node for node in ast.walk(tree) if isinstance(node, Function)]


def count_any(tree: ast.Module) -> int:
    """How often `Any` is used, not counting its import."""
    return sum(
        isinstance(node, ast.Name) and node.id == "Any" for node in ast.walk(tree)
    )


def numeric_constants(tree: ast.Module) -> int:
    """Numbers that a module binds to names in capitals."""
    return sum(_numbers_bound_by(node) for node in tree.body)


def _numbers_bound_by(node: ast.stmt) -> int:
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        targets = [node.target]
    found = 0
    for target in targets:
        several = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
        pairs = (
            zip(target.elts, node.value.elts, strict=False)
            if several
            else [(target, node.value)]
        )
        for name, value in pairs:
            capital = isinstance(name, ast.Name) and name.id.lstrip("_").isupper()
            found += capital and _is_number(value)
    return found


def _is_number(value: ast.expr) -> bool:
    """Whether an expression holds numbers and operators alone."""
    parts = [node for node in ast.walk(value) if isinstance(node, ast.expr)]
    if any(not isinstance(x, ast.Constant | ast.BinOp | ast.UnaryOp) for x in parts):
        return False
    numbers = [node.value for node in parts if isinstance(node, ast.Constant)]
    return all(type(number) in (int, float) for number in numbers)


def public_names(tree: ast.Module) -> list[str]:
    """The names in `__all__`."""
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def show_size(package: Path) -> None:
    """Files, lines, names, parameters, `Any` and constants."""
    files = sorted(package.rglob("*.py"))
    lines = [lines_of(file.read_text()) for file in files]
    trees = [ast.parse(file.read_text()) for file in files]
    print(
        f"{len(files)} files, {sum(x.all for x in lines):,} lines: "
        f"{sum(x.docstring for x in lines):,} docstring, "
        f"{sum(x.comment for x in lines):,} comment, "
        f"{sum(x.blank for x in lines):,} blank, {sum(x.code for x in lines):,} code"
    )
    public = {
        str(file.parent.relative_to(package.parent)).replace("/", "."): len(names)
        for file, tree in zip(files, trees, strict=True)
        if file.name == "__init__.py" and (names := public_names(tree))
    }
    print(f"{sum(public.values())} public names in {len(public)} packages: {public}")
    functions = [function for tree in trees for function in functions_of(tree)]
    many = [x for x in functions if n_parameters(x) > FEW_PARAMETERS]
    constructors = sum(function.name == "__init__" for function in many)
    print(
        f"{len(functions):,} functions, {len(many)} of them with more than "
        f"{FEW_PARAMETERS} parameters ({constructors} are __init__)"
    )
    print(f"{sum(map(count_any, trees))} uses of Any")
    rooms: Counter[str] = Counter()
    for file, tree in zip(files, trees, strict=True):
        rooms[file.relative_to(package).parts[0]] += numeric_constants(tree)
    shown = ", ".join(f"{room} {count}" for room, count in rooms.most_common() if count)
    print(f"{sum(rooms.values())} numeric module constants: {shown}")


class Road:
    """Functions of the package that are called while it is traced."""

    def __init__(self, package: Path) -> None:
        self._inside = f"{package.resolve()}{os.sep}"
        self.called: set[CodeType] = set()

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(self._inside):
            self.called.add(frame.f_code)

    def run(self, work: Callable[[], object]) -> tuple[int, int]:
        """Numbers of files and of functions that `work` runs through."""
        threading.setprofile(self)
        sys.setprofile(self)
        try:
            work()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)
        functions = [code for code in self.called if code.co_name not in _INNER]
        return len({code.co_filename for code in functions}), len(functions)


def fit_in_python(folder: Path) -> Callable[[], object]:
    """A default fit."""
    from graphtailor import GraphTailor

    X = np.loadtxt(folder / "iris.csv", delimiter=",", skiprows=1)
    return lambda: GraphTailor(3, random_state=0).fit(X)


def fit_by_command(folder: Path) -> Callable[[], object]:
    """The same by the command line, with a report."""
    from graphtailor.cli import main

    command = ["graphtailor", "fit", f"{folder}/iris.csv", "--clusters", "3"]

    def run() -> None:
        out = Path(tempfile.mkdtemp(dir=folder))
        sys.argv = [*command, "--output", f"{out}/fit", "--report", f"{out}/fit.html"]
        with contextlib.suppress(SystemExit), contextlib.redirect_stdout(sys.stderr):
            main()
        if not (out / "fit.html").exists():
            raise SystemExit(f"{' '.join(sys.argv)} wrote no report")

    return run


ROADS = {
    "GraphTailor(3).fit": fit_in_python,
    "graphtailor fit --report": fit_by_command,
}


def trace(package: Path, road: str) -> None:
    """Print the numbers of files and of functions on a road."""
    with tempfile.TemporaryDirectory() as folder:
        iris = load_iris()
        names = ",".join(name.split(" (")[0] for name in iris.feature_names)
        path = Path(folder, "iris.csv")
        np.savetxt(path, iris.data[:50], delimiter=",", header=names, comments="")
        work = ROADS[road](Path(folder))
        work()  # imports and compiles
        print(*Road(package).run(work))


def show_road(source: Path, road: str) -> None:
    """Trace in a process that imports the package of this folder."""
    command = [sys.executable, __file__, "--source", str(source), "--trace", road]
    environment = os.environ | {"PYTHONPATH": str(source)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    if done.returncode:
        reason = (done.stderr.strip() or "no message").splitlines()[-1]
        print(f"road of {road}: it could not be traced ({reason})")
        return
    files, functions = done.stdout.splitlines()[-1].split()
    print(f"road of {road}: {files} files, {functions} functions")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", type=Path, default=ROOT / "src")
    parser.add_argument("--no-road", action="store_true", help="only read the files")
    parser.add_argument("--trace", choices=ROADS, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    source = arguments.source.resolve()
    if arguments.trace:
        trace(source / "graphtailor", arguments.trace)
        return
    show_size(source / "graphtailor")
    if not arguments.no_road:
        for road in ROADS:
            show_road(source, road)


if __name__ == "__main__":
    main()
