"""The study's experiment: plans, runs, tables, and what the study printed."""

from graphtailor.bench.plan.parse import load_plan, parse_plan
from graphtailor.bench.plan.plan import Plan, PlannedData, PlannedMethod
from graphtailor.bench.results.results import paper_results
from graphtailor.bench.run.runner import Progress, run_plan
from graphtailor.bench.store.database import DamagedStore
from graphtailor.bench.store.export import export, opened_results
from graphtailor.bench.store.recovery import Recovery, recover_store
from graphtailor.bench.store.store import Store, rescore

__all__ = [
    "DamagedStore",
    "Plan",
    "PlannedData",
    "PlannedMethod",
    "Progress",
    "Recovery",
    "Store",
    "export",
    "load_plan",
    "opened_results",
    "paper_results",
    "parse_plan",
    "recover_store",
    "rescore",
    "run_plan",
]
