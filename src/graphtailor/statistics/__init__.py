"""Is one method's score really better than another's, and where does it rank?"""

from graphtailor.statistics.comparisons import (
    FriedmanTest,
    bootstrap_interval,
    friedman_test,
    holm,
    mark,
    rank_counts,
    rank_sum,
)

__all__ = [
    "FriedmanTest",
    "bootstrap_interval",
    "friedman_test",
    "holm",
    "mark",
    "rank_counts",
    "rank_sum",
]
