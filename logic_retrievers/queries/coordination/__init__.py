"""Coordination: what a query joins by AND and OR, as an expression with a confidence."""

from logic_retrievers.queries.coordination.confidence import Coordination
from logic_retrievers.queries.coordination.parse import ExcludedPhrase, coordinate, may_coordinate

__all__ = ["Coordination", "ExcludedPhrase", "coordinate", "may_coordinate"]
