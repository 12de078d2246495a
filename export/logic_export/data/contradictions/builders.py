"""Builders that a recipe names: they turn files of a data folder into contradiction groups."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import cycle, islice
from math import ceil
from pathlib import Path
from random import Random
from typing import Any

from pydantic import NonNegativeInt, PositiveInt

from logic_export.data.contradictions.conflictqa import question_groups, question_rows
from logic_export.data.contradictions.groups import ContradictionGroup, read_groups, unique_groups
from logic_export.data.contradictions.rule_contradictions import (
    KINDS,
    collect_words,
    group_with_paraphrases,
    make_groups,
)
from logic_export.data.labelled_triplets import crop_pair, labelled_triplets
from logic_export.data.negation import negate
from logic_export.data.sentences import sentence_window
from logic_export.data.triplet_builders import corpus_texts, find_data_file, run_builder
from logic_export.data.wordnet import load_wordnet
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.evaluation.rows import Row, json_rows


def build_groups(name: str, options: Mapping[str, Any], seed: int) -> list[ContradictionGroup]:
    """Run a builder by its name in :data:`GROUP_BUILDERS`; errors as in :func:`build_triplets`."""
    return run_builder(GROUP_BUILDERS, name, options, seed)


def file(path: Path) -> list[ContradictionGroup]:
    """Read a user's own groups, in the format of :func:`read_groups`."""
    return read_groups(find_data_file(path))


def questions(
    path: Path, most: PositiveInt | None = 2, *, answers: bool = True
) -> list[ContradictionGroup]:
    """Group rows in ConflictQA's format by question.

    A question with more than ``most`` passages on a side is split into several groups, so that no
    single question fills a batch. Each group has the short answers.
    """
    groups = []
    for rows in question_rows(find_data_file(path)).values():
        with_answers = question_groups(rows) if answers else []
        for group in question_groups(rows, answers=False):
            subgroups = [group] if most is None else _split_group(group, most)
            groups += (
                [_with_answers(part, with_answers[0]) for part in subgroups]
                if with_answers
                else subgroups
            )
    return unique_groups(groups)


def negations(path: Path) -> list[ContradictionGroup]:
    """Make groups from rows ``{sentence, negated}``."""
    return negation_groups(
        (_nonempty_text(row, "sentence"), _nonempty_text(row, "negated"))
        for row in json_rows(find_data_file(path))
    )


def claims(path: Path, corpus: Path) -> list[ContradictionGroup]:
    """Make groups from claims with labelled evidence and its corpus (SciFact's format)."""
    documents = {row.id(): row.text("text") for row in json_rows(find_data_file(corpus))}
    return claim_groups((_parse_claim(row) for row in json_rows(find_data_file(path))), documents)


def versions(
    folder: str, split: str = "train", crops: NonNegativeInt = 0, *, seed: int = 0
) -> list[ContradictionGroup]:
    """Group two versions of a passage that differ in a claim (NevIR), each with a paraphrase.

    ``crops`` adds that many copies of each pair, cropped around the difference.
    """
    random = Random(seed)
    groups = []
    for row in labelled_triplets(load_dataset(folder, split)):
        if row.violating is None:
            continue
        version_pairs = [(row.satisfying, row.violating)]
        version_pairs += [crop_pair(row.satisfying, row.violating, random) for _ in range(crops)]
        for left, right in dict.fromkeys(version_pairs):
            if left and right:
                group = group_with_paraphrases(left, right, "versions", {}, random)
                groups += [] if group is None else [group]
    return unique_groups(groups)


def rules(
    path: Path,
    count: PositiveInt,
    kinds: Sequence[str] = KINDS,
    sentences: PositiveInt = 4,
    texts: PositiveInt = 5000,
    *,
    wordnet: bool = False,
    seed: int = 0,
) -> list[ContradictionGroup]:
    """Make contradictions by rules over at most ``texts`` texts of a corpus.

    ``wordnet`` adds antonyms and synonyms; without it ``kinds`` needs a kind besides antonyms.
    """
    all_texts = sorted(set(corpus_texts(path)))
    sampled = Random(seed).sample(all_texts, min(texts, len(all_texts)))
    words = collect_words(sampled, load_wordnet() if wordnet else None)
    usable = [kind for kind in kinds if kind != "antonym" or wordnet]
    if not usable:
        raise ConfigurationError("builder 'rules' needs kinds; 'antonym' needs wordnet = true")
    return make_groups(
        sampled, words, count=count, kinds=usable, most_sentences=sentences, seed=seed
    )


