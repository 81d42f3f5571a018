"""Save fitted models and load them again, without pickle."""

from __future__ import annotations

import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from graphtailor._packing import pack, unpack
from graphtailor.cluster import is_dask
from graphtailor.files import atomic_open
from graphtailor.graphs import NeighborGraph, PrecomputedGraph, normalize_affinity
from graphtailor.joint import GraphTailor, Start
from graphtailor.joint.anchors import AnchorLinks
from graphtailor.joint.anchors.tier import AnchorTier
from graphtailor.joint.graph_tier import GraphTier
from graphtailor.joint.known_rows import KnownRows
from graphtailor.joint.scaling import feature_scaler
from graphtailor.joint.space import SampleSpace

FORMAT = "graphtailor-model"
FORMAT_VERSION = 2

_BUILDERS = {"NeighborGraph": NeighborGraph, "PrecomputedGraph": PrecomputedGraph}
# Saved in another place of the file.
_ELSEWHERE = {"given_graph_", "starts_"}


def save_model(
    model: GraphTailor,
    path: str | os.PathLike[str],
    *,
    notes: Mapping[str, Any] | None = None,
) -> None:
    """Save a fitted model to one npz file.

    The file holds numbers and JSON, nothing that runs when it is read: models from
    strangers are safe to load. It is written whole or not at all.

    Parameters
    ----------
    model : GraphTailor
        A fitted model. A metric or a kernel that is a function, or a graph builder of
        your own, cannot be saved; a ``RandomState`` object is saved as None.
    path : path-like
        Where to save it, by custom with the ending ``.npz``.
    notes : mapping or None, default=None
        What you want to find again with :func:`load_notes`: anything JSON can hold.

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
    >>> from graphtailor.model_files import load_model, save_model
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
        "tier": pack(_tier_state(model), "tier", arrays),
    }
    text = json.dumps(header).encode()
    entries: dict[str, Any] = {"header": np.frombuffer(text, dtype=np.uint8), **arrays}
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
        It predicts exactly what the saved model did.

    Raises
    ------
    ValueError
        If the file is damaged, is no model, or is of another format.
    """
    header, arrays = _read(path)
    try:
        model = GraphTailor(**_unpack_parameters(header["parameters"], arrays))
        for name, value in unpack(header["fitted"], arrays).items():
            setattr(model, name, value)
        # Models that were saved before it could be chosen have a number.
        if not hasattr(model, "n_clusters_"):
            model.n_clusters_ = int(model.n_clusters)
        _restore_tier(model, unpack(header["tier"], arrays))
        model.starts_ = [Start(**start) for start in unpack(header["starts"], arrays)]
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise ValueError(
            f"{os.fspath(path)} is damaged: {error!r}. Save the model again."
        ) from error
    return model


