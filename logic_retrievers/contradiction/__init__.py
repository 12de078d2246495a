"""Contradictions: scored, searched for, and kept out of a context."""

from logic_retrievers.contradiction.settings import ContradictionSettings

__all__ = ["ContradictionSettings"]
