"""Read a data set from the package, from scikit-learn, from OpenML or from a folder."""

import hashlib
import os
from importlib import resources
from pathlib import Path
from typing import Literal, NamedTuple, get_args

import numpy as np
from sklearn.datasets import load_iris, load_wine
from sklearn.impute import SimpleImputer
from sklearn.utils import Bunch

from graphtailor.columns.messages import did_you_mean
from graphtailor.datasets._isolet import fetch_isolet, keep_isolet, kept_isolet
from graphtailor.datasets._registry import REGISTRY, DatasetInfo
from graphtailor.io.limits import clear_errors
from graphtailor.io.npz import read_npz

DATA_VARIABLE = "GRAPHTAILOR_DATA"

Imputation = Literal["median", "mean", "most_frequent", "own_value"]


class _Arrays(NamedTuple):
    """Values, labels 0..c-1 and, where the source has them, names."""

    X: np.ndarray
    y: np.ndarray
    feature_names: list[str] | None = None
    class_names: list[str] | None = None


def load_dataset(
    name: str,
    *,
    data_home: str | os.PathLike[str] | None = None,
    impute: Imputation | None = "median",
) -> Bunch:
    """Load one of the data sets of :func:`list_datasets`.

    The values are those of the source: nothing is scaled, and missing values are
    filled in only as ``impute`` says. ``isolet`` is fetched from OpenML unless a
    folder has it; ``binalpha`` and ``msra``, whose owners state no licence, must be in
    a folder.

    Parameters
    ----------
    name : str
        Name of the data set.
    data_home : path-like or None, default=None
        Folder with ``NAME.npz`` for the sets that are not bundled, each with the
        arrays ``X`` (n_samples, n_features) and ``y`` (labels from 0); their contents
        are checked against a sha256. None stands for the environment variable
        ``GRAPHTAILOR_DATA``. A download, by https and checked, is kept in this folder
        when it is given here, and else in scikit-learn's own data folder.
    impute : {"median", "mean", "most_frequent", "own_value"} or None, default="median"
        What replaces a missing value, feature by feature; "own_value" is the smallest
        value less one, so that missing is a value like others; None keeps NaN. Only
        ``soybean`` has missing values.

    Returns
    -------
    sklearn.utils.Bunch
        ``data`` (n_samples, n_features) and ``target`` (labels 0..c-1), both arrays;
        ``feature_names`` (list) and ``target_names`` (array, so that
        ``target_names[target]`` are the classes' names); ``name``, ``DESCR``,
        ``licence``, ``citation``; and ``imputation``, what missing values were filled
        in with, or None when none were.

    Raises
    ------
    ValueError
        If the name or ``impute`` is unknown, or a file has not the right contents.
    FileNotFoundError
        If the data are neither in a folder nor to be had from OpenML.

    Examples
    --------
    >>> from graphtailor.datasets import load_dataset
    >>> soybean = load_dataset("soybean")
    >>> soybean.data.shape, soybean.imputation
    ((683, 35), 'median')
    >>> str(soybean.target_names[soybean.target[0]])
    'diaporthe-stem-canker'
    """
    info = _find_info(name)
    if impute is not None and impute not in get_args(Imputation):
        raise ValueError(
            f"impute must be one of {get_args(Imputation)} or None, got {impute!r}"
        )
    arrays = _load_arrays(info, data_home)
    X, imputation = arrays.X, None
    if impute is not None and np.isnan(X).any():
        X, imputation = _filled(X, impute), impute
    features = arrays.feature_names or [f"f{j + 1}" for j in range(info.n_features)]
    classes = arrays.class_names or [str(k + 1) for k in range(info.n_classes)]
    return Bunch(
        data=X,
        target=arrays.y,
        feature_names=features,
        target_names=np.array(classes),
        name=info.name,
        DESCR=info.description,
        licence=info.licence,
        citation=info.citation,
        imputation=imputation,
    )


def _filled(X: np.ndarray, impute: Imputation) -> np.ndarray:
    if impute == "own_value":
        return np.where(np.isnan(X), np.nanmin(X, axis=0) - 1, X)
    return SimpleImputer(strategy=impute).fit_transform(X)


