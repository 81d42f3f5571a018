"""A small table with ids, classes and text, and a way to run the command line."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_blobs

from graphtailor.cli.app import run


class Answer(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def table() -> pd.DataFrame:
    X, y = make_blobs(
        60, n_features=3, centers=3, cluster_std=1.0, center_box=(2, 30), random_state=0
    )
    frame = pd.DataFrame(X, columns=["width", "height", "weight"])
    frame["kind"] = np.array(["ash", "oak", "elm"])[y]
    frame["name"] = [f"tree{i:03d}" for i in range(60)]
    return frame


@pytest.fixture
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def graphtailor(
    in_folder: Path, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Answer]:
    """Run the command line in this process, in an empty folder."""

    def call(*arguments: object) -> Answer:
        code = run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return call
