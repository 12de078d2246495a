"""The reproduction report: tables and figures of the papers, measured in one run.

Studies (``benchmarks.papers``) return sections of tables and figures as data (``artefacts``). The
runner keeps each section in a file, so that an interrupted run can continue; ``render`` draws all.
"""
