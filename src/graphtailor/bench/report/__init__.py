"""One page that shows a whole benchmark."""

from graphtailor.bench.report.figure_files import write_figures
from graphtailor.bench.report.page import bench_report
from graphtailor.bench.report.table_files import write_tables

__all__ = ["bench_report", "write_figures", "write_tables"]
