import io

import pandas as pd
import pytest
from rich.console import Console
from rich.text import Text

from graphtailor.bench import Progress
from graphtailor.cli.app import run
from graphtailor.cli.bench import BenchDisplay

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
    last="GraphTailor on [bold]ionosphere",
)


def drawn(width, *, is_terminal, states):
    stream = io.StringIO()
    console = Console(file=stream, width=width, force_terminal=is_terminal)
    with BenchDisplay(console) as watch:
        for state in states:
            watch(state)
    return stream.getvalue()


@pytest.mark.parametrize("width", [1, 10, 20, 40, 80, 200])
def test_bar_fits_any_width(width):
    text = Text.from_ansi(drawn(width, is_terminal=True, states=[STATE])).plain
    assert max(len(line) for line in text.split("\n")) <= width


@pytest.mark.parametrize("is_terminal", [True, False])
def test_display_shows_what_matters(is_terminal):
    text = drawn(200, is_terminal=is_terminal, states=[STATE])
    plain = Text.from_ansi(text).plain
    for part in ("5720/11440", "3 failed  2 running  search", "on [bold]ionosphere"):
        assert part in plain


def test_time_left_before_anything_is_known():
    text = drawn(80, is_terminal=False, states=[Progress(total=5)])
    assert text.startswith("0/5  ? left")


def test_time_left_counts_new_runs_only():
    """100 of 300 runs are stored; 50 new ones take a minute, so 150 take three."""
    clock = [0.0]
    console = Console(file=io.StringIO(), force_terminal=False)
    watch = BenchDisplay(console)
    watch._bar.get_time = lambda: clock[0]
    watch._bar.tasks[0]._get_time = lambda: clock[0]
    watch._bar.reset(watch._task)
    for minute, done in enumerate([100, 150]):
        clock[0] = 60.0 * minute
        watch(Progress(total=300, done=done, fresh=done - 100))
    assert watch._bar.tasks[0].time_remaining == pytest.approx(180)


@pytest.mark.parametrize("is_terminal", [True, False])
def test_display_on_a_narrow_terminal_and_in_a_pipe(is_terminal):
    failure = "PCA on iris, seed 3: error, bad"
    states = [
        Progress(
            total=50, done=done, fresh=done, last_failure=failure if done > 20 else ""
        )
        for done in range(51)
    ]
    text = drawn(24, is_terminal=is_terminal, states=states)
    assert "50/50" in text
    assert text.count("failed: PCA") == 1
    if not is_terminal:
        # Not a line for every run, and no codes that move the cursor.
        assert len(text.splitlines()) <= 4
        assert "\x1b" not in text
