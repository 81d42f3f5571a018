"""One page that shows a whole benchmark."""

from graphtailor.report.bench.page import bench_report, write_figures, write_tables

__all__ = ["bench_report", "write_figures", "write_tables"]
