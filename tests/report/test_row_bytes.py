"""All rows in few bytes."""

import numpy as np
import pytest

from graphtailor.diagnostics.levels import Levels
from graphtailor.report.row_bytes import label_bytes, morton_codes, packed, row_bytes


def test_codes_are_those_of_the_curve():
    rng = np.random.default_rng(0)
    places = rng.random((200, 2))
    grid = np.rint(places * (2**14 - 1)).astype(int)
    expected = [
        sum(((x >> b & 1) << 2 * b) | ((y >> b & 1) << 2 * b + 1) for b in range(14))
        for x, y in grid.tolist()
    ]
    assert morton_codes(places, 14).tolist() == expected


@pytest.mark.parametrize(("n", "most"), [(100_000, 500_000), (1_000_000, 3_000_000)])
def test_many_rows_stay_small(n, most):
    """Rows spread evenly in 32 nested groups cannot be told by their neighbours."""
    rng = np.random.default_rng(0)
    places, fine = rng.random((n, 2)), rng.integers(0, 8, n)
    fine = fine + 8 * (4 * places[:, 0]).astype(int)
    labels = tuple(fine * k // 32 for k in (2, 4, 8, 16, 32))
    levels = Levels((2, 4, 8, 16, 32), labels)
    content, order = row_bytes(places, np.arange(n), levels)
    assert sorted(order.tolist()) == list(range(n))
    assert len(packed(content)) + len(packed(label_bytes(levels))) < most
