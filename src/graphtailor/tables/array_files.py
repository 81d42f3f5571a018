"""Tables in npy and npz files; nothing is ever unpickled."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from graphtailor.columns.messages import listed
from graphtailor.io import npz
from graphtailor.io.limits import MOST_COLUMNS, clear_errors, file_size, refuse_bomb
from graphtailor.tables.source_table import RawTable, stem

_COMPRESSED = {
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "bsr": sparse.bsr_array,
}


def read_npy(path: Path) -> RawTable:
    """Read one array: two-dimensional, or with named fields."""
    with clear_errors(_damaged(path, "npy")):
        X = npz.read_npy(path)
    if X.dtype.names is not None and X.ndim == 1:
        with clear_errors(_damaged(path, "npy")):
            return RawTable(stem(path), pd.DataFrame(X))
    if X.ndim != 2:
        raise ValueError(f"source: {path} must hold a two-dimensional array.")
    return RawTable(stem(path), _frame(path, X), is_named=False, is_array=True)


def read_npz(path: Path) -> RawTable:
    """Read X, and if they are there y, ids and feature_names; or a sparse matrix."""
    with clear_errors(_damaged(path, "npz")):
        arrays = npz.read_npz(path)
        if {"format", "shape", "data"} <= set(arrays):
            matrix = _sparse_matrix(arrays, file_size(path))
            return RawTable(stem(path), matrix, is_named=False, is_array=True)
    matrices = [name for name, array in arrays.items() if array.ndim == 2]
    if "X" not in matrices and len(matrices) != 1:
        raise ValueError(
            f"source: {path} must hold a two-dimensional array X; it holds "
            f"{listed(arrays) or 'nothing'}."
        )
    X = arrays.pop("X" if "X" in matrices else matrices[0])
    names = arrays.pop("feature_names", None)
    if names is not None:
        names = names.astype(str) if names.shape == (X.shape[1],) else None
    beside = {name: a for name, a in arrays.items() if a.shape == (len(X),)}
    return RawTable(
        name=stem(path),
        values=_frame(path, X, names),
        beside=beside,
        label="y" if "y" in beside else None,
        id="ids" if "ids" in beside else None,
        is_named=names is not None,
        is_array=True,
    )


def _sparse_matrix(arrays: Mapping[str, np.ndarray], n_bytes: int) -> sparse.csr_array:
    """The matrix that scipy.sparse.save_npz wrote.

    Compiled loops trust the places of its entries: here they are checked.
    """
    form = arrays["format"].item()
    form = form.decode("ascii") if isinstance(form, bytes) else str(form)
    data, shape = arrays["data"], tuple(int(length) for length in arrays["shape"])
    if len(shape) != 2 or min(shape) < 0 or data.dtype.kind not in "biuf":
        raise ValueError("it holds no sparse matrix of numbers")
    # An empty row takes no room in some forms, and eight bytes in memory.
    refuse_bomb(n_bytes, 8 * sum(shape))
    if form in _COMPRESSED:
        parts = (data, arrays["indices"], arrays["indptr"])
        matrix = _COMPRESSED[form](parts, shape=shape)
        matrix.check_format(full_check=True)
    elif form == "coo":
        matrix = sparse.coo_array((data, (arrays["row"], arrays["col"])), shape=shape)
    elif form == "dia":
        matrix = sparse.dia_array((data, arrays["offsets"]), shape=shape)
    else:
        raise ValueError(f"a sparse matrix of form {form!r} is unknown")
    return sparse.csr_array(matrix)


def _frame(path: Path, X: np.ndarray, names: Any = None) -> pd.DataFrame:
    if X.dtype.kind not in "biuf":
        raise ValueError(f"source: the array in {path} holds no numbers ({X.dtype}).")
    if X.shape[1] > MOST_COLUMNS:
        raise ValueError(
            f"source: {path} has {X.shape[1]:,} columns, over {MOST_COLUMNS:,}. Save "
            "it as a sparse matrix, or with the samples as rows."
        )
    columns = [f"f{j + 1}" for j in range(X.shape[1])] if names is None else names
    return pd.DataFrame(X, columns=columns)


def _damaged(path: Path, form: str) -> Callable[[str], str]:
    wrong = f"source: {path} is damaged, holds Python objects or is not an {form} file"
    return lambda why: f"{wrong}: {why}."
