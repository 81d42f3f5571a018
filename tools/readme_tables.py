"""Write the tables of the README from the stored results.

    python tools/readme_tables.py

Each table stands between two comments in README.md, ``<!-- NAME -->`` and
``<!-- /NAME -->``, and comes from a file in results/ that a command of benchmarks/
wrote.
"""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd

from graphtailor.bench import paper_results

ROOT = Path(__file__).parent.parent
METRICS = ("ACC", "NMI", "PUR", "ARI")


def markdown(table: pd.DataFrame) -> str:
    """A table with its index as the first column, numbers to three digits."""
    header = [table.index.name or "", *map(str, table.columns)]
    lines = ["| " + " | ".join(header) + " |", "| --- " * len(header) + "|"]
    for name, row in table.astype(object).iterrows():
        cells = [f"{v:.3f}" if isinstance(v, float) else str(v) for v in row.tolist()]
        lines.append(f"| {name} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def defaults() -> str:
    """No labels used: means over the data sets, and ACC of each."""
    runs = pd.read_csv(ROOT / "results" / "defaults.csv")
    order = list(runs["method"].unique())
    means = runs.groupby(["method", "data"])[list(METRICS)].mean()
    means = means.groupby("method").mean().loc[order]
    accuracy = runs.pivot_table(index="data", columns="method", values="ACC")[order]
    accuracy.index.name = "ACC"
    means.index.name = "mean of the ten"
    return markdown(means) + "\n\n" + markdown(accuracy)


def tuned() -> str:
    """Weights chosen with the labels, as in the study."""
    table = pd.read_csv(ROOT / "results" / "tuned.csv").set_index("data")
    table["alpha, beta"] = [
        f"{a:g}, {b:g}" for a, b in zip(table["alpha"], table["beta"], strict=True)
    ]
    table = table[["ACC", "ACC std", "ACC study", "alpha, beta"]]
    table.columns = ["graphtailor", "std", "study", "alpha, beta"]
    table.index.name = "ACC, tuned with labels"
    return markdown(table)


def study() -> str:
    """The compared methods beside the study, means over the data sets."""
    runs = pd.read_csv(ROOT / "results" / "study_table.csv").dropna(subset="ACC")
    printed = paper_results().query("metric == 'ACC'").dropna(subset="mean")
    both = runs.merge(
        printed, left_on=["data", "method"], right_on=["dataset", "method"]
    )
    table = both.groupby("method", sort=False)[["ACC", "mean"]].mean()
    table.columns = ["graphtailor", "study"]
    table["difference"] = table["graphtailor"] - table["study"]
    table["data sets"] = both.groupby("method").size()
    table.index.name = "mean ACC, tuned with labels"
    return markdown(table.sort_values("graphtailor", ascending=False))


def main() -> None:
    readme = ROOT / "README.md"
    text = readme.read_text()
    for name, build in {"defaults": defaults, "tuned": tuned, "study": study}.items():
        pattern = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        table = build()
        text, count = pattern.subn(lambda m, t=table: m[1] + t + "\n" + m[2], text)
        if count != 1:
            raise SystemExit(f"README.md has no place for the table {name!r}.")
    temporary = readme.with_suffix(".part")
    temporary.write_text(text)
    temporary.replace(readme)


if __name__ == "__main__":
    main()
