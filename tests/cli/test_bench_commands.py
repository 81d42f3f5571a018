import io

import pandas as pd
import pytest
from rich.console import Console

from graphtailor.bench import Progress
from graphtailor.cli.app import run
from graphtailor.cli.bench_display import BenchDisplay, progress_line

PLAN = """
methods = ["K-means", "PCA"]
datasets = ["iris"]
[seeds]
report = { first = 100, count = 3 }
"""


def test_bench_and_report(tmp_path, capsys):
    plan, results = tmp_path / "plan.toml", tmp_path / "results"
    plan.write_text(PLAN)
    table = tmp_path / "runs.csv"
    command = ["bench", str(plan), "-o", str(results), "-j", "1"]
    assert run([*command, "--export", str(table)]) == 0
    said = capsys.readouterr()
    assert "6 runs in" in said.out
    assert "6/6" in said.err
    assert len(pd.read_csv(table)) == 6
    assert run(command) == 0
    assert "0 of them new" in capsys.readouterr().out
    page = tmp_path / "report.html"
    arguments = ["report", str(results), "-o", str(page)]
    assert run([*arguments, "--tables", str(tmp_path / "tables")]) == 0
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert (tmp_path / "tables" / "iris-oracle.tex").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bench", "nowhere.toml"], "quick, paper"),
        (["bench", "--preset", "qiuck"], "quick, paper"),
        (["bench", "--methods", "SCC"], "Did you mean"),
        (["bench", "--export", "runs.xlsx"], ".csv or .parquet"),
        (["report", "nowhere"], "graphtailor bench"),
    ],
)
def test_mistakes_end_with_code_2(arguments, message, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    assert message in " ".join(capsys.readouterr().err.split())
    assert list(tmp_path.iterdir()) == []


STATE = Progress(
    total=11440,
    done=5720,
    failed=3,
    fresh=720,
    running=2,
    last="GraphTailor on ionosphere",
)


@pytest.mark.parametrize("width", [1, 10, 20, 40, 80, 200])
def test_line_fits_any_width(width):
    line = progress_line(STATE, 60.0, width)
    assert line.cell_len <= width
    assert "\n" not in line.plain


def test_line_says_what_matters():
    text = progress_line(STATE, 60.0, 200).plain
    for part in ("5720/11440", "50 %", "7:57 left", "3 failed", "2 running"):
        assert part in text


def test_time_left_before_anything_is_known():
    assert "? left" in progress_line(Progress(total=5), 1.0, 80).plain


@pytest.mark.parametrize("is_terminal", [True, False])
def test_display_on_a_narrow_terminal_and_in_a_pipe(is_terminal):
    stream = io.StringIO()
    console = Console(file=stream, width=24, force_terminal=is_terminal)
    with BenchDisplay(console) as watch:
        for done in range(50):
            failure = "PCA on iris, seed 3: error, bad" if done > 20 else ""
            watch(Progress(total=50, done=done, fresh=done, last_failure=failure))
        watch(Progress(total=50, done=50, fresh=50, last_failure=failure))
    text = stream.getvalue()
    assert "50/50" in text
    assert text.count("failed: PCA") == 1
    if not is_terminal:
        # No line for every run, and no codes that move the cursor.
        assert len(text.splitlines()) <= 4
        assert "\x1b" not in text
