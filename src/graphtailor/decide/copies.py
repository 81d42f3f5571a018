"""Copies of a table without clusters: what chance gives for the same columns."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from scipy.special import ndtr, ndtri, polygamma
from sklearn.isotonic import isotonic_regression
from sklearn.preprocessing import normalize

# Directions whose singular value is below this share of the largest are left out.
_RANK = 1e-6
# Rows for each of the directions from which the scale of a row is read: in as many
# directions as rows, all rows have the same scale. Rounds in which it is read off
# lengths instead.
_ROWS_PER_DIRECTION, _ROUNDS = 4, 4
# Columns as skewed as this are bent; how far from zero logarithms are taken, in
# standard deviations of the column, and the steps in which that is found.
_SKEWED, _SHIFTS, _HALVINGS = 0.1, (1e-6, 1e3), 40
# Of n normal numbers the distribution is off by more than this / sqrt(n) once in
# hundreds of columns.
_NORMAL = 1.2
# Most bins of the curve with one peak, and the quantiles between which they lie. Values
# outside are copied.
_BINS, _INSIDE = 64, (0.005, 0.995)


class Copies(Protocol):
    """A source of copies."""

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """One copy: an array with as many rows as the table."""


class OneCloud:
    r"""Copies that form one elliptical cloud with the same covariance.

    With the singular value decomposition :math:`X = U \Sigma V'` of the centred rows a
    copy is :math:`Q \Sigma V'`, where Q is a random orthonormal frame. For normal rows
    of any covariance copies have the distribution of X itself: this is a rotation test
    [1]_. Where the scales of rows differ by more than those of normal rows, as in heavy
    tails, the copies' rows get the same scales in another order; `tails` says so.

    References
    ----------
    .. [1] O. Langsrud, "Rotation tests", Statistics and Computing, 2005.
    """

    def __init__(self, X: np.ndarray, tails: bool = True) -> None:
        self._scales = _row_scales(X) if tails else np.ones(len(X))
        X = X / self._scales[:, None]
        _, sizes, axes = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
        kept = max(int(np.sum(sizes > _RANK * sizes[0])), 1)
        self._sizes, self._axes = sizes[:kept], axes[:kept]

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """One copy, around zero."""
        n = len(self._scales)
        normal = rng.standard_normal((n, len(self._sizes)))
        frame = np.linalg.qr(normal - normal.mean(axis=0))[0]
        scores = frame * self._sizes * rng.permutation(self._scales)[:, None]
        return scores @ self._axes


class BentCloud:
    r"""Copies that form one cloud in which skewed columns are bent.

    A skewed column is :math:`\pm (e^z - c)` with a symmetric z: the shift c is the one
    at which the logarithms have no skew. The z are copied as one cloud. For lognormal
    columns of any covariance, copies have nearly the distribution of X itself.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Rows.
    """

    def __init__(self, X: np.ndarray) -> None:
        skews = _skews(X)
        self._sign = np.where(skews < 0, -1.0, 1.0)
        Y, spread = self._sign * X, _spread(X)
        low, high = (np.log(shift * spread) for shift in _SHIFTS)
        least = Y.min(axis=0)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            is_skewed = _skews(np.log(Y - least + np.exp(middle))) > 0
            low, high = np.where(is_skewed, (low, middle), (middle, high))
        self._shift = np.exp(low) - least
        self._bent = np.abs(skews) > _SKEWED
        Z = np.where(self._bent, np.log(Y + self._shift), X)
        self._mean, self._spread = Z.mean(axis=0), _spread(Z)
        Z = (Z - self._mean) / self._spread
        self._cloud = OneCloud(Z)
        reached = (np.arange(len(X))[:, None] + 0.5) / len(X)
        off = np.abs(ndtr(np.sort(Z, axis=0)) - reached).max()
        self._off = float(off * np.sqrt(len(X)))

    @property
    def is_apt(self) -> bool:
        """Whether a column is bent, and all columns look normal then.

        Other columns may hold clusters, and a cloud with longer tails than theirs has
        rows that lie as close together, most of them in the middle.
        """
        return bool(self._bent.any()) and self._off <= _NORMAL

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """One copy."""
        Z = self._cloud.draw(rng) * self._spread + self._mean
        unbent = self._sign * (np.exp(np.where(self._bent, Z, 0.0)) - self._shift)
        return np.where(self._bent, unbent, Z)


def _spread(X: np.ndarray) -> np.ndarray:
    found = X.std(axis=0)
    return np.where(found > 0, found, 1.0)


def _skews(X: np.ndarray) -> np.ndarray:
    return (((X - X.mean(axis=0)) / _spread(X)) ** 3).mean(axis=0)


class ShuffledColumns:
    """Copies whose columns are shuffled, in step as far as columns are correlated.

    Every column keeps its values, and every two columns keep about their rank
    correlation: the normal scores of the ranks are replaced by those of one cloud, and
    the values of each column are put into their order. Columns without correlation
    are shuffled independently, those of a block together.
    """

    def __init__(
        self, X: np.ndarray, blocks: Sequence[np.ndarray], rng: np.random.Generator
    ) -> None:
        self._X, self._blocks = X, blocks
        self._single = all(len(block) == 1 for block in blocks)
        keys = X if self._single else _keys(X, blocks)
        shuffled = rng.permuted(
            np.tile(np.arange(len(X)), (keys.shape[1], 1)), axis=1
        ).T
        by_value = np.argsort(np.take_along_axis(keys, shuffled, 0), 0, kind="stable")
        self._order = np.take_along_axis(shuffled, by_value, 0)
        scores = np.empty(keys.shape)
        normal = ndtri((np.arange(len(X)) + 0.5) / len(X))
        np.put_along_axis(scores, self._order, normal[:, None], axis=0)
        self._cloud = OneCloud(scores)

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """One copy."""
        wanted = np.argsort(self._cloud.draw(rng).astype(np.float32), axis=0)
        source = np.empty_like(wanted)
        np.put_along_axis(source, wanted, self._order, axis=0)
        if self._single:
            return np.take_along_axis(self._X, source, axis=0)
        copy = np.empty_like(self._X)
        for rows, block in zip(source.T, self._blocks, strict=True):
            copy[:, block] = self._X[np.ix_(rows, block)]
        return copy


class OnSphere:
    """Copies of a source, moved by a centre and brought to rows of length one."""

    def __init__(self, copies: Copies, centre: np.ndarray) -> None:
        self._copies, self._centre = copies, centre

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """One copy."""
        return normalize(self._copies.draw(rng) + self._centre)


class OnePeak:
    """Copies of a single column from the nearest curve with one peak.

    The curve is the histogram made to rise up to one bin and to fall after it. Copies
    of a column with many equal values take these values.
    """

    def __init__(self, x: np.ndarray) -> None:
        values = np.unique(x)
        self._values = values if 2 * len(values) < len(x) else None
        low, high = np.quantile(x, _INSIDE)
        self._tails = x[(x < low) | (x > high)]
        bins = min(_BINS, max(len(values) // 2, 2))
        counts, self._edges = np.histogram(x, bins, (low, high))
        self._n = len(x)
        curve = _one_peak(counts.astype(np.float64))
        self._shares = curve / curve.sum()

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """One copy, of one column."""
        number = self._n - len(self._tails)
        bins = rng.choice(len(self._shares), number, p=self._shares)
        width = self._edges[1] - self._edges[0]
        x = np.append(self._edges[bins] + width * rng.uniform(size=number), self._tails)
        if self._values is not None:
            middles = (self._values[1:] + self._values[:-1]) / 2
            x = self._values[np.searchsorted(middles, x)]
        return x[:, None]


def _one_peak(counts: np.ndarray) -> np.ndarray:
    """The nearest values, by least squares, that rise up to one place and then fall."""
    best, curve = np.inf, counts
    for peak in range(1, len(counts)):
        rising = isotonic_regression(counts[:peak])
        falling = isotonic_regression(counts[peak:], increasing=False)
        fitted = np.append(rising, falling)
        error = float(np.square(fitted - counts).sum())
        if error < best:
            best, curve = error, fitted
    return curve


def _row_scales(X: np.ndarray) -> np.ndarray:
    """How far out each row lies, where rows differ more than normal ones would.

    The mean square of a normal row over q directions of unit variance has the
    distribution of chi squared / q. The share by which its logarithm varies beyond that
    is kept.
    """
    X = X - X.mean(axis=0)
    U, sizes, _ = np.linalg.svd(X, full_matrices=False)
    q = int(np.sum(sizes > _RANK * sizes[0]))
    if q * _ROWS_PER_DIRECTION > len(X):
        return _scales_of_lengths(X)
    logs = np.log(len(X) * np.square(U[:, :q]).mean(axis=1) + 1e-12) / 2
    return np.exp(_kept(logs, q) * (logs - logs.mean()))


def _scales_of_lengths(X: np.ndarray) -> np.ndarray:
    """The same where there are too few rows to tell directions apart: from lengths.

    Directions of unequal variances count as fewer equal ones, which are found of rows
    without their scales.
    """
    logs = np.log(np.linalg.norm(X, axis=1) + 1e-12)
    logs -= logs.mean()
    scales = np.ones(len(X))
    for _ in range(_ROUNDS):
        Y = X / scales[:, None]
        variances = np.linalg.svd(Y - Y.mean(axis=0), compute_uv=False) ** 2
        q = variances.sum() ** 2 / np.square(variances).sum()
        scales = np.exp(np.sqrt(_kept(logs, q)) * logs)
    return scales


def _kept(logs: np.ndarray, q: float) -> float:
    """Share of the variance of logarithms of lengths that normal rows do not have."""
    expected = float(polygamma(1, q / 2)) / 4
    return max(1 - expected / max(float(logs.var()), 1e-12), 0.0)


def _keys(X: np.ndarray, blocks: Sequence[np.ndarray]) -> np.ndarray:
    """One number for each block and row, by which the rows of the block are ordered.

    Levels of a category are ordered by their means along the first principal axis.
    """
    leading = np.linalg.svd(X, full_matrices=False)[0][:, 0]
    return np.column_stack(
        [X[:, b] @ (X[:, b].T @ leading if len(b) > 1 else [1.0]) for b in blocks]
    )
