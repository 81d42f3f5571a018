"""The rules for everything that a model file says about itself, in JSON."""

from __future__ import annotations

from typing import Any

from sklearn.neighbors import VALID_METRICS

from graphtailor.io.schema import (
    Rule,
    anything,
    array_of,
    complete,
    either,
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

# Parsed, this many values take about as much memory as any archive may unpack to.
MOST_VALUES = 4_000_000
MOST_DEPTH = 32

_TEXT = text(1_000_000)
_SEED = whole(0, 2**32 - 1)

_COLUMN_RECORD = complete(
    {
        "name": _TEXT,
        "kind": text(),
        "treatment": _TEXT,
        "form": one_of(
            "number", "date", "cycle", "order", "levels", "truth", "parts", None
        ),
        "middle": optional(number()),
        "levels": array_of(_TEXT, distinct=True),
        "pools": truth,
        "from_text": truth,
        # Which formats there are is known to `columns`, which needs pandas.
        "date_format": optional(text(100)),
        "separator": optional(text(10)),
        "periods": array_of(number(above=0.0), most=2),
        "flags_missing": truth,
        "shift": number(),
        "divide": number(above=0.0),
        "weight": number(0.0),
        "flag_weight": number(0.0),
    }
)

_BLOCKS_RECORD = complete(
    {
        "columns": array_of(_COLUMN_RECORD),
        "decimal": one_of(".", ","),
        "scale": one_of(None, "none", *SCALINGS),
        "id": optional(_TEXT),
    }
)


def _blocks(value: Any, place: str) -> None:
    _BLOCKS_RECORD(value, place)
    names = [column["name"] for column in value["columns"]]
    if len(set(names)) < len(names):
        raise ValueError(f"{place}.columns names a column twice")
    if all(column["form"] is None for column in value["columns"]):
        raise ValueError(f"{place}.columns uses no column")


def _probability(value: Any, place: str) -> None:
    number(0.0)(value, place)
    if value > 1:
        raise ValueError(f"{place} is {value:g}, and a probability is at most 1")


_VERDICT: dict[str, Rule] = {
    "level": one_of("clear", "weak", "none"),
    "statistic": number(above=0.0),
    "expected": number(above=0.0),
    "p_value": _probability,
    "n_copies": whole(2),
}
_SHARE = number(-1.0)
_LEVEL: dict[str, Rule] = {
    "n_clusters": whole(1),
    "score": number(),
    "agreement": _SHARE,
    "persistence": _SHARE,
    "suggested": truth,
}
_DECISION: dict[str, Rule] = {
    "verdict": optional(record(_VERDICT, required=_VERDICT)),
    "n_rows": whole(1, 2**53),
    "n_representatives": whole(1),
    "isolated": whole(0),
    "every_row": truth,
    "views": array_of(text(100), most=100),
    "members": mapping_of(whole(1)),
    "separated": optional(whole(2)),
    "leaving": optional(number(0.0)),
    "compactness": optional(_SHARE),
    "shapes": truth,
    "n_clusters": whole(1),
    "suggestions": array_of(whole(1), most=100),
    "levels": array_of(complete(_LEVEL), most=1000),
    "price": number(0.0),
    "cut": text(100),
    "cut_agreement": _SHARE,
    "model_agreement": _SHARE,
    "alpha": number(0.0),
    "beta": number(0.0),
    "known_rows": whole(0, 2**53),
    "must_links": whole(0, 2**53),
    "cannot_links": whole(0, 2**53),
    "broken_links": whole(0, 2**53),
}
_SUMMARY_RECORD = complete(
    {
        "data": _TEXT,
        "method": text(),
        "n_samples": whole(1, 2**53),
        "n_features": whole(1),
        "n_clusters": whole(1),
        "sizes": array_of(whole(0, 2**53)),
        "objective": number(),
        "objective_at_start": number(),
        "n_iter": whole(),
        "converged": truth,
        "seconds": optional(number(0.0)),
        "scores": optional(mapping_of(number())),
        "starts": array_of(
            record({"kind": text(), "objective": number(), "agreement": number()})
        ),
        "parameters": mapping_of(optional(either(truth, number(), _TEXT))),
        "versions": mapping_of(text()),
        "warnings": array_of(_TEXT),
        "names": array_of(_TEXT),
        "decision": optional(
            complete({"sentences": array_of(_TEXT, most=100), **_DECISION})
        ),
    }
)


def _summary(value: Any, place: str) -> None:
    _SUMMARY_RECORD(value, place)
    if sum(value["sizes"]) != value["n_samples"]:
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
_NEAREST = numbers_array(kinds="iu", least=0)
_MATRIX = numbers_array(may_be_sparse=True)
_GRAPH = numbers_array(least=0.0, may_be_sparse=True)
_INDICATOR = numbers_array(least=0.0)
# A file does not decide on more threads than any machine has.
_THREADS = optional(either(whole(-1024, -1), whole(1, 1024)))


def _parameter_number(value: Any, place: str) -> None:
    is_whole = isinstance(value, int)
    (whole(-(2**31), 2**32 - 1) if is_whole else number())(value, place)


def _part(value: Any, place: str) -> None:
    rules = {"class": text(100), "metric": _METRIC, "n_jobs": _THREADS}
    record(rules, required=["class"], others=_PARAMETER)(value, place)


_PLAIN = either(truth, _parameter_number, text(100))
_PARAMETER: Rule = optional(
    either(
        _PLAIN,
        numbers_array(kinds="iuf", ndim=1),
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
        "scale_": numbers_array(ndim=1, least=0.0),
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
        "masses": numbers_array(ndim=1, least=0.0),
        "members_": array_of(tuple_of(text(100), text(100))),
        "views_": array_of(text(100), most=100),
        "_cut_seed": _SEED,
        "trust_": optional(_LENGTHS),
    },
}
_BUILDER = complete(
    {"class": one_of(*BUILDERS), "parameters": _part, "fitted": anything}
)
_STARTS = array_of(
    complete({"kind": text(100), "objective": number(), "labels": _LABELS})
)
_SOLUTION: dict[str, Rule] = {
    "norm": number(above=0.0),
    "indicator": _INDICATOR,
    "representation": _GRAPH,
    "objective": _VECTOR,
    "converged": truth,
    "starts": _STARTS,
}
_PAIRS_OF_ROWS = optional(numbers_array(kinds="iu", least=0))
# What is known of rows; the name of a class is a text or a number.
_CONSTRAINTS = optional(
    complete(
        {
            "classes": optional(array_of(either(_TEXT, number()), distinct=True)),
            "known": numbers_array(kinds="i", ndim=1, least=-1),
            "must": _PAIRS_OF_ROWS,
            "cannot": _PAIRS_OF_ROWS,
        }
    )
)
JOINT_STATE = complete(
    {
        **_SOLUTION,
        "constraints": _CONSTRAINTS,
        "features": _FEATURES,
        "rows": _MATRIX,
        "input": one_of("samples", "affinities", "distances"),
        "scaler": optional(_SCALER),
        "graph": _BUILDER,
    }
)
_POINTS = complete(
    {
        "points": _MATRIX,
        "directions": optional(numbers_array()),
        "bandwidth": number(0.0),
        "k": whole(1),
        "masses": numbers_array(kinds="iuf", ndim=1, least=0),
        "exact": truth,
    }
)
_PAIRS = complete({"rows": _MATRIX, "graph": _BUILDER})
TAILOR_STATE = complete(
    {
        "features": _FEATURES,
        "blocks": optional(_blocks),
        "scaler": optional(_SCALER),
        "sparse": truth,
        "representatives": either(_PAIRS, _POINTS),
        "shares": _INDICATOR,
        "decision": complete(_DECISION),
        "ensemble": _BUILDER,
        "joint": complete({**_SOLUTION, "init": _LABELS}),
        "separated": array_of(_LABELS, most=1000),
        "memberships": optional(tuple_of(_NEAREST, _INDICATOR)),
        "constraints": _CONSTRAINTS,
        "classes": optional(_LABELS),
    }
)
