"""The report of a cleaning: one HTML page for people, JSON lines and CSV for programs.

write_report(cleaned, Path("report.html"))  # and report.jsonl and report.csv beside it
failing(cleaned, ["contradiction"])         # what a build should stop for
"""

from logic_retrievers.cleaning.report.failing import failing
from logic_retrievers.cleaning.report.writing import write_report

__all__ = ["failing", "write_report"]
