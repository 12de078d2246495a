"""The report of a cleaning: one HTML page for people, JSON lines and CSV for programs.

write_report(cleaned, Path("report.html"))  # and report.jsonl and report.csv beside it
failing(cleaned, ["contradiction"])         # what a build should stop for
"""

from logic_retrievers.cleaning.report.failing import check_words, failing
from logic_retrievers.cleaning.report.writing import check_suffix, write_report

__all__ = ["check_suffix", "check_words", "failing", "write_report"]
