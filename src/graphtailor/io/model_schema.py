"""The rules for everything that a model file says about itself, in JSON."""

from functools import partial
from typing import Any

from sklearn.neighbors import VALID_METRICS

from graphtailor.decide.decision import Decision
from graphtailor.decide.n_clusters import Level
from graphtailor.decide.verdict import Verdict
from graphtailor.graphs.constraints import Constraints
from graphtailor.io import schema as s
from graphtailor.linalg.scaling import SCALINGS
from graphtailor.neighbors.engine_choice import ENGINES
from graphtailor.representatives.links import Links, Memberships
from graphtailor.solvers.base import Start

# Parsed, this many values take about as much memory as any archive may unpack to.
MOST_VALUES = 4_000_000
MOST_DEPTH = 32

_TEXT = s.text(1_000_000)
_SEED = s.whole(0, 2**32 - 1)
_SHARE = s.number(-1.0)
_POSITIVE = s.number(above=0.0)


def _blocks(value: object, place: str) -> Any:
    from graphtailor.columns.column import Column  # pandas is optional

    # Which formats of dates there are is known to `columns`.
    forms = ("number", "date", "cycle", "order", "levels", "truth", "parts", None)
    column = s.fields_of(
        Column,
        kind=s.text(),
        form=s.one_of(*forms),
        levels=s.array_of(_TEXT, distinct=True),
        date_format=s.optional(s.text(100)),
        separator=s.optional(s.text(10)),
        rarity=s.array_of(_POSITIVE),
        periods=s.array_of(_POSITIVE, most=2),
        divide=_POSITIVE,
        weight=s.number(0.0),
        flag_weight=s.number(0.0),
    )
    rules = {
        "columns": s.array_of(s.complete(column)),
        "decimal": s.one_of(".", ","),
        "scale": s.one_of(None, "none", *SCALINGS),
        "id": s.optional(_TEXT),
    }
    blocks = s.complete(rules)(value, place)
    names = [each["name"] for each in blocks["columns"]]
    if len(set(names)) < len(names):
        raise ValueError(f"{place}.columns names a column twice")
    if all(each["form"] is None for each in blocks["columns"]):
        raise ValueError(f"{place}.columns uses no column")
    return blocks


_VERDICT = s.built(
    Verdict,
    level=s.one_of("clear", "weak", "none"),
    statistic=_POSITIVE,
    expected=_POSITIVE,
    p_value=s.number(0.0, 1.0),
    n_copies=s.whole(2),
)
_LEVEL = s.built(Level, n_clusters=s.whole(1), agreement=_SHARE, persistence=_SHARE)


_fixed = partial(s.array_of, into=tuple)
_WORDS = _fixed(s.text(100), most=100)
_DECISION: dict[str, Any] = {
    "verdict": s.optional(_VERDICT),
    "n_rows": s.whole(1, 2**53),
    "n_representatives": s.whole(1),
    "views": _WORDS,
    "members": s.mapping_of(s.whole(1)),
    "separated": s.optional(s.whole(2)),
    "leaving": s.optional(s.number(0.0)),
    "compactness": s.optional(_SHARE),
    "n_clusters": s.whole(1),
    "suggestions": _fixed(s.whole(1), most=100),
    "levels": _fixed(_LEVEL, most=1000),
    "price": s.number(0.0),
    "cut": s.text(100),
    "cut_agreement": _SHARE,
    "model_agreement": _SHARE,
    "alpha": s.number(0.0),
    "beta": s.number(0.0),
}


def _summary(value: object, place: str) -> None:
    from graphtailor.diagnostics.summary import FitSummary  # pandas is optional

    decision = {
        "sentences": s.array_of(_TEXT, most=100),
        **s.fields_of(Decision, **_DECISION),
    }
    start = {"kind": s.text(), "objective": s.number(), "agreement": s.number()}
    summary = s.built(
        FitSummary,
        n_samples=s.whole(1, 2**53),
        n_features=s.whole(1),
        n_clusters=s.whole(1),
        seconds=s.optional(s.number(0.0)),
        starts=s.array_of(s.record(start)),
        parameters=s.mapping_of(s.optional(s.either(s.truth, s.number(), _TEXT))),
        decision=s.optional(s.complete(decision)),
    )(value, place)
    if sum(summary.sizes) != summary.n_samples:
        raise ValueError(f"{place}.sizes do not add up to its n_samples")


# Notes of other names belong to whoever saved the model.
NOTES = s.record(
    {
        "blocks": s.optional(_blocks),
        "summary": _summary,
        "columns": s.array_of(
            s.complete({"name": _TEXT, "kind": s.text(), "treatment": _TEXT})
        ),
        "label": s.optional(_TEXT),
        "id": s.optional(_TEXT),
        "scale": s.text(),
    },
    others=s.anything,
)
HEADER = s.complete(
    {
        "format": s.text(),
        "version": s.whole(),
        "notes": NOTES,
        "class": s.one_of("GraphTailor", "JointModel"),
        "parameters": s.anything,
        "state": s.anything,
    }
)

# What follows are the rules for values and arrays after they have been unpacked.

