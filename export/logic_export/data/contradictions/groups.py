"""Groups of agreeing texts and the texts that contradict them, and files of such groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from logic_export.data.files import (
    first_of_each,
    optional_text,
    read_rows,
    text_list,
    write_json_lines,
)
from logic_retrievers.errors import InputError
from logic_retrievers.evaluation.rows import Row


@dataclass(frozen=True, slots=True)
class ContradictionGroup:
    """Paraphrases of each other (left), and texts that contradict each of them (right).

    A triple of Xu et al. 2024 is ``ContradictionGroup((anchor, paraphrase), (contradiction,))``. A
    larger group stands for many triples, and each text is encoded once. An empty side or text, or a
    text that occurs twice in the group, is an :class:`InputError`.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    source: str = ""  # the builder or data set

    def __post_init__(self) -> None:
        if not self.left or not self.right or not all(t.strip() for t in self.texts):
            raise InputError(f"both sides need texts, and none may be empty: {self!r}")
        if both := set(self.left) & set(self.right):
            raise InputError(f"a text is on both sides: {sorted(both)[0]!r}")
        if len(set(self.texts)) < len(self.texts):
            raise InputError(f"a text is on one side twice: {self!r}")

    @property
    def texts(self) -> tuple[str, ...]:
        return self.left + self.right


def unique_groups(groups: Iterable[ContradictionGroup]) -> list[ContradictionGroup]:
    """Drop duplicate groups, mirrored ones too, and keep the order."""
    return first_of_each(groups, lambda g: frozenset((frozenset(g.left), frozenset(g.right))))


def labelled_pairs(
    groups: Sequence[ContradictionGroup], seed: int = 0
) -> list[tuple[str, str, bool]]:
    """Make pairs (text, text, contradicts).

    Texts on opposite sides of a group contradict; texts on one side agree. For every agreeing pair,
    an unrelated pair is drawn from two groups that share no text.
    """
    random = Random(seed)
    texts_of_group = [(group, frozenset(group.texts)) for group in groups]
    pairs = []
    for group in groups:
        pairs += [(text, other, True) for text in group.left for other in group.right]
        agreeing = [
            (side[i], side[j], False)
            for side in (group.left, group.right)
            for i in range(len(side))
            for j in range(i)
        ]
        pairs += agreeing
        strangers = [
            other for other, texts in texts_of_group if agreeing and texts.isdisjoint(group.texts)
        ]
        for _ in agreeing if strangers else ():
            stranger = random.choice(strangers)
            pairs.append((random.choice(group.texts), random.choice(stranger.texts), False))
    return pairs


def write_groups(path: Path, groups: Sequence[ContradictionGroup]) -> None:
    """Write JSON lines, see :func:`~logic_export.data.files.write_json_lines`."""
    write_json_lines(path, map(asdict, groups))


def read_groups(path: Path) -> list[ContradictionGroup]:
    """Read a file of :func:`write_groups`, or a user's own; errors of :func:`read_rows`."""
    return list(read_rows(path, ContradictionGroup, _parse_group))


def _parse_group(row: Row) -> ContradictionGroup:
    left, right = text_list(row, "left"), text_list(row, "right")
    return ContradictionGroup(left, right, optional_text(row, "source"))
