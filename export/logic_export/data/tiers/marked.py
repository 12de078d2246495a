"""Tiers from a collection: what a retriever finds, and what people marked as wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeAlias

from logic_export.data.tiers.examples import TieredExample
from logic_retrievers.errors import ConfigurationError, InputError

Search: TypeAlias = Callable[[str, int], Sequence[str]]
"""Question and number -> ids of so many passages, best first."""


@dataclass(frozen=True, slots=True)
class MarkedQuestion:
    """A question that people asked, and what they said of the answers.

    Args:
        text: as it was asked.
        right: ids of the passages that answer it, at least one.
        wrong: ids of those that somebody marked as wrong: clicked and left, or reported.

    Raises:
        InputError: nothing asked, no right passage, or one that is both.
    """

    text: str
    right: tuple[str, ...]
    wrong: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.text.strip() or not self.right:
            raise InputError(
                f"a marked question needs a text and a right passage, not {self!r:.200}"
            )
        if both := set(self.right) & set(self.wrong):
            raise InputError(f"of {self.text!r}, {min(both)!r} is marked both right and wrong")


def mine_distractors(
    questions: Iterable[MarkedQuestion],
    documents: Mapping[str, str],
    search: Search,
    *,
    depth: int = 20,
    negatives: int = 8,
    unmarked: bool = False,
    source: str = "mined",
    seed: int = 0,
) -> list[TieredExample]:
    """Each question's candidates in tiers.

    Distractors are the passages that are retrieved and marked wrong. Negatives are those that are
    marked wrong all the same, filled up with passages drawn from what is not retrieved. What is
    retrieved and not marked stands in no tier: it may be an answer that nobody has looked at.

    Args:
        questions: with what is known of them.
        documents: id -> text of the collection.
        search: the retriever that is to get better.
        depth: how many passages count as retrieved.
        negatives: at least so many, where the collection has them.
        unmarked: retrieved passages that nobody marked are distractors too; only where people have
            looked at all that is retrieved.
        source: what the examples call their data set.
        seed: of the draw.

    Returns:
        In the order of the questions. Texts that equal a right passage's are left out, whatever
        their id; a question for which nothing wrong is left gives no example.

    Raises:
        ConfigurationError: a depth below 1, or negatives below 0.
        InputError: an id without a document.
    """
    if depth < 1 or negatives < 0:
        raise ConfigurationError("depth must be 1 or more, negatives 0 or more")
    names = sorted(documents)
    found = []
    for question in questions:
        retrieved = list(search(question.text, depth))[:depth]
        known = {*question.right, *question.wrong, *retrieved}
        if missing := sorted(known - documents.keys()):
            raise InputError(f"there is no document {missing[0]!r}, for {question.text!r}")
        wrong = set(question.wrong)
        near = [
            one for one in retrieved if one not in question.right and (unmarked or one in wrong)
        ]
        far = [one for one in question.wrong if one not in near]
        random = Random(f"{seed}:{question.text}")
        others = [
            one
            for one in random.sample(names, min(len(names), negatives + len(known)))
            if one not in known
        ]
        far += others[: max(0, negatives - len(far))]
        tiers = _texts(documents, question.right, near, far)
        if tiers[1] or tiers[2]:
            found.append(TieredExample(question.text, *tiers, source))
    return found


def _texts(
    documents: Mapping[str, str], *tiers: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """The tiers' texts, each text in the first tier that has it."""
    seen: dict[str, int] = {}
    for number, tier in enumerate(tiers):
        for name in tier:
            seen.setdefault(documents[name], number)
    first, second, third = (
        tuple(text for text, tier in seen.items() if tier == number) for number in range(3)
    )
    return first, second, third
