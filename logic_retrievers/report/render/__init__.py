"""A report into files: a page, plots with their figures, Markdown, LaTeX.

write_report(sections, Path("out"))  # out/report.html, REPORT.md, report.tex, figures/, tables/
"""

from logic_retrievers.report.render.writing import write_report

__all__ = ["write_report"]
