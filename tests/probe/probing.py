"""A small question set, retrieval by a table, and readers with given answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from logic_retrievers import Evidence, Hit, Passage
from logic_retrievers.errors import InputError
from logic_retrievers.probe import ProbeQuestion, ProbeSet, Prompt, Retrieve

PASSAGES = {
    "ann": "Ann likes tea.",
    "bob": "Bob likes tea and cake.",
    "cid": "Cid likes chess.",
}
QUESTIONS = (
    ProbeQuestion(
        "tea", "Who likes tea but not cake?", ("Ann",), ("Bob",), "a", ("ann",), ("bob",)
    ),
    ProbeQuestion("chess", "Who likes chess?", ("Cid",), kind="b", satisfying=("cid",)),
    ProbeQuestion("cake", "Who likes cake?", ("Bob",), ("Ann",), "a", ("bob",), ("ann",)),
)
SET = ProbeSet("small", QUESTIONS, PASSAGES)
GOOD = {"tea": ["ann", "bob"], "chess": ["cid"], "cake": ["bob"]}
POOR = {"tea": ["bob", "ann"], "chess": ["cid"], "cake": ["ann"]}


def by_table(table: Mapping[str, Sequence[str]]) -> Retrieve:
    """Retrieve all passages that a table names."""

    def retrieve(question: ProbeQuestion, depth: int) -> list[Hit]:
        return [
            Hit(Passage(name, PASSAGES[name]), rank, 1 / rank, Evidence("table", {}, {}))
            for rank, name in enumerate(table[question.id], 1)
        ]

    return retrieve


class FirstName:
    """Answers with the first passage's first word; records the questions."""

    name = "first name"

    def __init__(self, fails: Callable[[Prompt], bool] = lambda _: False) -> None:
        self.asked: list[Prompt] = []
        self.fails = fails

    def answer(self, prompt: Prompt) -> str:
        self.asked.append(prompt)
        if self.fails(prompt):
            raise InputError("no answer to this one")
        return prompt.passages[0].split()[0] if prompt.passages else ""
