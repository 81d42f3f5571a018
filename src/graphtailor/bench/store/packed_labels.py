"""Labels as few bytes."""

from __future__ import annotations

import zlib

import numpy as np

from graphtailor.io.limits import most_unpacked


def pack_labels(labels: np.ndarray) -> bytes:
    """Labels as few bytes; see :func:`unpack_labels`."""
    labels = np.asarray(labels)
    is_short = labels.size == 0 or np.abs(labels).max() < 2**15
    kind, dtype = (b"h", "<i2") if is_short else (b"i", "<i4")
    return kind + zlib.compress(labels.astype(dtype).tobytes(), 1)


def unpack_labels(content: bytes) -> np.ndarray:
    """The labels that :func:`pack_labels` packed.

    Examples
    --------
    >>> import numpy as np
    >>> from graphtailor.bench.store.packed_labels import pack_labels, unpack_labels
    >>> unpack_labels(pack_labels(np.array([0, 70000, -1])))
    array([    0, 70000,    -1], dtype=int32)
    """
    dtype = "<i2" if content[:1] == b"h" else "<i4"
    unpacker = zlib.decompressobj()
    text = unpacker.decompress(content[1:], most_unpacked(len(content)))
    if not unpacker.eof:
        raise ValueError("labels are cut off, or absurdly many")
    return np.frombuffer(text, dtype=dtype).astype(np.int32)
