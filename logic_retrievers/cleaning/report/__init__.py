"""The report of a cleaning: one HTML page for people, JSON lines and CSV for programs.

write_report(result, Path("report.html"))      # and report.jsonl and report.csv beside it
failing_decisions(result, ["contradiction"])   # what a build should stop for
"""

from logic_retrievers.cleaning.report.files import check_suffix, write_report
from logic_retrievers.cleaning.result import check_fail_on, failing_decisions

__all__ = ["check_fail_on", "check_suffix", "failing_decisions", "write_report"]
