"""The rules for everything that a model file says about itself, in JSON."""

from __future__ import annotations

from functools import partial
from typing import Any

from sklearn.neighbors import VALID_METRICS

from graphtailor.decide.decision import Decision
from graphtailor.decide.n_clusters import Level
from graphtailor.decide.verdict import Verdict
from graphtailor.graphs.constraints import Constraints
from graphtailor.io.schema import (
    Rule,
    anything,
    array_of,
    built,
    complete,
    either,
    fields_of,
    mapping_of,
    number,
    numbers_array,
    one_of,
    optional,
    record,
    text,
    truth,
    tuple_of,
    whole,
)
from graphtailor.linalg.scaling import SCALINGS
from graphtailor.neighbors.engine_choice import ENGINES
from graphtailor.representatives.links import Links, Memberships
from graphtailor.solvers.base import Start

# Parsed, this many values take about as much memory as any archive may unpack to.
MOST_VALUES = 4_000_000
MOST_DEPTH = 32

_TEXT = text(1_000_000)
_SEED = whole(0, 2**32 - 1)
_SHARE = number(-1.0)
_POSITIVE = number(above=0.0)


def _blocks(value: Any, place: str) -> Any:
    from graphtailor.columns.column import Column  # pandas is optional

    # Which formats of dates there are is known to `columns`.
    forms = ("number", "date", "cycle", "order", "levels", "truth", "parts", None)
    column = fields_of(
        Column,
        kind=text(),
        form=one_of(*forms),
        levels=array_of(_TEXT, distinct=True),
        date_format=optional(text(100)),
        separator=optional(text(10)),
        periods=array_of(_POSITIVE, most=2),
        divide=_POSITIVE,
        weight=number(0.0),
        flag_weight=number(0.0),
    )
    rules = {
        "columns": array_of(complete(column)),
        "decimal": one_of(".", ","),
        "scale": one_of(None, "none", *SCALINGS),
        "id": optional(_TEXT),
    }
    blocks = complete(rules)(value, place)
    names = [each["name"] for each in blocks["columns"]]
    if len(set(names)) < len(names):
        raise ValueError(f"{place}.columns names a column twice")
    if all(each["form"] is None for each in blocks["columns"]):
        raise ValueError(f"{place}.columns uses no column")
    return blocks


_VERDICT = built(
    Verdict,
    level=one_of("clear", "weak", "none"),
    statistic=_POSITIVE,
    expected=_POSITIVE,
    p_value=number(0.0, 1.0),
    n_copies=whole(2),
)
_LEVEL = built(Level, n_clusters=whole(1), agreement=_SHARE, persistence=_SHARE)


_fixed = partial(array_of, into=tuple)
_WORDS = _fixed(text(100), most=100)
_DECISION: dict[str, Any] = {
    "verdict": optional(_VERDICT),
    "n_rows": whole(1, 2**53),
    "n_representatives": whole(1),
    "views": _WORDS,
    "members": mapping_of(whole(1)),
    "separated": optional(whole(2)),
    "leaving": optional(number(0.0)),
    "compactness": optional(_SHARE),
    "n_clusters": whole(1),
    "suggestions": _fixed(whole(1), most=100),
    "levels": _fixed(_LEVEL, most=1000),
    "price": number(0.0),
    "cut": text(100),
    "cut_agreement": _SHARE,
    "model_agreement": _SHARE,
    "alpha": number(0.0),
    "beta": number(0.0),
}


def _summary(value: Any, place: str) -> None:
    from graphtailor.diagnostics.summary import FitSummary  # pandas is optional

    decision = {
        "sentences": array_of(_TEXT, most=100),
        **fields_of(Decision, **_DECISION),
    }
    start = {"kind": text(), "objective": number(), "agreement": number()}
    summary = built(
        FitSummary,
        n_samples=whole(1, 2**53),
        n_features=whole(1),
        n_clusters=whole(1),
        seconds=optional(number(0.0)),
        starts=array_of(record(start)),
        parameters=mapping_of(optional(either(truth, number(), _TEXT))),
        decision=optional(complete(decision)),
    )(value, place)
    if sum(summary.sizes) != summary.n_samples:
        raise ValueError(f"{place}.sizes do not add up to its n_samples")


# Notes of other names belong to whoever saved the model.
NOTES = record(
    {
        "blocks": optional(_blocks),
        "summary": _summary,
        "columns": array_of(
            complete({"name": _TEXT, "kind": text(), "treatment": _TEXT})
        ),
        "label": optional(_TEXT),
        "id": optional(_TEXT),
        "scale": text(),
    },
    others=anything,
)
HEADER = complete(
    {
        "format": text(),
        "version": whole(),
        "notes": NOTES,
        "class": one_of("GraphTailor", "JointModel"),
        "parameters": anything,
        "state": anything,
    }
)

# What follows are the rules for values and arrays after they have been unpacked.

