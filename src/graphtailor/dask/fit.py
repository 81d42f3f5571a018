"""Fits of Dask collections: rows stay in their blocks, and with their workers."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from graphtailor.dask import blocks
from graphtailor.dask.collection import by_tier, rows_of, with_lengths
from graphtailor.dask.task_graph import BlockGraph
from graphtailor.decide.settings import first_alpha
from graphtailor.decide.tiers import _hindrance_to_anchors
from graphtailor.linalg.scaling import feature_scaler
from graphtailor.models.graph_tier import warn_of_few_samples
from graphtailor.models.samples import is_named
from graphtailor.representatives.fit import sample_size, settings_of
from graphtailor.representatives.rows import Rows, sample_rows
from graphtailor.representatives.tier import AnchorTier

logger = logging.getLogger(__name__)


def fit_collection(model: Any, X: Any) -> Any:
    """Fit by anchors, and write what was learned into the model.

    X is read four times: for its lengths and extremes, for a sample, for what the
    anchors share, and for the labels. Only sums, the sample and the anchors travel,
    and every step is a graph of pure functions, so that a lost worker's part is
    computed anew. All sums are of integers and all samples are drawn by the rows'
    numbers: the labels are those of a fit on one machine, for any blocks.

    Parameters
    ----------
    model : GraphTailor
        With valid parameters.
    X : dask.array.Array or dask.dataframe.DataFrame of shape (n, d)
        Rows in blocks of any size, known or not.

    Returns
    -------
    GraphTailor
        Fitted. `labels_` is a Dask array kept by the workers, `indicator_` one that
        is computed when asked for.
    """
    _refuse_other_tiers(model)
    rows, dtype = rows_of(model, X, reset=True)
    feature_scaler(model.scaling, sparse.issparse(rows._meta))
    tier = AnchorTier()
    tier.scaler = None
    anchors = tier._own_anchors(model, np.empty((0, rows.shape[1]), dtype=dtype))
    logger.info("1 of 4: checking %d blocks", rows.numblocks[0])
    overview = _overview(rows, dtype)
    n = sum(overview.lengths)
    if n < model.n_clusters:
        raise ValueError(
            f"n_samples={n} should be >= n_clusters={model.n_clusters}. "
            "Give more samples or ask for fewer clusters."
        )
    model.tier_ = "anchors"
    model.graph_ = "ensemble" if is_named(model.graph, "ensemble") else "knn"
    model.alpha_ = first_alpha(model)
    task = blocks.AnchorTask(
        settings=settings_of(model),
        anchors=anchors,
        scaling=model.scaling,
        scaler=_scaler(model.scaling, overview.extremes),
        n_samples=n,
        seed=check_random_state(model.random_state).randint(np.iinfo(np.int32).max),
    )
    rows = with_lengths(rows, overview.lengths)
    chosen = _choose(rows, dtype, task)
    m = len(chosen.choice.links.anchors)
    if m < model.n_clusters:
        warn_of_few_samples(m, model.n_clusters)
    logger.info("3 of 4: joining %d rows to %d anchors", n, m)
    tier.scaler = chosen.scaler
    tier.take(model, _solve(rows, dtype, task, chosen), chosen.choice.stability)
    model._tier = tier
    logger.info("4 of 4: labels of %d rows", n)
    _label(model, rows, dtype)
    return model


def _refuse_other_tiers(model: Any) -> None:
    reason = _hindrance_to_anchors(model)
    if model.tier not in ("auto", "anchors"):
        reason = f"tier is {model.tier!r}"
    elif model.solver != "descent":
        reason = f"solver is {model.solver!r}"
    elif not isinstance(model.init, str):
        reason = "init is an array"
    elif model.warm_start:
        reason = "warm_start is True"
    if reason:
        raise ValueError(
            f"A Dask collection is clustered by anchors, each fit anew, but {reason}. "
            "Leave that parameter as it is by default, or gather the rows with "
            "X.compute() if they fit into memory."
        )


def _overview(rows: Any, dtype: Any) -> blocks.Overview:
    graph = BlockGraph(rows)
    parts = [graph.add(blocks.overview_of_block, key, dtype) for key in graph.blocks]
    return graph.compute(graph.merged(blocks.merge_overviews, parts))


def _scaler(scaling: str | None, extremes: np.ndarray) -> Any:
    """The fitted scaler; None if there is none, or if it is fitted to the sample."""
    if scaling == "standard":
        return None
    # Extremes of all rows are all that these scalers look at.
    return Rows(extremes).scaled_by(scaling, np.empty(0)).scaler


def _choose(rows: Any, dtype: Any, task: blocks.AnchorTask) -> blocks.ScaledChoice:
    n_clusters = task.settings.n_clusters
    size = sample_size(task.n_samples, n_clusters, task.anchors)
    numbers = sample_rows(task.n_samples, size, task.seed)
    logger.info("2 of 4: choosing anchors by %d rows", len(numbers))
    ends = np.cumsum(rows.chunks[0])
    of_blocks = np.split(numbers, np.searchsorted(numbers, ends[:-1]))
    graph = BlockGraph(rows)
    parts = [
        graph.add(blocks.take_rows, key, dtype, some - end + length)
        for key, some, end, length in zip(
            graph.blocks, of_blocks, ends, rows.chunks[0], strict=True
        )
        if len(some)
    ]
    return _on_one_worker(graph, task.choose, parts)


def _solve(
    rows: Any, dtype: Any, task: blocks.AnchorTask, chosen: blocks.ScaledChoice
) -> Any:
    graph = BlockGraph(rows)
    shared = graph.share(chosen)
    parts = [
        graph.add(blocks.shared_by_block, key, dtype, shared) for key in graph.blocks
    ]
    sums = graph.merged(blocks.add_shared, parts)
    return _on_one_worker(graph, task.solve, shared, sums)


def _label(model: Any, rows: Any, dtype: Any) -> None:
    model.indicator_ = by_tier(blocks.indicator_of_block, rows, dtype, model)
    model.labels_ = model.indicator_.map_blocks(
        blocks.labels_of_block, drop_axis=1, dtype=np.intp
    ).persist()
    # Waits for the workers, and raises here what went wrong there.
    model.labels_.max().compute()


def _on_one_worker(
    graph: BlockGraph, function: Callable[..., Any], *arguments: Any
) -> Any:
    result, said = graph.compute(graph.add(blocks.with_warnings, function, *arguments))
    for warning in said:
        warnings.warn(warning, stacklevel=5)
    return result
