"""Queries with candidates in three tiers, the files that store them, and examples from triplets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from random import Random

from logic_export.data.files import write_json_lines
from logic_export.data.triplets import Triplet
from logic_retrievers.errors import InputError
from logic_retrievers.evaluation.rows import Row, json_rows


@dataclass(frozen=True, slots=True)
class TieredExample:
    """A query and its candidates: LORE's P, N1 and N2.

    Args:
        query: natural language.
        positives: texts of the right passages; a query without any cannot be trained on.
        distractors: wrong passages that the query's own words refer to (N1).
        negatives: the other wrong passages (N2).
        source: the data set.
        relation: relation of the added clause to the question; empty without a clause.
        original: the query before a clause was added; empty without a clause.

    Raises:
        InputError: an empty query or passage, or a passage that occurs twice.
    """

    query: str
    positives: tuple[str, ...]
    distractors: tuple[str, ...]
    negatives: tuple[str, ...]
    source: str
    relation: str = ""
    original: str = ""

    def __post_init__(self) -> None:
        if not self.query.strip():
            raise InputError(f"a query in tiers needs a text, not {self!r:.200}")
        seen: set[str] = set()
        for passage in self.passages:
            if not passage.strip():
                raise InputError(f"a passage of {self.query!r} is empty")
            if passage in seen:
                raise InputError(f"a passage of {self.query!r} stands twice: {passage!r:.200}")
            seen.add(passage)

    @property
    def passages(self) -> tuple[str, ...]:
        """All candidates, tier by tier."""
        return self.positives + self.distractors + self.negatives


def write_tiers(path: Path, examples: Sequence[TieredExample]) -> None:
    """Writes JSON lines, compressed where the name ends in ``.gz``; the file appears complete.

    Raises:
        StorageError: no room, or no right to write there.
    """
    rows = (
        {key: value for key, value in asdict(example).items() if value != ""}
        for example in examples
    )
    write_json_lines(path, rows)


def read_tiers(path: Path) -> list[TieredExample]:
    """Reads what :func:`write_tiers` wrote, or a team's own file in that format.

    ``source`` (then the file's name), ``relation``, ``original`` and empty tiers may be left out.
    Unknown fields are refused: a misspelt tier would silently be empty.

    Raises:
        ReadError: the file cannot be read, or a row is malformed; names file and line.
    """
    return [_read_example(row, path.name) for row in json_rows(path)]


def _read_example(row: Row, name: str) -> TieredExample:
    known_fields = [field.name for field in fields(TieredExample)]
    if unknown := sorted(row.fields.keys() - set(known_fields)):
        raise row.error(f"unknown field {unknown[0]!r}; a row has {', '.join(known_fields)}")
    positives, distractors, negatives = (
        _read_passages(row, tier) for tier in ("positives", "distractors", "negatives")
    )
    try:
        return TieredExample(
            row.text("query"),
            positives,
            distractors,
            negatives,
            _optional_text(row, "source") or name,
            _optional_text(row, "relation"),
            _optional_text(row, "original"),
        )
    except InputError as error:
        raise row.error(str(error)) from error


def _optional_text(row: Row, name: str) -> str:
    return "" if row.fields.get(name) is None else row.text(name)


def _read_passages(row: Row, name: str) -> tuple[str, ...]:
    passages = row.fields.get(name)
    if passages is None:
        return ()
    if not isinstance(passages, list):
        raise row.error(f"{name!r} must be a list of passages")
    return tuple(row.with_fields({name: passage}).text(name) for passage in passages)


def examples_from_triplets(
    rows: Sequence[Triplet], others: int, *, seed: int = 0
) -> list[TieredExample]:
    """One example per query, in order of first occurrence; excluded passages are distractors (N1).

    Args:
        rows: a passage that satisfies one row of a query and violates another counts as positive.
        others: number of random passages of other queries that become negatives.
        seed: of the random passages.
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
