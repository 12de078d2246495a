"""The one prompt that every configuration is asked with."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from logic_retrievers.probe.readers.base import Prompt

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


def build_prompt(question: str, passages: Sequence[str], seed: int = 0) -> Prompt:
    """The prompt of a question: an instruction, two worked examples, the passages, the question.

    Args:
        question: as it is asked.
        passages: texts in the order of their retrieval; none is an honest prompt too.
        seed: for a reader that draws.
    """
    return Prompt(
        question=question,
        passages=tuple(passages),
        system=SYSTEM,
        user=_asked(passages, question),
        seed=seed,
        examples=tuple((_asked(given, text), said) for given, text, said in _EXAMPLES),
    )


def prompt_key(prompt: Prompt) -> str:
    """A hash of all that a chat model is given: what the same answer can be expected for."""
    said = [text for _, text in prompt.turns]
    content = "\0".join([*said, str(prompt.seed)])
    return hashlib.sha256(content.encode()).hexdigest()


def wording_key() -> str:
    """A hash of the wording alone; another one, and answers can no longer be compared."""
    return prompt_key(build_prompt("", ()))


def _asked(passages: Sequence[str], question: str) -> str:
    numbered = [f"{place}. {' '.join(text.split())}" for place, text in enumerate(passages, 1)]
    return "\n".join(["Passages:", *numbered, f"Question: {question}"])
