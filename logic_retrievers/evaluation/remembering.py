"""A judge that remembers its answers, for many searches with the same queries."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from logic_retrievers.effects import encoder_threads, run
from logic_retrievers.judging.judge import (
    Answer,
    PartialAnswers,
    TextPair,
    ask,
    check_answer,
)
from logic_retrievers.judging.model_judge import ModelJudge
from logic_retrievers.judging.settings import AnyJudge, JudgeSettings, resolve_judge
from logic_retrievers.progress import ProgressCallback, ProgressMeter

if TYPE_CHECKING:
    from logic_retrievers.index import PassageIndex


# passage, text, and whether the text is excluded: one text may be wanted in one query and excluded
# in another
_Key: TypeAlias = tuple[str, str, bool]

# at least so many pairs between two reports of progress
_BATCH = 60


class RememberingJudge(ModelJudge):
    """Asks a judge once about each pair of passage and text.

    A pair without an answer is not asked again either, since a judge may stop on purpose. After a
    batch of 60 pairs without any answer, the call's other pairs are not asked.

    Args:
        judge: the judge to ask; ``async def`` works too.
        progress: called after each batch, with the share of the call's new pairs.

    Attributes:
        answers: the answers so far, without repetition.
        problem: why the judge failed first; empty if it did not.
    """

    def __init__(self, judge: Callable[..., Any], progress: ProgressCallback | None = None) -> None:
        self._judge, self._progress = judge, progress
        self._answers: dict[_Key, Answer | None] = {}
        self.problem = ""

    def __call__(self, pairs: Sequence[TextPair], /) -> Sequence[Answer | None]:
        keys = [(p, str(text), text in getattr(text, "excluded", ())) for p, text in pairs]
        new = {key: pair for key, pair in zip(keys, pairs, strict=True) if key not in self._answers}
        self._answers.update(dict.fromkeys(new))
        meter = ProgressMeter(self._progress, len(new))
        problem, done = "", 0
        for batch in _batches(new):
            reply = run(ask(self._judge, [*batch.values()], check_answer), encoder_threads)
            problem = problem or reply.problem
            if reply.answers is None:
                break
            self._answers.update(zip(batch, reply.answers, strict=True))
            done += len(batch)
            meter.report(done)
        self.problem = self.problem or problem
        answers = [self._answers[key] for key in keys]
        return PartialAnswers(answers, problem) if problem else answers

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


def _batches(pairs: Mapping[_Key, TextPair]) -> Iterator[dict[_Key, TextPair]]:
    """Split the pairs between queries, because some rerankers only order the texts of one call."""
    batch: dict[_Key, TextPair] = {}
    for _, group in groupby(pairs.items(), lambda item: getattr(item[1][1], "query", item[1][1])):
        batch.update(group)
        if len(batch) >= _BATCH:
            yield batch
            batch = {}
    if batch:
        yield batch


def remembering(
    judge: AnyJudge, index: PassageIndex, progress: ProgressCallback | None = None
) -> JudgeSettings | None:
    """Return a judge's settings with the judge as a :class:`RememberingJudge`; None if none."""
    weighted = index.run(resolve_judge(judge))
    if weighted is None:
        return None
    settings = judge if isinstance(judge, JudgeSettings) else JudgeSettings()
    return settings.model_copy(update={"judge": RememberingJudge(weighted.judge, progress)})
