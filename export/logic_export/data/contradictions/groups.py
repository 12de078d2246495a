"""Groups of agreeing texts and the texts that contradict them, and files of such groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from random import Random

from logic_export.data.files import write_json_lines
from logic_retrievers.errors import InputError
from logic_retrievers.evaluation.rows import Row, json_rows


@dataclass(frozen=True, slots=True)
class ContradictionGroup:
    """Texts that agree with each other, and texts that contradict each of them.

    A triple of Xu et al. 2024 is ``Sides((anchor, paraphrase), (contradiction,))``; a group
    stands for many triples, and each text is encoded once.

    Args:
        left: paraphrases of each other; at least one.
        right: paraphrases of each other, each contradicting those on the left; at least one.
        source: which builder or data set made it.

    Raises:
        InputError: an empty side or text, or a text that occurs twice, on one side or both.
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
        """All texts, the left ones first."""
        return self.left + self.right


def unique_groups(groups: Iterable[ContradictionGroup]) -> list[ContradictionGroup]:
    """The groups without duplicates, mirrored ones included, in their order."""
    seen: dict[frozenset[frozenset[str]], ContradictionGroup] = {}
    for group in groups:
        seen.setdefault(frozenset((frozenset(group.left), frozenset(group.right))), group)
    return list(seen.values())


def labelled_pairs(
    groups: Sequence[ContradictionGroup], seed: int = 0
) -> list[tuple[str, str, bool]]:
    """Labelled pairs (text, text, contradicts): all within each group, and as many across groups as
    agree within one.

    Texts on opposite sides contradict, texts on one side agree, and texts of groups that share no
    text do neither.
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
    """Writes the groups as JSON lines; see :func:`write_json_lines`."""
    write_json_lines(path, map(asdict, groups))


def read_groups(path: Path) -> list[ContradictionGroup]:
    """Reads what :func:`write_groups` wrote, or a user's own file in the same format.

    Raises:
        ReadError: the file cannot be read, or a line is no such group; names file and line.
    """
    return [_read_row(row) for row in json_rows(path)]


def _read_row(row: Row) -> ContradictionGroup:
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
        return ContradictionGroup(
            texts[0], texts[1], row.text("source") if "source" in row.fields else ""
        )
    except InputError as error:
        raise row.error(str(error)) from error
