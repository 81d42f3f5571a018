"""A group in one rule: at most two conditions that hold for it and not for the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.tree import DecisionTreeClassifier

from graphtailor.diagnostics import effects
from graphtailor.diagnostics.formatting import shown_value
from graphtailor.linalg.sparse import to_dense
from graphtailor.linalg.types import MatrixLike

# A rule that separates less than this is not worth a sentence.
_LEAST_DIFFERENCE = 0.3
_MOST_CATEGORIES = 8


@dataclass(frozen=True)
class Rule:
    """Conditions that describe a group."""

    text: str  # the conditions, such as "Outstate > 11,900 and Private is Yes"
    # inside and outside: the shares of the group and of all other rows for which they
    # hold.
    inside: float
    outside: float


@dataclass(frozen=True)
class _Input:
    """A column of the tree: numbers, or whether a row has a category."""

    name: str
    kind: str
    level: str | None
    values: np.ndarray
    # Of two categories, how many places further on the other one is.
    opposite: int | None = None


class RuleFinder:
    """Finds rules for many groups of the same rows of X; each column is read once."""

    def __init__(self, X: MatrixLike, rows: np.ndarray) -> None:
        self._inputs = cache(partial(_inputs, X, rows=rows))

    def rule_for(self, columns: Sequence[int], inside: np.ndarray) -> Rule | None:
        """Find the rule of at most two conditions that best singles a group out.

        It is the leaf of a decision tree of depth two whose share of the group exceeds
        its share of the rest most. Limits are rounded, and the shares are those of the
        rounded rule.

        `columns` are those that conditions may use, and `inside` says which of the
        rows are in the group. None where no rule separates the group.
        """
        if inside.all() or not inside.any():
            return None
        inputs = [each for j in columns for each in self._inputs(j)]
        if not inputs:
            return None
        values = np.column_stack([each.values for each in inputs])
        # The tree has single precision: powers of two bring all columns into its range.
        powers = np.frexp(np.abs(values).max(axis=0))[1]
        tree = DecisionTreeClassifier(
            max_depth=2, class_weight="balanced", random_state=0
        ).fit(np.ldexp(values, -powers), inside)
        rules = [_rule(path, inputs, inside) for path in _paths(tree.tree_, powers)]
        best = max(rules, key=lambda rule: rule.inside - rule.outside, default=None)
        if best is None or best.inside - best.outside < _LEAST_DIFFERENCE:
            return None
        return best


_Condition = tuple[int, float, bool]


def _paths(tree: Any, powers: np.ndarray) -> list[tuple[_Condition, ...]]:
    """Conditions (column, limit, whether above) of every leaf."""
    found = []
    waiting: list[tuple[int, tuple[_Condition, ...]]] = [(0, ())]
    while waiting:
        node, path = waiting.pop()
        if tree.children_left[node] < 0:
            found.append(path)
            continue
        column = int(tree.feature[node])
        limit = float(np.ldexp(tree.threshold[node], powers[column]))
        waiting.append((tree.children_right[node], (*path, (column, limit, True))))
        waiting.append((tree.children_left[node], (*path, (column, limit, False))))
    return [path for path in found if path]


def _rule(
    path: tuple[_Condition, ...], inputs: list[_Input], inside: np.ndarray
) -> Rule:
    # A second limit in the same direction replaces the first.
    last = {(column, above): limit for column, limit, above in path}
    holds, texts = np.ones(len(inside), dtype=bool), []
    for (column, above), limit in last.items():
        found = inputs[column]
        if found.level is not None:
            limit = 0.5
            if not above and found.opposite is not None:
                found, above = inputs[column + found.opposite], True
            is_ = "is" if above else "is not"
            texts.append(f"{found.name} {is_} {found.level}")
        else:
            limit = _rounded(found.values, limit)
            sign = ">" if above else "≤"
            texts.append(f"{found.name} {sign} {shown_value(limit, found.kind)}")
        holds &= (found.values > limit) == above
    return Rule(
        " and ".join(dict.fromkeys(texts)),
        float(holds[inside].mean()),
        float(holds[~inside].mean()),
    )


def _rounded(values: np.ndarray, limit: float) -> float:
    """The limit with as few digits as leave almost all rows on their side."""
    above = values > limit
    for digits in range(2, 10):
        short = float(f"{limit:.{digits}g}")
        # A rounded limit may put this share of the rows on the other side.
        if ((values > short) != above).mean() <= 0.002:
            return short
    return limit


def _inputs(X: Any, place: int, rows: np.ndarray) -> list[_Input]:
    name = str(X.columns[place]) if isinstance(X, pd.DataFrame) else f"f{place + 1}"
    if not isinstance(X, pd.DataFrame):
        values = to_dense(X[rows][:, [place]])
        return [_Input(name, "number", None, _filled(values.ravel()))]
    column = X.iloc[rows, place]
    if effects.column_kind(column) != "category" and not effects.has_two_values(column):
        kind, numbers = effects.column_kind(column), effects.numbers_of(column)
        kind = "year" if effects.are_years(numbers) else kind
        return [_Input(name, kind, None, _filled(numbers))]
    text = effects.as_categories(column)
    levels = text.value_counts().index[:_MOST_CATEGORIES]
    opposites = (1, -1) if len(levels) == 2 else (None,) * len(levels)
    return [
        _Input(name, "share", str(v), (text == v).to_numpy(dtype=np.float64), opposite)
        for v, opposite in zip(levels, opposites, strict=True)
    ]


def _filled(values: np.ndarray) -> np.ndarray:
    """Numbers without gaps: a missing value meets no condition that says much."""
    values = values.astype(np.float64)
    known = np.isfinite(values)
    middle = float(np.median(values[known])) if known.any() else 0.0
    return np.where(known, values, middle)
