"""Negation of English statements by a small set of rules."""

from logic_export.data.negation.rules import negate

__all__ = ["negate"]
