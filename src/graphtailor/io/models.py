"""Save fitted models and load them again, without pickle."""

from __future__ import annotations

import json
import os
import reprlib
from collections.abc import Container, Mapping
from contextlib import AbstractContextManager
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from graphtailor.dask.cluster import is_dask
from graphtailor.graphs import NeighborGraph, PrecomputedGraph
from graphtailor.io.atomic import atomic_open
from graphtailor.io.limits import MOST_MODEL_HEADER, clear_errors, readable_size
from graphtailor.io.model_checks import (
    check_arrays,
    check_graph_name,
    validate_parameters,
)
from graphtailor.io.model_schema import (
    FITTED,
    HEADER,
    MOST_DEPTH,
    MOST_VALUES,
    PARAMETERS,
    STARTS,
)
from graphtailor.io.model_state import restore_tier, tier_state
from graphtailor.io.npz import read_npz
from graphtailor.io.packing import pack, unpack
from graphtailor.io.schema import parse_json
from graphtailor.models import GraphTailor, Start
from graphtailor.models.samples import is_named

FORMAT = "graphtailor-model"
FORMAT_VERSION = 2

_HEADER = "header"
_AGAIN = "Save the model again."
_BUILDERS = {"NeighborGraph": NeighborGraph, "PrecomputedGraph": PrecomputedGraph}
# These are saved elsewhere in the file.
_ELSEWHERE = {"given_graph_", "starts_", "ensemble_"}


def save_model(
    model: GraphTailor,
    path: str | os.PathLike[str],
    *,
    notes: Mapping[str, Any] | None = None,
) -> None:
    """Save a fitted model to one npz file.

    The file holds numbers and JSON, and nothing in it is executed when it is read:
    models from strangers are safe to load. If saving fails, an older file is kept.

    Parameters
    ----------
    model : GraphTailor
        A fitted model. A metric or a kernel that is a function, or a graph builder of
        your own, cannot be saved; a ``RandomState`` object is saved as None.
    path : path-like
        Where to save it; the usual ending is ``.npz``.
    notes : mapping or None, default=None
        Values for :func:`load_notes` to return: anything JSON can hold. The names
        that ``graphtailor fit`` uses (preparation, summary, columns, label, id,
        scale) have the meaning that it gives them.

    Raises
    ------
    ValueError
        If the model cannot be saved.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from sklearn.datasets import load_iris
    >>> from graphtailor import GraphTailor
    >>> from graphtailor.io.models import load_model, save_model
    >>> X = load_iris().data
    >>> model = GraphTailor(n_clusters=3, n_init=2, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, Path(folder, "model.npz"))
    ...     loaded = load_model(Path(folder, "model.npz"))
    >>> bool((loaded.predict(X) == model.labels_).all())
    True
    """
    if type(model) is not GraphTailor:
        raise ValueError(
            f"model is a {type(model).__name__}; only a GraphTailor can be saved."
        )
    check_is_fitted(model)
    arrays: dict[str, np.ndarray] = {}
    header = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "notes": dict(notes or {}),
        "parameters": _pack_parameters(model, arrays),
        "fitted": pack(_fitted(model), "fitted", arrays),
        "starts": pack([vars(start) for start in model.starts_], "starts", arrays),
        "tier": pack(tier_state(model), "tier", arrays),
    }
    text = json.dumps(header).encode()
    HEADER(_parsed(text), "model")
    entries: dict[str, Any] = {_HEADER: np.frombuffer(text, dtype=np.uint8), **arrays}
    with atomic_open(path) as file:
        np.savez_compressed(file, **entries)


def load_model(path: str | os.PathLike[str]) -> GraphTailor:
    """Load a model that :func:`save_model` wrote.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    GraphTailor
        It predicts exactly what the saved model predicted.

    Raises
    ------
    ValueError
        If the file is damaged, is not a model, or has another format.
    """
    header, arrays = _read(path)
    with _damage(path):
        check_arrays(arrays)
        model = GraphTailor(**_unpack_parameters(header["parameters"], arrays))
        validate_parameters(model)
        fitted = unpack(header["fitted"], arrays)
        FITTED(fitted, "fitted")
        for name, value in fitted.items():
            setattr(model, name, value)
        if not is_named(model.graph, "auto"):
            model.graph_ = model.graph
        check_graph_name(model)
        restore_tier(model, unpack(header["tier"], arrays))
        starts = unpack(header["starts"], arrays)
        STARTS(starts, "starts")
        model.starts_ = [Start(**start) for start in starts]
    return model


