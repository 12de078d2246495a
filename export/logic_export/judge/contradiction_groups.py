"""Rows of inference from contradictions that are known: groups of two sides."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, product
from random import Random
from typing import Any

from logic_export.data.contradictions.builders import build_groups
from logic_export.data.sentences import split_sentences
from logic_export.judge.rows import (
    CONTRADICTION,
    ENTAILMENT,
    NEUTRAL,
    JudgeRow,
    labelled_row,
)
from logic_retrievers.judging.pair_kinds import pair_sentences


def group_pairs(
    builder: str, options: Mapping[str, Any], cut: float = 0.0, *, seed: int = 0
) -> list[JudgeRow]:
    """Texts of a group: those of two sides contradict each other, those of one entail each other.

    One text of another group is neutral. The longer text of a pair is the premise.

    Args:
        builder: of groups, one of ``GROUP_BUILDERS``.
        options: of that builder.
        cut: share of the pairs whose second text is cut to one sentence, as a claim beside its
            evidence: for a contradiction the sentence that differs.
        seed: of the builder, of cuts and strangers.
    """
    random = Random(seed)
    groups = build_groups(builder, options, seed)
    rows = []
    for group in groups:
        pairs = [(one, other, CONTRADICTION) for one, other in product(group.left, group.right)]
        for side in (group.left, group.right):
            pairs += [(one, other, ENTAILMENT) for one, other in combinations(side, 2)]
        stranger = random.choice(groups)
        if stranger is not group:
            pairs.append((random.choice(group.left), random.choice(stranger.left), NEUTRAL))
        for one, other, label in pairs:
            if random.random() < cut:
                other = _claim(one, other, label, random)
            premise, hypothesis = sorted(pair_sentences(one, other), key=len, reverse=True)
            rows.append(labelled_row(premise, hypothesis, label))
    return rows


def _claim(one: str, other: str, label: str, random: Random) -> str:
    """One sentence of the second text; all of it where none will do.

    Of a contradiction that is the only sentence of which the first text has no copy.
    """
    sentences = split_sentences(other)
    if label == CONTRADICTION:
        sentences = [text for text in sentences if text not in set(split_sentences(one))]
        return sentences[0] if len(sentences) == 1 else other
    return random.choice(sentences or [other])
