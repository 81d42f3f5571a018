"""What a fit found: a summary in numbers, and a page to show."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphtailor.report.compare import compare_report
    from graphtailor.report.comparison import Comparison, Run, compare_runs
    from graphtailor.report.fit import fit_report
    from graphtailor.report.profile import ClusterProfile, cluster_profiles
    from graphtailor.report.summary import FitSummary, summarize_fit

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

# Loaded when first asked for: a summary needs neither pictures nor templates.
_HOMES = {
    "ClusterProfile": "graphtailor.report.profile",
    "Comparison": "graphtailor.report.comparison",
    "FitSummary": "graphtailor.report.summary",
    "Run": "graphtailor.report.comparison",
    "cluster_profiles": "graphtailor.report.profile",
    "compare_report": "graphtailor.report.compare",
    "compare_runs": "graphtailor.report.comparison",
    "fit_report": "graphtailor.report.fit",
    "summarize_fit": "graphtailor.report.summary",
}


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
