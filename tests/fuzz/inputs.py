"""Samples that are hard on numbers: what a table may hold and nobody expects."""

import os
from dataclasses import dataclass

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from scipy import sparse

# Set by `make fuzz`: many examples, and others each time. In CI there are few and
# always the same ones, so that a run says something about the change.
THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "fuzz"
# Powers of ten that features are multiplied by; float32 reaches less far.
_EXPONENTS = {np.float64: 150, np.float32: 30}


def examples(few: int, many: int) -> settings:
    """Number of examples in CI and in `make fuzz`."""
    return settings(
        max_examples=many if THOROUGH else few,
        derandomize=not THOROUGH,
        database=None,
        deadline=None,
        print_blob=THOROUGH,
        suppress_health_check=[HealthCheck.too_slow],
    )


@dataclass(frozen=True)
class HostileData:
    """Samples, the number of clusters to ask for, and how they were made."""

    X: object
    n_clusters: int
    made_by: str

    def __repr__(self) -> str:
        return f"HostileData({self.made_by}, n_clusters={self.n_clusters})"


def _blobs(rng, n, d):
    return rng.normal(size=(n, d)) + 6 * rng.integers(0, 3, size=(n, 1))


def _half_equal(rng, n, d):
    X = _blobs(rng, n, d)
    X[: n // 2] = X[0]
    return X


def _all_equal(rng, n, d):
    return np.repeat(_blobs(rng, 1, d), n, axis=0)


def _few_values(rng, n, d):
    return rng.integers(-1, 2, size=(n, d)).astype(float)


def _outlier(rng, n, d):
    X = _blobs(rng, n, d)
    X[-1] *= 1e12
    return X


def _far_groups(rng, n, d):
    return rng.normal(size=(n, d)) + 1e7 * rng.integers(0, 4, size=(n, 1))


def _zero_row(rng, n, d):
    X = _blobs(rng, n, d)
    X[n // 2] = 0
    return X


def _collinear(rng, n, d):
    line = rng.normal(size=(n, 1)) * rng.normal(size=(1, d))
    return line + 1e-13 * rng.normal(size=(n, d))


def _constant_columns(rng, n, d):
    X = _blobs(rng, n, d)
    X[:, : (d + 1) // 2] = rng.normal(size=(d + 1) // 2)
    return X


def _all_zero(rng, n, d):
    return np.zeros((n, d))


_SHAPES = (
    *(_blobs, _half_equal, _all_equal, _few_values, _outlier, _far_groups),
    *(_zero_row, _collinear, _constant_columns, _all_zero),
)
_SIZES = st.one_of(st.integers(2, 6), st.integers(7, 40))
_FEATURES = st.one_of(st.integers(1, 7), st.integers(50, 60))


@st.composite
def hostile_data(draw, *, nonnegative: bool = False) -> HostileData:
    """Samples of some awkward shape, size, scale and type."""
    shape = draw(st.sampled_from(_SHAPES))
    n, d = draw(_SIZES), draw(_FEATURES)
    n_clusters = draw(
        st.one_of(st.integers(1, min(n, 5)), st.just(n), st.just((n + 1) // 2))
    )
    seed = draw(st.integers(0, 2**16))
    dtype = draw(st.sampled_from([np.float64, np.float64, np.float32]))
    reach = _EXPONENTS[dtype]
    exponents = draw(
        st.one_of(
            st.just([0]),
            st.integers(-reach, reach).map(lambda e: [e]),
            st.lists(st.integers(-reach, reach), min_size=d, max_size=d),
        )
    )
    as_sparse = draw(st.sampled_from([False, False, True]))
    rng = np.random.default_rng(seed)
    X = shape(rng, n, d)
    # Largest entry 1, so that the powers say what the largest of the table is.
    X = X / (np.abs(X).max() or 1.0) * 10.0 ** np.array(exponents, dtype=float)
    X = (np.abs(X) if nonnegative else X).astype(dtype)
    if as_sparse:
        X[rng.random(size=X.shape) < 0.5] = 0
        X = sparse.csr_array(X)
    how = f"{shape.__name__[1:]}, seed={seed}, shape=({n}, {d}), {np.dtype(dtype)}, "
    how += f"powers={exponents}{', sparse' if as_sparse else ''}"
    return HostileData(X, n_clusters, how)
