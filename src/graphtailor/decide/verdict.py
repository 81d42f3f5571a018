"""Does a table show clusters beyond what chance gives for the same columns?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import sparse
from scipy.stats import t as student
from sklearn.preprocessing import normalize

from graphtailor.decide.copies import (
    BentCloud,
    Copies,
    OneCloud,
    OnePeak,
    OnSphere,
    ShuffledColumns,
)
from graphtailor.linalg.equal_rows import KnownRows, row_hashes
from graphtailor.linalg.kmeans import draw_rows
from graphtailor.linalg.magnitude import comfortable_factor, times
from graphtailor.linalg.threads import Workers
from graphtailor.linalg.types import Matrix

# Copies of each kind.
_COPIES = 29
# The first few decide where their p-value lies outside these two.
_FIRST, _SURELY_CLEAR, _SURELY_NONE = 9, 1e-7, 0.3
# From this p-value down clusters are weak, and clear. The first two kinds of copies are
# enough for clear ones.
_WEAK, _CLEAR, _SURE = 0.03, 0.0001, 2
# Most rows that are compared, and numbers of them in all columns together.
_ROWS, _NUMBERS = 500, 50_000
# Fewest distinct rows that are tested, fewest rows that are compared of wide tables,
# and most columns that are compared.
_FEWEST, _FEWEST_OF_WIDE, _COLUMNS = 8, 100, 1_000
# A column is constant if its variance is below this share of its mean square. Rows lie
# on a sphere if their lengths vary by less than this share of what those of normal rows
# do.
_CONSTANT, _SAME_LENGTH = 1e-20, 0.1
# Numbers of k-means clusters: at most this many, of this many rows at least.
_NUMBERS_OF_CLUSTERS, _MOST, _ROWS_PER_CLUSTER = 5, 32, 4
_STARTS, _STEPS = 2, 6
# Nearest rows, and the weight of their distance beside those from centres. Rows with
# equal neighbours count as if these were at a small share of the width of the table.
_NEIGHBORS, _NEAR, _TIED, _TINY = 5, 0.25, 0.05, 1e-6


@dataclass(frozen=True)
class Verdict:
    """How the clusters of a table compare with those of copies without clusters.

    Attributes
    ----------
    level : {"clear", "weak", "none"}
        Clear clusters have a p-value of at most 0.0001, weak ones of at most 0.03.
    statistic : float
        How near rows lie to each other: their mean distances from the centres of 2 to
        32 k-means clusters and from their nearest rows, divided by that from the centre
        of the table. It is a geometric mean.
    expected : float
        The median of this over the copies.
    p_value : float
        Probability that the rows of a copy lie nearer, from the t-distribution with the
        mean and the standard deviation of the copies.
    n_copies : int
        Number of copies: 29, or 9 where these leave no doubt.
    """

    level: str
    statistic: float
    expected: float
    p_value: float
    n_copies: int

    def sentence(self) -> str:
        """The verdict in plain English."""
        p = f"p = {self.p_value:.2g}" if self.p_value >= 1e-4 else "p < 0.0001"
        figures = f"{self.statistic:.2f} against {self.expected:.2f}, {p}"
        if self.level == "none":
            return (
                "These rows show no clusters beyond chance: they lie as close together "
                f"in shuffled copies ({figures}). Groups like these come out of "
                "shuffled columns too."
            )
        if self.level == "weak":
            return (
                "Weak clusters: rows lie a little closer together than in shuffled "
                f"copies ({figures}). Shuffled columns give groups that are nearly as "
                "close."
            )
        return (
            "Clear clusters: rows lie closer together than in shuffled copies "
            f"({figures})."
        )


def find_verdict(
    points: Matrix,
    masses: np.ndarray,
    seed: int,
    blocks: np.ndarray | None = None,
    n_jobs: int | None = None,
) -> Verdict | None:
    """Compare how close rows lie with how close they lie in copies without clusters.

    A sample of at most 500 rows is compared with kinds of copies, and has to beat all:
    columns shuffled as far as their rank correlations allow and one elliptical cloud
    with the same covariance; if clusters are weak then, and logarithms make columns
    normal, also one cloud of these. A single column is compared with the nearest curve
    of one peak.

    Groups within a single column are not clusters here, because shuffling keeps them.
    The test does not tell clusters from a single curved cloud.

    Each of the points stands for as many rows as its mass says. Features of one block,
    such as the levels of a category, are shuffled together. None where there are fewer
    than eight distinct rows or a single category alone, and for sparse points, whose
    clusters the samples are too small for.
    """
    if sparse.issparse(points):
        return None
    rng = np.random.default_rng(seed)
    with Workers(n_jobs) as workers:
        rows = _sampled(points, masses, rng)
        sphere = _on_sphere(rows)
        X, parts = _comparable(rows, blocks, sphere)
        if not parts or KnownRows(X).n_distinct < _FEWEST:
            return None
        own = _width(X, rng)
        found = []
        for source in _sources(X, parts, sphere, rng):
            draw, streams = partial(_width_of_copy, source), rng.spawn(_COPIES)
            copies = workers.map(draw, streams[:_FIRST])
            if _SURELY_CLEAR < _judged(own, copies).p_value < _SURELY_NONE:
                copies += workers.map(draw, streams[_FIRST:])
            found.append(_judged(own, copies))
            # The last kind varies most: it only decides where clusters look weak.
            worst = max(verdict.p_value for verdict in found)
            if worst > _WEAK or (len(found) == _SURE and worst <= _CLEAR):
                break
    return max(found, key=lambda verdict: verdict.p_value, default=None)


def _judged(own: float, copies: Sequence[float]) -> Verdict:
    """The verdict by one kind of copies, from logarithms of widths."""
    spread = float(np.std(copies, ddof=1)) * np.sqrt(1 + 1 / len(copies))
    z = (float(np.mean(copies)) - own) / max(spread, 1e-9)
    p_value = float(student.sf(z, len(copies) - 1))
    expected = float(np.exp(np.median(copies)))
    level = level_at(p_value)
    return Verdict(level, float(np.exp(own)), expected, p_value, len(copies))


def level_at(p_value: float) -> str:
    """The level of a verdict."""
    return "clear" if p_value <= _CLEAR else "weak" if p_value <= _WEAK else "none"


def _sampled(
    points: np.ndarray, masses: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Rows drawn from those that the points stand for, whatever order these have."""
    order = np.argsort(row_hashes(points, 0), kind="stable")
    reached = np.cumsum(np.rint(np.asarray(masses)[order]).astype(np.int64))
    fitting = _NUMBERS // min(points.shape[1], _COLUMNS)
    most = min(max(fitting, _FEWEST_OF_WIDE), _ROWS)
    total = int(reached[-1])
    # Weights may say that there are more rows than would fit in memory.
    drawn = (
        np.arange(total)
        if total <= most
        else np.sort(rng.choice(total, most, replace=False))
    )
    rows = points[order[np.searchsorted(reached, drawn, side="right")]]
    return times(rows, comfortable_factor(rows)).astype(np.float64)


