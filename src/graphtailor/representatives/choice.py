"""The choice of anchors: by k-means on a sample, and as many as are needed."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

from graphtailor.linalg.equal_rows import KnownRows
from graphtailor.linalg.kmeans import run_kmeans
from graphtailor.representatives.links import AnchorLinks
from graphtailor.representatives.rows import sample_rows

logger = logging.getLogger(__name__)

# Anchors to begin with: so many, or so many for each cluster.
_FIRST, _FIRST_PER_CLUSTER = 1000, 20
# Rows of the sample for each anchor, and steps of k-means: in a trial, and in the end.
ROWS_PER_ANCHOR, _STEPS = 30, 10
TRIAL_ROWS_PER_ANCHOR, _TRIAL_STEPS = 10, 5
# Nearest anchors that a row is joined to.
_LINKS = 5
# More anchors are tried up to this multiple of the first number.
_MOST_TIMES = 8
# Partitions by m and by 2 m anchors that agree so well (adjusted Rand index) say that m
# will do. If they do not, 2 m and 4 m are compared; unless these are nearer to each
# other by the second number, the clusters overlap, and anchors are not what is missing.
_AGREEING, _NEARER = 0.9, 0.1
# Below this the partition hangs on the choice of anchors: more of them are tried, and
# in the end the user is told.
_UNCERTAIN = 0.5

# Labels of the sample, from links to anchors.
Partition = Callable[[AnchorLinks], np.ndarray]


@dataclass(frozen=True)
class AnchorChoice:
    """Chosen anchors.

    Attributes
    ----------
    links : AnchorLinks
        From rows to the anchors.
    stability : float or None
        Adjusted Rand index between the partitions of the sample by these anchors and
        by twice as many; None if that was not tried.
    """

    links: AnchorLinks
    stability: float | None


def first_number(n_samples: int, n_clusters: int) -> int:
    """How many anchors to begin with."""
    return min(max(_FIRST, _FIRST_PER_CLUSTER * n_clusters), n_samples)


def most_anchors(n_samples: int, n_clusters: int) -> int:
    """How many anchors are tried at most, the comparison's included."""
    first = first_number(n_samples, n_clusters)
    return min(_MOST_TIMES * first, max(first, n_samples // TRIAL_ROWS_PER_ANCHOR))


def place_anchors(
    sample: Any, m: int, seed: int, *, trial: bool = False
) -> AnchorLinks:
    """Anchors by k-means on a sample.

    Parameters
    ----------
    sample : {ndarray, csr_array} of shape (n, d)
        Scaled rows; ``30 m`` of them are used, drawn at random.
    m : int
        Number of anchors wanted; there are fewer if fewer rows are different.
    seed : int
        Seed of k-means and of the draw.
    trial : bool, default=False
        Place them roughly, by ``10 m`` rows.

    Returns
    -------
    AnchorLinks
        With a bandwidth from the same rows.
    """
    used = (TRIAL_ROWS_PER_ANCHOR if trial else ROWS_PER_ANCHOR) * m
    if sample.shape[0] > used:
        sample = sample[sample_rows(sample.shape[0], used, seed)]
    distinct = _distinct_rows(sample, m)
    if distinct is not None:
        return AnchorLinks.from_sample(distinct, sample, _LINKS)
    with warnings.catch_warnings():
        # A centre that ends up without rows does no harm.
        warnings.simplefilter("ignore", ConvergenceWarning)
        centres = run_kmeans(
            sample,
            m,
            init="random",
            n_init=1,
            max_iter=_TRIAL_STEPS if trial else _STEPS,
            random_state=seed,
        ).cluster_centers_
    anchors = np.ascontiguousarray(centres, dtype=sample.dtype)
    return AnchorLinks.from_sample(anchors, sample, _LINKS)


def _distinct_rows(sample: Any, most: int) -> np.ndarray | None:
    """The different rows, if there are no more than `most`."""
    if sparse.issparse(sample):
        known = KnownRows(sample)
        if known.n_distinct > most:
            return None
        _, first = np.unique(known.group, return_index=True)
        return sample[first].toarray()
    # A look at a few rows tells in nearly all cases that there are more.
    if len(np.unique(sample[: 4 * most], axis=0)) > most:
        return None
    distinct = np.unique(sample, axis=0)
    return distinct if len(distinct) <= most else None


def choose_anchors(
    sample: Any, partition: Partition, first: int, most: int, seed: int
) -> AnchorChoice:
    """Take more anchors until the partition of the sample no longer depends on them.

    Parameters
    ----------
    sample : {ndarray, csr_array} of shape (n, d)
        Scaled rows.
    partition : callable
        Gives labels of the sample from links to anchors.
    first, most : int
        Number of anchors to begin with and not to exceed.
    seed : int
        Seed of the anchors.

    Returns
    -------
    AnchorChoice
        The smallest number of anchors that will do.
    """
    if 2 * first > most:
        return AnchorChoice(place_anchors(sample, first, seed), None)
    links = place_anchors(sample, first, seed, trial=True)
    if len(links.anchors) < first:  # every different row is one
        return AnchorChoice(links, None)
    chosen, labels, expected = (links, -1.0), partition(links), _AGREEING
    while 2 * len(links.anchors) <= most:
        wider = place_anchors(sample, 2 * len(links.anchors), seed, trial=True)
        wider_labels = partition(wider)
        agreement = float(adjusted_rand_score(labels, wider_labels))
        logger.info(
            "%d and %d anchors agree to %.3f",
            *(len(links.anchors), len(wider.anchors), agreement),
        )
        if chosen[1] < 0 or agreement > chosen[1] + _NEARER:
            chosen = (links, agreement)
        if agreement >= expected:
            break
        links, labels, expected = wider, wider_labels, _UNCERTAIN
    if agreement < _UNCERTAIN:
        warnings.warn(
            "The clusters depend on the number of anchors: with twice as many they "
            f"agree to {agreement:.2f} only (1 is the same). Give more of them with "
            f"anchors={2 * most}, or use tier='sparse'.",
            ConvergenceWarning,
            stacklevel=2,
        )
    rough, stability = chosen
    return AnchorChoice(place_anchors(sample, len(rough.anchors), seed), stability)