GROUP_BUILDERS: Mapping[str, Callable[..., list[ContradictionGroup]]] = {
    builder.__name__: builder for builder in (file, questions, negations, claims, versions, rules)
}


def _split_group(group: ContradictionGroup, most: int) -> list[ContradictionGroup]:
    count = ceil(max(len(group.left), len(group.right)) / most)
    if count == 1:
        return [group]
    size = [min(most, len(side)) for side in (group.left, group.right)]
    left, right = cycle(group.left), cycle(group.right)
    return [
        replace(group, left=tuple(islice(left, size[0])), right=tuple(islice(right, size[1])))
        for _ in range(count)
    ]


def _with_answers(
    group: ContradictionGroup, with_answers: ContradictionGroup
) -> ContradictionGroup:
    """Add the short answers to a group: the shortest text of each side of its question."""
    answers = [min(side, key=len) for side in (with_answers.left, with_answers.right)]
    return replace(
        group,
        left=tuple(dict.fromkeys((*group.left, answers[0]))),
        right=tuple(dict.fromkeys((*group.right, answers[1]))),
    )


def _nonempty_text(row: Row, name: str) -> str:
    text = row.text(name)
    if not text.strip():
        raise row.error(f"{name!r} is empty")
    return text


def _parse_claim(row: Row) -> Mapping[str, Any]:
    evidence = row.fields.get("evidence")
    try:
        well_formed = all(
            isinstance(entry["label"], str) and all(isinstance(n, int) for n in numbers)
            for entry in dict(evidence).values()  # type: ignore[arg-type]
            for numbers in entry["rationales"]
        )
    except (KeyError, TypeError, ValueError):
        well_formed = False
    if not well_formed:
        raise row.error("'evidence' must give each document's 'label' and 'rationales'")
    return {"text": _nonempty_text(row, "text"), "evidence": evidence}


def claim_groups(
    claims: Iterable[Mapping[str, Any]], documents: Mapping[str, str]
) -> list[ContradictionGroup]:
    """Group a document's evidence and the claims it supports against claims it contradicts.

    Claims about the same sentences form one group. If the evidence contradicts no claim, the
    supported claims are negated where a rule is safe. A claim has ``text`` and ``evidence``:
    document id -> ``label`` (SUPPORT, CONTRADICT) and ``rationales``, lists of sentence numbers.
    """
    claims_by_evidence: dict[Any, dict[str, dict[str, None]]] = defaultdict(dict)
    for claim in claims:
        for document_id, evidence in claim["evidence"].items():
            if document_id in documents:
                numbers = sorted({n for rationale in evidence["rationales"] for n in rationale})
                by_label = claims_by_evidence[document_id, tuple(numbers)]
                by_label.setdefault(evidence["label"], {})[claim["text"].strip()] = None
    groups = []
    for (document_id, numbers), by_label in claims_by_evidence.items():
        evidence = sentence_window(documents[document_id], numbers)
        supported, contradicting = (
            tuple(by_label.get(claim_text, ())) for claim_text in ("SUPPORT", "CONTRADICT")
        )
        contradicting = contradicting or tuple(
            n for claim_text in supported if (n := negate(claim_text)) is not None
        )
        left = tuple(
            t for t in dict.fromkeys((evidence, *supported)) if t and t not in contradicting
        )
        if left and contradicting:
            groups.append(ContradictionGroup(left, contradicting, "claims"))
    return unique_groups(groups)


def negation_groups(pairs: Iterable[tuple[str, str]]) -> list[ContradictionGroup]:
    """Group (statement, negation) pairs; statements that share a negation are paraphrases."""
    statements_of: dict[str, dict[str, None]] = defaultdict(dict)
    for statement, negation in pairs:
        if statement != negation:
            statements_of[negation][statement] = None
    return unique_groups(
        ContradictionGroup(tuple(statements), (negation,), "negations")
        for negation, statements in statements_of.items()
    )
