"""One row of training data, and files of them."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from logic_retrievers.errors import InputError
from logic_retrievers.evaluation.rows import Row, json_rows


@dataclass(frozen=True, slots=True)
class Triplet:
    """A query, a passage that it asks for, and one that it rules out.

    Args:
        query: with or without a constraint.
        satisfying: what the query asks for.
        violating: what is about the same but breaks the constraint; None where the query has no
            constraint: other documents of the batch are negatives then.
        source: which builder or data set made it.

    Raises:
        InputError: an empty text, or one passage on both sides.
    """

    query: str
    satisfying: str
    violating: str | None = None
    source: str = ""

    def __post_init__(self) -> None:
        if not self.query.strip() or not self.satisfying.strip():
            raise InputError(f"a triplet needs a query and a satisfying passage, not {self!r}")
        if self.violating is not None and not self.violating.strip():
            raise InputError("a violating passage is a text, or None where there is none")
        if self.violating == self.satisfying:
            raise InputError(f"one passage both satisfies and violates {self.query!r}")


def unique(triplets: Iterable[Triplet]) -> list[Triplet]:
    """The triplets without repeats, in their order; ``source`` does not count."""
    seen: dict[tuple[str, str, str | None], Triplet] = {}
    for row in triplets:
        seen.setdefault((row.query, row.satisfying, row.violating), row)
    return list(seen.values())


def write_triplets(path: Path, triplets: Sequence[Triplet]) -> None:
    """Writes JSON lines (gzip where the name ends in ``.gz``); the file appears when complete."""
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = "".join(json.dumps(asdict(row), ensure_ascii=False) + "\n" for row in triplets)
    content = lines.encode()
    partial = path.with_name(path.name + ".partial")
    # a fixed time in the header: the same rows make the same file
    partial.write_bytes(gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)
    partial.replace(path)


def read_triplets(path: Path) -> list[Triplet]:
    """Reads what :func:`write_triplets` wrote, or a user's own file of the same form.

    Raises:
        ReadError: the file cannot be read, or a line is not a triplet; names file and line.
    """
    return [_triplet(row) for row in json_rows(path)]


def _triplet(row: Row) -> Triplet:
    if unknown := sorted(set(row.fields) - {field.name for field in fields(Triplet)}):
        raise row.error(f"unknown fields {', '.join(unknown)}")
    violating = None if row.fields.get("violating") is None else row.text("violating")
    source = row.text("source") if "source" in row.fields else ""
    try:
        return Triplet(row.text("query"), row.text("satisfying"), violating, source)
    except InputError as error:
        raise row.error(str(error)) from error
