"""What reads passages and answers: anything with a name and an ``answer``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

Role: TypeAlias = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Prompt:
    """What a reader is given: the same for every configuration but for the passages.

    Args:
        question: as it is asked.
        passages: texts in the order of their retrieval.
        system: the instruction to a chat model.
        user: passages and question as one message to a chat model.
        seed: for a reader that draws.
        examples: worked examples, message and answer; turns of the conversation before ``user``.
    """

    question: str
    passages: tuple[str, ...]
    system: str
    user: str
    seed: int = 0
    examples: tuple[tuple[str, str], ...] = ()

    @property
    def turns(self) -> list[tuple[Role, str]]:
        """The conversation that a chat model is to go on with: role and text."""
        worked: list[tuple[Role, str]] = []
        for asked, said in self.examples:
            worked += [("user", asked), ("assistant", said)]
        return [("system", self.system), *worked, ("user", self.user)]


class Reader(Protocol):
    """Answers a question from passages."""

    @property
    def name(self) -> str:
        """Model and settings that change an answer, no secret: a part of the cache's key."""

    def answer(self, prompt: Prompt) -> str:
        """The answer, as the reader says it.

        Raises:
            LogicRetrieversError: no answer to this prompt; to another one there may be.
        """
