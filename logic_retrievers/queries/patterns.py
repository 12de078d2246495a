"""The words and patterns of ``english_patterns.toml``, by name; that file says how to write one."""

from __future__ import annotations

import re
import tomllib
from importlib.resources import files
from typing import Any

from logic_retrievers.queries.rules import ENGLISH
from logic_retrievers.queries.rules.rule import RulePack


def word_set(name: str) -> frozenset[str]:
    """Return a list of words as a set."""
    return frozenset(_PACK.words(name))


def pattern(name: str, *, flags: re.RegexFlag | int = re.IGNORECASE) -> re.Pattern[str]:
    """Return a compiled pattern."""
    return re.compile(_PACK.fragment(name), flags)


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files("logic_retrievers.queries").joinpath(name).read_text("utf-8"))


_ENGLISH, _PHRASES = _read("english_patterns.toml"), _read("fixed_phrases.toml")
_FRAGMENTS = {
    **_ENGLISH["patterns"],
    **{name.upper(): f"(?:{'|'.join(text.split())})" for name, text in _ENGLISH["words"].items()},
    "FILLER": ENGLISH.fragment("FILLER").replace(" ", r"\s+"),
    "IDIOMS": "|".join(_PHRASES["idioms"]),
    "PAIRS": "|".join(_PHRASES["pairs"].split())
    .replace("/", " (?:and|or|&|n|'n') ")
    .replace("_", " "),
}
_PACK = RulePack({"words": _ENGLISH["words"], "fragments": _FRAGMENTS})
