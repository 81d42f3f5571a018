"""What the script of a fit's page shows: levels, groups, a sample of rows, the map."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from graphtailor.diagnostics.certainty import Certainty
from graphtailor.diagnostics.effects import (
    Effects,
    are_years,
    as_categories,
    column_kind,
    feature_effects,
    feature_names,
    has_two_values,
    numbers_of,
)
from graphtailor.diagnostics.group_names import class_names, group_names
from graphtailor.diagnostics.levels import (
    Groups,
    Levels,
    distinct_groups,
    spread_sample,
)
from graphtailor.diagnostics.profile import Trait, traits_of
from graphtailor.diagnostics.row_map import RowMap, map_rows
from graphtailor.diagnostics.rules import Rule, RuleFinder
from graphtailor.linalg.types import Matrix
from graphtailor.report import row_bytes
from graphtailor.report.fit_data import FitData

# Rows whose names and values are on the page, and how many values these may be.
MOST_ROWS, _MOST_CELLS = 4000, 80_000
_LEAST_COLUMNS, _MOST_COLUMNS = 12, 200


@dataclass(frozen=True)
class PageData:
    """What a page about a fit shows."""

    levels: Levels  # clusters of the rows for several numbers of clusters
    # Names of the clusters of each level; empty where a cluster has no row.
    names: list[list[str]]
    groups: Groups  # the different groups of all levels
    traits: list[list[Trait]]  # the largest differences of each group
    rules: list[Rule | None]  # A rule for each group
    effects: Effects | None  # all differences
    sample: np.ndarray  # (m,): rows whose names and values are on the page
    map: RowMap | None  # places of the rows

    @property
    def taken(self) -> list[dict[str, Any]]:
        """Number, name and size of the clusters of the level that the model took."""
        place = self.levels.chosen
        sizes = np.bincount(self.levels.labels[place])
        return [
            {"number": k, "name": name, "size": int(sizes[k])}
            for k, name in enumerate(self.names[place])
            if sizes[k]
        ]


def page_data(data: FitData) -> PageData:
    """Describe the groups of all levels, and place the rows."""
    levels = data.view.levels
    groups = distinct_groups(levels)
    n_groups = groups.member.shape[0]
    traits: list[list[Trait]] = [[] for _ in range(n_groups)]
    rules: list[Rule | None] = [None] * n_groups
    effects = None
    if data.frame is not None:
        effects = feature_effects(data.frame, groups.member)
        # Rows of a group from which its quartiles and its rule are taken.
        rows = spread_sample(levels.labels[-1], 5_000)
        finder = RuleFinder(data.frame, rows)
        for g in range(n_groups):
            inside = np.zeros(groups.member.shape[1], dtype=bool)
            inside[groups.rows(g)] = True
            traits[g] = traits_of(data.frame, inside, rows, effects, g)
            rules[g] = finder.rule_for(_strongest(effects, g), inside[rows])
    names = [_names_of(numbers, traits) for numbers in groups.of_level]
    names[levels.chosen] = class_names(data.view.classes, names[levels.chosen])
    return PageData(
        levels,
        names,
        groups,
        traits,
        rules,
        effects,
        spread_sample(levels.labels[-1], MOST_ROWS),
        map_rows(data.view, data.features, data.frame),
    )


def _strongest(effects: Effects, g: int) -> list[int]:
    order = np.argsort(-np.abs(effects.effect[g]), kind="stable")
    places = np.array(effects.places)[order] if len(order) else order
    # Columns that a rule may use: those with the largest differences.
    return list(dict.fromkeys(places.tolist()))[:8]


def _names_of(numbers: np.ndarray, traits: list[list[Trait]]) -> list[str]:
    there = [g for g in numbers.tolist() if g >= 0]
    if not any(traits):
        return [f"group {k}" if g >= 0 else "" for k, g in enumerate(numbers)]
    names = iter(group_names([traits[g] for g in there]))
    return [next(names) if g >= 0 else "" for g in numbers.tolist()]


def packed_page(found: PageData, data: FitData) -> dict[str, str]:
    """Texts for the page's script: values as JSON, the rows of the map, all labels."""
    levels, sample = found.levels, found.sample
    content, place, values = b"", None, {}
    if found.map is not None:
        content, order = row_bytes.row_bytes(found.map.places, found.map.rows, levels)
        position = np.full(len(levels.labels[0]), -1)
        position[found.map.rows[order]] = np.arange(len(order))
        place = position[sample].tolist()
        height = float(found.map.places[:, 1].max(initial=0))
        values = {
            "n": len(order),
            "bits": row_bytes.grid_bits(len(order)),
            "height": round(height, 4),
            "axes": [asdict(axis) for axis in found.map.axes],
        }
    known = {
        "n": len(levels.labels[0]),
        "map": values,
        "levels": _levels(found),
        "parents": row_bytes.expected_parents(levels),
        "chosen": levels.chosen,
        "asked": data.view.n_clusters is not None,
        "verdict": data.view.verdict and data.view.verdict.level,
        "width": row_bytes.label_width(levels),
        "groups": [_group(found, g) for g in range(len(found.traits))],
        "rows": sample.tolist(),
        "place": place,
        "first_row": data.names.first,
        "names": [data.names[i] for i in sample.tolist()] if data.names.given else None,
        "labels": [labels[sample].tolist() for labels in levels.labels],
        "certainty": [_certainty(each) for each in data.certainties(levels, sample)],
        "columns": _columns(found, data),
        "n_columns": 0 if data.frame is None else data.frame.shape[1],
    }
    return {
        "page-data": row_bytes.packed_json(known),
        "row-bytes": row_bytes.packed(content),
        "label-bytes": row_bytes.packed(row_bytes.label_bytes(levels)),
    }