def load_notes(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Load the notes that were saved with a model.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    dict
        The notes; empty if none were saved.

    Raises
    ------
    ValueError
        As for :func:`load_model`.
    """
    return _read(path, only={_HEADER})[0]["notes"]


def _read(
    path: str | os.PathLike[str], only: Container[str] | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    name = os.fspath(path)
    with clear_errors(
        lambda why: f"{name} is damaged, or is not a graphtailor model: {why}. {_AGAIN}"
    ):
        arrays = read_npz(path, only)
        header = _header(arrays.pop(_HEADER, None))
    if header.get("format") != FORMAT:
        raise ValueError(
            f"{name} is not a graphtailor model. Give the model.npz that "
            "'graphtailor fit' or save_model wrote."
        )
    if header.get("version") != FORMAT_VERSION:
        raise ValueError(
            f"{name} has model format {reprlib.repr(header.get('version'))}, and this "
            f"graphtailor reads format {FORMAT_VERSION}. Use the graphtailor that "
            "wrote it, or fit and save the model again."
        )
    with _damage(path):
        HEADER(header, "model")
    return header, arrays


def _damage(path: str | os.PathLike[str]) -> AbstractContextManager[None]:
    """Turn errors into one line that calls the file damaged."""
    return clear_errors(lambda why: f"{os.fspath(path)} is damaged: {why}. {_AGAIN}")


def _header(array: np.ndarray | None) -> dict[str, Any]:
    """The description of the model; empty if the file has none."""
    if array is None or array.dtype != np.uint8:
        return {}
    header = _parsed(array.tobytes())
    return header if isinstance(header, dict) else {}


def _parsed(text: bytes) -> Any:
    if len(text) > MOST_MODEL_HEADER:
        raise ValueError(f"its header has {readable_size(len(text))}")
    return parse_json(text, depth=MOST_DEPTH, values=MOST_VALUES)


def _pack_parameters(model: GraphTailor, arrays: dict[str, np.ndarray]) -> Any:
    parameters = model.get_params(deep=False)
    _forget_random_state(parameters)
    if not isinstance(parameters["graph"], str):
        builder = parameters["graph"]
        name = type(builder).__name__
        if type(builder) is not _BUILDERS.get(name):
            raise ValueError(
                f"graph is a {name}, which cannot be saved without pickle. Use "
                f"{' or '.join(_BUILDERS)}."
            )
        parameters["graph"] = {"builder": name, **builder.get_params(deep=False)}
        _forget_random_state(parameters["graph"])
        metric = parameters["graph"].get("metric")
        _refuse_function("graph's metric", metric, "distances")
    _refuse_function("metric", parameters["metric"], "distances")
    _refuse_function("kernel", parameters["kernel"], "the kernel matrix")
    return pack(parameters, "parameters", arrays)


def _forget_random_state(parameters: dict[str, Any]) -> None:
    if isinstance(parameters.get("random_state"), np.random.RandomState):
        parameters["random_state"] = None


def _refuse_function(argument: str, value: Any, instead: str) -> None:
    if callable(value):
        raise ValueError(
            f"{argument} is a function, which cannot be saved without pickle. Use the "
            f"name of one, or 'precomputed' and give {instead}."
        )


def _unpack_parameters(header: Any, arrays: dict[str, Any]) -> dict[str, Any]:
    parameters = unpack(header, arrays)
    PARAMETERS(parameters, "parameters")
    if isinstance(parameters["graph"], dict):
        name = parameters["graph"].pop("builder")
        parameters["graph"] = _BUILDERS[name](**parameters["graph"])
    return parameters


def _fitted(model: GraphTailor) -> dict[str, Any]:
    return {
        name: value
        for name, value in vars(model).items()
        # The labels of a Dask fit stay on its cluster, and predict computes them again.
        # A graph builder is one of the parameters.
        if name.endswith("_")
        and name not in _ELSEWHERE
        and not is_dask(value)
        and not isinstance(value, BaseEstimator)
    }
