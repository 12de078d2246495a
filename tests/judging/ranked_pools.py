"""A policy with given scores, and the judged order in plain Python."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from logic_retrievers.judging import JudgeSettings
from logic_retrievers.policies import Policy, Ranked
from logic_retrievers.types import CandidatePool, Passage

ALONE = "alone"


@dataclass(frozen=True)
class Candidate:
    """One passage as a policy ranks it, and a judge's margin (None: no judgement)."""

    score: float
    passed: bool
    margin: float | None


class GivenPolicy(Policy):
    """Ranks by the given scores."""

    name = "given"

    def __init__(self, candidates: list[Candidate]) -> None:
        self.candidates = candidates

    def plan(self, query, k):
        return ()

    def rank(self, pool, k):
        order = sorted(
            range(len(self.candidates)),
            key=lambda i: (not self.candidates[i].passed, -self.candidates[i].score),
        )
        return [self._ranked(i) for i in order[:k]]

    def _ranked(self, i):
        c = self.candidates[i]
        return Ranked(i, c.score, c.passed, f"own reason {i}", {"own": i})


def id_of(number: int, i: int) -> str:
    return f"passage {number} {i}"


def pool_of(number: int, count: int) -> CandidatePool:
    ids = tuple(id_of(number, i) for i in range(count))
    return CandidatePool(ids, {"topical": np.zeros(count)})


def passages_of(number: int, candidates: list[Candidate]) -> dict[str, Passage]:
    return {
        id_of(number, i): Passage(id_of(number, i), id_of(number, i))
        for i in range(len(candidates))
    }


def reference_order(
    candidates: list[Candidate],
    depth: int,
    question: float | str | None,
    constants: JudgeSettings,
) -> tuple[list[tuple[int, float]], list[int]]:
    """Return the expected (candidate, score), best first, and what a judge reads, in order.

    Args:
        candidates: all candidates of a pool.
        depth: number of hits wanted.
        question: the gate; :data:`ALONE`: the margin alone orders; None: no judge is asked.
        constants: number of passages read, and the weight of a verdict.
    """

    def best_first(numbers, scores):  # sorted() is stable
        return sorted(numbers, key=lambda i: (not candidates[i].passed, -scores[i]))

    scores = [c.score for c in candidates]
    own = best_first(range(len(candidates)), scores)
    if question is None:
        return [(i, scores[i]) for i in own[:depth]], []
    read = own[: constants.candidates]
    if all(candidates[i].margin is None for i in read):
        return [(i, scores[i]) for i in own[:depth]], read
    final = []
    for i, candidate in enumerate(candidates):
        margin = candidate.margin if i in read else None
        if question == ALONE:
            final.append(scores[i] - 3 if margin is None else margin)
        elif margin is None:
            final.append(scores[i])
        else:
            weight = constants.satisfies_weight if margin > 0 else constants.violates_weight
            final.append(scores[i] + question * weight * margin)
    return [(i, final[i]) for i in best_first(own, final)[:depth]], read
