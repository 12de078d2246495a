"""Generates set queries from an attribute table, with variants, and writes them as a data set."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from random import Random
from typing import Any

from logic_export.data.files import write_json_lines
from logic_export.data.sets.attribute_table import AttributeTable, Item
from logic_export.data.sets.query_wordings import TEMPLATES, WORDINGS, Template
from logic_export.data.sets.sampling import (
    SHARES,
    AtomSampler,
    can_exclude,
    is_good_query,
    split_atoms,
    violating_mask,
)
from logic_retrievers.errors import ConfigurationError, InputError
from logic_retrievers.queries.expressions import Expression

# Maximum of a variant's answers, violating items or unknown items; broader variants are left out.
MAX_IN_VARIANT = 300

_MAX_TRIES = 2000
_VARIANTS = {
    2: ("a_and_b", "a_or_b", "a_not_b"),
    3: ("a_and_b_and_c", "a_and_b_not_c", "a_or_b_or_c", "a_and_b"),
}


@dataclass(frozen=True, slots=True)
class SetQuery:
    """A query whose answer is a set; all ids are sorted."""

    id: str
    text: str
    satisfying: tuple[str, ...]
    violating: tuple[str, ...]  # items that satisfy the wanted atoms and the excluded one
    neutral: tuple[str, ...]  # items that may or may not satisfy the query
    expression: Expression
    template: str
    wording: str
    shared_heads: bool  # whether atoms share a head noun, which ``text`` then has once
    group: str  # shared by a query and its variants
    variant: bool  # derived from a query: one of its atoms, or its atoms in a different form

    def as_row(self) -> dict[str, Any]:
        """Make a row of ``queries.jsonl``."""
        row = {each.name: getattr(self, each.name) for each in fields(self)}
        del row["variant"]
        return {"_id": row.pop("id"), **row, "expression": self.expression.to_dict()}


def generate_queries(
    table: AttributeTable,
    counts: Mapping[str, int],
    *,
    seed: int = 0,
    shares: Mapping[str, float] = SHARES,
    variants: bool = True,
) -> dict[str, tuple[SetQuery, ...]]:
    """Generate the queries of every part; equal arguments give equal queries.

    Every query has 3 to 50 answers, at most 50 unknown items, no redundant atom, and with NOT at
    least 3 violating items. Templates occur equally often. No atom, name or wording is in two
    parts. Variants follow their query: the same atoms under different operators, and the single
    atoms, if 1 to 300 items satisfy the variant.

    Args:
        table: items and atoms; all atoms are used.
        counts: ``train``, ``dev`` or ``test`` -> number of queries, without variants.
        seed: seeds the split of the atoms, the samples and the wordings.
        shares: part -> its share of the atoms; the shares sum to 1.
        variants: adds variants.

    Raises:
        ConfigurationError: a part has fewer queries than there are templates.
        InputError: the table gives too few queries of a template; the message says how many.
    """
    for part, count in counts.items():
        if count < len(TEMPLATES):
            raise ConfigurationError(
                f"{part!r} needs {len(TEMPLATES)} queries or more, not {count}"
            )
    atoms = split_atoms(
        {text: truth.value or text for text, truth in table.atoms.items()}, shares, seed=seed
    )
    return {
        part: tuple(_part_queries(table, part, atoms[part], count, seed, variants))
        for part, count in counts.items()
    }


def _part_queries(
    table: AttributeTable, part: str, atoms: Sequence[str], count: int, seed: int, variants: bool
) -> Iterator[SetQuery]:
    random = Random(f"{seed}:{part}")
    sampler = AtomSampler(table, atoms, random)
    each, remainder = divmod(count, len(TEMPLATES))
    number = 0

    def make(template: Template, atoms: tuple[str, ...], name: str, group: str) -> SetQuery:
        wordings = [
            (wording, text)
            for wording in WORDINGS[part][template.name]
            if (text := wording.render(atoms, table.noun)) is not None
        ]
        wording, text = random.choice(wordings)
        masks = table.masks(template(*atoms))
        return SetQuery(
            id=name,
            text=text,
            satisfying=tuple(sorted(table.ids_of(masks.true))),
            violating=tuple(sorted(table.ids_of(violating_mask(table, template, atoms)))),
            neutral=tuple(sorted(table.ids_of(masks.unknown))),
            expression=template(*atoms),
            template=template.name,
            wording=wording.name,
            shared_heads=wording.shared_heads,
            group=group,
            variant=name != group,
        )

    for position, template in enumerate(TEMPLATES.values()):
        wanted = each + (position < remainder)
        for query_atoms in _sample_atoms(table, sampler, template, wanted, part):
            query_id = f"{part}-{number:05d}"
            number += 1
            yield make(template, query_atoms, query_id, query_id)
            for place, variant in enumerate(
                _variants(table, template, query_atoms) if variants else ()
            ):
                yield make(*variant, f"{query_id}-v{place}", query_id)


def _sample_atoms(
    table: AttributeTable, sampler: AtomSampler, template: Template, count: int, part: str
) -> Iterator[tuple[str, ...]]:
    seen: set[tuple[frozenset[str], str]] = set()
    for _ in range(_MAX_TRIES * count):
        atoms = sampler.atoms(template)
        if is_good_query(table, template, atoms):
            key = frozenset(atoms), atoms[-1] if template.excludes else ""
            if key not in seen:
                seen.add(key)
                yield atoms
        if len(seen) == count:
            return
    raise InputError(
        f"the table gives {len(seen)} queries of the form {template.name!r} for {part!r}, not "
        f"{count}: give more items or atoms, a larger share, or ask for fewer queries"
    )


def _variants(
    table: AttributeTable, template: Template, atoms: tuple[str, ...]
) -> Iterator[tuple[Template, tuple[str, ...]]]:
    """Yield the atoms under different operators, and each alone, without too broad variants."""
    names = [name for name in _VARIANTS.get(len(atoms), ()) if name != template.name]
    variants = [(TEMPLATES[name], atoms[: TEMPLATES[name].arity]) for name in names]
    if template.arity > 1:
        variants += [(TEMPLATES["a"], (atom,)) for atom in atoms]
    for variant, chosen in variants:
        if can_exclude(table, variant, chosen):
            masks = table.masks(variant(*chosen))
            sizes = [masks.true, masks.unknown, violating_mask(table, variant, chosen)]
            if masks.true and all(size.bit_count() <= MAX_IN_VARIANT for size in sizes):
                yield variant, chosen


def write_set_queries(
    folder: Path, items: Mapping[str, Item], parts: Mapping[str, Sequence[SetQuery]]
) -> None:
    """Write a folder for ``load_dataset(folder, "test")``; equal data give equal bytes.

        corpus.jsonl.gz                   all items, shared by the parts
        test/queries.jsonl.gz             the queries of a part
        test_variants/queries.jsonl.gz    their variants, if any, linked by ``group``

    If one of the files exists already, it writes nothing and raises :class:`ConfigurationError`.
    """
    files: dict[Path, Iterable[Mapping[str, Any]]] = {
        folder / "corpus.jsonl.gz": (
            {"_id": name, "title": item.title, "text": item.text} for name, item in items.items()
        )
    }
    for part, queries in parts.items():
        for subfolder, variant in ((part, False), (f"{part}_variants", True)):
            rows = [query.as_row() for query in queries if query.variant == variant]
            if rows:
                files[folder / subfolder / "queries.jsonl.gz"] = rows
    if existing := [path for path in files if path.exists()]:
        raise ConfigurationError(f"{existing[0]} is there already; choose a new folder")
    for path, lines in files.items():
        write_json_lines(path, lines)
