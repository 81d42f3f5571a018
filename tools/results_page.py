"""Write the tables of the pages of results from stored results.

    python tools/results_page.py [--paper FILE]

Each table stands between two comments of a page, ``<!-- NAME -->`` and
``<!-- /NAME -->``, and comes from a file in results/. Those with names that begin with
"paper" come from what ``graphtailor bench --preset paper --export FILE`` wrote.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd

from graphtailor.bench import opened_results
from graphtailor.bench.results.results import Results, collect_results
from graphtailor.bench.results.tables import mean_table
from graphtailor.report.bench.views import note_lines
from paper_sentences import markdown, row_table, sentence_table

ROOT = Path(__file__).parent.parent
PAGES = tuple(
    ROOT / "docs" / name
    for name in (
        "results.md",
        "graphs-for-others.md",
        "known-labels.md",
        "reproduce-paper.md",
        "tables.md",
    )
)
PAPER = ROOT / "results" / "paper" / "runs.parquet"
SMALL = ROOT / "results" / "paper-small" / "runs.parquet"
METRICS = ("ACC", "NMI", "PUR", "ARI")
# A place for a table: its name, and what stands there now.
PLACE = re.compile(r"<!-- (?P<name>[\w-]+) -->\n.*?<!-- /(?P=name) -->", re.DOTALL)
# The sets of benchmarks/quality/run.py as the page calls them.
QUALITY_SETS = {
    "the ten": ["ten"],
    "the others": ["judging"],
    "those added later": ["further"],
    "the last two together": ["judging", "further"],
    "those that defaults were chosen on": ["tuning"],
}


def quality() -> str:
    """No labels used: means over groups of sets, duels, and ACC of the ten."""
    runs = pd.read_csv(ROOT / "results" / "quality.csv")
    tables = []
    for name, sets in QUALITY_SETS.items():
        group = _run_by_all(runs[runs["sets"].isin(sets)])
        figures = [x for x in (*METRICS, "steadiness") if x in group]
        by_set = group.groupby(["method", "data"])[figures].mean()
        # A mean of some of the sets would not be comparable.
        means = by_set.groupby("method").agg(lambda values: values.mean(skipna=False))
        table = means.loc[list(group["method"].unique())]
        table.index.name = f"mean of {name} ({group['data'].nunique()})"
        tables.append(markdown(table))
    runs = _run_by_all(runs[runs["sets"] != "tuning"])
    order = list(runs["method"].unique())
    ten = runs[runs["sets"] == "ten"]
    accuracy = ten.pivot_table(index="data", columns="method", values="ACC")[order]
    accuracy.index.name = "ACC"
    tables += [markdown(_one_by_one(runs, order)), markdown(accuracy)]
    return "\n\n".join(tables)


def _run_by_all(runs: pd.DataFrame) -> pd.DataFrame:
    """Runs on the sets that every method ran on: means are of the same sets."""
    ran = runs.groupby("data")["method"].transform("nunique")
    return runs[ran == runs["method"].nunique()]


def _one_by_one(runs: pd.DataFrame, order: list[str]) -> pd.DataFrame:
    """On how many sets GraphTailor is ahead of each method by ACC."""
    accuracy = runs.groupby(["data", "method"])["ACC"].mean().unstack().round(3)
    ours = accuracy["GraphTailor"]
    table = pd.DataFrame(
        {
            "GraphTailor ahead": accuracy.lt(ours, axis=0).sum().astype("Int64"),
            "behind": accuracy.gt(ours, axis=0).sum().astype("Int64"),
        }
    ).loc[order]
    table.loc["GraphTailor", ["GraphTailor ahead", "behind"]] = pd.NA
    table.index.name = f"all sets one by one ({len(accuracy)})"
    return table


def n_clusters() -> str:
    """How often the number of clusters is right, and the clusters at that number."""
    runs = pd.read_csv(ROOT / "results" / "n_clusters.csv", dtype={"listed": str})
    families = runs.groupby("family", sort=False)
    methods = [name[:-2] for name in runs if name.endswith(" s")]
    taken = {name: runs[f"{name} c"] for name in methods}
    # A peer that was left out of a family is blank there, not wrong.
    right = pd.DataFrame(
        {name: (c == runs["c"]).where(c.notna()) for name, c in taken.items()}
    )
    pairs = zip(runs["c"], runs["listed"], strict=True)
    listed = [str(c) in numbers.split(",") for c, numbers in pairs]
    right.insert(1, "on its short list", listed)
    right["called one cluster"] = runs["one cluster"]
    share = right.astype(float).groupby(runs["family"], sort=False).mean()
    share.index.name = "the number is right"
    share.insert(0, "sets", families.size())
    index = families[[*methods, "number given"]].mean()
    index = index.rename(columns={"number given": "GraphTailor, number given"})
    index.index.name = "mean ARI"
    return "\n\n".join([markdown(share), markdown(index)])


def cuts() -> str:
    """The cut that is chosen, the best one and each kind, over all sets."""
    runs = pd.read_csv(ROOT / "results" / "cuts.csv")
    by_set = runs.drop(columns="seed").groupby(["sets", "data"]).mean()
    means = by_set.groupby("sets").mean()
    means.index.name = "mean ARI"
    return markdown(means)


def graphs() -> str:
    """Every learned graph: means over the sets, and label spreading on each of them."""
    runs = pd.read_csv(ROOT / "results" / "graphs.csv")
    order = list(runs["learner"].unique())
    parts = []
    for kept, name in {"all": "all edges", "strongest": "the strongest"}.items():
        means = runs[runs["kept"] == kept].groupby("learner")
        means = means[["within", "modularity", "spreading", "edges"]].mean()
        means = means.rename(columns={"within": "within classes"})
        means["edges"] = means["edges"].round().astype(int)
        means.index.name = f"{name} of a row"
        parts.append(markdown(means.loc[order]))
    best = runs[runs["kept"] == "strongest"]
    by_set = best.pivot_table(index="data", columns="learner", values="spreading")
    by_set = by_set.loc[list(runs["data"].unique()), order]
    by_set.index.name = "spreading, the strongest"
    rows = runs.groupby("data")[["rows", "of"]].first()
    by_set.insert(
        0,
        "rows",
        [
            f"{a} of {b}" if a < b else f"{a}"
            for a, b in rows.loc[by_set.index].to_numpy()
        ],
    )
    return "\n\n".join([*parts, markdown(by_set)])


def verdict() -> str:
    """How often each level was the verdict, family by family."""
    tables = pd.read_csv(ROOT / "results" / "verdict.csv")
    counts = tables.groupby("family")[["clear", "weak", "none"]].sum()
    return markdown(counts.sort_values(["none", "weak"], ascending=[False, True]))


def known() -> str:
    """ACC of unknown rows against the share of known ones, and who is ahead."""
    runs = pd.read_csv(ROOT / "results" / "known.csv")
    runs["known"] = [f"{share:.0%}" for share in runs["known"]]
    methods, shares = runs["method"].unique(), runs["known"].unique()
    by_set = runs.pivot_table(
        index="data", columns=["method", "known"], values="ACC", sort=False
    )
    means = by_set.mean().unstack("known")[shares].loc[methods]
    means.index.name = f"mean ACC of {len(by_set)} sets, known rows:"
    ours = by_set["GraphTailor"]
    # Answers about pairs are there without known rows alone.
    others = [name for name in methods[1:] if " pairs" not in name]
    ahead = pd.DataFrame(
        {
            share: [
                f"{int((ours[share].round(3) >= by_set[name, share].round(3)).sum())}"
                if (name, share) in by_set
                else ""
                for name in others
            ]
            for share in shares
        },
        index=[f"at or above {name}" for name in others],
    )
    ahead.index.name = f"sets of {len(by_set)} with GraphTailor"
    each = ours[shares]
    each.index.name = "ACC of GraphTailor"
    return "\n\n".join(markdown(table) for table in (means, ahead, each))


def mixed() -> str:
    """Tables with categories: ARI of every table and method, means of ARI and ACC."""
    runs = pd.read_csv(ROOT / "results" / "mixed.csv")
    table = runs.pivot_table("ARI", "table", "method", sort=False)
    table.loc["mean ARI"] = table.mean()
    accuracy = runs.pivot_table("ACC", "table", "method", sort=False)
    table.loc["mean ACC"] = accuracy.mean()
    table.index.name = "ARI"
    return markdown(table)


def found_in_tables() -> str:
    """What the command found in tables that nobody prepared, and how it was judged.

    Long notes are cut.
    """
    found = pd.read_csv(ROOT / "results" / "tables.csv").set_index("table")
    judged = pd.read_csv(ROOT / "results" / "tables_judged.csv").set_index("table")
    found = found.join(judged[["judgement", "why"]])
    words = found["in words"] + "." + found["notes"].fillna("").map(_shortened)
    table = pd.DataFrame(
        {
            "rows": [f"{rows:,}" for rows in found["rows"]],
            "columns": found["columns"],
            "clusters": found["suggested"].str.replace(" ", ", "),
            "verdict": found["verdict"],
            "what the command says": words.str.replace("|", "/", regex=False),
            "judged by hand": found["judgement"] + ": " + found["why"],
            "seconds": [f"{seconds:.0f}" for seconds in found["seconds"]],
        }
    )
    counts = judged["judgement"].value_counts()
    listed = ", ".join(f"{count} {name}" for name, count in counts.items())
    return f"{markdown(table)}\n\nJudged by hand: {listed}."


def _shortened(notes: str, most: int = 260) -> str:
    """Notes with a space before them, cut to this many letters."""
    text = notes if len(notes) <= most else f"{notes[:most].rstrip()} ..."
    return f" *{text}*" if text else ""


def scale() -> str:
    """Large data: every method that ran, means over the seeds."""
    runs = pd.read_csv(ROOT / "results" / "scale.csv")
    groups = runs.groupby(["data", "method"], sort=False)
    figures = groups[["n", "cpu_s", "peak_mb", "ACC", "NMI"]].mean().reset_index()
    status = groups["status"].agg(lambda states: states[states != "ok"].min())
    figures["status"] = status.to_numpy()
    table = pd.DataFrame(
        {
            "n": [f"{n:,.0f}" for n in figures["n"]],
            "method": figures["method"],
            "CPU s": [_rounded(row, "cpu_s", ".1f") for _, row in figures.iterrows()],
            "peak MB": [
                _rounded(row, "peak_mb", ".0f") for _, row in figures.iterrows()
            ],
            "ACC": figures["ACC"],
            "NMI": figures["NMI"],
        }
    )
    table.index = pd.Index(figures["data"], name="data")
    return markdown(table)


def small() -> str:
    """What is there of the preset paper-small: rows, and the paper's sentences."""
    return "\n\n".join(markdown(table(SMALL)) for table in (row_table, sentence_table))


