"""From options to an estimator, and its fit."""

import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from graphtailor.cli.options import AUTO
from graphtailor.cli.progress import ProgressWatcher
from graphtailor.columns.blocks import TableBlocks
from graphtailor.columns.messages import did_you_mean
from graphtailor.linalg.scaling import feature_scaler, scaling_named
from graphtailor.linalg.types import Matrix, MatrixLike
from graphtailor.models import GraphTailor
from graphtailor.registry import get_method
from graphtailor.tables import Table

_OF_THE_PAPER = ("alpha", "beta", "n_init", "graph", "solver")
_WORDS = {"true": True, "false": False, "none": None}
Number = int | str  # of clusters: "auto", or how many
# Parameters that were given: the option that names each of them, and its value.
Given = Mapping[str, tuple[str, object]]


class Features(NamedTuple):
    """What a model is fitted to, where that is no :class:`Table`."""

    X: Any  # a Dask DataFrame
    scaling: str
    blocks: TableBlocks | None = None
    known: np.ndarray | None = None


@dataclass(frozen=True)
class Fit:
    """A fitted model, how long the fit took and the warnings that it gave."""

    method: str
    model: BaseEstimator
    seconds: float
    warnings: list[str] = field(default_factory=list)


def parse_clusters(text: str | None) -> Number | None:
    """What --clusters says: a number, "auto", or nothing."""
    if text is None or text == AUTO:
        return text
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(
            f"--clusters: {text!r} is neither a number from 1 on nor auto."
        )
    return int(text)


def number_of_clusters(
    text: str | None, table: Table | None = None, method: str = "GraphTailor"
) -> Number:
    """The number asked for, the number of known classes of a table, or "auto"."""
    asked = parse_clusters(text)
    n = sys.maxsize if table is None else len(table.ids)
    known = None if table is None else table.some if table.y is None else table.y
    if asked is None and known is not None:
        asked = len(set(known))
        if asked > max(n // 2, 1):
            raise ValueError(
                f"--clusters: --label has {asked} different values in {n} rows, which "
                "are hardly classes. Say how many clusters to find."
            )
    if asked is None or asked == AUTO:
        if get_method(method).name != "GraphTailor":
            raise ValueError(
                "--clusters: say how many clusters to find, for instance --clusters 3. "
                "(Only GraphTailor finds a number itself.)"
            )
        return AUTO
    if int(asked) > n:
        raise ValueError(
            f"--clusters: {asked} clusters of only {n} rows. Ask for fewer."
        )
    return int(asked)


def parse_value(text: str) -> object:
    """A value as it is written on the command line."""
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def parse_parameters(pairs: Sequence[str]) -> dict[str, object]:
    """Values of ``KEY=VALUE`` pairs."""
    parameters = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip():
            raise ValueError(f"--param: {pair!r} should be KEY=VALUE, like n_init=8.")
        parameters[key.strip()] = parse_value(value.strip())
    return parameters


def make_model(
    name: str, n_clusters: Number, seed: int, given: Given
) -> tuple[str, BaseEstimator]:
    """The name of a method as it is known, and its estimator, not yet fitted."""
    try:
        method = get_method(name)
    except ValueError as error:
        raise ValueError(f"--method: {error}") from error
    model = method.estimator(n_clusters=n_clusters, random_state=seed)
    if not is_own(method.name):
        model.set_params(**method.fixed)
    known = model.get_params(deep=False)
    for key, (option, _) in given.items():
        if key not in known:
            paper = " Use --method JointModel for the paper's model."
            raise ValueError(
                f"{option}: {method.name} has no parameter {key!r}."
                f"{did_you_mean(key, known)} It has {', '.join(known)}."
                f"{paper if key in _OF_THE_PAPER else ''}"
            )
    return method.name, model.set_params(**{k: v for k, (_, v) in given.items()})


def scaled(X: MatrixLike, scaling: str) -> Matrix:
    """Features scaled as --scale says; "none" returns them as they are."""
    X = X if sparse.issparse(X) else np.asarray(X)
    scaler = feature_scaler(scaling_named(scaling), sparse.issparse(X))
    return X if scaler is None else scaler.fit_transform(X)


def fit_timed(
    method: str,
    model: BaseEstimator,
    data: Table | Features,
    watcher: ProgressWatcher | None = None,
) -> Fit:
    """Fit, after scaling the features unless the model does that itself.

    GraphTailor and JointModel scale features themselves, so that a saved model predicts
    new rows. All other methods get scaled features, and are there to be compared with.
    """
    X, about = data.X, {}
    if is_own(method):
        model.set_params(scaling=scaling_named(data.scaling))
        if data.known is not None:
            about["known"] = data.known
    elif data.known is not None:
        raise ValueError(
            f"--known: {method} takes no known classes. Use GraphTailor or JointModel."
        )
    else:
        X = scaled(X, data.scaling)
    if isinstance(model, GraphTailor) and data.blocks is not None:
        about["blocks"] = data.blocks.block_of_feature_
    follows = hasattr(model, "set_callbacks")
    if watcher is not None and follows:
        model.set_callbacks(watcher)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        begin = time.perf_counter()
        model.fit(X, **about)
        seconds = time.perf_counter() - begin
    if follows:
        model.set_callbacks()
    messages = dict.fromkeys(str(warning.message) for warning in caught)
    return Fit(method, model, seconds, list(messages))


def is_own(method: str) -> bool:
    """Whether a method is one of our two models, which can be saved."""
    return method in ("GraphTailor", "JointModel")
