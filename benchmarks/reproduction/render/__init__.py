"""A report into files: a page, plots with their data, Markdown.

write_report(sections, Path("out"))  # out/report.html, REPORT.md, figures/, tables/
"""

from benchmarks.reproduction.render.report_files import write_report

__all__ = ["write_report"]
