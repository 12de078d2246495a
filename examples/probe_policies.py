"""Are answers better with `auto` than with plain search? Twenty questions, no language model.

python examples/probe_policies.py

`logic-retrievers probe run examples/allotments --depth 1` prints the same figures as tables. With a
model in place of the extractive reader (docs/probe.md), take a depth of 5.
"""

from __future__ import annotations

from pathlib import Path

from logic_retrievers import PassageIndex
from logic_retrievers.probe import (
    ExtractiveReader,
    fill_index,
    probe,
    read_probe,
    resolve_configurations,
)

QUESTIONS = Path(__file__).parent / "allotments"


def main() -> None:
    """Ask all questions under both policies, compare, and show what changed."""
    questions = read_probe(QUESTIONS)
    with PassageIndex.open("probe") as index:
        fill_index(index, questions)
        configurations = resolve_configurations(["topical", "auto"], index, questions)
        result = probe(questions, configurations, ExtractiveReader(index.encoder), depth=1)

    for name in configurations:
        accuracy = result.figures(name)["accuracy"]
        by_kind = ", ".join(
            f"{kind} {figures['accuracy'].mean:.2f}"
            for kind, figures in result.figures_by_kind(name).items()
        )
        print(f"{name}: {accuracy.mean:.2f} ({accuracy.low:.2f} to {accuracy.high:.2f}); {by_kind}")
    change = result.comparisons()["auto"]
    print(f"auto gains {change.gained} and loses {change.lost}; McNemar's p = {change.p:.4f}\n")

    for question in questions.questions:
        before, after = (result.traces[name][question.id] for name in configurations)
        if before.answer != after.answer:
            print(f"{question.text}\n  topical: {before.answer}\n  auto:    {after.answer}")


if __name__ == "__main__":
    main()
