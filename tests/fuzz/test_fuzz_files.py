"""Whatever a file holds, it loads or is refused in a line: no crash, hang or bomb."""

import json
import os
import subprocess
import sys
import zipfile
from collections import defaultdict
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

from graphtailor import GraphTailor, JointModel
from graphtailor.bench import Store, export, parse_plan, run_plan
from graphtailor.io.models import save_model

pytest.importorskip("resource")

MUTATIONS = Path(__file__).with_name("mutations.py")
IS_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "fuzz"
COUNT = int(os.environ.get("MUTATIONS", 2000 if IS_LONG else 40))
# Other changes at each night, the same ones at each commit.
SEED = int.from_bytes(os.urandom(4)) if IS_LONG else 0
KINDS = [
    *("model.npz", "anchors.npz", "X.npz", "matrix.npz", "X.npy", "table.csv"),
    *("table.csv.gz", "table.parquet", "table.feather", "table.xlsx", "msra.npz"),
    *("table.ods", "table.jsonl", "table.csv.zip", "names.json"),
    *("plan.toml", "bench.sqlite", "runs.parquet"),
]
PLAN = """
methods = ["K-means", "Other"]
datasets = ["iris", "mine"]
metrics = ["ACC", "sklearn.metrics:v_measure_score"]
choices = ["oracle", "blind"]
[seeds]
search = { first = 0, count = 2 }
report = { first = 100, count = 3 }
[limits]
seconds = 5.5
[scaling]
default = "minmax"
[method.Other]
uses = "sklearn.cluster:Birch"
params = { threshold = 0.1 }
grid = { branching_factor = [10, 20] }
note = "a note"
search = 1
[data.mine]
file = "mine.csv"
label = "kind"
"""


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one valid file of each kind."""
    folder = tmp_path_factory.mktemp("whole")
    X, y = make_blobs(40, n_features=4, centers=3, random_state=1)
    joint = JointModel(3, n_init=2, random_state=0)
    tailor = GraphTailor(3, representatives=20, random_state=0)
    for name, model in (("model.npz", joint), ("anchors.npz", tailor)):
        model.fit(X)
        save_model(model, folder / name, notes={"blocks": None})
    np.savez_compressed(folder / "X.npz", X=X, y=y, ids=np.array(list(map(str, y))))
    np.savez_compressed(folder / "msra.npz", X=X, y=y)
    sparse.save_npz(folder / "matrix.npz", sparse.csr_array(np.where(X > 0, X, 0)))
    np.save(folder / "X.npy", X)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["name"] = [f"row {i}" for i in range(40)]
    frame["kind"] = np.array(["ash", "oak", "elm"])[y]
    frame["day"] = pd.date_range("2020-01-01", periods=40)
    frame.to_csv(folder / "table.csv", index=False)
    frame.to_csv(folder / "table.csv.gz", index=False)
    frame.to_parquet(folder / "table.parquet")
    frame.to_feather(folder / "table.feather", compression="uncompressed")
    frame.to_csv(folder / "table.csv.zip", index=False)
    frame.to_excel(folder / "table.xlsx", index=False)
    _write_ods(frame, folder / "table.ods")
    frame.to_json(
        folder / "table.jsonl", orient="records", lines=True, date_format="iso"
    )
    names = {"n_clusters": 3, "names": {"0": "small"}, "merged": {"2": 1}}
    content = json.dumps({"format": "graphtailor names", **names})
    (folder / "names.json").write_text(content)
    (folder / "plan.toml").write_text(PLAN)
    plan = parse_plan(
        {
            "methods": ["K-means", "PCA"],
            "datasets": ["iris"],
            "seeds": {"report": {"first": 100, "count": 3}},
        }
    )
    with Store(folder / "bench.sqlite") as store:
        run_plan(plan, store, jobs=1)
        export(store, folder / "runs.parquet")
    return folder


def _write_ods(frame: pd.DataFrame, path: Path) -> None:
    kinds = "urn:oasis:names:tc:opendocument:xmlns"
    spaces = (f'xmlns:{each}="{kinds}:{each}:1.0"' for each in ("table", "office"))
    rows = [frame.columns, *frame.astype(str).to_numpy()]
    cells = ("".join(_ods_cell(text) for text in row) for row in rows)
    inside = "".join(f"<table:table-row>{row}</table:table-row>" for row in cells)
    sheet = f'<table:table {" ".join(spaces)} xmlns:text="{kinds}:text:1.0"'
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        text = f'{sheet} table:name="a">{inside}</table:table>'
        archive.writestr("content.xml", text)


def _ods_cell(text: str) -> str:
    is_number = text.lstrip("-")[0].isdigit()
    value = f' office:value="{text}"' if is_number and "-" not in text[1:] else ""
    once = ' table:number-columns-repeated="1"'
    return f"<table:table-cell{once}{value}><text:p>{text}</text:p></table:table-cell>"


def _load_changed(
    folder: Path, kinds: list[str], wrong: dict[str, list[str]]
) -> tuple[int, dict[str, object] | None, subprocess.CompletedProcess[str]]:
    command = [sys.executable, str(MUTATIONS), str(folder), str(COUNT), str(SEED)]
    done = subprocess.run(
        [*command, *kinds], capture_output=True, text=True, check=False
    )
    said = [json.loads(line) for line in done.stdout.splitlines()]
    for line in said:
        if "wrong" in line:
            told = f"{line['kind']}, mutation {line['number']}: {line['wrong']}"
            wrong[line["kind"]].append(told)
    begun = sum("begun" in line for line in said)
    if done.returncode == 0:
        assert sum("done" in line for line in said) == len(kinds)
        return begun, None, done
    last = said[-1] if said else {"kind": kinds[0], "at": "its beginning"}
    return max(begun, 1), last, done


# One process for all kinds at each commit; one for each in a long run.
@pytest.mark.parametrize(
    "kinds",
    [[kind] for kind in KINDS] if IS_LONG else [KINDS],
    ids=lambda kinds: kinds[0] if IS_LONG else "all",
)
def test_a_changed_file_loads_or_is_refused(kinds: list[str], whole: Path) -> None:
    wrong: dict[str, list[str]] = defaultdict(list)
    left = kinds
    while left:
        begun, last, done = _load_changed(whole, left, wrong)
        if last is not None:
            wrong[last["kind"]].append(f"the process ended in {last}: {done.stderr}")
        left = left[begun:]
    told = [line for lines in wrong.values() for line in lines[:9]]
    assert not wrong, f"seed {SEED}, {COUNT} of each kind:\n" + "\n".join(told)
