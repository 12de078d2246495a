"""The one prompt that every configuration gets."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

Role: TypeAlias = Literal["system", "user", "assistant"]

# Instructions and worked examples of the prompts, words of answers, fields of a question.
WORDING: Mapping[str, Any] = tomllib.loads(
    Path(__file__).with_name("wording.toml").read_text("utf-8")
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

    def message(passages: Sequence[str], question: str) -> str:
        numbered = [f"{n}. {' '.join(text.split())}" for n, text in enumerate(passages, 1)]
        return "\n".join(["Passages:", *numbered, f"Question: {question}"])

    examples = tuple(
        (message(e["passages"], e["question"]), e["answer"]) for e in WORDING["examples"]
    )
    user = message(passages, question)
    return Prompt(question, tuple(passages), WORDING["system"], user, seed, examples)
