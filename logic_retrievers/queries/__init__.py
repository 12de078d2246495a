"""Query parsing: what a query wants and what it excludes."""

from logic_retrievers.queries.decomposer import Decomposer
from logic_retrievers.queries.expressions import And, Atom, Expression, Not, Or
from logic_retrievers.queries.parsed_query import Kind, ParsedQuery, QueryParser
from logic_retrievers.queries.parser import ConstraintParser

__all__ = [
    "And",
    "Atom",
    "ConstraintParser",
    "Decomposer",
    "Expression",
    "Kind",
    "Not",
    "Or",
    "ParsedQuery",
    "QueryParser",
]
