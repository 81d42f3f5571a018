"""The rules for everything that a model file says about itself, in JSON."""

from __future__ import annotations

from typing import Any

from sklearn.neighbors import VALID_METRICS

from graphtailor.io.schema import (
    Rule,
    anything,
    array_of,
    either,
    mapping_of,
    number,
    numbers_array,
    one_of,
    optional,
    record,
    text,
    truth,
    whole,
)
from graphtailor.linalg.scaling import SCALINGS
from graphtailor.neighbors.engine_choice import ENGINES

# Parsed, this many values take about as much memory as any archive may unpack to.
MOST_VALUES = 4_000_000
MOST_DEPTH = 32

_TEXT = text(1_000_000)
_SEED = whole(0, 2**32 - 1)

_COLUMN_FIELDS: dict[str, Rule] = {
    "name": _TEXT,
    "kind": text(),
    "treatment": _TEXT,
    "form": one_of("number", "date", "levels", "truth", None),
    "fill": optional(either(number(), _TEXT)),
    "levels": array_of(_TEXT, distinct=True),
    "pools": truth,
    "from_text": truth,
    # Which formats there are is known to `tables`, which needs pandas.
    "date_format": optional(text(100)),
    "flags_missing": truth,
    "shift": number(),
    "divide": number(above=0.0),
    "weight": number(0.0),
    "flag_weight": number(0.0),
}
_COLUMN_RECORD = record(_COLUMN_FIELDS, required=_COLUMN_FIELDS)


def _column(value: Any, place: str) -> None:
    _COLUMN_RECORD(value, place)
    form, fill = value["form"], f"{place}.fill"
    if form == "levels":
        _TEXT(value["fill"], fill)
    elif form is not None:
        optional(number())(value["fill"], fill)


_PREPARATION_FIELDS: dict[str, Rule] = {
    "columns": array_of(_column),
    "decimal": one_of(".", ","),
    "scale": one_of(None, "none", *SCALINGS),
    "id": optional(_TEXT),
}
_PREPARATION_RECORD = record(_PREPARATION_FIELDS, required=_PREPARATION_FIELDS)


def _preparation(value: Any, place: str) -> None:
    _PREPARATION_RECORD(value, place)
    names = [column["name"] for column in value["columns"]]
    if len(set(names)) < len(names):
        raise ValueError(f"{place}.columns names a column twice")
    if all(column["form"] is None for column in value["columns"]):
        raise ValueError(f"{place}.columns uses no column")


_SUMMARY_FIELDS: dict[str, Rule] = {
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
    "settings": mapping_of(either(number(), text())),
    # An early stop leaves settings that were never judged.
    "selection": array_of(mapping_of(number(nan=True))),
}
_SUMMARY_RECORD = record(_SUMMARY_FIELDS, required=_SUMMARY_FIELDS)


def _summary(value: Any, place: str) -> None:
    _SUMMARY_RECORD(value, place)
    if sum(value["sizes"]) != value["n_samples"]:
        raise ValueError(f"{place}.sizes do not add up to its n_samples")


# Notes of other names belong to whoever saved the model.
NOTES = record(
    {
        "preparation": optional(_preparation),
        "summary": _summary,
        "columns": array_of(
            record(
                {"name": _TEXT, "kind": text(), "treatment": _TEXT},
                required=["name", "kind", "treatment"],
            )
        ),
        "label": optional(_TEXT),
        "id": optional(_TEXT),
        "scale": text(),
    },
    others=anything,
)
HEADER = record(
    {
        "format": text(),
        "version": whole(),
        "notes": NOTES,
        "parameters": anything,
        "fitted": anything,
        "starts": anything,
        "tier": anything,
    },
    required=["format", "version", "notes", "parameters", "fitted", "starts", "tier"],
)

# What follows are the rules for values and arrays after they have been unpacked.

# "pyfunc" needs a function, which no file holds.
_METRIC = one_of(*sorted(set().union(*VALID_METRICS.values()) - {"pyfunc"}))
_VECTOR = numbers_array(kinds="iuf", ndim=1)
_GRAPH = numbers_array(may_be_sparse=True)
_MATRIX = numbers_array(may_be_sparse=True)
_INDICATOR = numbers_array(least=0.0)


