"""``python -m benchmarks``: all benchmarks, the reproduction report, or question sets."""

from __future__ import annotations

import runpy

import typer

from benchmarks.probe_questions.command import app as probe_questions
from benchmarks.report.command import report

BENCHMARKS = (
    *("parser", "ingestion", "latency", "serving", "frameworks"),
    *("contradiction_filter", "cleaning", "cleaning_alarms", "cleaning_growth"),
    "cleaning_batches",
)

app = typer.Typer(
    help="Without a command: run every benchmark, one after the other.",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(report)
app.add_typer(probe_questions, name="probe-questions")


@app.callback(invoke_without_command=True)
def run_all(context: typer.Context) -> None:
    """Run all benchmarks one by one; with a command, only that command."""
    if context.invoked_subcommand is None:
        for name in BENCHMARKS:
            runpy.run_module(f"benchmarks.product.{name}", run_name="__main__")


if __name__ == "__main__":
    app()
