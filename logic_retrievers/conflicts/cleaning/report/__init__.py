"""The report of a cleaning: one HTML page for people, JSON lines and CSV for programs.

write_report(result, Path("report.html"))      # also writes report.jsonl and report.csv
failing_decisions(result, ["contradiction"])   # decisions that should fail a build
"""

from logic_retrievers.conflicts.cleaning.report.files import check_suffix, write_report
from logic_retrievers.conflicts.cleaning.result import check_fail_on, failing_decisions

__all__ = ["check_fail_on", "check_suffix", "failing_decisions", "write_report"]
