"""The program as its users start it: a process with pipes."""

import csv
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from graphtailor import __version__


def start(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    # Continuous integration sets variables that ask for colours even in pipes.
    colours = {"FORCE_COLOR", "GITHUB_ACTIONS", "PY_COLORS", "TTY_COMPATIBLE"}
    environment = {k: v for k, v in os.environ.items() if k not in colours}
    return subprocess.run(
        [sys.executable, "-m", "graphtailor", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def test_fit_wine_then_predict(tmp_path: Path) -> None:
    options = ("--label", "class", "--output", "demo")
    done = start(tmp_path, "fit", "wine", *options)
    assert (done.returncode, done.stderr) == (0, "")
    for word in ("178 samples", "objective", "iterations", "seconds", "ACC 0.9"):
        assert word in done.stdout
    assert "\x1b" not in done.stdout
    folder = tmp_path / "demo"
    expected = {"labels.csv", "graph.npz", "model.npz", "picture.png", "summary.json"}
    assert {path.name for path in folder.iterdir()} == expected
    graph = sparse.load_npz(folder / "graph.npz")
    assert graph.shape == (178, 178)
    assert abs(graph - graph.T).max() == 0
    assert (folder / "picture.png").read_bytes().startswith(b"\x89PNG")
    again = start(tmp_path, "predict", "demo/model.npz", "wine")
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout == (folder / "labels.csv").read_text()


@pytest.mark.skipif(os.name == "nt", reason="needs SIGTERM")
def test_a_terminated_fit_leaves_what_was_there(tmp_path: Path) -> None:
    rows = np.random.default_rng(0).normal(size=(5_000, 8)).round(3)
    np.savetxt(tmp_path / "rows.csv", rows, delimiter=",", header="a,b,c,d,e,f,g,h")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "labels.csv").write_text("an older one")
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "graphtailor", "fit", "rows.csv", "-o", "out"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()  # the table was read, and the fit begins
        process.send_signal(signal.SIGTERM)
        _, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "no file was left half-written" in " ".join(told.split())
    assert "Traceback" not in told
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["labels.csv"]
    assert (tmp_path / "out" / "labels.csv").read_text() == "an older one"


def test_a_table_and_nothing_else(tmp_path: Path) -> None:
    rows = ["name;height;kind;day"]
    for k in range(50):
        height = f"{10 * (k % 2) + k / 50:.2f}".replace(".", ",")
        rows.append(f"tree {k};{height};{'oak' if k % 2 else ''};{k % 28 + 1}.3.2020")
    (tmp_path / "trees.csv").write_text("\n".join(rows), encoding="utf-8")
    done = start(tmp_path, "fit", "trees.csv")
    assert done.returncode == 0
    assert "decimal comma" in done.stderr
    said = [line.split()[:2] for line in done.stdout.splitlines()[1:5]]
    assert said == [
        *(["name", "id"], ["height", "numeric"], ["kind", "category"], ["day", "date"])
    ]
    labels = (tmp_path / "graphtailor-trees" / "labels.csv").read_text()
    assert labels.splitlines()[1].startswith("tree 0,")


def test_json_and_quiet(tmp_path: Path) -> None:
    arguments = ["fit", "iris", "-m", "JointModel", "--starts", "2"]
    answer = start(tmp_path, *arguments, "--json", "--output", "out")
    assert (answer.returncode, answer.stderr) == (0, "")
    found = json.loads(answer.stdout)
    assert sum(found["sizes"]) == found["n_samples"] == 150
    assert found["n_clusters"] == 3
    assert set(found["scores"]) == {"ACC", "NMI", "PUR", "ARI"}
    assert found["parameters"]["n_init"] == 2
    assert found["versions"]["graphtailor"] == __version__
    assert all((tmp_path / path).is_file() for path in found["files"].values())
    with open(tmp_path / "out" / "labels.csv", newline="") as file:
        labels = [int(row["label"]) for row in csv.DictReader(file)]
    assert np.bincount(labels).tolist() == found["sizes"]
    quiet = start(tmp_path, *arguments, "--quiet")
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_completion_for_the_shell_it_is_started_from(tmp_path: Path) -> None:
    # Two commands, for the last one takes the place of the shell.
    command = f"{shlex.quote(sys.executable)} -m graphtailor --show-completion; true"
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "complete_bash" in done.stdout
    assert "graphtailor" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--version"], 0, [__version__]),
        (["fit", "--help"], 0, ["Examples", "--clusters", "Output", "--sheet"]),
        (["report", "--help"], 0, ["[[cause]]"]),
        (["fit", "wnie"], 2, ["DATA", "Did you mean 'wine'?"]),
        (["fit", "wine", "-k", "3"], 2, ["No such option", "-k", "fit --help"]),
    ],
)
def test_version_help_and_mistake(
    tmp_path: Path, arguments: list[str], code: int, words: list[str]
) -> None:
    done = start(tmp_path, *arguments)
    assert done.returncode == code
    text = done.stdout if code == 0 else done.stderr
    assert all(word in text for word in words)
    assert "Traceback" not in done.stderr
    assert "\x1b" not in text
    assert not any(tmp_path.iterdir())


def test_help_loads_no_numerical_library(tmp_path: Path) -> None:
    # They take seconds; the help of a command and the Tab key do without them too.
    code = (
        "import sys; from graphtailor.cli.app import run;"
        "[run(a) for a in (['-h'], ['fit', '-h'], ['predict', '-h'], ['--version'])];"
        "sys.exit(bool({'numpy', 'pandas', 'sklearn', 'numba'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_tab_completes_commands_and_options(tmp_path: Path) -> None:
    for words, expected in (
        ("graphtailor ex", "explain"),
        ("graphtailor fit --cat", "--categorical"),
    ):
        environment = {
            **os.environ,
            "_GRAPHTAILOR_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        }
        done = subprocess.run(
            [sys.executable, "-m", "graphtailor"],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout.split() == [expected]
