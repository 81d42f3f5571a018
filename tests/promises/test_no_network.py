"""Nothing is sent anywhere: a fit, a report and a saved model need no network."""

import socket
from pathlib import Path

import pytest

from graphtailor.cli.app import run


@pytest.fixture
def no_network(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Record what would leave the machine, and stop it."""
    asked: list[object] = []

    def refuse(*arguments: object, **_: object) -> None:
        asked.append(arguments)
        raise OSError("no network in this test")

    for name in ("connect", "connect_ex", "sendto", "sendmsg"):
        monkeypatch.setattr(socket.socket, name, refuse)
    for name in ("getaddrinfo", "gethostbyname", "create_connection"):
        monkeypatch.setattr(socket, name, refuse)
    return asked


def test_the_guard_works(no_network: list[object]) -> None:
    with pytest.raises(OSError, match="no network"):
        socket.create_connection(("localhost", 1))
    with socket.socket() as sender, pytest.raises(OSError, match="no network"):
        sender.connect(("localhost", 1))
    assert len(no_network) == 2


def test_commands_send_nothing(
    no_network: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    plan = 'methods = ["PCA"]\ndatasets = ["iris"]\n[seeds]\n'
    Path("plan.toml").write_text(f"{plan}report = {{ first = 100, count = 2 }}\n")
    for command in (
        [
            "fit",
            "iris",
            "-m",
            "JointModel",
            "--starts",
            "2",
            "-o",
            "out",
            "--report",
            "fit.html",
        ],
        ["predict", "out/model.npz", "iris", "-o", "labels.csv"],
        ["compare", "iris", "--methods", "K-means,SC", "-o", "compare.html"],
        ["bench", "plan.toml", "-j", "1", "-o", "results"],
        ["report", "results", "-o", "bench.html"],
    ):
        assert run([*command, "--quiet"]) == 0
    assert no_network == []
