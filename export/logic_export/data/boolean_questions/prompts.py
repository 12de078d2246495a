"""Prompts: one instruction for each kind of question, in several styles.

BoolQuestions' own prompts are unknown (?); these follow its description.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Literal, TypeAlias

MAX_QUESTION_WORDS = 32
"""Words of a question, as in the paper."""

NO_QUESTION = "NONE"
"""The model's answer where no such question exists."""

QuestionKind: TypeAlias = Literal["simple", "shared", "and", "or", "not"]

_TASKS: dict[QuestionKind, str] = {
    "simple": (
        "Write one question that the passage answers, about something particular to it that other "
        "passages on its topic would not answer."
    ),
    "shared": (
        "Write one general question to which each of the passages gives an answer of its own. "
        "Every one of them, read alone, must be enough. Do not ask for what only one of them says, "
        "and do not list what they say."
    ),
    "and": (
        "Below are a general question, which all the passages answer, and a narrow one, which only "
        "passage 1 answers. Write the general question with one more condition, made of what the "
        "narrow one asks about, so that passage 1 alone still answers it. Keep every name and "
        "number of both."
    ),
    "or": (
        "Join the two questions below to one with 'or': whoever answers either of them answers it. "
        "Keep every name and number of both, and ask for nothing more."
    ),
    "not": (
        "Below are a general question, which all the passages answer, and a narrow one, which only "
        "passage 1 answers. Write the general question so that it rules out what the narrow one "
        "asks about: passage 1 no longer answers it, and the others still do. Rule it out with "
        "{cue}. Keep every name and number of both."
    ),
}
STYLES = (
    "Word it as a full question.",
    "Word it as a few key words and no sentence, as people type them.",
    "Word it as a request that begins with a verb, such as 'find' or 'list'.",
    "Word it as somebody would say it to a friend, casually.",
    "Word it as a specialist of the field would.",
)
CUES = ("'but not'", "'except'", "'excluding'", "'other than'", "'without'", "a plain 'not'")
"""Ways to exclude, so that no single word reveals a NOT question."""

_FORMAT = (
    f"It is typed into a search engine by somebody who has not seen any passage: at most "
    f"{MAX_QUESTION_WORDS} words, nothing copied from a passage at length, no word about passages "
    f"or texts. Answer with it alone, on one line, without quotation marks. If there is no such "
    f"question, answer {NO_QUESTION}."
)
ANSWER_PROMPT = (
    "Answer the question from the passage alone, in at most {words} words. If the passage does not "
    "answer it, or gives only what the question rules out, reply: Cannot answer"
)


def format_instruction(kind: QuestionKind, random: Random) -> str:
    """The instruction, with a random style and cue."""
    task = _TASKS[kind].format(cue=random.choice(CUES))
    return f"{task} {random.choice(STYLES)} {_FORMAT}"


def format_request(passages: Sequence[str], questions: Sequence[str] = ()) -> str:
    """The passages and questions, each under a heading.

    Of two questions over several passages the first is the general one.
    """
    headings = ("General", "Narrow") if passages else ("First", "Second")
    parts = [f"Passage {number}:\n{text}" for number, text in enumerate(passages, start=1)]
    parts += [f"{name} question:\n{text}" for name, text in zip(headings, questions, strict=False)]
    return "\n\n".join(parts)
