"""Rule packs: the families of cues that the parser knows, one file for each language."""

import tomllib
from importlib.resources import files

from logic_retrievers.queries.rules.rule import Rule, RulePack, Scope

ENGLISH = RulePack(tomllib.loads(files(__name__).joinpath("english.toml").read_text("utf-8")))

# All English rules. If two match at one place, the longer cue wins, then the earlier rule.
RULES: tuple[Rule, ...] = ENGLISH.rules

__all__ = ["ENGLISH", "RULES", "Rule", "Scope"]
