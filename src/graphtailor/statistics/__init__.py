"""Is one method's score really better than another's, and where does it rank?"""

from graphtailor.statistics.comparisons import bootstrap_interval, holm, mark, rank_sum
from graphtailor.statistics.ranks import FriedmanTest, friedman_test, rank_counts

__all__ = [
    "FriedmanTest",
    "bootstrap_interval",
    "friedman_test",
    "holm",
    "mark",
    "rank_counts",
    "rank_sum",
]
