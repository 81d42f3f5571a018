"""A full disk: the old files stay whole, nothing half-written stays, a line says so.

This file is also the program that runs the commands: once, on a small disk that it
alone sees, as starting Python and mounting anew for each would take minutes.
"""

import io
import json
import os
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

PLAN = """
methods = ["K-means", "PCA"]
datasets = ["iris"]
[seeds]
search = { first = 0, count = 1 }
report = { first = 100, count = 30 }
"""
FIT = ["fit", "iris", "-m", "JointModel", "--starts", "2", "--output", "out"]
BENCH = ["bench", "plan.toml", "-j", "1", "--output", "results"]
COMMANDS = {
    "fit": FIT,
    "fit report": [*FIT, "--report", "r.html"],
    "predict": ["predict", "out/model.npz", "iris", "--output", "predicted.csv"],
    "compare": ["compare", "iris", "--methods", "K-means", "--output", "compared"],
    "bench": BENCH,
    "export": [*BENCH, "--export", "runs.csv"],
    "export parquet": [*BENCH, "--export", "runs.parquet"],
    "report": ["report", "results", "-o", "bench.html"],
    "tables": ["report", "results", "-o", "bench.html", "--tables", "tables"],
}
DISK = "8m"


def act(folder: Path) -> None:
    """Run every command with room, then again without; tell what became of it."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", folder])
    from graphtailor.cli.app import run

    os.chdir(folder)
    Path("plan.toml").write_text(PLAN)
    for kind, command in COMMANDS.items():
        assert run([*command, "--quiet"]) == 0
        if kind == "fit":
            shutil.rmtree("out")
    before = contents(folder)
    told = {}
    for kind, command in COMMANDS.items():
        if kind == "bench":
            shutil.rmtree("results")
        if command[0] == "fit":  # a folder that holds a model is refused
            command = ["other" if part == "out" else part for part in command]
        with open("filler", "wb") as filler:
            fill(filler.fileno())
        out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
        with redirect_stdout(out), redirect_stderr(err):
            code = run(command)
        err.flush()
        Path("filler").unlink()
        after = contents(folder)
        told[kind] = {
            "code": code,
            "again": run([*command, "--quiet"]),
            "said": err.buffer.getvalue().decode(),  # type: ignore[attr-defined]
            "changed": [n for n in before if n in after and before[n] != after[n]],
            "lost": sorted(set(before) - set(after)),
            "new": sorted(set(after) - set(before)),
        }
        shutil.rmtree("other", ignore_errors=True)
        for name, text in before.items():
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_bytes(text)
    sys.stdout.write(json.dumps(told))


def fill(number: int) -> None:
    while True:
        try:
            os.write(number, bytes(4096))
        except OSError:
            return


def contents(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def run_on_small_disk(folder: Path) -> dict[str, dict[str, Any]]:
    alone = ["unshare", "--mount"]
    if shutil.which("unshare") is None:
        pytest.skip("NOT TESTED: a full disk needs the program unshare (Linux)")
    tried = subprocess.run(
        [*alone, "mount", "-t", "tmpfs", "none", folder],
        capture_output=True,
        check=False,
    )
    if tried.returncode:
        pytest.skip(f"NOT TESTED: a disk may not be mounted here: {tried.stderr!r}")
    done = subprocess.run(
        [*alone, sys.executable, __file__, folder],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    # Python tells so what goes wrong where nobody can catch it.
    assert "Exception ignored" not in done.stderr
    return json.loads(done.stdout)


def test_full_disk(tmp_path: Path) -> None:
    told = run_on_small_disk(tmp_path)
    assert set(told) == set(COMMANDS)
    for kind, found in told.items():
        said = found["said"].splitlines()
        lines = [line for line in said if line.startswith("Error:")]
        assert len(lines) == 1, (kind, said)
        assert lines[0].endswith(": No space left on device."), kind
        assert found["code"] == 1, kind
        assert found["again"] == 0, kind  # with room the same command does it
        # The store is taken away before "bench", to be made anew. Another may say
        # that it is in use; what it holds is as it was, or it would not have opened.
        for what in ("lost", "changed", "new"):
            others = [name for name in found[what] if "bench.sqlite" not in name]
            assert others == [], (kind, what)
        assert found["lost"] == [] or kind == "bench"


def test_standard_output_that_is_full(tmp_path: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "graphtailor", "--version"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert done.stderr.strip() == "Error: standard output: No space left on device."


def test_a_reader_that_has_enough(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [sys.executable, "-m", "graphtailor", "--version"],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, "")


if __name__ == "__main__":
    act(Path(sys.argv[1]))
