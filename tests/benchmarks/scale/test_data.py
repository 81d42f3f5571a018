import numpy as np
import pytest

import scale.data
from scale.data import block, rings, spirals, two_bananas, warped_blobs, write_samples

SHAPES = {
    "blobs": warped_blobs(32),
    "bananas": two_bananas(),
    "rings": rings(),
    "spirals": spirals(),
}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(scale.data, "BLOCK", 4000)


def written(shape, n_samples, folder):
    folder.mkdir()
    write_samples(shape, n_samples, folder)
    return np.load(folder / "X.npy"), np.load(folder / "y.npy")


@pytest.mark.parametrize("name", SHAPES)
def test_a_short_set_is_the_start_of_a_long_one(name, tmp_path):
    shape = SHAPES[name]
    X, y = written(shape, 9001, tmp_path / "long")
    short_X, short_y = written(shape, 5000, tmp_path / "short")
    assert X.shape == (9001, shape.n_features)
    assert X.dtype == np.float32
    assert y.dtype == np.int32
    np.testing.assert_array_equal(short_X, X[:5000])
    np.testing.assert_array_equal(short_y, y[:5000])
    # Blocks differ from each other, or a long set would repeat itself.
    assert not np.isin(X[4000:8000, 0], X[:4000, 0]).all()


@pytest.mark.parametrize("name", SHAPES)
def test_clusters_have_their_shares(name):
    shape = SHAPES[name]
    counts = sum(
        np.bincount(block(shape, i)[1], minlength=shape.n_clusters) for i in range(5)
    )
    expected = 20_000 * shape.shares
    assert np.all(np.abs(counts - expected) < 5 * np.sqrt(expected))


def test_warped_blobs_are_bent():
    """Off the middle of its longest direction a blob has moved sideways.

    Of a Gaussian blob, whatever its covariance, the expected move is zero.
    """
    X, y = block(warped_blobs(8, n_clusters=2), 0)
    for k in range(2):
        centred = X[y == k] - X[y == k].mean(axis=0)
        longest = np.linalg.svd(centred, full_matrices=False)[2][0]
        along = centred @ longest
        move = np.mean((along**2 / along.var() - 1)[:, None] * centred, axis=0)
        assert np.linalg.norm(move) > 0.7


def test_rings_lie_at_their_radii():
    X, y = block(rings(), 0)
    radius = np.linalg.norm(X, axis=1)
    assert np.abs(radius - (1 + y)).max() < 0.5
