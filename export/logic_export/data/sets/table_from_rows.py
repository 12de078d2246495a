"""Builds an attribute table from the rows of a CSV file, a database or JSON lines."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from logic_export.data.sets.attribute_table import AtomTruth, AttributeTable, Item
from logic_retrievers.errors import ConfigurationError, DuplicateIdError, InputError


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column whose values make atoms.

    Args:
        column: holds the values; a cell has one, a list of them, or none.
        wording: text of an atom, with ``{}`` for the value: ``films directed by {}``.
        kind: OR joins atoms of one kind, AND atoms of different kinds.
        unknown: a column with values for which it is unknown whether they hold.
        separator: between several values in one text cell; None: a text is one value.

    Raises:
        ConfigurationError: a wording without exactly one ``{}``.
    """

    column: str
    wording: str
    kind: str
    unknown: str | None = None
    separator: str | None = None

    def __post_init__(self) -> None:
        if self.wording.count("{}") != 1:
            raise ConfigurationError(f"the wording {self.wording!r} needs one {{}} for the value")

    def atoms(self, row: Mapping[str, Any], column: str) -> dict[str, str]:
        """Atom -> its value, for one cell."""
        cell = row.get(column)
        if isinstance(cell, str) and self.separator is not None:
            cell = cell.split(self.separator)
        values = cell if isinstance(cell, list | tuple | set | frozenset) else [cell]
        texts = {str(value).strip() for value in values if value is not None}
        return {self.wording.replace("{}", text).strip(): text for text in texts if text}


def table_from_rows(
    rows: Iterable[Mapping[str, Any]],
    attributes: Sequence[Attribute],
    *,
    noun: str,
    open_kinds: Collection[str] = (),
    id_column: str = "_id",
    title_column: str = "title",
    text_column: str = "text",
) -> AttributeTable:
    """A table over rows; a value in both columns of an attribute counts as unknown.

    For ``noun`` and ``open_kinds`` see
    :class:`~logic_export.data.sets.attribute_table.AttributeTable`.

    Raises:
        ConfigurationError: no row has an attribute's column, or two attributes of different kinds
            make the same atom.
        DuplicateIdError: two rows with one id.
        InputError: a row without an id, or no rows.
    """
    items: dict[str, Item] = {}
    true: dict[str, set[str]] = {}
    unknown: dict[str, set[str]] = {}
    kinds: dict[str, str] = {}
    values: dict[str, str] = {}
    columns: set[str] = set()
    for number, row in enumerate(rows, start=1):
        name = _cell_text(row, id_column)
        if not name:
            raise InputError(f"row {number} has no {id_column!r}")
        if name in items:
            raise DuplicateIdError(f"row {number} has the id {name!r}, which was used before")
        items[name] = Item(_cell_text(row, title_column), _cell_text(row, text_column))
        columns.update(row)
        for attribute in attributes:
            claims = attribute.atoms(row, attribute.column)
            doubts = attribute.atoms(row, attribute.unknown) if attribute.unknown else {}
            for atom, values[atom] in (claims | doubts).items():
                if kinds.setdefault(atom, attribute.kind) != attribute.kind:
                    raise ConfigurationError(
                        f"{atom!r} is of the kind {kinds[atom]!r} and of {attribute.kind!r}"
                    )
                (unknown if atom in doubts else true).setdefault(atom, set()).add(name)
    if lacking := {a.column for a in attributes} - columns:
        raise ConfigurationError(f"no row has a column {min(lacking)!r}")
    atoms = {
        atom: AtomTruth(
            frozenset(true.get(atom, set()) - unknown.get(atom, set())),
            frozenset(unknown.get(atom, ())),
            kind,
            values[atom],
        )
        for atom, kind in sorted(kinds.items())
    }
    return AttributeTable(items, atoms, noun=noun, open_kinds=open_kinds)


def _cell_text(row: Mapping[str, Any], column: str) -> str:
    value = row.get(column)
    return "" if value is None else str(value)
