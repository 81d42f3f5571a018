"""Save fitted models and load them again, without pickle."""

import json
import os
import reprlib
from collections.abc import Container, Mapping
from contextlib import AbstractContextManager
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from graphtailor.io.atomic import atomic_open
from graphtailor.io.joint_state import joint_state, restored_joint_model
from graphtailor.io.limits import MOST_MODEL_HEADER, clear_errors, parse_json
from graphtailor.io.model_parts import plain_parameter, restored_part
from graphtailor.io.model_schema import HEADER, MOST_DEPTH, MOST_VALUES, PARAMETERS
from graphtailor.io.npz import read_npz
from graphtailor.io.tailor_state import restored_tailor, tailor_state
from graphtailor.linalg.free_memory import readable_size
from graphtailor.models import GraphTailor, JointModel

FORMAT = "graphtailor-model"
FORMAT_VERSION = 1

_HEADER = "header"
_AGAIN = "Save the model again."
Arrays = dict[str, np.ndarray]
_SPARSE_KINDS = {"csr_array": sparse.csr_array, "csr_matrix": sparse.csr_matrix}


def save_model(
    model: GraphTailor | JointModel,
    path: str | os.PathLike[str],
    *,
    notes: Mapping[str, Any] | None = None,
) -> None:
    """Save a fitted model to one npz file.

    The file holds numbers and JSON, and nothing in it is executed when it is read:
    models from strangers are safe to load. If saving fails, an older file is kept.

    Parameters
    ----------
    model : GraphTailor or JointModel
        A fitted model. A metric that is a function, or an object of a class of your
        own, cannot be saved; a ``RandomState`` object is saved as None.
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
    >>> from graphtailor import GraphTailor, load_model, save_model
    >>> X = load_iris().data
    >>> model = GraphTailor(n_clusters=3, random_state=0).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(model, Path(folder, "model.npz"))
    ...     loaded = load_model(Path(folder, "model.npz"))
    >>> bool((loaded.predict(X) == model.labels_).all())
    True
    """
    if type(model) not in (GraphTailor, JointModel):
        raise ValueError(
            f"model is a {type(model).__name__}; only a GraphTailor or a JointModel "
            "can be saved."
        )
    check_is_fitted(model)
    arrays: dict[str, np.ndarray] = {}
    parameters = {
        name: plain_parameter(name, value)
        for name, value in model.get_params(deep=False).items()
    }
    is_joint = isinstance(model, JointModel)
    state = joint_state(model) if is_joint else tailor_state(model)
    header = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "notes": dict(notes or {}),
        "class": type(model).__name__,
        "parameters": pack(parameters, "parameters", arrays),
        "state": pack(state, "state", arrays),
    }
    text = json.dumps(header).encode()
    HEADER(_parsed(text), "model")
    entries: dict[str, Any] = {_HEADER: np.frombuffer(text, dtype=np.uint8), **arrays}
    with atomic_open(path) as file:
        np.savez_compressed(file, **entries)


def load_model(path: str | os.PathLike[str]) -> GraphTailor | JointModel:
    """Load a model that :func:`save_model` wrote.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    GraphTailor or JointModel
        It predicts exactly what the saved model predicted.

    Raises
    ------
    ValueError
        If the file is damaged, is not a model, or has another format.
    """
    header, arrays = _read(path)
    with _damage(path):
        _check_arrays(arrays)
        parameters = PARAMETERS(unpack(header["parameters"], arrays), "parameters")
        parameters = {k: restored_part(value) for k, value in parameters.items()}
        state = unpack(header["state"], arrays)
        if header["class"] == "JointModel":
            joint = JointModel(**parameters)
            joint._validate_params()
            return restored_joint_model(joint, state)
        tailor = GraphTailor(**parameters)
        tailor._validate_params()
        return restored_tailor(tailor, state)


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


def _check_arrays(arrays: Mapping[str, np.ndarray]) -> None:
    """Refuse arrays that hold neither numbers nor text, and values that are not finite.

    Whether an array has the right type and shape is known only where it is used.
    """
    for name, array in arrays.items():
        # Compiled loops take numbers in the byte order of this machine only.
        if array.dtype.kind not in "biufU" or not array.dtype.isnative:
            raise ValueError(f"array {name!r} is of type {array.dtype}")
        if array.dtype.kind == "f" and not np.isfinite(array).all():
            raise ValueError(f"array {name!r} holds a value that is not finite")


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


def pack(value: Any, place: str, arrays: Arrays) -> Any:
    """Turn a value into JSON; its arrays go to `arrays` under `place`.

    A dataclass becomes the object of its fields.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [pack(v, f"{place}.{k}", arrays) for k, v in enumerate(value)]
    if isinstance(value, dict):
        return {"$dict": {k: pack(v, f"{place}.{k}", arrays) for k, v in value.items()}}
    if sparse.issparse(value):
        return {"$sparse": _pack_sparse(value.tocsr(), place, arrays)}
    if isinstance(value, np.ndarray):
        if value.dtype == object:
            value = value.astype(str)
        arrays[place] = value
        return {"$array": place}
    raise ValueError(
        f"{place} is of type {type(value).__name__} and cannot be saved without pickle."
    )


def unpack(header: object, arrays: Arrays) -> Any:
    """Restore the value that :func:`pack` stored."""
    if isinstance(header, list):
        return [unpack(each, arrays) for each in header]
    if not isinstance(header, dict):
        return header
    ((kind, content),) = header.items()
    if kind == "$dict":
        return {key: unpack(each, arrays) for key, each in content.items()}
    if kind == "$array":
        return arrays[content]
    return _unpack_sparse(content, arrays)


def _pack_sparse(A: sparse.csr_array, place: str, arrays: Arrays) -> dict[str, Any]:
    parts = {"data": A.data, "indices": A.indices, "indptr": A.indptr}
    arrays.update({f"{place}.{name}": part for name, part in parts.items()})
    return {"place": place, "shape": list(A.shape), "kind": type(A).__name__}


def _unpack_sparse(content: dict[str, Any], arrays: Arrays) -> sparse.csr_array:
    place = content["place"]
    data, *where = (arrays[f"{place}.{p}"] for p in ("data", "indices", "indptr"))
    if any(part.dtype.kind not in "iu" for part in where):
        raise ValueError(f"{place} has indices that are not whole numbers")
    parts = (data, *where)
    A = _SPARSE_KINDS[content["kind"]](parts, shape=tuple(content["shape"]))
    # Compiled loops trust the indices of a graph, so those of a file are checked here.
    A.check_format(full_check=True)
    return A
