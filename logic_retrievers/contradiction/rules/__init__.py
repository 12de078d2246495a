"""Rules that decide which of two passages in conflict goes, one file each.

base.py       what a rule sees and says
plain.py      annotate, drop_both, and a function of the user's
newest.py     prefer_newest; moments.py reads the dates
source.py     prefer_source
majority.py   prefer_majority
registry.py   rules by name
"""

from logic_retrievers.contradiction.rules.base import ConflictGraph, ConflictPolicy, Group, Ruling
from logic_retrievers.contradiction.rules.majority import PreferMajority
from logic_retrievers.contradiction.rules.newest import PreferNewest
from logic_retrievers.contradiction.rules.plain import Annotate, ByFunction, DropBoth
from logic_retrievers.contradiction.rules.registry import RULES, AnyRule, resolve_rule
from logic_retrievers.contradiction.rules.source import PreferSource

__all__ = [
    "RULES",
    "Annotate",
    "AnyRule",
    "ByFunction",
    "ConflictGraph",
    "ConflictPolicy",
    "DropBoth",
    "Group",
    "PreferMajority",
    "PreferNewest",
    "PreferSource",
    "Ruling",
    "resolve_rule",
]
