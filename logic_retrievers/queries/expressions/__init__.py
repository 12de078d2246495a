"""Boolean expressions: the tree, its text syntax and its form in JSON."""

from logic_retrievers.queries.expressions.tree import (
    MAX_ATOMS,
    MAX_DEPTH,
    And,
    Atom,
    Expression,
    Not,
    Or,
    check_searchable,
    split_exclusions,
    to_phrase,
    wanted_part,
)

__all__ = [
    "MAX_ATOMS",
    "MAX_DEPTH",
    "And",
    "Atom",
    "Expression",
    "Not",
    "Or",
    "check_searchable",
    "split_exclusions",
    "to_phrase",
    "wanted_part",
]
