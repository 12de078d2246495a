"""Texts that agree and texts that contradict them, and files of such groups."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random

from logic_retrievers.errors import InputError
from logic_retrievers.evaluation.rows import Row, json_rows


@dataclass(frozen=True, slots=True)
class Sides:
    """Texts that agree with each other, and texts that contradict every one of them.

    A triple of Xu et al. 2024 is ``Sides((anchor, paraphrase), (contradiction,))``; a group says
    the same of many triples at once, and each text is encoded once.

    Args:
        left: paraphrases of each other; at least one.
        right: paraphrases of each other, each contradicting those on the left; at least one.
        source: which builder or data set made it.

    Raises:
        InputError: an empty side or text, or a text that stands twice, on one side or on both.
    """

    left: tuple[str, ...]
    right: tuple[str, ...]
    source: str = ""

    def __post_init__(self) -> None:
        if not self.left or not self.right or not all(t.strip() for t in self.texts):
            raise InputError(f"both sides need texts, and none may be empty: {self!r}")
        if both := set(self.left) & set(self.right):
            raise InputError(f"a text stands on both sides: {sorted(both)[0]!r}")
        if len(set(self.texts)) < len(self.texts):
            raise InputError(f"a text stands twice on a side: {self!r}")

    @property
    def texts(self) -> tuple[str, ...]:
        """All of them, the left ones first."""
        return self.left + self.right


def unique_sides(groups: Iterable[Sides]) -> list[Sides]:
    """The groups without repeats, mirrored ones included, in their order."""
    seen: dict[frozenset[frozenset[str]], Sides] = {}
    for group in groups:
        seen.setdefault(frozenset((frozenset(group.left), frozenset(group.right))), group)
    return list(seen.values())


def pairs_within(groups: Sequence[Sides], seed: int = 0) -> list[tuple[str, str, bool]]:
    """All pairs of each group, and as many of texts of different groups as agree within one.

    Across the sides they contradict; on one side they agree; strangers, whose groups share no text,
    do neither.
    """
    random = Random(seed)
    spoken = [(group, frozenset(group.texts)) for group in groups]
    found = []
    for group in groups:
        found += [(one, other, True) for one in group.left for other in group.right]
        agreeing = [
            (side[i], side[j], False)
            for side in (group.left, group.right)
            for i in range(len(side))
            for j in range(i)
        ]
        found += agreeing
        strangers = [other for other, said in spoken if agreeing and said.isdisjoint(group.texts)]
        for _ in agreeing if strangers else ():
            stranger = random.choice(strangers)
            found.append((random.choice(group.texts), random.choice(stranger.texts), False))
    return found


def write_sides(path: Path, groups: Sequence[Sides]) -> None:
    """Writes JSON lines (gzip where the name ends in ``.gz``); the file appears when complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    content = "".join(json.dumps(asdict(g), ensure_ascii=False) + "\n" for g in groups).encode()
    partial = path.with_name(path.name + ".partial")
    # a fixed time in the header: the same rows make the same file
    partial.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    partial.replace(path)


def read_sides(path: Path) -> list[Sides]:
    """Reads what :func:`write_sides` wrote, or a user's own file of the same form.

    Raises:
        ReadError: the file cannot be read, or a line is no such group; names file and line.
    """
    return [_sides(row) for row in json_rows(path)]


def _sides(row: Row) -> Sides:
    if unknown := sorted(set(row.fields) - {"left", "right", "source"}):
        raise row.error(f"unknown fields {', '.join(unknown)}")
    texts = []
    for name in ("left", "right"):
        side = row.fields.get(name)
        if not isinstance(side, list) or not all(isinstance(text, str) for text in side):
            raise row.error(f"{name!r} must be a list of texts")
        # each with the checks of a single field
        texts.append(tuple(replace(row, fields={name: text}).text(name) for text in side))
    try:
        return Sides(texts[0], texts[1], row.text("source") if "source" in row.fields else "")
    except InputError as error:
        raise row.error(str(error)) from error
