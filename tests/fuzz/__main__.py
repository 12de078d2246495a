"""``python -m tests.fuzz``: a run of many inputs, with a table and the failures in a file."""

from __future__ import annotations

import argparse
import faulthandler
import resource
import sys
import tempfile
from functools import partial
from pathlib import Path

from .harness import FAILURES, Outcome, Tally, first_of_each_cause
from .targets import TARGETS, run, shares

MEMORY = 4 * 2**30
"""Bytes that a run may take; more is a MemoryError, and so a failure."""
NATIVE_LIMIT = 60
"""Seconds after which a run ends whose native code does not return."""
SHOWN = 30
"""Causes that are printed; the file has all failures."""


def main() -> int:
    """Runs the targets; 1 where there is any failure."""
    arguments = _parse_arguments()
    names = arguments.only or list(TARGETS)
    tallies, last = [], arguments.output.with_suffix(".last")
    for name, inputs in shares(arguments.inputs, names).items():
        indices = range(inputs) if arguments.index is None else [arguments.index]
        tally = run(name, arguments.seed, indices, partial(_watch, last, name, arguments.seed))
        tallies.append(tally)
        _print(_row(tally))
    failures = [failure for tally in tallies for failure in tally.failures]
    if failures:
        _report(failures, arguments.output)
    return bool(failures)


def _watch(last: Path, name: str, seed: int, index: int) -> None:
    """Ends the run where native code hangs or crashes; the file then says which input it was."""
    last.write_text(f"--only {name} --seed {seed} --index {index}\n", encoding="utf-8")
    faulthandler.dump_traceback_later(NATIVE_LIMIT, exit=True)


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--inputs", type=int, default=20_000, help="of all targets together")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="+", metavar="TARGET", choices=TARGETS, help="all")
    parser.add_argument("--index", type=int, help="run this one input again")
    parser.add_argument(
        "--output", type=Path, default=Path(tempfile.gettempdir(), "fuzz-failures.txt")
    )
    return parser.parse_args()


def _print(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _row(tally: Tally) -> str:
    counts = tally.counts
    figures = ", ".join(f"{counts[kind]} {kind}" for kind in ("right", "typed", *FAILURES))
    aborted = f", {counts['aborted']} aborted" if counts["aborted"] else ""
    total = sum(counts.values())
    return f"{tally.target:12} {total:6} inputs, {tally.seconds:6.1f} s: {figures}{aborted}"


def _report(failures: list[Outcome], output: Path) -> None:
    output.write_text("\n\n".join(map(str, failures)) + "\n", encoding="utf-8")
    causes = first_of_each_cause(failures)
    for failure, count in causes[:SHOWN]:
        _print(f"\n{count} x {failure}")
    if len(causes) > SHOWN:
        _print(f"\nand {len(causes) - SHOWN} more causes")
    _print(f"\n{len(failures)} failures of {len(causes)} causes; all in {output}")


if __name__ == "__main__":
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))  # or one input ends the machine
    sys.exit(main())
