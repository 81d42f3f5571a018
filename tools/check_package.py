"""Build the sdist and the wheel, check both, and try the wheel in an empty venv.

``python tools/check_package.py`` needs hatchling and twine. What the package depends
on is taken from the environment that runs this: only the package itself must be
complete.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import venv
import zipfile
from pathlib import Path

TRIAL = """
import graphtailor
from pathlib import Path
from graphtailor import GraphTailor
from graphtailor.bench import load_plan, paper_results
from graphtailor.datasets import list_datasets, load_dataset
here = Path(graphtailor.__file__).resolve()
assert "site-packages" in here.parts and "VENV" in str(here), here
bundled = [info.name for info in list_datasets() if info.availability == "bundled"]
assert len([load_dataset(name).data for name in bundled]) >= 7
assert load_plan("quick").methods and len(paper_results())
X = load_dataset("iris").data
assert len(set(GraphTailor(3, random_state=0).fit(X).labels_)) == 3
"""
# What must not be forgotten, and what must not slip in.
IN_SDIST = ("pyproject.toml", "README.md", "LICENSE", "tests/conftest.py")
IN_WHEEL = (
    "graphtailor/bench/plan/presets/quick.toml",
    "graphtailor/datasets/data/",
    "graphtailor/py.typed",
)
NOT_INSIDE = (".venv", "results/paper/", ".sqlite", "__pycache__", ".ci/")


def run(*command: object) -> str:
    """Run a program; what it prints."""
    texts = [str(part) for part in command]
    done = subprocess.run(texts, check=False, capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"{' '.join(texts[:6])}:\n{done.stdout}{done.stderr}")
    return done.stdout


def build(folder: Path) -> Path:
    """Build the sdist from the tree and the wheel from the sdist; the wheel."""
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", folder)
    (sdist,) = folder.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
        _check(sdist.name, names, IN_SDIST)
        archive.extractall(folder / "source", filter="data")
    (source,) = (folder / "source").iterdir()
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder],
        cwd=source,
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        _check(wheel.name, archive.namelist(), IN_WHEEL)
    return wheel


def _check(file: str, names: list[str], needed: tuple[str, ...]) -> None:
    missing = [part for part in needed if not any(n.startswith(part) for n in names)]
    extra = [name for name in names if any(part in name for part in NOT_INSIDE)]
    if missing or extra:
        raise SystemExit(f"{file}: missing {missing}, should not be there {extra[:5]}")
    print(f"{file}: {len(names)} files")


def try_wheel(wheel: Path, folder: Path) -> None:
    """Install into an empty venv, and use it."""
    home = folder / "VENV"
    venv.create(home, with_pip=True)
    python = home / "bin" / "python"
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    run(*install, "--disable-pip-version-check", wheel)
    # Only this folder's modules become visible: its .pth files, with which the tree
    # itself is installed, are not read.
    (site,) = (home / "lib").glob("python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    print(run(home / "bin" / "graphtailor", "--version").strip())
    run(python, "-I", "-c", TRIAL)
    try_command(home / "bin" / "graphtailor", folder)


def try_command(command: Path, folder: Path) -> None:
    """What `pipx run 'graphtailor[cli]' fit data.csv` does, apart from the download."""
    table = folder / "data.csv"
    rows = [f"{x},{3 * x % 7},{'ab'[x % 2]}" for x in range(40)]
    table.write_text("\n".join(["x,y,kind", *rows]))
    out = folder / "out"
    run(command, "fit", table, "--clusters", "2", "--output", out)
    labels = (out / "labels.csv").read_text().splitlines()
    if len(labels) != 41:
        raise SystemExit(f"labels.csv has {len(labels)} lines for 40 rows")


def main() -> None:
    """Build, install, try."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        wheel = build(folder)
        run(sys.executable, "-m", "twine", "check", "--strict", *folder.glob("*.[tw]*"))
        try_wheel(wheel, folder)
    print("the package works")


if __name__ == "__main__":
    main()
