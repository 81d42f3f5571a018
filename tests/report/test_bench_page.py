"""The page of a benchmark in a browser: names of methods and data are only text."""

import numpy as np
import pandas as pd
from sklearn.datasets import make_blobs

from graphtailor.bench import Store, parse_plan, run_plan
from graphtailor.report.bench import bench_report

HOSTILE = "</script><script>alert('x')</script>"
SCRIPT = """
window.alert = () => faults.push("alert");
document.querySelectorAll("details").forEach((each) => { each.open = true; });
document.querySelectorAll("th button").forEach((each) => each.click());
told.text = document.body.textContent;
told.strange = document.querySelectorAll("[onload], body script ~ script").length;
"""


def test_hostile_names(browse, tmp_path):
    X, y = make_blobs(40, n_features=3, centers=2, random_state=0)
    frame = pd.DataFrame(X, columns=[HOSTILE, "b", "c"])
    frame["class"] = np.array([HOSTILE, "other"])[y]
    frame.to_csv(tmp_path / "table.csv", index=False)
    methods, tables = [HOSTILE, "<b onload=alert(1)>"], [HOSTILE, "<img src=x>"]
    plan = {
        "name": HOSTILE,
        "description": HOSTILE,
        "methods": methods,
        "datasets": tables,
        "method": {m: {"uses": "K-means", "note": HOSTILE} for m in methods},
        "data": {t: {"file": "table.csv", "label": "class"} for t in tables},
        "seeds": {"report": {"first": 100, "count": 2}},
    }
    with Store(tmp_path / "results") as store:
        run_plan(parse_plan(plan, tmp_path), store, jobs=1)
        page = bench_report(store)
    assert HOSTILE not in page
    told = browse(page, SCRIPT)
    assert all(name in told["text"] for name in methods)
    assert told["strange"] == 0
