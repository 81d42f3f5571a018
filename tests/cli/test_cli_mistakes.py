"""A user's mistake: exit code 2 and a line that says what to do."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def files(in_folder: Path, table: pd.DataFrame) -> Path:
    table.to_csv("trees.csv", index=False)
    gaps = table.drop(columns=["name", "kind"])
    gaps.loc[4, "height"] = np.nan
    gaps.to_csv("gaps.csv", index=False)
    gaps.fillna(np.inf).to_csv("infinite.csv", index=False)
    Path("count.csv").write_text("5,3,7\n1,2,3\n")
    gaps.dropna().to_csv("comma.csv", index=False, sep=";", decimal=",")
    Path("void.csv").touch()
    Path("bytes.csv").write_bytes(b"a,b\n1,\x81\n2,3\n")
    Path("broken.parquet").write_bytes(b"PAR1 no")
    Path("broken.npz").write_bytes(b"PK no")
    Path("table.docx").touch()
    Path("broken.xlsx").write_bytes(b"PK no")
    Path("old.xls").touch()
    table[["name"]].to_csv("names.csv", index=False)
    np.savez("pickled.npz", X=np.array([{}, {}], dtype=object))
    np.savez("flat.npz", v=np.arange(3))
    return in_folder


MISTAKES: list[tuple[str, list[str]]] = [
    ("fit wnie", ["DATA", "Did you mean 'wine'?"]),
    ("fit tree.csv -c 3", ["DATA", "no file", "Did you mean 'trees.csv'?"]),
    ("fit . -c 3", ["folder"]),
    ("fit table.docx -c 3", ["ending", ".parquet"]),
    ("fit broken.xlsx -c 3", ["Excel"]),
    ("fit old.xls -c 3", [".xlsx"]),
    ("fit trees.csv --label kinds", ["--label", "Did you mean 'kind'?", "'width'"]),
    ("fit trees.csv --id nmae -c 3", ["--id", "Did you mean 'name'?"]),
    ("fit trees.csv --drop wdth -c 3", ["--drop", "Did you mean 'width'?"]),
    ("fit wine --label cultivar", ["--label", "'class'"]),
    ("fit names.csv", ["no column is left", "id: 'name'", "--categorical"]),
    ("fit trees.csv --columns wdth", ["--columns", "Did you mean 'width'?"]),
    ("fit trees.csv --categorical kin", ["--categorical", "Did you mean 'kind'?"]),
    ("fit trees.csv --numeric kind", ["--numeric", "no value", "--categorical"]),
    ("fit gaps.csv -c 3 --scale magic", ["--scale", "standard"]),
    ("fit infinite.csv -c 3", ["infinite", "'height'"]),
    ("fit count.csv -c 3", ["--no-header"]),
    ("fit comma.csv -c 3 --decimal x", ["--decimal"]),
    ("fit comma.csv -c 3 --delimiter ab", ["--delimiter"]),
    ("fit void.csv -c 3", ["void.csv"]),
    ("fit bytes.csv -c 1", ["UTF-8"]),
    ("fit broken.parquet -c 3", ["Parquet"]),
    ("fit broken.npz -c 3", ["damaged"]),
    ("fit pickled.npz -c 3", ["Python objects"]),
    ("fit flat.npz -c 3", ["two-dimensional", "'v'"]),
    ("fit trees.csv -m SC", ["--clusters 3", "GraphTailor"]),
    ("fit trees.csv -m SC -c auto", ["--clusters 3", "GraphTailor"]),
    ("fit trees.csv --label name --drop kind", ["hardly classes"]),
    ("fit wine -c 0", ["--clusters"]),
    ("fit wine -c three", ["--clusters"]),
    ("fit wine -c 999", ["--clusters", "178"]),
    ("fit wine --method SCC", ["--method", "Did you mean 'SC'?"]),
    ("fit wine --method SC --alpha 1", ["--alpha", "n_neighbors"]),
    ("fit wine --alpha 1", ["--alpha", "GraphTailor has no", "--method JointModel"]),
    ("fit wine --beta 1", ["--beta", "GraphTailor has no", "--method JointModel"]),
    ("fit wine --starts 4", ["--starts", "GraphTailor has no", "--method JointModel"]),
    ("fit wine -m JointModel --alpha -1", ["alpha"]),
    ("fit wine --param vewis=auto", ["--param", "Did you mean 'views'?"]),
    ("fit wine --param views", ["--param", "KEY=VALUE"]),
    ("fit wine --scale maxbas", ["--scale", "Did you mean 'maxabs'?"]),
    ("fit wine --output old.xls", ["--output", "folder"]),
    ("fit wine --report .", ["--report", "file"]),
    (
        "fit trees.csv -c 2 --label kind --id name --report trees.csv",
        ["would overwrite what is read"],
    ),
    ("fit wine --no-such-option", ["--no-such-option"]),
    ("fti wine", ["fti"]),
    ("predict model.npz wine", ["MODEL", "model.npz"]),
    ("predict void.csv wine", ["not a graphtailor model"]),
    ("predict void.csv wine --quiet", ["--output"]),
    ("explain model.npz", ["MODEL", "model.npz"]),
    ("explain void.csv", ["not a graphtailor model"]),
]


@pytest.mark.parametrize(("line", "words"), MISTAKES, ids=[m[0] for m in MISTAKES])
def test_mistake(
    graphtailor: Callable[..., Any], files: Path, line: str, words: list[str]
) -> None:
    before = {path.name: path.stat().st_size for path in files.iterdir()}
    answer = graphtailor(*line.split())
    assert answer.code == 2
    assert answer.out == ""
    assert answer.err.startswith("Error: ")
    assert answer.err.count("\n") <= 2
    assert "Traceback" not in answer.err
    for word in words:
        assert word in answer.err
    assert {path.name: path.stat().st_size for path in files.iterdir()} == before
