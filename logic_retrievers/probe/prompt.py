"""The one prompt that every configuration gets."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Literal, TypeAlias

Role: TypeAlias = Literal["system", "user", "assistant"]

WORDING: Mapping[str, Any] = tomllib.loads(
    files("logic_retrievers.probe").joinpath("wording.toml").read_text("utf-8")
)
"""Instructions and worked examples of the prompts, words of answers, fields of a question."""


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
        system=WORDING["system"],
        user=_format_message(passages, question),
        seed=seed,
        examples=tuple(
            (_format_message(e["passages"], e["question"]), e["answer"])
            for e in WORDING["examples"]
        ),
    )


def _format_message(passages: Sequence[str], question: str) -> str:
    numbered = [f"{number}. {' '.join(text.split())}" for number, text in enumerate(passages, 1)]
    return "\n".join(["Passages:", *numbered, f"Question: {question}"])
