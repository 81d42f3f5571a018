"""A fit as a summary in numbers and as a page."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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

# Imported on first use: a summary needs neither pictures nor templates.
_HOMES = {
    "ClusterProfile": "graphtailor.diagnostics.profile",
    "Comparison": "graphtailor.diagnostics.comparison",
    "FitSummary": "graphtailor.diagnostics.summary",
    "Run": "graphtailor.diagnostics.comparison",
    "cluster_profiles": "graphtailor.diagnostics.profile",
    "compare_report": "graphtailor.report.compare_page",
    "compare_runs": "graphtailor.diagnostics.comparison",
    "fit_report": "graphtailor.report.fit_page",
    "summarize_fit": "graphtailor.diagnostics.summary",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
