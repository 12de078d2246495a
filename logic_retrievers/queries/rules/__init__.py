"""The families of cues that the parser knows: rule packs, one file a language."""

import tomllib
from importlib.resources import files

from logic_retrievers.queries.rules.rule import Rule, RulePack, Scope

ENGLISH = RulePack(tomllib.loads(files(__name__).joinpath("english.toml").read_text("utf-8")))

# All of them. Where two match at one place the longer cue wins, then the earlier rule.
RULES: tuple[Rule, ...] = ENGLISH.rules

__all__ = ["ENGLISH", "RULES", "Rule", "Scope"]
