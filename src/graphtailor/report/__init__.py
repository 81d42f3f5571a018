"""A fit as a summary in numbers and as a page."""

from graphtailor.diagnostics.comparison import Comparison, Run, compare_runs
from graphtailor.diagnostics.profile import ClusterProfile, cluster_profiles
from graphtailor.diagnostics.summary import FitSummary, summarize_fit
from graphtailor.report.compare_page import compare_report
from graphtailor.report.fit_page import fit_report

__all__ = [
    "ClusterProfile",
    "Comparison",
    "FitSummary",
    "Run",
    "cluster_profiles",
    "compare_report",
    "compare_runs",
    "fit_report",
    "summarize_fit",
]
