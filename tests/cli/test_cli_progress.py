"""The progress bar: drawn from scikit-learn's callbacks, on a terminal only."""

import io

import pytest
from rich.console import Console
from rich.progress import Progress
from sklearn.callback import FitCallback
from sklearn.datasets import load_iris

from graphtailor import GraphTailor, JointModel
from graphtailor.cli.progress import ProgressWatcher, live_progress
from graphtailor.graphs.ensemble.members import KMeansMembers


def test_watcher_follows_starts_and_iterations() -> None:
    said: list[tuple[str, float | None]] = []

    class Recorder(Progress):
        def update(self, task_id, **fields):  # type: ignore[no-untyped-def]
            super().update(task_id, **fields)
            task = self.tasks[task_id]
            said.append((task.description, task.total))

    progress = Recorder(console=Console(file=io.StringIO()))
    watcher = ProgressWatcher(progress, progress.add_task("begin", total=None))
    assert isinstance(watcher, FitCallback)
    joint = JointModel(3, n_init=4, random_state=0)
    joint.set_callbacks(watcher).fit(load_iris().data)
    assert said[:5] == [
        ("trying starts", 4),
        *((f"trying starts: {k} of 4", 4) for k in (1, 2, 3, 4)),
    ]
    rest = [text for text, _ in said[5:]]
    finish = "finishing the best start"
    assert rest[:3] == [finish, f"{finish}: 1 of 500", f"{finish}: 2 of 500"]
    said.clear()
    tailor = GraphTailor(3, members=[KMeansMembers()], random_state=0)
    tailor.set_callbacks(watcher).fit(load_iris().data)
    stages = list(dict.fromkeys(text.partition(":")[0] for text, _ in said))
    assert stages == [
        "choosing representatives",
        "making members",
        "cutting what the members agree on",
        "fitting the joint model",
    ]
    members = [text for text, _ in said if text.startswith("making members:")]
    assert members[-1] == "making members: 6 of 6"


def test_watcher_counts_settings() -> None:
    progress = Progress(console=Console(file=io.StringIO()))
    watcher = ProgressWatcher(progress, progress.add_task("begin", total=None))
    watcher.count_settings(3, 11)
    task = progress.tasks[0]
    assert task.description == "tried 3 of 11 neighbouring settings"
    assert (task.completed, task.total) == (3, 11)


@pytest.mark.parametrize(("is_terminal", "wanted"), [(False, True), (True, False)])
def test_nothing_in_a_pipe_or_when_unwanted(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    is_terminal: bool,
    wanted: bool,
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: is_terminal)
    with live_progress("clustering", wanted=wanted) as watcher:
        assert watcher is None
    assert capsys.readouterr().err == ""


def test_shown_on_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with live_progress("clustering trees", wanted=True) as watcher:
        assert watcher is not None
    captured = capsys.readouterr()
    assert "clustering trees" in captured.err
    assert captured.out == ""
