"""Are answers better with `auto` than with plain search? Twenty questions, no language model.

python examples/probe_policies.py

`logic-retrievers probe examples/allotments --depth 1` prints the same figures as tables. With a
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
        ways = resolve_configurations(["topical", "auto"], index, questions)
        result = probe(questions, ways, ExtractiveReader(index.encoder), depth=1)

    for name in ways:
        accuracy = result.figures(name)["accuracy"]
        by_kind = {kind: of["accuracy"].mean for kind, of in result.figures_by_kind(name).items()}
        told = ", ".join(f"{kind} {mean:.2f}" for kind, mean in by_kind.items())
        print(f"{name}: {accuracy.mean:.2f} ({accuracy.low:.2f} to {accuracy.high:.2f}); {told}")
    found = result.comparisons()["auto"]
    print(f"auto gains {found.gained} and loses {found.lost}; McNemar's p = {found.p:.4f}\n")

    for question in questions.questions:
        before, after = (result.traces[name][question.id] for name in ways)
        if before.answer != after.answer:
            print(f"{question.text}\n  topical: {before.answer}\n  auto:    {after.answer}")


if __name__ == "__main__":
    main()
