"""One page that shows a whole benchmark."""

from graphtailor.report.bench.figure_files import write_figures
from graphtailor.report.bench.page import bench_report
from graphtailor.report.bench.table_files import write_tables

__all__ = ["bench_report", "write_figures", "write_tables"]
