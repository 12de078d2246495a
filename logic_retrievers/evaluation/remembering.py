"""A judge that remembers its answers, for many searches with the same queries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from logic_retrievers.effects import encoder_threads, run
from logic_retrievers.errors import MalformedAnswerError
from logic_retrievers.judging.judge import (
    Answer,
    PartialAnswers,
    TextPair,
    ask,
    check_answer,
)
from logic_retrievers.judging.model_judge import ModelJudge
from logic_retrievers.judging.settings import AnyJudge, JudgeSettings, resolve_judge

if TYPE_CHECKING:
    from logic_retrievers.index import PassageIndex


class RememberingJudge(ModelJudge):
    """Asks a judge once about each pair of passage and text.

    A pair without an answer is not asked again either, since a judge may stop on purpose.

    Args:
        judge: the judge to ask; ``async def`` works too.

    Attributes:
        answers: the answers so far, without repetition.
        problem: why the judge failed first; empty if it did not.
    """

    def __init__(self, judge: Callable[..., Any]) -> None:
        self._judge = judge
        self._answers: dict[tuple[str, str, bool], Answer | None] = {}
        self.problem = ""

    def __call__(self, pairs: Sequence[TextPair], /) -> Sequence[Answer | None]:
        # one text may be wanted in one query and excluded in another
        keys = [(p, str(text), text in getattr(text, "excluded", ())) for p, text in pairs]
        new = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in self._answers}
        reply = run(ask(self._judge, [*new.values()], check_answer), encoder_threads)
        self.problem = self.problem or reply.problem
        found = [None] * len(new) if reply.answers is None else reply.answers
        self._answers.update(zip(new, found, strict=True))
        if reply.answers is None:
            raise MalformedAnswerError(reply.problem)
        answers = [self._answers[key] for key in keys]
        return PartialAnswers(answers, reply.problem) if reply.problem else answers

    @property
    def constants(self) -> Mapping[str, Any]:
        return self._judge.constants if isinstance(self._judge, ModelJudge) else {}

    @property
    def answered(self) -> float:
        """Share of the pairs that have an answer; 1 if the judge was asked nothing."""
        return len(self.answers) / len(self._answers) if self._answers else 1.0

    @property
    def answers(self) -> list[Answer]:
        return [answer for answer in self._answers.values() if answer is not None]


def remembering(judge: AnyJudge, index: PassageIndex) -> JudgeSettings | None:
    """Return a judge's settings with the judge as a :class:`RememberingJudge`; None if none."""
    weighted = index.run(resolve_judge(judge))
    if weighted is None:
        return None
    settings = judge if isinstance(judge, JudgeSettings) else JudgeSettings()
    return settings.model_copy(update={"judge": RememberingJudge(weighted.judge)})
