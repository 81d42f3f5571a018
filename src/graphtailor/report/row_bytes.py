"""All rows of a map in few bytes: places and clusters, for a script to unpack.

Places are whole numbers of 12 to 14 bits. Rows are sorted along Morton's curve, on
which rows that follow each other are close, so that the differences between neighbours
on the curve are small, and clusters come in long runs. Both deflate well.
"""

import base64
import json
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphtailor.diagnostics.levels import Levels, majority

# Rows beyond the first number take 13 bits for each axis, beyond the second 12: the
# file must stay small, and the picture has a thousand pixels.
_MANY, _VERY_MANY = 150_000, 600_000


def grid_bits(n_rows: int) -> int:
    """Bits of each coordinate."""
    return 14 - (n_rows > _MANY) - (n_rows > _VERY_MANY)


def morton_codes(places: np.ndarray, bits: int) -> np.ndarray:
    """Places between 0 and 1 as numbers along Morton's curve."""
    top = (1 << bits) - 1
    grid = np.clip(np.rint(places * top), 0, top).astype(np.uint32)
    x, y = _spread_bits(grid[:, 0]), _spread_bits(grid[:, 1])
    return x | (y << np.uint32(1))


def _spread_bits(numbers: np.ndarray) -> np.ndarray:
    """Put a zero between all bits of numbers below 2**16."""
    masks = ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555))
    for shift, mask in masks:
        numbers = (numbers | (numbers << np.uint32(shift))) & np.uint32(mask)
    return numbers


def byte_planes(numbers: np.ndarray, width: int) -> bytes:
    """All lowest bytes, then all second bytes, and so on: each plane deflates well."""
    whole = np.ascontiguousarray(numbers, dtype="<u4").view(np.uint8).reshape(-1, 4)
    return whole.T[:width].tobytes()


def label_width(levels: Levels) -> int:
    """Bytes of a cluster's number: one, or two for more than 256 clusters."""
    return 1 if max(int(each.max()) for each in levels.labels) < 256 else 2


def label_bytes(levels: Levels, rows: np.ndarray | slice = slice(None)) -> bytes:
    """Clusters of rows, or of all in their order, at all levels, the finest first.

    A level after the first holds the difference to what the finer level lets expect,
    which is zero wherever groups only merge.
    """
    labels, width = [each[rows] for each in levels.labels], label_width(levels)
    parts = [byte_planes(labels[-1], width)]
    for place in range(len(labels) - 2, -1, -1):
        expected = levels.parents(place + 1)[labels[place + 1]]
        number = int(levels.labels[place].max()) + 1
        parts.append(byte_planes((labels[place] - expected) % number, width))
    return b"".join(parts)


def row_bytes(
    places: np.ndarray, rows: np.ndarray, levels: Levels
) -> tuple[bytes, np.ndarray]:
    """Places and clusters of rows as bytes, and the rows in the order of the curve.

    The bytes are differences of the codes in four planes, then clusters in the order of
    the curve, then clusters of all rows in their own order.
    """
    codes = morton_codes(places, grid_bits(len(rows)))
    order = np.argsort(codes, kind="stable")
    steps = np.diff(codes[order], prepend=np.uint32(0))
    return byte_planes(steps, 4) + label_bytes(levels, rows[order]), order


def expected_parents(levels: Levels) -> list[list[int]]:
    """For each level but the last the cluster that each finer cluster belongs to."""
    pairs = zip(levels.labels[1:], levels.labels[:-1], strict=True)
    return [majority(finer, coarser).tolist() for finer, coarser in pairs]


def packed(content: bytes) -> str:
    """Deflated, as text that HTML may hold."""
    # The last levels take five times as long for one part in thirty.
    raw = zlib.compressobj(7, zlib.DEFLATED, -15)
    return base64.b64encode(raw.compress(content) + raw.flush()).decode()


def packed_json(values: dict[str, Any] | Sequence[Any]) -> str:
    """Plain values as JSON, deflated, as text that HTML may hold."""
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":"))
    return packed(text.encode("utf-8", "replace"))
