"""A data set of disturbed queries: its parts, and the folder that keeps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from logic_export.data.tiers.disturbing import Disturbed, disturb, undisturbed
from logic_export.data.tiers.examples import write_tiers
from logic_export.data.tiers.questions import LabelledQuestion, read_questions
from logic_export.data.tiers.rewriting import RelationRewriter
from logic_export.data.tiers.splitting import SHARES, split_questions
from logic_retrievers.errors import ConfigurationError, InputError

UNDISTURBED = "test_undisturbed"


def read_parts(
    folders: Sequence[str | Path], shares: Mapping[str, float] = SHARES
) -> dict[str, list[LabelledQuestion]]:
    """Part -> the questions of all folders together, each question once.

    Raises:
        ReadError: a folder cannot be read.
        ConfigurationError: shares that do not add up to 1.
    """
    every: dict[str, LabelledQuestion] = {}
    for folder in folders:
        for question in read_questions(folder):
            every.setdefault(" ".join(question.text.split()).casefold(), question)
    return split_questions(list(every.values()), shares)


def build(
    parts: Mapping[str, Sequence[LabelledQuestion]],
    *,
    copies: Mapping[str, int],
    distractors: int = 2,
    candidates: int = 10,
    rewriter: RelationRewriter | None = None,
    seed: int = 0,
) -> dict[str, Disturbed]:
    """Part -> its disturbed queries; see :func:`~logic_export.data.tiers.disturbing.disturb`.

    Args:
        parts: as :func:`read_parts` gives them.
        copies: part -> how often a question comes; once where it is not named.
        distractors: as there, for all parts.
        candidates: as there.
        rewriter: for training only; what is measured must be the same for everybody.
        seed: as there.
    """
    return {
        part: disturb(
            questions,
            part,
            copies=copies.get(part, 1),
            distractors=distractors,
            candidates=candidates,
            rewriter=rewriter if part == "train" else None,
            seed=seed,
        )
        for part, questions in parts.items()
    }


def common_passages(built: Mapping[str, Disturbed], one: str, other: str) -> int:
    """How many passages are candidates in both parts."""
    texts = [
        {text for row in built[part].examples for text in row.passages} for part in (one, other)
    ]
    return len(texts[0] & texts[1])


def check_new(folder: Path) -> None:
    """Refuses a folder that holds a data set.

    Raises:
        ConfigurationError: one of the files is there already.
    """
    if there := [path for part in (*SHARES, UNDISTURBED) if (path := _file(folder, part)).exists()]:
        raise ConfigurationError(f"{there[0]} is there already; choose a new folder")


def write_disturbed(folder: Path, built: Mapping[str, Disturbed]) -> None:
    """Writes ``PART.jsonl.gz`` for each part that has examples, and ``test_undisturbed.jsonl.gz``.

    The same row of the last two has the same candidates, under the disturbed query and under the
    question as it was asked.

    Raises:
        ConfigurationError: one of the files is there already; nothing is written then.
        InputError: no example at all.
    """
    if not any(made.examples for made in built.values()):
        raise InputError("there is no disturbed query to write")
    check_new(folder)
    for part, made in built.items():
        if not made.examples:
            continue
        if part == "test":
            write_tiers(_file(folder, UNDISTURBED), [undisturbed(one) for one in made.examples])
        write_tiers(_file(folder, part), made.examples)


def _file(folder: Path, part: str) -> Path:
    return folder / f"{part}.jsonl.gz"