# "pyfunc" needs a function, which no file holds.
_METRIC = one_of("affinity", *sorted(set().union(*VALID_METRICS.values()) - {"pyfunc"}))
_VECTOR = numbers_array(kinds="iuf", ndim=1)
_LENGTHS = numbers_array(ndim=1, least=0.0)
_LABELS = numbers_array(kinds="iu", ndim=1, least=0)
_ROW_NUMBERS = numbers_array(kinds="iu", least=0, may_be_empty=True)
_MATRIX = numbers_array(may_be_sparse=True)
_GRAPH = numbers_array(least=0.0, may_be_sparse=True)
_INDICATOR = numbers_array(least=0.0)
# A file does not decide on more threads than any machine has.
_THREADS = optional(either(whole(-1024, -1), whole(1, 1024)))


def _part(value: Any, place: str) -> Any:
    rules = {"class": text(100), "metric": _METRIC, "n_jobs": _THREADS}
    return record(rules, required=["class"], others=_PARAMETER)(value, place)


def _parameter_number(value: Any, place: str) -> Any:
    is_whole = isinstance(value, int)
    return (whole(-(2**31), 2**32 - 1) if is_whole else number())(value, place)


_PLAIN = either(truth, _parameter_number, text(100))
_PARAMETER: Rule = optional(
    either(
        _PLAIN,
        _VECTOR,
        numbers_array(kinds="iuf"),
        array_of(either(_PLAIN, _part), most=1000),
        _part,
    )
)
PARAMETERS = record({"metric": _METRIC, "n_jobs": _THREADS}, others=_PARAMETER)

_FEATURES = complete({"number": whole(1), "names": anything})
_SCALER = record(
    {
        "n_features_in_": whole(1),
        "n_samples_seen_": either(number(0.0), _VECTOR),
        "scale_": _LENGTHS,
    },
    others=_VECTOR,
)
_TUNING = tuple_of(whole(1), whole(0), number(0.0))
# What graph builders learn, by their classes; the rest is made again.
BUILDERS: dict[str, dict[str, Rule]] = {
    "PrecomputedGraph": {"weights_": _GRAPH},
    "NeighborGraph": {
        "weights_": _GRAPH,
        "n_neighbors_": whole(0),
        "engine_": one_of("exact", *ENGINES),
        "recall_": number(0.0),
        "bandwidth_": either(number(0.0), _LENGTHS),
        "_search_state": tuple_of(_SEED, optional(_TUNING)),
        "_sample_scale": _LENGTHS,
    },
    "DiffusedGraph": {
        "weights_": _GRAPH,
        "n_neighbors_": whole(0),
        "affinity_": _GRAPH,
        "graph_": anything,
    },
    "EnsembleGraph": {
        "weights_": _GRAPH,
        "n_neighbors_": whole(0),
        "labels": numbers_array(kinds="iu", least=0),
        "masses": _LENGTHS,
        "members_": array_of(tuple_of(text(100), text(100))),
        "views_": _WORDS,
        "_cut_seed": _SEED,
        "trust_": optional(_LENGTHS),
    },
}
_BUILDER = complete({"parameters": _part, "fitted": anything})
_SOLUTION: dict[str, Rule] = {
    "norm": _POSITIVE,
    "indicator": _INDICATOR,
    "representation": _GRAPH,
    "objective": _VECTOR,
    "converged": truth,
    "starts": array_of(built(Start, kind=text(100), labels=_LABELS)),
}
# What is known of rows; the name of a class is a text or a number.
_CONSTRAINTS = built(
    Constraints,
    classes=_fixed(either(_TEXT, number()), distinct=True),
    known=numbers_array(kinds="i", ndim=1, least=-1),
    must=_ROW_NUMBERS,
    cannot=_ROW_NUMBERS,
)
JOINT_STATE = complete(
    {
        **_SOLUTION,
        "constraints": optional(_CONSTRAINTS),
        "features": _FEATURES,
        "rows": _MATRIX,
        "input": one_of("samples", "affinities", "distances"),
        "scaler": optional(_SCALER),
        "graph": _BUILDER,
    }
)
_LINKS = built(
    Links,
    points=_MATRIX,
    directions=optional(numbers_array()),
    bandwidth=number(0.0),
    k=whole(1),
)
_NEAREST = numbers_array(kinds="iu", least=0)


def _memberships(value: Any, place: str) -> Memberships:
    return Memberships(*tuple_of(_NEAREST, _INDICATOR)(value, place))


TAILOR_STATE = complete(
    {
        "features": _FEATURES,
        "blocks": optional(_blocks),
        "scaler": optional(_SCALER),
        "sparse": truth,
        "representatives": either(
            complete({"rows": _MATRIX, "graph": _BUILDER}),
            complete(
                {"links": _LINKS, "masses": numbers_array(kinds="iuf", ndim=1, least=0)}
            ),
        ),
        "shares": _INDICATOR,
        "decision": built(Decision, **_DECISION),
        "ensemble": _BUILDER,
        "joint": complete({**_SOLUTION, "init": _LABELS}),
        "separated": array_of(_LABELS, most=1000),
        "memberships": optional(_memberships),
        "constraints": optional(_CONSTRAINTS),
        "classes": optional(_LABELS),
    }
)
