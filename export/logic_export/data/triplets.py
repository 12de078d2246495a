"""Training triplets, and files of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from logic_export.data.files import first_of_each, optional_text, read_rows, write_json_lines
from logic_retrievers.errors import InputError
from logic_retrievers.evaluation.rows import Row


@dataclass(frozen=True, slots=True)
class Triplet:
    """A query, a satisfying passage, and a passage on the same topic that breaks its constraint.

    Without a constraint, the other documents of the batch serve as negatives. An empty text, or the
    same passage in both roles, is an :class:`InputError`.
    """

    query: str
    satisfying: str
    violating: str | None = None  # None without a constraint
    source: str = ""  # the builder or data set

    def __post_init__(self) -> None:
        if not self.query.strip() or not self.satisfying.strip():
            raise InputError(f"a triplet needs a query and a satisfying passage, not {self!r}")
        if self.violating is not None and not self.violating.strip():
            raise InputError("a violating passage is a text, or None where there is none")
        if self.violating == self.satisfying:
            raise InputError(f"one passage both satisfies and violates {self.query!r}")


def unique_triplets(triplets: Iterable[Triplet]) -> list[Triplet]:
    """Drop duplicate triplets (``source`` is ignored), and keep the order."""
    return first_of_each(triplets, lambda row: (row.query, row.satisfying, row.violating))


def write_triplets(path: Path, triplets: Sequence[Triplet]) -> None:
    """Write JSON lines, see :func:`~logic_export.data.files.write_json_lines`."""
    write_json_lines(path, map(asdict, triplets))


def read_triplets(path: Path) -> list[Triplet]:
    """Read a file of :func:`write_triplets`, or a user's own; errors of :func:`read_rows`."""
    return list(read_rows(path, Triplet, _parse_triplet))


def _parse_triplet(row: Row) -> Triplet:
    violating = None if row.fields.get("violating") is None else row.text("violating")
    source = optional_text(row, "source")
    return Triplet(row.text("query"), row.text("satisfying"), violating, source)
