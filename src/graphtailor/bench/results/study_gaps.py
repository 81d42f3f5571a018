"""Where our results fall behind the study's, and why as far as that is known."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from graphtailor.bench.plan.parse import read_toml
from graphtailor.bench.plan.plan import Choice
from graphtailor.bench.results.results import Results
from graphtailor.io.schema import array_of, fields_of, record

UNKNOWN = "not looked into"
# Decimals that the study prints; smaller differences are not shown.
_DIGITS = 3


@dataclass(frozen=True)
class Cause:
    """A sentence on the cells whose names fit its patterns, in which * is anything."""

    text: str
    method: str = "*"
    data: str = "*"
    metric: str = "*"

    def fits(self, method: str, data: str, metric: str) -> bool:
        """Whether the sentence is about this cell."""
        return (
            fnmatchcase(method, self.method)
            and fnmatchcase(data, self.data)
            and fnmatchcase(metric, self.metric)
        )


_CAUSES = array_of(record(fields_of(Cause), required=["text"], into=Cause), into=tuple)


def load_causes(path: str | os.PathLike[str]) -> tuple[Cause, ...]:
    """Read the sentences of a TOML file with tables ``[[cause]]``; the first counts."""
    values = read_toml(Path(path))
    entries = values.pop("cause", [])
    if values or not isinstance(entries, list):
        raise ValueError(f"{path} must have tables [[cause]] and nothing else.")
    return _CAUSES(entries, f"{path}: cause")


def difference_table(results: Results, choice: Choice) -> pd.DataFrame:
    """Every cell that the study has too: ours, the study's, the difference.

    The difference is taken between the decimals that the study prints.
    """
    cells = results.cells[choice].dropna(subset=["mean", "printed"])
    table = pd.DataFrame(
        {
            "method": cells["method"],
            "dataset": cells["dataset"],
            "metric": cells["metric"],
            "here": cells["mean"],
            "study": cells["printed"],
            "study_std": cells["printed_std"],
        }
    ).reset_index(drop=True)
    table["difference"] = (table["here"].round(_DIGITS) - table["study"]).round(_DIGITS)
    return table


def gap_table(
    results: Results, choice: Choice, causes: Sequence[Cause] = ()
) -> pd.DataFrame:
    """The cells below the study's by more than its standard deviation, largest first.

    The columns are those of :func:`difference_table` and the first cause that fits.
    """
    table = difference_table(results, choice)
    table = table[table["difference"] < -table["study_std"].fillna(0.0)]
    table = table.sort_values("difference", kind="stable", ignore_index=True)
    names = zip(table["method"], table["dataset"], table["metric"], strict=True)
    table["cause"] = pd.Series(
        [next((c.text for c in causes if c.fits(*cell)), UNKNOWN) for cell in names],
        dtype=object,
    )
    return table


class GapCounts(NamedTuple):
    """Cells below the study's by more than its std, above by more, and within it."""

    below: int
    above: int
    within: int


def count_gaps(results: Results, choice: Choice) -> GapCounts:
    """How many cells are farther from the study's than its standard deviation."""
    table = difference_table(results, choice)
    std = table["study_std"].fillna(0.0)
    below = int((table["difference"] < -std).sum())
    above = int((table["difference"] > std).sum())
    return GapCounts(below, above, len(table) - below - above)