def _comparable(
    rows: np.ndarray, blocks: np.ndarray | None, sphere: bool
) -> tuple[np.ndarray, list[np.ndarray]]:
    """The columns that are compared, in their scaling, and the blocks of them.

    Blocks get variance one; rows on a sphere get length one instead.
    """
    d = rows.shape[1]
    _, where = np.unique(range(d) if blocks is None else blocks, return_inverse=True)
    variance = np.bincount(where, rows.var(axis=0))
    size = np.bincount(where, np.square(rows).mean(axis=0))
    largest = np.argsort(-variance, kind="stable")[:_COLUMNS]
    kept = np.sort(largest[variance[largest] > _CONSTANT * size[largest]])
    used = np.flatnonzero(np.isin(where, kept))
    X = rows[:, used]
    if sphere and len(kept):
        X = normalize(X)
    else:
        X = (X - X.mean(axis=0)) / np.sqrt(variance[where[used]])
    return X, [np.flatnonzero(where[used] == block) for block in kept]


def _on_sphere(X: np.ndarray) -> bool:
    """Whether lengths of rows hardly differ, as with metric="cosine".

    They are compared with those of normal rows around zero that are spread as widely:
    far from zero, and in many columns, the rows of any table have about one length.
    """
    normal = np.sqrt(X.var(axis=0).sum() / (2 * X.shape[1]))
    return bool(np.linalg.norm(X, axis=1).std() < _SAME_LENGTH * normal)


