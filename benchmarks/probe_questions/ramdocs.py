"""Questions of RAMDocs, whose documents are correct, misinformed, or noise."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from random import Random

from logic_retrievers.evaluation.datasets import find_dataset_files, read_corpus
from logic_retrievers.evaluation.rows import Row, json_rows
from logic_retrievers.probe import ProbeQuestion, ProbeSet
from logic_retrievers.probe.grading import answer_tokens, find_spans

_CORRECT, _MISINFORMED = "correct", "misinfo"


def ramdocs_questions(
    folder: str | os.PathLike[str], split: str = "test", seed: int = 0, *, trusted: int = 1
) -> ProbeSet:
    """Load the questions of ``ramdocs`` (Wang et al. 2025), each over its own documents.

    Every gold answer is right, because many questions are ambiguous. Repeated wrong answers count
    once. A wrong answer inside a gold answer does not count, because RAMDocs lists *Hindi* as both
    for one question. Correct documents satisfy, misinformed ones violate; noise does neither.

    Kinds: ``one_answer`` and ``several_answers``, with ``_misinformed`` appended if a document is
    misinformed.

    Args:
        folder: ``ramdocs``: a path, or a name inside the benchmark folder.
        split: ``dev`` or ``test``.
        seed: seeds the draw of the trusted documents.
        trusted: maximum number of correct documents per question that the user trusts.
    """
    files = find_dataset_files(folder, split)
    corpus = read_corpus(files.corpus)
    types = {row.id(): row.text("type") for row in json_rows(files.corpus)}
    random = Random(seed)
    questions = []
    for row in json_rows(files.queries):
        own_types = {}
        for document in row.ids("doc_ids"):
            name = corpus.ids.get(document)
            if name is None:
                raise row.error(f"the corpus has no document {document!r}, or an empty one")
            own_types[name] = types[name]
        questions.append(_build_question(row, own_types, trusted, random))
    return ProbeSet(files.name, tuple(questions), corpus.documents)


def _build_question(
    row: Row, types: Mapping[str, str], trusted: int, random: Random
) -> ProbeQuestion:
    """Build a question; ``types`` maps its documents' ids to correct, misinformed or noise."""
    gold = tuple(dict.fromkeys(_read_answers(row, "gold_answers")))
    wrong = tuple(
        answer
        for answer in dict.fromkeys(_read_answers(row, "wrong_answers"))
        if not any(find_spans(answer_tokens(answer), answer_tokens(right)) for right in gold)
    )
    correct = [name for name, kind in types.items() if kind == _CORRECT]
    misinformed = [name for name, kind in types.items() if kind == _MISINFORMED]
    kind = "one_answer" if len(gold) == 1 else "several_answers"
    return ProbeQuestion(
        id=row.id(),
        text=row.text("text"),
        gold=gold,
        wrong=wrong,
        kind=f"{kind}_misinformed" if misinformed else kind,
        satisfying=tuple(correct),
        violating=tuple(misinformed),
        candidates=tuple(types),
        trusted=tuple(random.sample(correct, min(trusted, len(correct)))),
    )


def _read_answers(row: Row, name: str) -> Sequence[str]:
    values = row.fields.get(name)
    if not isinstance(values, list) or not all(
        isinstance(value, str) and value for value in values
    ):
        raise row.error(f"{name!r} must be a list of answers")
    return values
