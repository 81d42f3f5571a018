"""Nested values as JSON and arrays, for an npz archive."""

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
from scipy import sparse

Arrays = dict[str, np.ndarray]
_SPARSE_KINDS = {"csr_array": sparse.csr_array, "csr_matrix": sparse.csr_matrix}


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
