"""Parquet files on a cluster, from the command line."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from graphtailor import GraphTailor
from graphtailor.io.models import load_model, save_model

pytest.importorskip("distributed")

MODEL = ("--clusters", "3", "-p", "representatives=20")


@pytest.fixture
def files(table: pd.DataFrame, tmp_path: Path) -> list[str]:
    for number, part in enumerate((table[:25], table[25:])):
        part.to_parquet(tmp_path / f"trees-{number}.parquet", index=False)
    return [str(tmp_path / f"trees-{number}.parquet") for number in range(2)]


def start(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "graphtailor", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def test_fit_and_predict_on_two_workers(
    tmp_path: Path, table: pd.DataFrame, files: list[str]
) -> None:
    options = ("--drop", "kind", "--id", "name", "--output", "out")
    done = start(tmp_path, "fit", *files, *MODEL, *options, "--dask", "local:2")
    assert (done.returncode, done.stderr) == (0, "")
    assert "60 samples, 3 features, 3 clusters" in done.stdout
    out = tmp_path / "out"
    assert {path.name for path in out.iterdir()} == {
        "labels.parquet",
        "model.npz",
        "summary.json",
    }
    parts = sorted(path.name for path in (out / "labels.parquet").iterdir())
    assert parts == ["part-00000.parquet", "part-00001.parquet"]
    labels = pd.read_parquet(out / "labels.parquet")
    X = table[["width", "height", "weight"]]
    local = GraphTailor(3, representatives=20, random_state=0).fit(X)
    assert labels["name"].tolist() == table["name"].tolist()
    np.testing.assert_array_equal(labels["label"], local.labels_)
    np.testing.assert_allclose(labels["certainty"], local.predict_proba(X).max(axis=1))
    np.testing.assert_array_equal(
        load_model(out / "model.npz").predict(X), local.labels_
    )
    summary = json.loads((out / "summary.json").read_text())
    assert summary["sizes"] == np.bincount(local.labels_).tolist()
    assert summary["decision"]["sentences"] == local.decision_.sentences()


def test_the_number_is_found_and_the_model_explained(
    graphtailor: Callable[..., object],
    files: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("graphtailor.cli.dask.dask_client", _no_cluster)
    drop = ("--drop", "kind", "--drop", "name")
    options = (*drop, "--clusters", "auto", "--dask", "local:2", "-o", "out")
    fitted = graphtailor("fit", *files, *options)
    assert (fitted.code, fitted.err) == (0, "")
    assert "3 clusters (the number was found" in fitted.out
    told = graphtailor("explain", "out/model.npz")
    assert told.code == 0
    for words in ("60 samples, 3 features, 3 clusters", "3 clusters are what"):
        assert words in told.out
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    same = json.loads(graphtailor("explain", "out/model.npz", "--json").out)
    assert same["decision"] == summary["decision"]
    assert same["sizes"] == summary["sizes"]


def test_predict_parts(
    graphtailor: Callable[..., object],
    files: list[str],
    table: pd.DataFrame,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("graphtailor.cli.dask.dask_client", _no_cluster)
    X = table[["width", "height", "weight"]]
    model = GraphTailor(3, representatives=20, random_state=0).fit(X)
    save_model(model, tmp_path / "model.npz")
    command = ("predict", "model.npz", files[1], "--dask", "local:1")
    assert "--output" in graphtailor(*command).err
    answer = graphtailor(*command, "--output", "new", "--id", "name", "--json")
    assert answer.code == 0
    sizes = np.bincount(model.labels_[25:], minlength=3).tolist()
    assert json.loads(answer.out)["sizes"] == sizes
    found = pd.read_parquet(tmp_path / "new")
    np.testing.assert_array_equal(found["label"], model.labels_[25:])
    assert found["name"].tolist() == table["name"][25:].tolist()
    table[["width"]].to_parquet(tmp_path / "thin.parquet")
    command = ("predict", "model.npz", "thin.parquet", "--dask", "local:1")
    answer = graphtailor(*command, "--output", "thin")
    assert "'height', 'weight'" in answer.err
    assert not (tmp_path / "thin").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--clusters", "3"), "not numeric: 'kind', 'name'"),
        (("--clusters", "3", "--drop", "kin"), "Did you mean 'kind'?"),
        (("--clusters", "3", "--id", "nam"), "Did you mean 'name'?"),
        (("--method", "JointModel"), "--clusters: say how many"),
        (("--clusters", "3", "--label", "kind"), "--label: does not go with --dask"),
        (("--clusters", "3", "--method", "LRR"), "--method: only GraphTailor"),
    ],
)
def test_mistakes_leave_nothing(
    graphtailor: Callable[..., object],
    files: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    words: str,
) -> None:
    # Which cluster reads the files does not matter to mistakes: no need to start one.
    monkeypatch.setattr("graphtailor.cli.dask.dask_client", _no_cluster)
    answer = graphtailor("fit", *files, *options, "--dask", "local:2")
    assert answer.code == 2
    assert words in " ".join(answer.err.split())
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a.parquet", "b.parquet"], "there is no file a.parquet"),
        (["wine", "--dask", "local:1"], "no file or folder wine"),
        (["{file}", "--dask", "local:x"], "number of workers"),
        (["{file}", "--dask", "local:1", "-o", "{folder}"], "would overwrite"),
        (["{file}", "--dask", "local:1", "-o", "full"], "holds no labels"),
    ],
)
def test_mistakes_about_places(
    graphtailor: Callable[..., object],
    files: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    words: str,
) -> None:
    if "local:x" not in arguments:
        monkeypatch.setattr("graphtailor.cli.dask.dask_client", _no_cluster)
    own = tmp_path / "full" / "labels.parquet" / "own.txt"
    own.parent.mkdir(parents=True)
    own.touch()
    data = tmp_path / "labels.parquet"
    os.replace(files[0], data)
    named = [a.format(file=data, folder=tmp_path) for a in arguments]
    answer = graphtailor("fit", *named, "--clusters", "3", "--drop", "kind")
    assert answer.code == 2
    assert words in " ".join(answer.err.split())
    assert own.exists()


def test_interrupt_leaves_what_was_there(
    graphtailor: Callable[..., object],
    files: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("graphtailor.cli.dask.dask_client", _no_cluster)
    drop = ("--drop", "kind", "--drop", "name")
    command = ("fit", *files, *MODEL, *drop, "--dask", "local:2")
    assert graphtailor(*command, "-o", "out").code == 0
    before = contents(tmp_path)
    assert {"part-00000.parquet", "model.npz"} <= {path.name for path in before}

    def interrupted(labels: object, folder: Path) -> None:
        folder.mkdir(parents=True)
        (folder / "part-00000.parquet").touch()
        raise KeyboardInterrupt

    monkeypatch.setattr("graphtailor.cli.dask.write_parts", interrupted)
    answer = graphtailor(*command, "--seed", "1")
    assert answer.code == 130
    assert "no file was left half-written" in answer.err
    assert contents(tmp_path) == before


def contents(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


class _no_cluster:
    """Stands for a cluster: the threads of this process."""

    def __init__(self, address: str) -> None:
        self.address = address

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        pass
