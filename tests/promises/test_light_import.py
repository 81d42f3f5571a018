"""The library needs none of the optional packages, and says which the command needs."""

import subprocess
import sys
from pathlib import Path

import pytest

# Refuses every import of an optional package, as if none were installed.
BLOCK = """
import sys

OPTIONAL = {"pandas", "pyarrow", "matplotlib", "jinja2", "typer", "rich", "openpyxl"}
OPTIONAL |= {"dask", "distributed", "faiss", "pynndescent"}

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in OPTIONAL:
            raise ImportError(f"{name} is blocked")

sys.meta_path.insert(0, Blocked())
"""
FIT = """
import numpy as np
from graphtailor import GraphTailor, clustering_scores
from graphtailor.io.models import load_model, save_model

X = np.random.default_rng(0).normal(size=(60, 3))
X[:30] += 8
y = np.arange(60) >= 30
for most in (4000, 20):
    model = GraphTailor(2, representatives=most, random_state=0).fit(X)
    assert clustering_scores(y, model.labels_)["ACC"] == 1.0
    save_model(model, "model.npz")
    assert (load_model("model.npz").predict(X) == model.labels_).all()
"""


def python(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_fit_needs_no_optional_package(tmp_path: Path) -> None:
    done = python(BLOCK + FIT, tmp_path)
    assert done.returncode == 0, done.stderr


def test_import_loads_no_numerical_library(tmp_path: Path) -> None:
    code = "import sys, graphtailor; print(*sys.modules)"
    loaded = set(python(code, tmp_path).stdout.split())
    assert "graphtailor" in loaded
    assert not loaded & {"numpy", "pandas", "matplotlib", "sklearn", "numba"}


@pytest.mark.parametrize("package", ["typer", "rich", "pandas", "matplotlib"])
def test_the_command_says_what_to_install(tmp_path: Path, package: str) -> None:
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from graphtailor.cli import main; main(['--version'])"
    )
    done = python(code, tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert package in line
    assert "pip install 'graphtailor[cli]'" in line
