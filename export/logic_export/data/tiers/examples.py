"""Queries with candidates in three tiers as a run trains on them, and the files that keep them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from logic_retrievers.errors import InputError, StorageError
from logic_retrievers.evaluation.rows import Row, json_rows


@dataclass(frozen=True, slots=True)
class TieredExample:
    """A query and its candidates: LORE's P, N1 and N2.

    Args:
        query: as a person says it.
        positives: texts of the right passages; a query without any teaches nothing.
        distractors: wrong passages that the query's own words draw near (N1).
        negatives: the other wrong ones (N2).
        source: the data set.
        relation: how the query was disturbed; empty where it was not.
        original: the query before that; empty where it was not disturbed.

    Raises:
        InputError: an empty query or passage, or a passage that stands twice.
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
        """All candidates, tier after tier."""
        return self.positives + self.distractors + self.negatives


def write_tiers(path: Path, examples: Sequence[TieredExample]) -> None:
    """Writes JSON lines, compressed where the name ends in ``.gz``; the file appears complete.

    Raises:
        StorageError: no room, or no right to write there.
    """
    rows = ({key: value for key, value in asdict(one).items() if value != ""} for one in examples)
    content = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    if path.suffix == ".gz":
        content = gzip.compress(content, mtime=0)  # the same rows make the same file
    partial = path.with_name(path.name + ".partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial.write_bytes(content)
        partial.replace(path)
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}") from error


def read_tiers(path: Path) -> list[TieredExample]:
    """Reads what :func:`write_tiers` wrote, or a team's own file of that form.

    ``source``, ``relation`` and ``original`` may be left out, and tiers without a passage; the
    source is the file's name then. Another field is refused: a misspelt tier would be an empty one.

    Raises:
        ReadError: the file cannot be read, or a row is not of that form; names file and line.
    """
    return [_example(row, path.name) for row in json_rows(path)]


def _example(row: Row, name: str) -> TieredExample:
    known = [one.name for one in fields(TieredExample)]
    if unknown := sorted(row.fields.keys() - set(known)):
        raise row.error(f"unknown field {unknown[0]!r}; a row has {', '.join(known)}")
    positives, distractors, negatives = (
        _texts(row, tier) for tier in ("positives", "distractors", "negatives")
    )
    try:
        return TieredExample(
            row.text("query"),
            positives,
            distractors,
            negatives,
            _optional(row, "source") or name,
            _optional(row, "relation"),
            _optional(row, "original"),
        )
    except InputError as error:
        raise row.error(str(error)) from error


def _optional(row: Row, name: str) -> str:
    return "" if row.fields.get(name) is None else row.text(name)


def _texts(row: Row, name: str) -> tuple[str, ...]:
    found = row.fields.get(name)
    if found is None:
        return ()
    if not isinstance(found, list):
        raise row.error(f"{name!r} must be a list of passages")
    return tuple(row.changed({name: one}).text(name) for one in found)
