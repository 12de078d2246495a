"""Kinds of pairs from contradictions that are known: groups of two sides, and labelled pairs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any

from logic_export.data.contradictions.builders import build_groups
from logic_export.data.sentences import split_sentences
from logic_export.data.triplet_builders import find_data_file
from logic_export.judge.rows import (
    CONTRADICTION,
    ENTAILMENT,
    JudgeRow,
    labelled_row,
    read_judge_rows,
)
from logic_retrievers.judging import PAIR_KINDS
from logic_retrievers.judging.pair_kinds import pair_texts
from logic_retrievers.types import Passage

_NEUTRAL = {"scope": 0.4, "unrelated": 0.6}
"""A neutral pair may be about another thing or about nothing in common; nobody has said which."""


def group_kinds(
    builder: str, options: Mapping[str, Any], cut: float = 0.0, *, seed: int = 0
) -> list[JudgeRow]:
    """Texts of a group: those of two sides contradict each other, those of one say the same.

    One text of another group is unrelated. Each pair comes in one order, drawn at random.

    Args:
        builder: of groups, one of ``GROUP_BUILDERS``.
        options: of that builder.
        cut: share of the pairs whose second text is cut to one sentence, as a claim beside its
            evidence: for a contradiction the sentence that differs.
        seed: of the builder, of order, cuts and strangers.
    """
    random = Random(seed)
    groups = build_groups(builder, options, seed)
    rows = []
    for group in groups:
        pairs = [(one, other, CONTRADICTION) for one, other in product(group.left, group.right)]
        for side in (group.left, group.right):
            pairs += [(one, other, "paraphrase") for one, other in combinations(side, 2)]
        stranger = random.choice(groups)
        if stranger is not group:
            pairs.append((random.choice(group.left), random.choice(stranger.left), "unrelated"))
        for one, other, kind in pairs:
            if random.random() < cut:
                other = _claim(one, other, kind, random)
            texts = pair_texts(Passage("one", one), Passage("other", other))
            first, second = random.sample(texts, 2)
            rows.append(labelled_row(first, second, kind, PAIR_KINDS))
    return rows


def statement_kinds(path: str, *, seed: int = 0) -> list[JudgeRow]:
    """Pairs of natural language inference as kinds: what follows says the same.

    Args:
        path: as the builder ``pairs`` reads them.
        seed: of which text comes first.
    """
    random = Random(seed)
    rows = []
    for row in read_judge_rows(find_data_file(Path(path))):
        one, other = random.sample((row.premise, row.hypothesis), 2)
        if row.label in (CONTRADICTION, ENTAILMENT):
            kind = CONTRADICTION if row.label == CONTRADICTION else "paraphrase"
            rows.append(labelled_row(one, other, kind, PAIR_KINDS))
        else:
            target = tuple(_NEUTRAL.get(kind, 0.0) for kind in PAIR_KINDS)
            rows.append(JudgeRow(one.strip(), other.strip(), target))
    return rows


def _claim(one: str, other: str, kind: str, random: Random) -> str:
    """One sentence of the second text; all of it where none will do.

    Of a contradiction that is the only sentence of which the first text has no copy.
    """
    sentences = split_sentences(other)
    if kind == CONTRADICTION:
        sentences = [text for text in sentences if text not in set(split_sentences(one))]
        return sentences[0] if len(sentences) == 1 else other
    return random.choice(sentences or [other])