# "pyfunc" needs a function, which no file holds.
_METRIC = s.one_of(
    "affinity", *sorted(set().union(*VALID_METRICS.values()) - {"pyfunc"})
)
_VECTOR = s.numbers_array(kinds="iuf", ndim=1)
_LENGTHS = s.numbers_array(ndim=1, least=0.0)
_LABELS = s.numbers_array(kinds="iu", ndim=1, least=0)
_ROW_NUMBERS = s.numbers_array(kinds="iu", least=0, may_be_empty=True)
_MATRIX = s.numbers_array(may_be_sparse=True)
_GRAPH = s.numbers_array(least=0.0, may_be_sparse=True)
_INDICATOR = s.numbers_array(least=0.0)
# A file does not decide on more threads than any machine has.
_THREADS = s.optional(s.either(s.whole(-1024, -1), s.whole(1, 1024)))


def _part(value: object, place: str) -> Any:
    rules = {"class": s.text(100), "metric": _METRIC, "n_jobs": _THREADS}
    return s.record(rules, required=["class"], others=_PARAMETER)(value, place)


def _parameter_number(value: object, place: str) -> Any:
    is_whole = isinstance(value, int)
    return (s.whole(-(2**31), 2**32 - 1) if is_whole else s.number())(value, place)


_PLAIN = s.either(s.truth, _parameter_number, s.text(100))
_PARAMETER: s.Rule = s.optional(
    s.either(
        _PLAIN,
        _VECTOR,
        s.numbers_array(kinds="iuf"),
        s.array_of(s.either(_PLAIN, _part), most=1000),
        _part,
    )
)
PARAMETERS = s.record({"metric": _METRIC, "n_jobs": _THREADS}, others=_PARAMETER)

_FEATURES = s.complete({"number": s.whole(1), "names": s.anything})
_SCALER = s.record(
    {
        "n_features_in_": s.whole(1),
        "n_samples_seen_": s.either(s.number(0.0), _VECTOR),
        "scale_": _LENGTHS,
    },
    others=_VECTOR,
)
_TUNING = s.tuple_of(s.whole(1), s.whole(0), s.number(0.0))
# What graph builders learn, by their classes; the rest is made again.
BUILDERS: dict[str, dict[str, s.Rule]] = {
    "PrecomputedGraph": {"weights_": _GRAPH},
    "NeighborGraph": {
        "weights_": _GRAPH,
        "n_neighbors_": s.whole(0),
        "engine_": s.one_of("exact", *ENGINES),
        "recall_": s.number(0.0),
        "bandwidth_": s.either(s.number(0.0), _LENGTHS),
        "_search_state": s.tuple_of(_SEED, s.optional(_TUNING)),
        "_sample_scale": _LENGTHS,
    },
    "DiffusedGraph": {
        "weights_": _GRAPH,
        "n_neighbors_": s.whole(0),
        "affinity_": _GRAPH,
        "graph_": s.anything,
    },
    "EnsembleGraph": {
        "weights_": _GRAPH,
        "n_neighbors_": s.whole(0),
        "labels": s.numbers_array(kinds="iu", least=0),
        "masses": _LENGTHS,
        "members_": s.array_of(s.tuple_of(s.text(100), s.text(100))),
        "views_": _WORDS,
        "trust_": s.optional(_LENGTHS),
    },
}
_BUILDER = s.complete({"parameters": _part, "fitted": s.anything})
_SOLUTION: dict[str, s.Rule] = {
    "norm": _POSITIVE,
    "indicator": _INDICATOR,
    "representation": _GRAPH,
    "objective": _VECTOR,
    "converged": s.truth,
    "starts": s.array_of(s.built(Start, kind=s.text(100), labels=_LABELS)),
}
# What is known of rows; the name of a class is a text or a number.
_CONSTRAINTS = s.built(
    Constraints,
    classes=_fixed(s.either(_TEXT, s.number()), distinct=True),
    known=s.numbers_array(kinds="i", ndim=1, least=-1),
    must=_ROW_NUMBERS,
    cannot=_ROW_NUMBERS,
)
JOINT_STATE = s.complete(
    {
        **_SOLUTION,
        "constraints": s.optional(_CONSTRAINTS),
        "features": _FEATURES,
        "rows": _MATRIX,
        "input": s.one_of("samples", "affinities", "distances"),
        "scaler": s.optional(_SCALER),
        "graph": _BUILDER,
    }
)
_LINKS = s.built(
    Links,
    points=_MATRIX,
    directions=s.optional(s.numbers_array()),
    bandwidth=s.number(0.0),
    k=s.whole(1),
)
_MEMBERSHIPS = s.tuple_of(s.numbers_array(kinds="iu", least=0), _INDICATOR)

TAILOR_STATE = s.complete(
    {
        "features": _FEATURES,
        "blocks": s.optional(_blocks),
        "scaler": s.optional(_SCALER),
        "sparse": s.truth,
        "representatives": s.either(
            s.complete({"rows": _MATRIX, "graph": _BUILDER}),
            s.complete(
                {
                    "links": _LINKS,
                    "masses": s.numbers_array(kinds="iuf", ndim=1, least=0),
                }
            ),
        ),
        "shares": _INDICATOR,
        "decision": s.built(Decision, **_DECISION),
        "ensemble": _BUILDER,
        "joint": s.complete({**_SOLUTION, "init": _LABELS}),
        "separated": s.array_of(_LABELS, most=1000),
        "memberships": s.optional(lambda v, at: Memberships(*_MEMBERSHIPS(v, at))),
        "constraints": s.optional(_CONSTRAINTS),
        "classes": s.optional(_LABELS),
    }
)
