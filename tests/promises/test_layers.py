"""The rooms of the package stand in one order: each imports only from later ones."""

import ast
from collections.abc import Iterator
from pathlib import Path

import graphtailor

ROOT = Path(graphtailor.__file__).parent
# A room may import from itself and from rooms that stand after it.
ORDER = (
    *("__main__", "cli", "report", "plot", "bench", "tables", "datasets", "io"),
    *("diagnostics", "registry", "models", "columns", "decide", "dask", "solvers"),
    *("representatives", "graphs", "neighbors", "linalg", "metrics", "statistics"),
)
LATER = {room: set(ORDER[place:]) for place, room in enumerate(ORDER)}
BESIDE = {
    "__init__": set(),  # imports its names when they are asked for
    "baselines": {"baselines", "solvers", "graphs", "neighbors", "linalg", "metrics"},
    "scanpy": {"models", "graphs", "linalg"},
    "kernel_map": {"representatives", "neighbors", "linalg"},
}
LATER["registry"] |= {"baselines"}
LATER["bench"] |= {"baselines"}
# Import nothing themselves: the table of sizes, and what knows a Dask collection.
LEAVES = {"decide.sizes", "dask.cluster"}


def imports(node: ast.AST) -> Iterator[str]:
    """Modules, or names in them, that a file imports, wherever it does."""
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return
    if isinstance(node, ast.Import):
        yield from (name.name for name in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{name.name}" for name in node.names)
    for child in ast.iter_child_nodes(node):
        yield from imports(child)


def test_imports_go_one_way():
    wrong = []
    for path in sorted(ROOT.rglob("*.py")):
        parts = path.relative_to(ROOT).with_suffix("").parts
        is_leaf = ".".join(parts) in LEAVES
        for name in imports(ast.parse(path.read_text())):
            package, _, inner = name.partition(".")
            if package != "graphtailor" or inner == "__version__":
                continue
            of_leaf = any(f"{inner}.".startswith(f"{leaf}.") for leaf in LEAVES)
            known = inner.split(".")[0] in (LATER | BESIDE)[parts[0]]
            if is_leaf or not (of_leaf or known):
                wrong.append(f"{'.'.join(parts)} imports {name}")
    assert not wrong
