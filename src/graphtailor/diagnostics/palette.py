"""Colours of clusters, told apart with any kind of colour vision."""

from __future__ import annotations

# After M. Okabe, K. Ito, "Color Universal Design", 2008, without its yellow, which is
# lost on white, and its black; lighter where the page is dark.
PALETTE = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#d55e00",
    "#56b4e9",
    "#8a8a8a",
)
DARK_PALETTE = (
    "#4aa3df",
    "#f0b030",
    "#2fc39a",
    "#e294c2",
    "#f0813c",
    "#9ad5f7",
    "#b4b4b4",
)


def cluster_color(cluster: int) -> str:
    """Colour of a cluster on white; colours come again after seven."""
    return PALETTE[int(cluster) % len(PALETTE)]


def cluster_style(cluster: int) -> str:
    """CSS that sets the colour of a cluster on a page, light or dark.

    Examples
    --------
    >>> cluster_style(8)
    '--k: var(--k1)'
    """
    return f"--k: var(--k{int(cluster) % len(PALETTE)})"


def is_square(cluster: int) -> bool:
    """Whether points of the cluster are square: when the colours come again."""
    return int(cluster) // len(PALETTE) % 2 == 1
