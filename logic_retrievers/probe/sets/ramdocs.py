"""RAMDocs: questions whose documents are right, misinformed, or noise."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from random import Random

from logic_retrievers.evaluation.corpus import read_corpus
from logic_retrievers.evaluation.folders import find_part
from logic_retrievers.evaluation.rows import Row, json_rows
from logic_retrievers.probe.normalising import places, tokens
from logic_retrievers.probe.questions import ProbeQuestion, ProbeSet

_CORRECT, _MISINFORMED = "correct", "misinfo"


def ramdocs_questions(
    folder: str | os.PathLike[str], split: str = "test", seed: int = 0, *, trusted: int = 1
) -> ProbeSet:
    """The questions of ``ramdocs`` (Wang et al. 2025), each over its own documents.

    Any of the gold answers is right, for many questions are ambiguous. A wrong answer counts once,
    and not at all where a gold one says it too: RAMDocs has *Hindi* on both sides of a question.
    Correct documents are the satisfying ones, misinformed ones violate; noise does neither.

    Kinds: ``one_answer`` and ``several_answers``, with ``_misinformed`` behind them where a
    document is.

    Args:
        folder: ``ramdocs``: a path, or a name inside the benchmark folder.
        split: ``dev`` or ``test``.
        seed: of the trusted documents.
        trusted: how many correct documents of each question the user vouches for, at most.

    Raises:
        ReadError: the folder or one of its files cannot be read.
    """
    part = find_part(folder, split)
    corpus = read_corpus(part.corpus)
    sides = {row.id(): row.text("type") for row in json_rows(part.corpus)}
    random = Random(seed)
    questions = []
    for row in json_rows(part.queries):
        named = row.ids("doc_ids")
        kept = {name: corpus.kept(name) for name in named}
        if missing := [name for name, found in kept.items() if found is None]:
            raise row.error(f"the corpus has no document {missing[0]!r}, or an empty one")
        side = {found: sides[found] for found in kept.values() if found is not None}
        questions.append(_asked(row, side, trusted, random))
    return ProbeSet(part.name, tuple(questions), corpus.documents)


def _asked(row: Row, side: Mapping[str, str], trusted: int, random: Random) -> ProbeQuestion:
    """One question; ``side``: its documents -> what they are."""
    gold = tuple(dict.fromkeys(_answers(row, "gold_answers")))
    wrong = tuple(
        one
        for one in dict.fromkeys(_answers(row, "wrong_answers"))
        if not any(places(tokens(one), tokens(right)) for right in gold)
    )
    correct = [name for name, kind in side.items() if kind == _CORRECT]
    misinformed = [name for name, kind in side.items() if kind == _MISINFORMED]
    kind = "one_answer" if len(gold) == 1 else "several_answers"
    return ProbeQuestion(
        id=row.id(),
        text=row.text("text"),
        gold=gold,
        wrong=wrong,
        kind=f"{kind}_misinformed" if misinformed else kind,
        satisfying=tuple(correct),
        violating=tuple(misinformed),
        candidates=tuple(side),
        trusted=tuple(random.sample(correct, min(trusted, len(correct)))),
    )


def _answers(row: Row, name: str) -> Sequence[str]:
    values = row.fields.get(name)
    if not isinstance(values, list) or not all(isinstance(one, str) and one for one in values):
        raise row.error(f"{name!r} must be a list of answers")
    return values
