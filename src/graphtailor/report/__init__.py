"""What a fit found: a summary in numbers, and a page to show."""

from graphtailor.report.fit import fit_report
from graphtailor.report.profile import ClusterProfile, cluster_profiles
from graphtailor.report.summary import FitSummary, summarize_fit

__all__ = [
    "ClusterProfile",
    "FitSummary",
    "cluster_profiles",
    "fit_report",
    "summarize_fit",
]
