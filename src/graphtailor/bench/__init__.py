"""The study's experiment: plans, runs, tables, and what the study printed."""

from graphtailor.bench.paper import paper_results
from graphtailor.bench.plan import Plan, PlannedData, PlannedMethod
from graphtailor.bench.plan_files import load_plan, parse_plan
from graphtailor.bench.rescore import export, rescore
from graphtailor.bench.run import Progress, run_plan
from graphtailor.bench.store import Store

__all__ = [
    "Plan",
    "PlannedData",
    "PlannedMethod",
    "Progress",
    "Store",
    "export",
    "load_plan",
    "paper_results",
    "parse_plan",
    "rescore",
    "run_plan",
]