def load_notes(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The notes that were saved with a model.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    dict
        Empty if there are none.
    """
    return _read(path)[0].get("notes", {})


def _read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Any]]:
    name = os.fspath(path)
    try:
        # numpy.load takes what is not an archive for a pickle, and says so.
        with zipfile.ZipFile(path), np.load(path, allow_pickle=False) as archive:
            arrays = {key: archive[key] for key in archive.files}
        header = json.loads(arrays.pop("header").tobytes())
        is_model = header["format"] == FORMAT
    except (KeyError, TypeError, AttributeError, json.JSONDecodeError):
        is_model = False
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError) as error:
        raise ValueError(
            f"{name} is damaged or no model of graphtailor: {error}. "
            "Save the model again."
        ) from error
    if not is_model:
        raise ValueError(
            f"{name} is no model of graphtailor. Give the model.npz that "
            "'graphtailor fit' or save_model wrote."
        )
    if header.get("version") != FORMAT_VERSION:
        raise ValueError(
            f"{name} has model format {header.get('version')!r}, and this graphtailor "
            f"reads format {FORMAT_VERSION}. Use the graphtailor that wrote it, or fit "
            "and save the model again."
        )
    return header, arrays


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
    if isinstance(parameters["graph"], dict):
        name = parameters["graph"].pop("builder")
        parameters["graph"] = _BUILDERS[name](**parameters["graph"])
    return parameters


def _fitted(model: GraphTailor) -> dict[str, Any]:
    return {
        name: value
        for name, value in vars(model).items()
        # Labels of a Dask fit stay on its cluster: predict gives them again.
        if name.endswith("_") and name not in _ELSEWHERE and not is_dask(value)
    }


def _tier_state(model: GraphTailor) -> dict[str, Any]:
    tier = model._tier
    if isinstance(tier, AnchorTier):
        return {
            "given_graph": model.given_graph_,
            "anchors": tier.links.anchors,
            "bandwidth": tier.links.bandwidth,
            "k": tier.links.search.k,
            "indicator": tier.indicator,
            "shifts": bool(getattr(tier.scaler, "with_mean", True)),
            "scaler": tier.scaler and _learned(tier.scaler),
        }
    space = tier.space
    return {
        "samples": space.samples,
        "kernel_map": space.kernel_map and _kernel_state(space),
        "norm": space.norm,
        "given_graph": space.given_graph,
        "indicator": tier.indicator,
        "scaler": space.scaler and _learned(space.scaler),
        "builder": _learned(space.builder, without={"search_", "affinity_"}),
    }


def _kernel_state(space: SampleSpace) -> dict[str, Any]:
    kernel_map = space.kernel_map
    learned = ("gamma_", "landmarks", "whitening")
    return {
        # Samples are mapped rows; mapping them again might change their last bits.
        "rows": space.rows,
        "learned": {k: v for k, v in vars(kernel_map).items() if k in learned},
    }


def _learned(estimator: Any, without: set[str] | None = None) -> dict[str, Any]:
    left_out = {*estimator.get_params(deep=False), *(without or ())}
    return {k: v for k, v in vars(estimator).items() if k not in left_out}


def _restore_tier(model: GraphTailor, state: dict[str, Any]) -> None:
    if model.tier_ == "anchors":
        _restore_anchors(model, state)
    else:
        _restore_graph(model, state)
    if hasattr(model, "feature_names_in_"):
        model.feature_names_in_ = model.feature_names_in_.astype(object)


def _restore_anchors(model: GraphTailor, state: dict[str, Any]) -> None:
    tier = model._tier = AnchorTier()
    model.given_graph_ = state["given_graph"]
    tier.links = AnchorLinks(state["anchors"], state["bandwidth"], state["k"])
    tier.indicator = state["indicator"]
    is_sparse = not state["shifts"]  # sparse rows are scaled, but not shifted
    tier.scaler = _restored_scaler(model.scaling, state["scaler"], is_sparse)
    sizes = {len(tier.indicator), len(model.anchor_labels_), *model.given_graph_.shape}
    if sizes != {len(tier.links.anchors)}:
        raise ValueError("its parts are not of one size")


def _restore_graph(model: GraphTailor, state: dict[str, Any]) -> None:
    tier = model._tier = GraphTier(model)
    space = tier.space
    space.rows = space.samples = state["samples"]
    space.norm = state["norm"]
    if space.kernel_map is not None:
        space.rows = state["kernel_map"]["rows"]
        vars(space.kernel_map).update(state["kernel_map"]["learned"])
    space.given_graph = model.given_graph_ = state["given_graph"]
    space.known_rows = KnownRows(space.rows)
    tier.indicator = state["indicator"]
    is_sparse = sparse.issparse(space.rows)
    space.scaler = _restored_scaler(space.scaling, state["scaler"], is_sparse)
    vars(space.builder).update(state["builder"])
    space.builder.affinity_ = normalize_affinity(space.builder.weights_)
    if isinstance(space.builder, NeighborGraph):
        space.builder.restore_search(space.samples)
    sizes = {len(model.indicator_), len(model.labels_), *space.given_graph.shape}
    sizes.add(space.rows.shape[0])
    distinct = len(tier.indicator) == space.known_rows.n_distinct
    if sizes != {space.n_samples} or not distinct:
        raise ValueError("its parts are not of one size")


def _restored_scaler(scaling: str | None, state: Any, is_sparse: bool) -> Any:
    scaler = feature_scaler(scaling, is_sparse)
    if scaler is not None:
        vars(scaler).update(state)
    return scaler