def _rounded(row: pd.Series, name: str, form: str) -> str:
    """A figure, or why the method has none."""
    return format(row[name], form) if pd.isna(row["status"]) else str(row["status"])


def paper_methods(results: Results) -> str:
    """Every method beside the study: means over the data sets, both choices."""
    oracle, blind = mean_table(results, "oracle"), mean_table(results, "blind")
    table = pd.DataFrame(
        {
            "chosen with labels": oracle["ours"],
            "study": oracle["study"],
            "difference": oracle["difference"],
            "without labels": blind["ours"],
            "data sets": oracle.apply(_counts, axis="columns"),
        }
    ).loc[oracle.index]
    notes = results.plan.notes()
    table.index = [f"{name} †" if name in notes else name for name in table.index]
    table.index.name = f"mean {results.plan.metrics[0]}"
    return "\n\n".join([markdown(table), *note_lines(results.plan)])


def _counts(row: pd.Series) -> str:
    """Data sets with a result; how many of them the study and the difference have."""
    ours, shared = int(row["n_sets"]), row["n_shared"]
    is_same = pd.isna(shared) or int(shared) == ours
    return str(ours) if is_same else f"{ours}, study {shared:.0f}"


def paper_sets(results: Results) -> str:
    """The reference method on every data set, both choices."""
    table = pd.DataFrame()
    metric, reference = results.plan.metrics[0], results.plan.reference
    for choice, name in {"oracle": "with labels", "blind": "without"}.items():
        cells = results.cells[choice].set_index("dataset")
        cells = cells[(cells["method"] == reference) & (cells["metric"] == metric)]
        table[f"chosen {name}"] = cells["mean"]
        table[f"std {name}"] = cells["std"]
        if choice == "oracle":
            table["study"] = cells["printed"]
            table["weights"] = cells["setting"]
    table.index.name = f"{metric} of {reference}"
    order = ["chosen with labels", "std with labels", "study", "chosen without"]
    return markdown(table[[*order, "std without", "weights"]])


