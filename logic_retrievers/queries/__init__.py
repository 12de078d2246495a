"""Query parsing: what a query wants and excludes, by rules that anyone can read and extend."""

from logic_retrievers.queries.decomposer import Decomposer
from logic_retrievers.queries.expressions import And, Atom, Expression, Not, Or
from logic_retrievers.queries.parsed_query import Kind, ParsedQuery, QueryParser
from logic_retrievers.queries.parser import RuleParser
from logic_retrievers.queries.rules import RULES, Rule, Scope

__all__ = [
    "RULES",
    "And",
    "Atom",
    "Decomposer",
    "Expression",
    "Kind",
    "Not",
    "Or",
    "ParsedQuery",
    "QueryParser",
    "Rule",
    "RuleParser",
    "Scope",
]