def _parameter_number(value: Any, place: str) -> None:
    is_whole = isinstance(value, int)
    (whole(-(2**31), 2**32 - 1) if is_whole else number())(value, place)


_PARAMETER = optional(
    either(
        truth,
        _parameter_number,
        text(100),
        numbers_array(kinds="iuf", ndim=1),
        numbers_array(kinds="iuf"),
    )
)
_BUILDER_PARAMETERS = record({"metric": _METRIC}, others=_PARAMETER)
PARAMETERS = record(
    {"metric": _METRIC, "graph": either(text(100), _BUILDER_PARAMETERS)},
    others=_PARAMETER,
)
FITTED = record(
    {
        "n_features_in_": whole(1),
        "feature_names_in_": anything,
        "n_clusters_": whole(1),
        "tier_": text(100),
        "graph_": text(100),
        "alpha_": number(0.0),
        "beta_": number(0.0),
        "gamma_": optional(number(above=0.0)),
        "diffusion_": whole(),
        "selection_": mapping_of(numbers_array(kinds="iufb", ndim=1)),
        "n_clusters_path_": mapping_of(_VECTOR),
        "indicator_": _INDICATOR,
        "representation_": _GRAPH,
        "affinity_matrix_": _GRAPH,
        "objective_": _VECTOR,
        "n_iter_": whole(),
        "converged_": truth,
        "labels_": numbers_array(kinds="iu", ndim=1, least=0),
        "anchors_": _MATRIX,
        "anchor_labels_": numbers_array(kinds="iu", ndim=1, least=0),
        "anchor_masses_": _VECTOR,
        "anchor_stability_": optional(number()),
    },
    required=["n_features_in_", "n_clusters_", "tier_", "alpha_", "beta_"],
)
STARTS = array_of(
    record(
        {
            "kind": text(100),
            "objective": number(),
            "labels": numbers_array(kinds="iu", ndim=1, least=0),
        },
        required=["kind", "objective", "labels"],
    )
)
_SCALER = record(
    {
        "n_features_in_": whole(1),
        "feature_names_in_": anything,
        "n_samples_seen_": either(number(0.0), _VECTOR),
        "scale_": numbers_array(ndim=1, least=0.0),
    },
    others=_VECTOR,
)
_TUNING = optional(array_of(number(0.0), most=3))
_BUILDER = record(
    {
        "n_neighbors_": whole(1),
        "engine_": one_of("exact", *ENGINES),
        "recall_": number(0.0),
        "_search_state": array_of(either(_SEED, _TUNING), most=2),
        "bandwidth_": either(number(0.0), _VECTOR),
        "weights_": _GRAPH,
        "degrees_": _VECTOR,
        "_sample_scale": _VECTOR,
        "stability_": numbers_array(kinds="f", ndim=1),
    },
    required=["weights_"],
)
_KERNEL_MAP = record(
    {
        "rows": _MATRIX,
        "learned": record(
            {
                "gamma_": optional(number(above=0.0)),
                "landmarks": either(_VECTOR, _MATRIX),
                "whitening": numbers_array(),
            }
        ),
    },
    required=["rows", "learned"],
)
GRAPH_STATE = record(
    {
        "samples": _MATRIX,
        "kernel_map": optional(_KERNEL_MAP),
        "norm": number(above=0.0),
        "given_graph": _GRAPH,
        "indicator": _INDICATOR,
        "scaler": optional(_SCALER),
        "builder": _BUILDER,
    },
    required=["samples", "norm", "given_graph", "indicator", "scaler", "builder"],
)
ANCHOR_STATE = record(
    {
        "given_graph": _GRAPH,
        "anchors": numbers_array(),
        "bandwidth": number(0.0),
        "k": whole(1),
        "indicator": _INDICATOR,
        "shifts": truth,
        "scaler": optional(_SCALER),
    },
    required=["given_graph", "anchors", "bandwidth", "k", "indicator", "shifts"],
)
