"""A judge from a framework's reranker."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias, TypeVar

from pydantic import BaseModel

from logic_retrievers.errors import MalformedAnswerError, describe_failure
from logic_retrievers.judging.judge import PartialAnswers, TextPair
from logic_retrievers.judging.model_judge import ModelJudge

# query, different texts -> a score for each text; None for no answer
Score: TypeAlias = Callable[[str, list[str]], Sequence[float | None]]
M = TypeVar("M", bound=BaseModel)

# fields of frameworks' rerankers for the number of documents that they return
_LIMITS = ("top_n", "top_k")


class ScoringJudge(ModelJudge):
    """Asks a framework's reranker, once for each query.

    If a call fails, the answers to its query are None; other queries' answers count.

    Args:
        score: calls the reranker.
        model: the reranker; ``repr`` shows its class.
    """

    def __init__(self, score: Score, model: Any) -> None:
        self._score = score
        self._model = model

    def __repr__(self) -> str:
        return f"as_judge({type(self._model).__name__})"

    @property
    def constants(self) -> Mapping[str, Any]:
        """Ask in the user's words; a reranker cuts long texts itself."""
        return {"ask": "query", "max_words": 250}

    def __call__(self, pairs: Sequence[TextPair], /) -> PartialAnswers:
        scores_of: dict[str, dict[str, float | None]] = {}
        for text, query in pairs:
            scores_of.setdefault(query, {})[text] = None
        problem = ""
        for query, scores in scores_of.items():
            try:
                answers = self._score(str(query), list(scores))
                if len(answers) != len(scores):
                    raise MalformedAnswerError(
                        f"it gave {len(answers)} scores for {len(scores)} texts"
                    )
            except Exception as error:
                problem = problem or describe_failure(error)
            else:
                scores.update(zip(scores, answers, strict=True))
        return PartialAnswers([scores_of[query][text] for text, query in pairs], problem)


def scores_in_order(returned: Sequence[tuple[int, float | None]], count: int) -> list[float | None]:
    """Return the score of each text that a reranker was given.

    Args:
        returned: place of each text that the reranker returned, and its score, best first. If a
            score is None, their order makes the scores: 0, -1, -2, ...
        count: number of given texts. A text that the reranker left out gets a score below all
            others; if the reranker returned none, each text gets None. So it does if all came back
            as they were given, without scores, as some rerankers return them when they fail.
    """
    places = [place for place, _ in returned]
    scores = [score for _, score in returned if score is not None]
    if not scores and places in ([], [*range(count)]):
        return [None] * count
    if len(scores) < len(returned):
        scores = [float(-rank) for rank in range(len(returned))]
    lowest, spread = min(scores), max(scores) - min(scores)
    # one average step, because the scores are stretched to the range of the policy's
    below = lowest - (spread / (len(scores) - 1) if spread else 1.0)
    by_place = dict(zip(places, scores, strict=True))
    return [by_place.get(place, below) for place in range(count)]


def without_limit(model: M, count: int) -> M:
    """Return a copy of a reranker that returns all of ``count`` documents, if it has a limit."""
    limits = [
        name
        for name in _LIMITS
        if name in type(model).model_fields and getattr(model, name) is not None
    ]
    return model.model_copy(update=dict.fromkeys(limits, count))
