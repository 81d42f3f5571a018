"""What a benchmark runs: methods, data sets, grids, seeds, metrics, limits."""

import itertools
import json
import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, Self, TypeAlias

from graphtailor.datasets._loaders import Imputation
from graphtailor.io import schema as s
from graphtailor.io.limits import MOST_SETTINGS
from graphtailor.registry import METHODS

# Parameters of a method by name: one value of each, or all that are searched.
Setting: TypeAlias = Mapping[str, Any]
Grid: TypeAlias = Mapping[str, list[Any]]
Choice = Literal["oracle", "blind"]
Phase = Literal["search", "report"]
CHOICES: tuple[Choice, ...] = ("oracle", "blind")


@dataclass(frozen=True)
class PlannedMethod:
    """A method of the plan, and how it is searched.

    Attributes
    ----------
    name : str
        Its name in the tables.
    uses : str
        Name in :data:`graphtailor.registry.METHODS`, or "module:Class".
    params : dict
        Parameters that stay the same.
    grid : dict of str to list
        Values to search; empty if there is nothing to choose.
    randomness : {"all", "kmeans", "none"}
        As in the registry: decides how many fits the repeats need.
    needs_nonnegative : bool
        Whether data with negative values are left out.
    also : dict of str to list
        Values that are searched too, for the map of the scores, but never chosen.
    search_params : dict
        Parameters of all settings of the grid, in the search and in what is reported
        of it; without a choice from the grid the method keeps its own.
    search, report : int or None
        How many of the plan's seeds are used; None is all.
    large : dict
        What of the above, from `grid` on, is different on data sets of more than
        ``large["above"]`` samples.
    note : str
        Says in the report, beside the name, what is reduced.
    """

    name: str
    uses: str
    params: Setting = field(default_factory=dict)
    grid: Grid = field(default_factory=dict)
    randomness: Literal["all", "kmeans", "none"] = "all"
    needs_nonnegative: bool = False
    also: Grid = field(default_factory=dict)
    search_params: Setting = field(default_factory=dict)
    search: int | None = None
    report: int | None = None
    large: Setting = field(default_factory=dict)
    note: str = ""

    def on(self, n_samples: int) -> Self:
        """The method as it is run on a data set of that size.

        Examples
        --------
        >>> from graphtailor.bench.plan.plan import PlannedMethod
        >>> method = PlannedMethod("GMF", "GMF", large={"above": 1000, "report": 5})
        >>> method.on(1000).report, method.on(1001).report
        (None, 5)
        """
        if not self.large or n_samples <= self.large["above"]:
            return self
        changes = {name: self.large[name] for name in self.large if name != "above"}
        return replace(self, large={}, **changes)

    def settings(self) -> list[Setting]:
        """All points of the grid with the fixed parameters, in the grid's order.

        Examples
        --------
        >>> from graphtailor.bench.plan.plan import PlannedMethod
        >>> PlannedMethod("GMF", "GMF", grid={"alpha": [1.0, 10.0]}).settings()
        [{'alpha': 1.0}, {'alpha': 10.0}]
        """
        return self._points(self.grid)

    def searched_settings(self) -> list[Setting]:
        """The settings that the search runs through, those never chosen included."""
        return self._points(self.searched_grid())

    def searched_grid(self) -> Grid:
        """The values that the search runs through."""
        return {
            name: [*self.also.get(name, []), *values]
            for name, values in self.grid.items()
        }

    def _points(self, grid: Grid) -> list[Setting]:
        fixed = {**self.params, **self.search_params}
        return [
            {**fixed, **dict(zip(grid, values, strict=True))}
            for values in itertools.product(*grid.values())
        ]


@dataclass(frozen=True)
class PlannedData:
    """A data set of the plan.

    Attributes
    ----------
    name : str
        Its name in the tables.
    source : str
        Name of a known data set, or path of a table with a column of classes.
    scaling : {"maxabs", "minmax", "standard", "none"}
        Scaling of the features, the same for all methods.
    label : str or None
        Column of the classes, for a table.
    impute : {"median", "mean", "most_frequent", "own_value"}
        What replaces a missing value, for a known data set.
    """

    name: str
    source: str
    scaling: str = "maxabs"
    label: str | None = None
    impute: Imputation = "median"


