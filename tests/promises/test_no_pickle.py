"""Nothing in the package can read a pickle, because reading one may run any code."""

import ast
from pathlib import Path

import graphtailor

SOURCES = sorted(Path(graphtailor.__file__).parent.rglob("*.py"))
MODULES = {"pickle", "cPickle", "_pickle", "cloudpickle", "dill", "shelve", "marshal"}
NAMES = {"Memory", "load", "dump", "check_memory", "read_pickle", "to_pickle"}
HOLDERS = {"joblib", "sklearn.utils.validation", "pandas"}


def imports(tree):
    """Every imported module, and every name taken from one."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from ((node.module or "", alias.name) for alias in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield {"pd": "pandas"}.get(node.value.id, node.value.id), node.attr


def unsafe(text):
    tree = ast.parse(text)
    found = [
        f"{module}:{name}"
        for module, name in imports(tree)
        if module.split(".")[0] in MODULES or (module in HOLDERS and name in NAMES)
    ]
    found += [
        "allow_pickle"
        for node in ast.walk(tree)
        if isinstance(node, ast.keyword)
        and node.arg == "allow_pickle"
        and not (isinstance(node.value, ast.Constant) and node.value.value is False)
    ]
    return found


def test_no_source_file_can_read_a_pickle():
    assert len(SOURCES) > 100
    found = {path.name: unsafe(path.read_text("utf-8")) for path in SOURCES}
    assert {name: what for name, what in found.items() if what} == {}


def test_the_search_finds_every_way():
    for text in (
        "import pickle",
        "from joblib import Memory",
        "import joblib\njoblib.load(path)",
        "import pandas as pd\npd.read_pickle(path)",
        "from sklearn.utils.validation import check_memory",
        "np.load(path, allow_pickle=True)",
    ):
        assert unsafe(text), text
    assert not unsafe("np.load(path, allow_pickle=False)")
