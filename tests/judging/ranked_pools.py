"""A policy with scores and penalties as given, and the judged order in plain Python."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from logic_retrievers.policies import Policy, Ranked
from logic_retrievers.types import CandidatePool, Passage


@dataclass(frozen=True)
class Candidate:
    """One passage as a policy ranks it, and the margin that a judge gives it."""

    score: float
    penalty: float
    passed: bool
    margin: float | None


class GivenPolicy(Policy):
    """Ranks as it is told; the score is the one after the penalty."""

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
        details = {"penalty": c.penalty} if c.penalty else {}
        return Ranked(i, c.score, c.passed, f"own reason {i}", details)


def text_of(number: int, i: int) -> str:
    return f"passage {number} {i}"


def pool_of(number: int, count: int) -> CandidatePool:
    ids = tuple(text_of(number, i) for i in range(count))
    return CandidatePool(ids, {"topical": np.zeros(count)})


def passages_of(pool: CandidatePool) -> dict[str, Passage]:
    return {passage_id: Passage(passage_id, passage_id) for passage_id in pool.ids}


def reference_order(
    candidates: list[Candidate], depth: int, weight: float | None, share: float, count: int
) -> tuple[list[tuple[int, float]], list[int]]:
    """What is to come out, (candidate, score) best first, and what a judge reads, in order.

    Args:
        candidates: all of a pool.
        depth: how many are wanted.
        weight: of a margin; None: the margin alone orders.
        share: of the penalty that remains.
        count: how many are read.
    """
    penalty_goes = 0 if weight is None else 1 - share
    lifted = [c.score + penalty_goes * c.penalty for c in candidates]

    def best_first(numbers, scores):  # sorted() keeps the order of equals
        return sorted(numbers, key=lambda i: (not candidates[i].passed, -scores[i]))

    own = best_first(range(len(candidates)), [c.score for c in candidates])
    before = best_first(own, lifted)
    read = before[:count]
    final = []
    for i, candidate in enumerate(candidates):
        margin = candidate.margin if i in read else None
        if margin is None:  # its own penalty stays
            final.append(candidate.score - 3 if weight is None else candidate.score)
        else:
            final.append(margin if weight is None else lifted[i] + weight * margin)
    return [(i, final[i]) for i in best_first(own, final)[:depth]], read
