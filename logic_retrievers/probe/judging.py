"""A language model that says whether an answer is right; beside the comparison, never instead."""

from __future__ import annotations

from logic_retrievers.errors import InputError
from logic_retrievers.probe.normalising import tokens
from logic_retrievers.probe.questions import ProbeQuestion
from logic_retrievers.probe.readers.base import Prompt, Reader

_SYSTEM = (
    "You compare a given answer with the right answers to a question. Say yes if it means the same "
    "as one of them, and no if it does not or if it means something else as well. Say one word."
)


def judge_prompt(question: ProbeQuestion, answer: str, seed: int = 0) -> Prompt:
    """What a judge is asked."""
    lines = [
        f"Question: {question.text}",
        f"Right answers: {'; '.join(question.gold)}",
        *([f"Wrong answers: {'; '.join(question.wrong)}"] if question.wrong else []),
        f"Given answer: {' '.join(answer.split())}",
        "Is the given answer right? yes or no:",
    ]
    return Prompt(question.text, (), _SYSTEM, "\n".join(lines), seed)


def judge(reader: Reader, question: ProbeQuestion, answer: str, seed: int = 0) -> bool:
    """Whether a language model takes an answer for a right one.

    Args:
        reader: the judge.
        question: with its right and wrong answers, which the judge sees.
        answer: as a reader gave it.
        seed: for a judge that draws.

    Raises:
        InputError: the judge said neither yes nor no.
        LogicRetrieversError: the judge gave no answer.
    """
    match tokens(reader.answer(judge_prompt(question, answer, seed)))[:1]:
        case ("yes",):
            return True
        case ("no",):
            return False
        case _:
            raise InputError(f"the judge {reader.name!r} said neither yes nor no")
