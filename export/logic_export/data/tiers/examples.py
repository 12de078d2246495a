"""Queries with candidates in three tiers, and files of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from logic_export.data.files import optional_text, read_rows, text_list, write_json_lines
from logic_export.data.triplets import Triplet
from logic_retrievers.errors import InputError
from logic_retrievers.evaluation.rows import Row


@dataclass(frozen=True, slots=True)
class TieredExample:
    """A query and its candidates: LORE's P, N1 and N2.

    An empty query or passage, or a passage that occurs twice, is an :class:`InputError`.
    """

    query: str
    positives: tuple[str, ...]  # the right passages; a query without any cannot be trained on
    distractors: tuple[str, ...]  # wrong passages that the query's own words refer to (N1)
    negatives: tuple[str, ...]  # the other wrong passages (N2)
    source: str  # the data set
    relation: str = ""  # relation of the added clause to the question; empty without clause
    original: str = ""  # the query before a clause was added; empty without a clause

    def __post_init__(self) -> None:
        if not self.query.strip():
            raise InputError(f"a tiered example needs a query text, not {self!r:.200}")
        seen: set[str] = set()
        for passage in self.passages:
            if not passage.strip():
                raise InputError(f"a passage of {self.query!r} is empty")
            if passage in seen:
                raise InputError(f"{self.query!r} has a passage twice: {passage!r:.200}")
            seen.add(passage)

    @property
    def passages(self) -> tuple[str, ...]:
        return self.positives + self.distractors + self.negatives


def write_tiers(path: Path, examples: Sequence[TieredExample]) -> None:
    """Write JSON lines, see :func:`~logic_export.data.files.write_json_lines`."""
    write_json_lines(
        path,
        (
            {key: value for key, value in asdict(example).items() if value != ""}
            for example in examples
        ),
    )


def read_tiers(path: Path) -> list[TieredExample]:
    """Read a file of :func:`write_tiers`, or a user's own; errors of :func:`read_rows`.

    ``source`` (default: the file's name), ``relation``, ``original`` and empty tiers are optional.
    """
    return list(read_rows(path, TieredExample, _parse_example))


def _parse_example(row: Row) -> TieredExample:
    positives, distractors, negatives = (
        () if row.fields.get(tier) is None else text_list(row, tier)
        for tier in ("positives", "distractors", "negatives")
    )
    return TieredExample(
        row.text("query"),
        positives,
        distractors,
        negatives,
        optional_text(row, "source") or row.path.name,
        optional_text(row, "relation"),
        optional_text(row, "original"),
    )


def examples_from_triplets(
    rows: Sequence[Triplet], others: int, *, seed: int = 0
) -> list[TieredExample]:
    """Make an example per query, in order of first occurrence; violating passages become N1.

    A passage that satisfies one row of a query and violates a different row counts as positive.
    ``others`` random passages of other queries become negatives.
    """
    groups: dict[str, list[Triplet]] = defaultdict(list)
    for row in rows:
        groups[row.query].append(row)
    passages = list(
        dict.fromkeys(text for row in rows for text in (row.satisfying, row.violating) if text)
    )
    examples = []
    for query, group in groups.items():
        positives = dict.fromkeys(row.satisfying for row in group)
        violating = dict.fromkeys(row.violating for row in group if row.violating not in positives)
        violating.pop(None, None)
        known = positives.keys() | violating.keys()
        sampled = Random(f"{seed}:{query}").sample(
            passages, min(len(passages), others + len(known))
        )
        negatives = [text for text in sampled if text not in known][:others]
        examples.append(
            TieredExample(
                query,
                tuple(positives),
                tuple(filter(None, violating)),
                tuple(negatives),
                group[0].source,
            )
        )
    return examples