def content_sha256(X: np.ndarray, y: np.ndarray) -> str:
    """Checksum of the values and the labels of a data set.

    Unlike a checksum of the file it is the same however the arrays were compressed,
    so that a file that a user made from a published copy can pass.
    """
    values = np.ascontiguousarray(X, dtype="<f8") + 0.0  # -0.0 becomes 0.0
    values[np.isnan(values)] = np.nan  # one bit pattern for all NaN
    digest = hashlib.sha256(values.tobytes())
    digest.update(np.ascontiguousarray(y, dtype="<i8").tobytes())
    return digest.hexdigest()


def _find_info(name: str) -> DatasetInfo:
    """Look a name up; an unknown one is answered with the nearest known."""
    if name in REGISTRY:
        return REGISTRY[name]
    raise ValueError(
        f"name={name!r} is not a known data set.{did_you_mean(name, REGISTRY)} "
        f"Known are: {', '.join(REGISTRY)}"
    )


def _load_arrays(
    info: DatasetInfo, data_home: str | os.PathLike[str] | None
) -> _Arrays:
    """Choose the place to read from."""
    if info.name in ("iris", "wine"):
        source = load_iris() if info.name == "iris" else load_wine()
        return _Arrays(
            source.data,
            source.target.astype(np.int64),
            list(source.feature_names),
            source.target_names.tolist(),
        )
    if info.availability == "bundled":
        data = resources.files("graphtailor.datasets") / "data" / f"{info.name}.npz"
        with resources.as_file(data) as path:
            return _read_npz(path, info)
    folder = data_home or os.environ.get(DATA_VARIABLE)
    path = Path(folder or "").expanduser() / f"{info.name}.npz"
    if folder and path.is_file():
        return _read_npz(path, info)
    if info.availability == "openml":
        return _isolet(info, data_home)
    looked = f"there is no file {path}" if folder else "no folder was given"
    raise FileNotFoundError(
        f"data set {info.name!r} does not come with graphtailor, and {looked}. "
        + _how_to_get(info)
    )


def _how_to_get(info: DatasetInfo) -> str:
    """Say where a copy is to be had, and how to hand it to the loader."""
    if info.availability == "bundled":
        return "The file comes with graphtailor: install the package again."
    return (
        f"Get {info.source}; save its samples and labels with "
        f"numpy.savez_compressed as {info.name}.npz, X ({info.n_samples} x "
        f"{info.n_features}) and y (0 to {info.n_classes - 1}) in the source's "
        "order; and give the folder by data_home= or the environment variable "
        f"{DATA_VARIABLE}."
    )


def _read_npz(path: Path, info: DatasetInfo) -> _Arrays:
    """Read the arrays of a file, never a pickle, and check what they contain."""
    with clear_errors(
        lambda why: (
            f"{path} is damaged or not the npz file of data set "
            f"{info.name!r}: {why}. {_how_to_get(info)}"
        )
    ):
        archive = read_npz(path)
        X = archive["X"].astype(np.float64)
        y = archive["y"].astype(np.int64).ravel()
        names = [
            archive[key].tolist() if key in archive else None
            for key in ("feature_names", "class_names")
        ]
    found = content_sha256(X, y)
    if found != info.sha256:
        raise ValueError(
            f"{path} is not data set {info.name!r}: its X {X.shape} and y {y.shape} "
            f"have sha256 {found}, expected {info.sha256}. {_how_to_get(info)}"
        )
    return _Arrays(X, y, *names)


def _isolet(info: DatasetInfo, data_home: str | os.PathLike[str] | None) -> _Arrays:
    """ISOLET as it was kept, or from OpenML."""
    kept = kept_isolet(data_home)
    if kept.is_file():
        return _read_npz(kept, info)
    try:
        X, y = fetch_isolet(info)
    except OSError as error:
        raise FileNotFoundError(
            f"data set {info.name!r} is in no folder and could not be fetched from "
            f"OpenML ({error}). Try again with a network connection. "
            + _how_to_get(info)
        ) from error
    if content_sha256(X, y) != info.sha256:
        raise ValueError(
            f"What OpenML sent for data set {info.name!r} is not what it should be: it "
            f"has sha256 {content_sha256(X, y)}, expected {info.sha256}. "
            + _how_to_get(info)
        )
    letters = [chr(ord("A") + k) for k in range(info.n_classes)]
    keep_isolet(kept, X, y, letters)
    return _Arrays(X, y, None, letters)