def _levels(found: PageData) -> list[dict[str, Any]]:
    levels = found.levels
    return [
        {
            "number": number,
            "suggested": number in levels.suggested,
            "groups": groups.tolist(),
            "colors": colors.tolist(),
            "names": names,
            "sizes": np.bincount(labels).tolist(),
        }
        for number, groups, colors, names, labels in zip(
            levels.numbers,
            found.groups.of_level,
            levels.colors(),
            found.names,
            levels.labels,
            strict=True,
        )
    ]


def _group(found: PageData, g: int) -> dict[str, Any]:
    rule = found.rules[g]
    return {
        "traits": [_trait(trait) for trait in found.traits[g]],
        "rule": rule and [rule.text, round(rule.inside, 3), round(rule.outside, 3)],
    }


def _trait(trait: Trait) -> list[Any]:
    """Column, level, kind, mean or share inside and outside, effect, quartiles."""
    where: list[Any] | None = None
    if trait.kind == "share":
        where = [round(trait.inside, 3), round(trait.outside, 3)]
    elif trait.spread is not None:
        spread = trait.spread
        where = [round(x, 3) for x in (*spread.inside, *spread.outside)]
        where += [spread.low, spread.high]
    texts = trait.shown(trait.inside), trait.shown(trait.outside)
    return [
        *(trait.column, trait.level, trait.kind, *texts),
        *(round(trait.effect, 2), where),
    ]


def _certainty(found: Certainty | None) -> list[list[int]] | None:
    """How sure rows are in per cent, from a tie at 50, and the next best cluster."""
    if found is None:
        return None
    sure = np.rint(100 * found.margin).astype(int)
    return [sure.tolist(), found.second.tolist()]


def _columns(found: PageData, data: FitData) -> list[dict[str, Any]]:
    """Values of the sampled rows in the columns with the largest differences."""
    columns = []
    if found.effects is not None:
        most = _MOST_CELLS // max(len(found.sample), 1)
        most = int(np.clip(most, _LEAST_COLUMNS, _MOST_COLUMNS))
        largest = np.abs(found.effects.effect).max(axis=0, initial=0)
        order = np.array(found.effects.places)[np.argsort(-largest, kind="stable")]
        names = feature_names(data.frame)
        for j in list(dict.fromkeys(order.tolist()))[:most]:
            columns.append(_column(names[j], _values(data.frame, j, found.sample)))
    if data.y is not None:
        known = _column("known class", pd.Series(data.y[found.sample]))
        columns.append({**known, "known": True})
    return [column for column in columns if column]


def _values(frame: pd.DataFrame | Matrix, j: int, rows: np.ndarray) -> pd.Series:
    if isinstance(frame, pd.DataFrame):
        values = frame.iloc[rows, j]
        # Whether a number has two values, all rows decide.
        is_two = has_two_values(frame.iloc[:, j])
        return as_categories(values) if is_two else values
    values = frame[rows][:, [j]]
    values = values.toarray() if sparse.issparse(values) else values
    return pd.Series(np.asarray(values).ravel())


def _column(name: str, values: pd.Series) -> dict[str, Any]:
    kind = column_kind(values)
    if kind == "category":
        codes, levels = pd.factorize(as_categories(values), sort=True)
        # More categories than this are names rather than kinds.
        if len(levels) > 60:
            return {}
        listed = [str(level) for level in levels]
        return {"name": name, "kind": kind, "levels": listed, "values": codes.tolist()}
    numbers = numbers_of(values)
    kind = "year" if are_years(numbers) else kind
    short = [float(f"{x:.5g}") if kind == "number" else x for x in numbers.tolist()]
    plain = [int(x) if x.is_integer() and abs(x) < 1e15 else x for x in short]
    known = [x if np.isfinite(x) else None for x in plain]
    return {"name": name, "kind": kind, "values": known}
