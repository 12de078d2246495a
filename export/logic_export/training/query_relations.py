"""Logical relations between two set queries, whatever the documents are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import Enum
from functools import lru_cache, reduce
from operator import and_, or_

from logic_retrievers.queries.expressions import Atom, Expression

# largest number of atoms in two queries together; their truth table has 4,096 rows
MOST_ATOMS = 12


class Relation(Enum):
    """Relation of a first query to a second; nothing can satisfy two exclusive ones."""

    SUBSET = "subset"
    SUPERSET = "superset"
    EXCLUSIVE = "exclusive"


@lru_cache(maxsize=65536)
def find_relation(left_query: Expression, right_query: Expression) -> Relation | None:
    """Find the relation implied by the operators alone, by truth table.

    LogiCoL lists these: ``A AND B`` and ``A AND NOT B`` in ``A``, ``A`` in ``A OR B``, and so on;
    ``A AND NOT B`` excludes ``B`` and ``A AND B``. Atoms count as independent of each other.

    Returns:
        None where nothing follows, both are equivalent, one is a tautology or a contradiction, or
        there are more than :data:`MOST_ATOMS` atoms.
    """
    atoms = sorted({*left_query.atoms, *right_query.atoms})
    disjoint = len(atoms) == len(left_query.atoms) + len(right_query.atoms)
    if disjoint or len(atoms) > MOST_ATOMS:  # queries without common atoms are independent
        return None
    rows = 1 << len(atoms)
    everything = (1 << rows) - 1
    columns = {text: _column(position, rows) for position, text in enumerate(atoms)}
    left, right = (
        _truth_table(expression, columns, everything) for expression in (left_query, right_query)
    )
    if left == right or not {left, right}.isdisjoint({0, everything}):
        return None
    common = left & right
    if not common:
        return Relation.EXCLUSIVE
    if common == left:
        return Relation.SUBSET
    return Relation.SUPERSET if common == right else None


def find_relations(
    expressions: Sequence[Expression],
) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Find the related pairs of several queries.

    Returns:
        Rows of (narrow, wide) queries, and of exclusive ones, the lower row first.
    """
    subsets, exclusive = [], []
    for row, expression in enumerate(expressions):
        for column in range(row + 1, len(expressions)):
            relation = find_relation(expression, expressions[column])
            if relation is Relation.EXCLUSIVE:
                exclusive.append((row, column))
            elif relation is not None:
                pair = (row, column)
                subsets.append(pair if relation is Relation.SUBSET else pair[::-1])
    return subsets, exclusive


def _column(position: int, rows: int) -> int:
    """An atom's column: bit n is set where the atom is true in row n of the table."""
    return sum(1 << row for row in range(rows) if row >> position & 1)


def _truth_table(expression: Expression, columns: Mapping[str, int], everything: int) -> int:
    if isinstance(expression, Atom):
        return columns[expression.text]
    tables = [_truth_table(arg, columns, everything) for arg in expression.args]
    if expression.op == "not":
        return everything & ~tables[0]
    return reduce(and_ if expression.op == "and" else or_, tables)
