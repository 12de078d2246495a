"""Words that turn what is said into its opposite: ``not``, ``cannot``, ``without``, ``non-``."""

from __future__ import annotations

from logic_retrievers.cleaning.differences.words import Word, vocabulary

_NEGATORS = vocabulary(
    """
    not no non never none nobody nothing nowhere neither nor cannot without lack lacks lacking
    lacked unable hardly rarely seldom refuse refuses refused fail fails failed isn't aren't wasn't
    weren't don't doesn't didn't can't couldn't won't wouldn't shouldn't mustn't needn't hasn't
    haven't hadn't ain't cant dont doesnt didnt wont isnt arent wasnt
    """
)
_PREFIXES = ("un", "in", "im", "ir", "il", "non", "dis")
_LEAST = 4
_UNTURNED = {  # word before or behind -> the words that do not negate beside it
    "not": frozenset(
        {"only", "just", "necessarily", "yet", "later", "least", "more", "less", "even"}
    ),
    "no": frozenset({"later", "more", "less", "fewer", "matter", "doubt", "longer", "sooner"}),
    "nothing": frozenset({"but"}),
    "nobody": frozenset({"but"}),
    "none": frozenset({"other"}),
    "without": frozenset({"doubt", "exception"}),
}


def negates(word: Word, after: Word | None) -> bool:
    """Whether a word negates, given the one behind it: not in "not only", "no later than"."""
    if word.key not in _NEGATORS:
        return False
    return after is None or after.key not in _UNTURNED.get(word.key, ())


def turned(word: str) -> frozenset[str]:
    """What a word is with a prefix that negates, and without its own: ``paid``, ``unpaid``."""
    if len(word) < _LEAST:
        return frozenset()
    longer = {f"{prefix}{sign}{word}" for prefix in _PREFIXES for sign in ("", "-")}
    shorter = {word[len(prefix) :].lstrip("-") for prefix in _PREFIXES if word.startswith(prefix)}
    return frozenset(longer | {one for one in shorter if len(one) >= _LEAST})