TABLES: dict[str, Callable[[], str]] = {
    "quality": quality,
    "n-clusters": n_clusters,
    "cuts": cuts,
    "graphs": graphs,
    "verdict": verdict,
    "scale": scale,
    "known": known,
    "mixed": mixed,
    "tables": found_in_tables,
    "small": small,
}
PAPER_TABLES: dict[str, Callable[[Results], str]] = {
    "paper-methods": paper_methods,
    "paper-sets": paper_sets,
}


def write_tables(text: str, paper: Path) -> str:
    """The text with every table made anew."""
    wanted = [place["name"] for place in PLACE.finditer(text)]
    built = {name: build() for name, build in TABLES.items() if name in wanted}
    if any(name in PAPER_TABLES for name in wanted):
        with opened_results(paper) as store:
            results = collect_results(store)
        built |= {name: build(results) for name, build in PAPER_TABLES.items()}
    unknown = sorted(set(wanted) - set(built))
    if unknown or not wanted:
        raise SystemExit(
            f"A page asks for {', '.join(unknown) or 'no table'}, but tables are "
            f"{', '.join([*TABLES, *PAPER_TABLES])}."
        )

    def table(place: re.Match[str]) -> str:
        name = place["name"]
        return f"<!-- {name} -->\n{built[name]}\n<!-- /{name} -->"

    return PLACE.sub(table, text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--paper", type=Path, default=PAPER, metavar="FILE")
    arguments = parser.parse_args()
    for page in PAGES:
        text = write_tables(page.read_text(), arguments.paper)
        temporary = page.with_suffix(".part")
        temporary.write_text(text)
        temporary.replace(page)


if __name__ == "__main__":
    main()
