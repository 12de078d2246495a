"""Questions with answers that can be checked, and the passages that they are asked over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from logic_retrievers.errors import InputError


@dataclass(frozen=True, slots=True)
class ProbeQuestion:
    """A question whose answer is graded by comparison.

    Args:
        id: its name, unique in a set.
        text: as a person asks it.
        gold: right answers; saying one of them is right.
        wrong: answers that passages suggest and that are not right.
        kind: the sort of question, for figures by kind; empty where there is but one.
        satisfying: ids of passages that support a right answer.
        violating: ids of passages that break the question's constraint, or support a wrong answer.
        candidates: ids of the passages that may be retrieved for it; all of the set where empty.
        trusted: ids of passages that the user vouches for.

    Raises:
        InputError: an empty id or text, no right answer, an empty answer, or one that is right and
            wrong.
    """

    id: str
    text: str
    gold: tuple[str, ...]
    wrong: tuple[str, ...] = ()
    kind: str = ""
    satisfying: tuple[str, ...] = ()
    violating: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()
    trusted: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.id.strip() or not self.text.strip():
            raise InputError(f"a question needs an id and a text, not {self!r:.200}")
        if not self.gold or not all(answer.strip() for answer in (*self.gold, *self.wrong)):
            raise InputError(f"question {self.id!r} needs a right answer, and no empty one")
        if both := set(self.gold) & set(self.wrong):
            raise InputError(f"question {self.id!r}: {min(both)!r} is right and wrong")


@dataclass(frozen=True, slots=True)
class ProbeSet:
    """Questions, and the passages that they are asked over.

    Args:
        name: of the set, for reports.
        questions: in the order of asking.
        passages: id -> text.

    Raises:
        InputError: no question, an id that stands twice, or a passage that there is not.
    """

    name: str
    questions: tuple[ProbeQuestion, ...]
    passages: Mapping[str, str]

    def __post_init__(self) -> None:
        if not self.questions:
            raise InputError(f"{self.name} has no question")
        seen: set[str] = set()
        for one in self.questions:
            if one.id in seen:
                raise InputError(f"question id {one.id!r} stands twice")
            seen.add(one.id)
            named = (*one.satisfying, *one.violating, *one.candidates, *one.trusted)
            missing = next((name for name in named if name not in self.passages), None)
            if missing is not None:
                raise InputError(f"question {one.id!r} names a passage that is not: {missing!r}")