def _sources(
    X: np.ndarray,
    parts: Sequence[np.ndarray],
    sphere: bool,
    rng: np.random.Generator,
) -> Iterator[Copies]:
    """The kinds of copies to beat, one after the other; none for a single category."""
    if len(parts) == 1:
        if X.shape[1] == 1:
            yield OnePeak(X[:, 0])
    elif sphere:
        yield OnSphere(ShuffledColumns(X, parts, rng), np.zeros(X.shape[1]))
        yield OnSphere(OneCloud(X, tails=False), X.mean(axis=0))
    else:
        yield ShuffledColumns(X, parts, rng)
        yield OneCloud(X)
        bent = BentCloud(X)
        if bent.is_apt:
            yield bent


def _width_of_copy(source: Copies, rng: np.random.Generator) -> float:
    return _width(source.draw(rng), rng)


def _width(X: np.ndarray, rng: np.random.Generator) -> float:
    """Logarithm of how near rows lie to each other, relative to the whole."""
    X = np.ascontiguousarray(X - X.mean(axis=0), dtype=np.float32)
    squares = np.square(X).sum(axis=1)
    D = np.maximum(squares[:, None] + squares - 2 * (X @ X.T), 0)
    most = min(_MOST, len(X) / _ROWS_PER_CLUSTER)
    numbers = np.geomspace(2, most, _NUMBERS_OF_CLUSTERS)
    state = np.random.RandomState(rng.integers(2**31))
    logs = [
        np.log(_mean_distance(X, D, round(k), state) + _TINY)
        for k in numbers
        for _ in range(_STARTS)
    ]
    whole = float(np.sqrt(squares).mean())
    near = np.log(_near(D) + _TIED * whole).mean()
    width = (1 - _NEAR) * np.mean(logs) + _NEAR * near
    return float(width - np.log(whole))


def _near(D: np.ndarray) -> np.ndarray:
    """Mean distance of each row from its nearest rows, by squared distances of all."""
    np.fill_diagonal(D, np.inf)
    nearest = np.partition(D, _NEIGHBORS, axis=1)[:, :_NEIGHBORS]
    return np.sqrt(nearest).mean(axis=1)


def _mean_distance(
    X: np.ndarray, D: np.ndarray, k: int, state: np.random.RandomState
) -> float:
    """Mean distance from the nearest of k centres after a few steps of k-means."""
    centres = X[draw_rows(D.__getitem__, k, state, np.ones(len(X)))]
    places = np.arange(len(X))
    for _ in range(_STEPS):
        member = np.zeros((k, len(X)), dtype=np.float32)
        member[_to_centres(X, centres).argmin(axis=1), places] = 1
        sizes = member.sum(axis=1)[:, None]
        centres = np.where(sizes > 0, member @ X / np.maximum(sizes, 1), centres)
    nearest = _to_centres(X, centres).min(axis=1) + np.square(X).sum(axis=1)
    return float(np.sqrt(np.maximum(nearest, 0)).mean())


def _to_centres(X: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Squared distances from the centres, less the squared lengths of the rows."""
    return np.square(centres).sum(axis=1) - 2 * (X @ centres.T)