@dataclass(frozen=True)
class Plan:
    """A whole benchmark, declared.

    Attributes
    ----------
    name, description : str
        For the report.
    methods : tuple of PlannedMethod
        What is compared.
    datasets : tuple of PlannedData
        On what.
    metrics : tuple of str
        Names in :data:`graphtailor.bench.results.scores.METRICS` or
        "module:function"; the first one decides the oracle's choice.
    choices : tuple of {"oracle", "blind"}
        Ways of choosing the setting that is reported.
    reference : str
        Method that the others are tested against.
    search_seeds, report_seeds : tuple of int
        Seeds of the search, and the fresh ones of the reported repeats.
    seconds, megabytes : float or None
        Limits of one run.
    """

    name: str
    methods: tuple[PlannedMethod, ...]
    datasets: tuple[PlannedData, ...]
    metrics: tuple[str, ...] = ("ACC", "NMI", "PUR", "ARI")
    choices: tuple[Choice, ...] = CHOICES
    reference: str = "JointModel"
    search_seeds: tuple[int, ...] = tuple(range(5))
    report_seeds: tuple[int, ...] = tuple(range(1000, 1020))
    seconds: float | None = None
    megabytes: float | None = None
    description: str = ""

    def __post_init__(self) -> None:
        common = set(self.search_seeds) & set(self.report_seeds)
        if common:
            raise ValueError(
                f"The seeds {sorted(common)} are both searched and reported: a choice "
                "must not be scored on its own luck. Give other report seeds."
            )
        for what in ("methods", "datasets", "metrics", "choices", "report_seeds"):
            if not getattr(self, what):
                raise ValueError(f"The plan has no {what}: name at least one.")
        for what in ("methods", "datasets"):
            names = [entry.name for entry in getattr(self, what)]
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"{what}: {', '.join(twice)} is there twice.")

    def seeds(self, method: PlannedMethod, phase: Phase) -> tuple[int, ...]:
        """The seeds of a method; see :meth:`PlannedMethod.on` for large data sets."""
        if phase == "search":
            return self.search_seeds[: method.search]
        return self.report_seeds[: method.report]

    def notes(self) -> dict[str, str]:
        """What must be said of a method, and what is reduced, by name."""
        notes = {}
        for method in self.methods:
            known = METHODS.get(method.uses)
            parts = [known.note if known else "", method.note]
            notes[method.name] = "; ".join(filter(None, parts))
        return {name: note for name, note in notes.items() if note}

    def method(self, name: str) -> PlannedMethod:
        """The method of that name in the tables."""
        return next(method for method in self.methods if method.name == name)

    def to_json(self) -> str:
        """The plan as text, from which :meth:`from_json` makes it again."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The plan that :meth:`to_json` wrote."""
        seeds = s.array_of(s.whole(0, 2**32 - 1), into=tuple)
        methods = s.array_of(s.built(PlannedMethod, **OF_METHOD), into=tuple)
        rule = s.built(cls, methods=methods, search_seeds=seeds, report_seeds=seeds)
        return rule(json.loads(text), "plan")


_LISTS = "a table with a list of values for each name"


def _grid(value: object, place: str) -> Grid:
    """Accept a grid whose settings can be run."""
    grid = s.worded(s.mapping_of(s.array_of(s.anything)), _LISTS)(value, place)
    n_settings = math.prod(map(len, grid.values()))
    if not 0 < n_settings <= MOST_SETTINGS:
        raise ValueError(
            f"{place}: {n_settings:,} settings. Take at most {MOST_SETTINGS:,}, and "
            "at least one value of each name."
        )
    return grid


_SEEDS = s.optional(s.worded(s.whole(1), "a number of seeds from 1 on"))
REDUCIBLE: dict[str, s.Rule] = {
    "grid": _grid,
    "also": _grid,
    "search_params": s.worded(s.mapping_of(s.anything), "a table"),
    "search": _SEEDS,
    "report": _SEEDS,
}
_LARGE = s.record({"above": s.whole(), **REDUCIBLE}, required=["above"])
# Rules for the fields of a method, in a plan's file and where plans are stored.
OF_METHOD: dict[str, s.Rule] = s.fields_of(
    PlannedMethod, **REDUCIBLE, large=s.either(s.complete({}), _LARGE)
)
