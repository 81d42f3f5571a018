"""Fits and predictions on the graph of all samples: the full and the sparse tier."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from graphtailor.decide.settings import selection_of
from graphtailor.graphs.ensemble.graph import EnsembleGraph
from graphtailor.kernel_map import kernel_map_of
from graphtailor.models.joint_members import joint_fits
from graphtailor.models.prediction import fill_empty_rows, indicator_of_new
from graphtailor.models.samples import SampleSpace, is_named
from graphtailor.models.solve import SOLVERS
from graphtailor.solvers.s_step import ColumnSweeper


class GraphTier:
    """The joint model on a graph with one vertex for each sample.

    Parameters
    ----------
    model : GraphTailor
        Its parameters, with `beta_` and `tier_` as they are used.

    Attributes
    ----------
    space : SampleSpace
        Samples, graph and support.
    weights : tuple of float
        alpha and beta, as they were used.
    indicator : ndarray of shape (n_distinct, c)
        Indicator of the samples, one row for equal ones.
    """

    def __init__(self, model: Any) -> None:
        self.n_jobs = model.n_jobs
        self.space = SampleSpace(
            graph=model.graph_,
            n_neighbors=model.n_neighbors,
            metric=model.metric,
            support="full" if model.tier_ == "full" else model.support,
            scaling=model.scaling,
            kernel_map=kernel_map_of(model),
        )
        if is_named(model.graph_, "ensemble"):
            self.space.builder.set_params(
                n_clusters=model.n_clusters_,
                fits=joint_fits,
                random_state=model.random_state,
                n_jobs=model.n_jobs,
            )

    def fit(self, model: Any, X: Any) -> Self:
        """Fit, and write what was learned into the model."""
        space = self.space.fit(X)
        n_distinct = space.known_rows.n_distinct
        if n_distinct < model.n_clusters_:
            warn_of_few_samples(n_distinct, model.n_clusters_)
        last = _last_solution(model, space.n_samples)
        found = SOLVERS[model.solver](model, space, last)
        self.space = space = found.space
        self.weights = (found.setting.alpha, model.beta_)
        model.alpha_, model.diffusion_ = found.setting.alpha, found.setting.diffusion
        model.starts_ = found.starts
        if len(found.tried) > 1:
            model.selection_ = selection_of(found.tried, model.beta_)
        V = fill_empty_rows(found.result.V, found.nearby, found.result.V)
        self.indicator = space.known_rows.mean_of_equal_rows(V)
        model.indicator_ = self.indicator[space.known_rows.group]
        n_found = len(np.unique(self.indicator.argmax(axis=1)))
        if n_found < model.n_clusters_ <= n_distinct:
            warn_of_empty_clusters(n_found, model.n_clusters_)
        model.given_graph_ = space.given_graph
        if isinstance(space.builder, EnsembleGraph):
            model.ensemble_ = space.builder
        if space.kernel_map is not None:
            model.gamma_ = space.kernel_map.gamma_
        model._take_result(found.result)
        return self

    def indicator_of(self, X: Any) -> np.ndarray:
        """Indicator rows of samples; a fitted one has that of the fit."""
        rows = self.space.scale(X)
        group = self.space.known_rows.find(rows)
        indicator = self.indicator[np.maximum(group, 0)]
        new = np.flatnonzero(group < 0)
        if len(new):
            indicator[new] = self._indicator_of_new(self.space.map(rows[new]))
        return indicator

    def _indicator_of_new(self, samples: Any) -> np.ndarray:
        space = self.space
        X = space.for_self_expression(space.samples)
        return indicator_of_new(
            ColumnSweeper(X, *self.weights, self.n_jobs),
            space.for_self_expression(samples),
            space.builder.to_new(samples),
            space.nearest_pairs(samples),
            self.indicator[space.known_rows.group],
        )


def warn_of_few_samples(n_distinct: int, n_clusters: int) -> None:
    """Warn that there are more clusters than different samples."""
    warnings.warn(
        f"Only {n_distinct} samples are different from each other: fewer than "
        f"n_clusters={n_clusters} clusters are found.",
        ConvergenceWarning,
        stacklevel=4,
    )


def warn_of_empty_clusters(n_found: int, n_clusters: int) -> None:
    """Warn that no sample lies in some of the clusters."""
    warnings.warn(
        f"Only {n_found} of n_clusters={n_clusters} clusters hold a sample: the graph "
        "does not part them further. Ask for fewer clusters, or more n_neighbors.",
        ConvergenceWarning,
        stacklevel=4,
    )


def _last_solution(model: Any, n_samples: int) -> tuple[Any, np.ndarray] | None:
    """S and V to go on from, if that is wanted and there was a fit."""
    if not model.warm_start or not hasattr(model, "indicator_"):
        return None
    check_last_shape(model, n_samples)
    return model.representation_, model.indicator_


def check_last_shape(model: Any, n_samples: int) -> None:
    """Refuse to go on from a fit to other data."""
    shape = (n_samples, model.n_clusters_)
    if model.indicator_.shape != shape:
        raise ValueError(
            f"warm_start needs a last fit with {shape[0]} samples and {shape[1]} "
            f"clusters, but that was of shape {model.indicator_.shape}. Use "
            "warm_start=False."
        )
