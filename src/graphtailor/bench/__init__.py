"""The study's experiment: plans, runs, tables, and what the study printed."""

from graphtailor.bench.database import DamagedStore
from graphtailor.bench.exports import export, opened_results
from graphtailor.bench.paper import paper_results
from graphtailor.bench.plan import Plan, PlannedData, PlannedMethod
from graphtailor.bench.plan_files import load_plan, parse_plan
from graphtailor.bench.progress import Progress
from graphtailor.bench.recovery import Recovery, recover_store
from graphtailor.bench.rescore import rescore
from graphtailor.bench.run import run_plan
from graphtailor.bench.store import Store

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
