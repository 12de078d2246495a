"""Words and patterns of ``english_patterns.toml`` by name; that file explains the syntax."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files

from logic_retrievers.queries.rules.rule import RulePack


def word_set(name: str) -> frozenset[str]:
    """Return a list of words as a set."""
    return frozenset(_PACK.words(name))


def pattern(name: str, *, flags: re.RegexFlag | int = re.IGNORECASE) -> re.Pattern[str]:
    """Return a compiled pattern."""
    return re.compile(_PACK.fragment(name), flags)


def _read(name: str) -> str:
    return files("logic_retrievers.queries").joinpath(name).read_text("utf-8")


_ENGLISH = tomllib.loads(_read("english_patterns.toml"))
_PAIRS = "|".join(_read("fixed_pairs.txt").split())
_FRAGMENTS = {
    **_ENGLISH["patterns"],
    **{name.upper(): f"(?:{'|'.join(text.split())})" for name, text in _ENGLISH["words"].items()},
    "PAIRS": _PAIRS.replace("/", " (?:and|or|&|n|'n') ").replace("_", " "),
}
_PACK = RulePack({"words": _ENGLISH["words"], "fragments": _FRAGMENTS})
