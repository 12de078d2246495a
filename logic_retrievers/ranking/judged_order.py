"""Put candidates in order by what a model read or the query prefers. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from logic_retrievers.fields import Condition
from logic_retrievers.judging.judge import AnyJudgement, Judgement, RelevanceJudgement
from logic_retrievers.judging.settings import JudgeSettings
from logic_retrievers.policies import Ranked
from logic_retrievers.policies.base import JudgeRequest

# If the judge alone ranks: lowest judgement less the score of an unread candidate, less its own.
_BELOW_LOWEST = 2.0
# what a passage gains that meets a preference
PREFERENCE_WEIGHT = 0.3


def judged(
    order: Sequence[Ranked],
    judgements: Mapping[int, AnyJudgement],
    request: JudgeRequest,
    constants: JudgeSettings,
) -> list[Ranked]:
    """Return the candidates in the order that a judge gives them.

    Args:
        order: the policy's order.
        judgements: by ``Ranked.index``, all with probabilities or all with scores.
        request: the policy's question.
        constants: weights; see :class:`JudgeSettings`.
    """
    if not judgements:
        return [*order]
    if request.alone:
        # margins are at least -1; scores have no limit
        lowest = min(-1.0, *(judgement.margin for judgement in judgements.values()))
        return _sorted(
            replace(ranked, score=ranked.score - _BELOW_LOWEST + lowest)
            if (judgement := judgements.get(ranked.index)) is None
            else _with_judgement(
                replace(ranked, score=judgement.margin, reason=""), "judge", judgement
            )
            for ranked in order
        )
    added = _gains(order, judgements, constants)
    return _sorted(
        _added(ranked, judgements[ranked.index], request.gate, added[ranked.index])
        if ranked.index in judgements
        else ranked
        for ranked in order
        if not _is_dropped(judgements.get(ranked.index), request.gate, constants.drop_above)
    )


def reranked(
    order: Sequence[Ranked], judgements: Mapping[int, AnyJudgement], weight: float = 1.0
) -> list[Ranked]:
    """Return the candidates in a reranker's order, with the policy's deductions kept.

    ``weight`` is the share of the reranker's order; the rest is the policy's.
    """
    margins = {index: judgement.margin for index, judgement in judgements.items()}
    moves = {index: weight * move for index, move in _moves(order, margins).items()}
    return _sorted(
        _with_judgement(
            replace(ranked, score=ranked.score + moves[ranked.index]),
            "reranker",
            judgements[ranked.index],
            {"added": round(moves[ranked.index], 6)},
        )
        if ranked.index in moves
        else ranked
        for ranked in order
    )


def preferred(
    order: Sequence[Ranked], closeness: Mapping[int, float], conditions: Sequence[Condition]
) -> list[Ranked]:
    """Return the candidates with those first that are near to what the query prefers.

    Args:
        order: the policy's order.
        closeness: by ``Ranked.index``, in [0, 1].
        conditions: what the query prefers.
    """
    said = ", ".join(map(str, conditions))
    moved = []
    for ranked in order:
        near = closeness.get(ranked.index, 0.0)
        reason = f"{100 * near:.0f} % of the preference {said}"
        moved.append(
            replace(
                ranked,
                score=ranked.score + PREFERENCE_WEIGHT * near,
                reason=f"{ranked.reason}; {reason}" if ranked.reason else reason,
                details={
                    **ranked.details,
                    "preference": {"closeness": round(near, 6), "added": PREFERENCE_WEIGHT * near},
                },
            )
        )
    return _sorted(moved)


def stretched(
    values: npt.NDArray[np.float64], onto: npt.NDArray[np.float64]
) -> npt.NDArray[np.float64]:
    """Map values linearly, so that their least and greatest are those of ``onto``.

    Values that are all equal order nothing, and the answer is ``onto``.
    """
    least, greatest = values.min(), values.max()
    if least == greatest:
        return onto
    share = (values - least) / (greatest - least)
    return np.asarray(onto.min() + share * (onto.max() - onto.min()))


def _gains(
    order: Sequence[Ranked], judgements: Mapping[int, AnyJudgement], constants: JudgeSettings
) -> dict[int, float]:
    """Return what each candidate gains at a gate of 1."""
    scores = {i: j.score for i, j in judgements.items() if isinstance(j, RelevanceJudgement)}
    if scores:
        moves = _moves(order, scores)
        return {index: constants.relevance_weight * move for index, move in moves.items()}
    return {
        index: constants.satisfies_weight * judgement.satisfies
        - constants.violates_weight * judgement.violates
        for index, judgement in judgements.items()
        if isinstance(judgement, Judgement)
    }


def _moves(order: Sequence[Ranked], scores: Mapping[int, float]) -> dict[int, float]:
    """Return the stretched score of each candidate less its own score before deductions."""
    read = [ranked for ranked in order if ranked.index in scores]
    if not read:
        return {}
    own = np.array([ranked.score + ranked.penalty for ranked in read])
    moves = stretched(np.array([scores[ranked.index] for ranked in read]), own) - own
    return {ranked.index: float(move) for ranked, move in zip(read, moves, strict=True)}


def _is_dropped(judgement: AnyJudgement | None, gate: float, above: float | None) -> bool:
    return (
        above is not None
        and isinstance(judgement, Judgement)
        and gate * judgement.violates >= above
    )


def _added(ranked: Ranked, judgement: AnyJudgement, gate: float, gain: float) -> Ranked:
    added = gate * gain
    told = {"gate": round(gate, 6), "added": round(added, 6)}
    return _with_judgement(replace(ranked, score=ranked.score + added), "judge", judgement, told)


def _with_judgement(
    ranked: Ranked, name: str, judgement: AnyJudgement, told: Mapping[str, float] | None = None
) -> Ranked:
    reason = f"the {name} {judgement.reason}"
    return replace(
        ranked,
        reason=f"{ranked.reason}; {reason}" if ranked.reason else reason,
        details={**ranked.details, name: {**judgement.to_dict(), **(told or {})}},
    )


def _sorted(ranking: Iterable[Ranked]) -> list[Ranked]:
    """Sort best first; candidates that failed a filter stay behind the others."""
    return sorted(ranking, key=lambda ranked: (not ranked.passed_filter, -ranked.score))
