"""The one prompt that every configuration gets."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["system", "user", "assistant"]

SYSTEM = (
    "You answer a question from numbered passages. Say the answer in as few words as you can, and "
    "nothing else. If the passages do not hold the answer, say: I don't know."
)
_EXAMPLES = (
    (
        (
            "The Alder is a river in the north. It was dammed in 1931.",
            "The Birk is a river in the north. It was never dammed.",
        ),
        "Which river in the north was not dammed?",
        "The Birk",
    ),
    (
        ("The Long Row is a 1902 novel by Ada Finch. Its hero is a miller.",),
        "Which novel by Ada Finch does not have a sailor in it?",
        "The Long Row",
    ),
)


@dataclass(frozen=True, slots=True)
class Prompt:
    """The input of a reader: the same for every configuration except for the passages.

    A chat model gets the instruction ``system``, the worked ``examples`` (message, answer), and
    ``user``: passages and question in one message. ``seed`` is for a reader that samples.
    """

    question: str
    passages: tuple[str, ...]
    system: str
    user: str
    seed: int = 0
    examples: tuple[tuple[str, str], ...] = ()

    @property
    def turns(self) -> list[tuple[Role, str]]:
        """The conversation that a chat model continues: role and text."""
        worked: list[tuple[Role, str]] = []
        for message, answer in self.examples:
            worked += [("user", message), ("assistant", answer)]
        return [("system", self.system), *worked, ("user", self.user)]


def build_prompt(question: str, passages: Sequence[str], seed: int = 0) -> Prompt:
    """An instruction, two worked examples, the passages (there may be none), and the question."""
    return Prompt(
        question=question,
        passages=tuple(passages),
        system=SYSTEM,
        user=_format_message(passages, question),
        seed=seed,
        examples=tuple((_format_message(texts, text), answer) for texts, text, answer in _EXAMPLES),
    )


def prompt_hash(prompt: Prompt) -> str:
    """A hash of everything that a chat model is given: equal hashes share one answer."""
    texts = [text for _, text in prompt.turns]
    content = "\0".join([*texts, str(prompt.seed)])
    return hashlib.sha256(content.encode()).hexdigest()


def template_hash() -> str:
    """A hash of the wording alone; answers to different wordings cannot be compared."""
    return prompt_hash(build_prompt("", ()))


def _format_message(passages: Sequence[str], question: str) -> str:
    numbered = [f"{number}. {' '.join(text.split())}" for number, text in enumerate(passages, 1)]
    return "\n".join(["Passages:", *numbered, f"Question: {question}"])
