"""One page that shows a whole benchmark."""

from graphtailor.report.bench.files import write_figures, write_tables
from graphtailor.report.bench.page import bench_report

__all__ = ["bench_report", "write_figures", "write_tables"]
