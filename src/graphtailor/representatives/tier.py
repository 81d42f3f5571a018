"""Fits and predictions by weighted anchors: the tier for very many rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import check_array, check_random_state

from graphtailor.models.graph_tier import check_last_shape, warn_of_few_samples
from graphtailor.models.progress import FitProgress
from graphtailor.representatives.fit import (
    AnchorSolution,
    Sample,
    anchors_for,
    link_rows,
    mean_of_rows,
    sample_size,
    settings_of,
    solve_anchors,
)
from graphtailor.representatives.links import AnchorLinks, Memberships, lift
from graphtailor.representatives.rows import Rows, sample_rows
from graphtailor.solvers.starts import given_indicator


class AnchorTier:
    """The joint model on a few thousand anchors, and labels of all rows from them.

    Attributes
    ----------
    scaler : object or None
        Fitted scaler of the features.
    links : AnchorLinks
        From scaled rows to the anchors.
    indicator : ndarray of shape (m, c)
        Indicator of the anchors.
    """

    scaler: Any
    links: AnchorLinks
    indicator: np.ndarray

    def fit(self, model: Any, X: Any) -> Self:
        """Fit, and write what was learned into the model."""
        settings, n = settings_of(model), X.shape[0]
        seed = check_random_state(model.random_state).randint(np.iinfo(np.int32).max)
        numbers = sample_rows(n, sample_size(n, model.n_clusters_, model.anchors), seed)
        rows = Rows(X).scaled_by(model.scaling, numbers)
        self.scaler = rows.scaler
        progress = FitProgress(model, settings.n_init, model.max_iter)
        choice = anchors_for(
            Sample(rows.take(numbers), n, seed), self._own_anchors(model, X), settings
        )
        if len(choice.links.anchors) < model.n_clusters_:
            warn_of_few_samples(len(choice.links.anchors), model.n_clusters_)
        memberships, shared = link_rows(rows, choice.links, model.n_jobs)
        solution = solve_anchors(
            choice.links,
            shared,
            settings,
            seed,
            start=_given_start(model, memberships, len(choice.links.anchors)),
            after_start=progress.after_start,
            monitor=progress.after_iteration,
        )
        progress.finish()
        model.indicator_ = lift(memberships, solution.indicator)
        self.take(model, solution, choice.stability)
        return self

    def take(
        self, model: Any, solution: AnchorSolution, stability: float | None
    ) -> None:
        """Keep what rows are labelled by; write the rest into the model."""
        self.links, self.indicator = solution.links, solution.indicator
        anchors = solution.links.anchors
        if self.scaler is not None:
            anchors = self.scaler.inverse_transform(anchors)
        model.anchors_ = anchors
        model.anchor_labels_ = solution.indicator.argmax(axis=1)
        model.anchor_masses_ = solution.graph.masses
        model.anchor_stability_ = stability
        model.given_graph_ = solution.graph.W
        model.starts_ = solution.starts
        model._take_result(solution.result)

    def indicator_of(self, X: Any) -> np.ndarray:
        """Indicator of rows, each for itself: the same as in the fit."""
        rows = Rows(X, self.scaler)
        V = np.empty((X.shape[0], self.indicator.shape[1]), self.indicator.dtype)
        for part, block in rows.each_block(self._indicator_of, -1):
            V[part] = block
        return V

    def _indicator_of(self, rows: Any) -> np.ndarray:
        return lift(self.links.memberships(rows), self.indicator)

    def _own_anchors(self, model: Any, X: Any) -> Any:
        """What the user wants for anchors, scaled as the rows if they are given."""
        if isinstance(model.anchors, str | int | np.integer):
            if not isinstance(model.anchors, str) and model.anchors < model.n_clusters_:
                raise ValueError(
                    f"anchors={model.anchors} are fewer than "
                    f"n_clusters={model.n_clusters_}. Give at least one for each."
                )
            return model.anchors
        anchors = check_array(model.anchors, dtype=X.dtype, input_name="anchors")
        if anchors.shape[1] != X.shape[1] or len(anchors) < model.n_clusters_:
            raise ValueError(
                f"anchors has shape {anchors.shape}. Give at least "
                f"n_clusters={model.n_clusters_} of them, with {X.shape[1]} features "
                "each as X has."
            )
        return anchors if self.scaler is None else self.scaler.transform(anchors)


def _given_start(
    model: Any, rows: Memberships, m: int
) -> tuple[str, np.ndarray] | None:
    """Where to start from, if the user says so: the rows' indicator on the anchors."""
    n = len(rows.anchors)
    if model.warm_start and hasattr(model, "indicator_"):
        check_last_shape(model, n)
        return "warm", mean_of_rows(rows, model.indicator_, m)
    if isinstance(model.init, str):
        return None
    V = given_indicator(model.init, n, model.n_clusters_)
    return "given", mean_of_rows(rows, V, m)
