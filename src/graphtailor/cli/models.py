"""From options to a model that can be fitted."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scipy import sparse

from graphtailor.linalg.scaling import SCALINGS, feature_scaler, scaling_named
from graphtailor.registry import get_method
from graphtailor.tables import Table
from graphtailor.tables.messages import did_you_mean

AUTO = "auto"
_WORDS = {"true": True, "false": False, "none": None}


@dataclass(frozen=True)
class Fit:
    """A fitted model, how long it took and what it complained of."""

    method: str
    model: Any
    seconds: float
    warnings: list[str]


def parse_clusters(text: str | None) -> int | str | None:
    """What --clusters says: a number, "auto", or nothing.

    Examples
    --------
    >>> parse_clusters("3"), parse_clusters("auto"), parse_clusters(None)
    (3, 'auto', None)
    """
    if text is None or text == AUTO:
        return text
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"--clusters: {text!r} is no number from 1 on, and not auto.")
    return int(text)


def number_of_clusters(
    asked: int | str | None, table: Table | None = None, method: str = "GraphTailor"
) -> int | str:
    """The number asked for, that of the known classes of a table, or "auto"."""
    n = sys.maxsize if table is None else len(table.ids)
    if asked is None and table is not None and table.y is not None:
        asked = len(set(table.y))
        if asked > max(n // 2, 1):
            raise ValueError(
                f"--clusters: column {table.label!r} has {asked} different values in "
                f"{n} rows, which are hardly classes. Say how many clusters to find."
            )
    if asked is None or asked == AUTO:
        if table is None or get_method(method).name != "GraphTailor":
            raise ValueError(
                "--clusters: say how many clusters to find, for instance --clusters 3. "
                "(Only GraphTailor finds a number itself, and not with --dask.)"
            )
        return AUTO
    if int(asked) > n:
        raise ValueError(
            f"--clusters: {asked} clusters of only {n} rows. Ask for fewer."
        )
    return int(asked)


def parse_value(text: str) -> Any:
    """A value as it is written on the command line.

    Examples
    --------
    >>> [parse_value(text) for text in ("8", "0.5", "none", "True", "knn")]
    [8, 0.5, None, True, 'knn']
    """
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse_parameters(pairs: Sequence[str]) -> dict[str, Any]:
    """Values of ``KEY=VALUE`` pairs.

    Examples
    --------
    >>> parse_parameters(["diffusion=8", "init=random"])
    {'diffusion': 8, 'init': 'random'}
    """
    parameters = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise ValueError(
                f"--param: {pair!r} should be KEY=VALUE, like diffusion=8."
            )
        parameters[key.strip()] = parse_value(value.strip())
    return parameters


def make_model(
    name: str,
    n_clusters: int | str,
    *,
    seed: int,
    options: Mapping[str, tuple[str, Any]],
    parameters: Mapping[str, Any],
) -> tuple[str, Any]:
    """The method's name and its estimator, not yet fitted.

    Parameters
    ----------
    name : str
        Name of a method.
    n_clusters : int or "auto"
        Number of clusters.
    seed : int
        All methods have one.
    options : mapping of str to (str, object)
        Parameters that options of their own set: the option and the value. None is
        an option that was not given.
    parameters : mapping of str to object
        From ``--param``.
    """
    try:
        method = get_method(name)
    except ValueError as error:
        raise ValueError(f"--method: {error}") from error
    model = method.estimator(n_clusters=n_clusters, random_state=seed)
    given = {
        key: (option, value)
        for key, (option, value) in options.items()
        if value is not None
    }
    given.update({key: ("--param", value) for key, value in parameters.items()})
    known = model.get_params(deep=False)
    for key, (option, _) in given.items():
        if key not in known:
            raise ValueError(
                f"{option}: {method.name} has no parameter {key!r}."
                f"{did_you_mean(key, known)} It has {', '.join(known)}."
            )
    return method.name, model.set_params(**{k: v for k, (_, v) in given.items()})


def fit_timed(
    method: str, model: Any, X: Any, scaling: str, watcher: Any = None
) -> Fit:
    """Scale the features if the model does not, and fit.

    Parameters
    ----------
    method : str
        Its name.
    model : estimator
        Not yet fitted.
    X : {DataFrame, ndarray, csr_array}
        Features.
    scaling : {"maxabs", "minmax", "standard", "none"}
        Scaling of the features.
    watcher : callback or None, default=None
        Told of the progress by models that speak of it.
    """
    kind = scaling_named(scaling)
    if kind not in (None, *SCALINGS):
        raise ValueError(
            f"--scale: {scaling!r} is unknown.{did_you_mean(scaling, SCALINGS)} "
            f"Use {', '.join(SCALINGS)} or none."
        )
    if "scaling" in model.get_params(deep=False):
        model.set_params(scaling=kind)
    elif kind is not None:
        X = feature_scaler(kind, sparse.issparse(X)).fit_transform(X)
    if watcher is not None and hasattr(model, "set_callbacks"):
        model.set_callbacks(watcher)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        begin = time.perf_counter()
        model.fit(X)
        seconds = time.perf_counter() - begin
    if hasattr(model, "set_callbacks"):
        model.set_callbacks()
    said = dict.fromkeys(str(warning.message) for warning in caught)
    return Fit(method, model, seconds, list(said))
