"""Tables in npy and npz files; nothing is ever unpickled."""

from __future__ import annotations

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from graphtailor.tables.messages import listed
from graphtailor.tables.raw import RawTable, stem


def read_npy(path: Path) -> RawTable:
    """Read one array: two-dimensional, or with named fields."""
    try:
        # numpy takes what is not its own format for a pickle, and says so.
        X = np.load(path, allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise ValueError(_damaged(path, "npy", error)) from error
    if isinstance(X, np.ndarray) and X.dtype.names is not None and X.ndim == 1:
        return RawTable(stem(path), pd.DataFrame(X))
    if not isinstance(X, np.ndarray) or X.ndim != 2:
        raise ValueError(f"DATA: {path} must hold a two-dimensional array.")
    return RawTable(stem(path), _frame(path, X), is_named=False, is_array=True)


def read_npz(path: Path) -> RawTable:
    """Read X, and if they are there y, ids and feature_names; or a sparse matrix."""
    try:
        # numpy.load takes what is not an archive for a pickle, and says so.
        with zipfile.ZipFile(path), np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        if {"format", "shape", "data"} <= set(arrays):
            matrix = sparse.csr_array(sparse.load_npz(path))
            return RawTable(stem(path), matrix, is_named=False, is_array=True)
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError) as error:
        raise ValueError(_damaged(path, "npz", error)) from error
    matrices = [name for name, array in arrays.items() if array.ndim == 2]
    if "X" not in matrices and len(matrices) != 1:
        raise ValueError(
            f"DATA: {path} must hold a two-dimensional array X; it holds "
            f"{listed(arrays) or 'nothing'}."
        )
    X = arrays.pop("X" if "X" in matrices else matrices[0])
    names = arrays.pop("feature_names", None)
    is_named = names is not None and names.shape == (X.shape[1],)
    beside = {name: a for name, a in arrays.items() if a.shape == (len(X),)}
    return RawTable(
        name=stem(path),
        values=_frame(path, X, names.astype(str) if is_named else None),
        beside=beside,
        label="y" if "y" in beside else None,
        id="ids" if "ids" in beside else None,
        is_named=is_named,
        is_array=True,
    )


def _frame(path: Path, X: np.ndarray, names: Any = None) -> pd.DataFrame:
    if X.dtype.kind not in "biuf":
        raise ValueError(f"DATA: the array in {path} holds no numbers ({X.dtype}).")
    columns = [f"f{j + 1}" for j in range(X.shape[1])] if names is None else names
    return pd.DataFrame(X, columns=columns)


def _damaged(path: Path, form: str, error: Exception) -> str:
    return (
        f"DATA: {path} is damaged, holds Python objects or is not an {form} file: "
        f"{error}."
    )
