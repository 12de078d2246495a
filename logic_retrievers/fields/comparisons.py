"""Find the words around a number or a date that compare: "at least", "not over", "or more".

An operator is ``lt``, ``le``, ``gt``, ``ge``, ``eq``, or ``about`` for a preference; None if no
word compares. ``english.toml`` has the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from logic_retrievers.fields.amounts import WORDS, Amount
from logic_retrievers.fields.periods import Period

# how far before a number words are looked for, in characters
NEAR = 100
SPACE = r"[\s\u00a0]"
_EDGE = r"(?<![\w-])"
_FLIPPED = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}


def any_word(words: Iterable[str]) -> str:
    """Return a pattern for any of the words, the longest first; without words, for nothing."""
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True))) or "(?!)"


def _any_operator(*tables: Mapping[str, Sequence[str]]) -> str:
    operators = dict.fromkeys(operator for table in tables for operator in table)
    patterns = {op: [p for table in tables for p in table.get(op, ())] for op in operators}
    any_of = "|".join(f"(?P<{operator}>{'|'.join(each)})" for operator, each in patterns.items())
    return any_of.replace(" ", f"{SPACE}+")


def _words(name: str) -> str:
    return any_word(WORDS["words"][name].split())


def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


# what may stand between a field's name and its number: "the rent should be at most 900"
FILLERS = rf"(?:[\s\u00a0:=,-]|(?<!\w)(?:{_words('fillers')})(?!\w))*"

_BEFORE_NUMBER = _compile(
    rf"{_EDGE}(?:{_any_operator(WORDS['before'])})(?:{SPACE}*(?:an?|the|of|is|with|for|at|:))?{SPACE}*$"
)
_BEFORE_PERIOD = _compile(
    rf"{_EDGE}(?:{_any_operator(WORDS['before_time'], WORDS['before'])})"
    rf"(?:{SPACE}+(?:the|year|month of|date))*{SPACE}*$"
)
# not "42 or under 100 euros"
_BEHIND = _compile(rf"{SPACE}*(?:{_any_operator(WORDS['behind'])})(?!\w)(?!{SPACE}*[\d$£€])")
_NEGATED = _compile(
    rf"{_EDGE}(?:{_words('negators')})(?:{SPACE}+(?:{_words('between_negation')}))*{SPACE}*$"
)
_RANGE = _compile(rf"{_EDGE}(?P<cue>between|from|in the range)(?:{SPACE}+(?:of|the))?{SPACE}*$")
_MIDDLE = _compile(
    rf"(?P<unit>{SPACE}?[^\W\d]+[²³]?|[€£$%])?{SPACE}*"
    rf"(?P<by>-|\u2013|\u2014|to|and|or|until|through){SPACE}*"
)


def before_number(text: str, done: int, at: int) -> tuple[str | None, int]:
    """Return the operator before a number, turned round by a negation, and where it begins.

    Nothing before ``done`` is looked at.
    """
    return _before(_BEFORE_NUMBER, text, done, at)


def before_period(text: str, done: int, at: int) -> tuple[str | None, int]:
    """Do :func:`before_number` for a date."""
    return _before(_BEFORE_PERIOD, text, done, at)


def behind(text: str, at: int) -> tuple[str | None, int]:
    """Return the operator behind a number or a date ("or more"), and where it ends."""
    match = _BEHIND.match(text, at)
    return (match.lastgroup, match.end()) if match else (None, at)


def turned_round(text: str, done: int, at: int, operator: str | None) -> tuple[str | None, int]:
    """Turn an operator round if a negation stands before ``at``: "not" of "not built before"."""
    negated = _NEGATED.search(text, done, at)
    if negated and operator in _FLIPPED:
        return _FLIPPED[operator], negated.start()
    return operator, at


def is_negated(text: str, done: int, at: int) -> bool:
    """Tell whether a negation stands before ``at``."""
    return _NEGATED.search(text, done, at) is not None


def range_start(text: str, done: int, at: int) -> int | None:
    """Return where the "between" or "from" before a range begins."""
    match = _RANGE.search(text, max(0, done), at)
    return match.start() if match else None


def join_ranges(text: str, amounts: Sequence[Amount]) -> list[Amount]:
    """Join the two numbers of a range: "2-3", "between 2 and 3", "€40 to €50"."""
    joined: list[Amount] = []
    for amount in amounts:
        if joined and _is_range(text, joined[-1], amount):
            middle = text[joined[-1].end : amount.start].strip().lower()
            # "42 or 44" leaves out 43, which no range does
            is_choice = middle == "or" and amount.low - joined[-1].high > 1
            joined[-1] = replace(joined[-1].up_to(amount), is_choice=is_choice)
        else:
            joined.append(amount)
    return joined


def join_periods(text: str, periods: Sequence[Period]) -> list[Period]:
    """Join the two dates of a range: "from 1 June to 15 July", "between March and May 2026"."""
    joined: list[Period] = []
    for period in periods:
        one = joined[-1] if joined else None
        middle = one and _MIDDLE.fullmatch(text, one.end, period.start)
        if one and middle and not middle["unit"] and one.kind != "range":
            by = middle["by"].lower()
            if by not in ("and", "or") or (
                by == "and" and range_start(text, one.start - NEAR, one.start) is not None
            ):
                joined[-1] = one.up_to(period)
                continue
        joined.append(period)
    return joined


def _is_range(text: str, one: Amount, other: Amount) -> bool:
    middle = _MIDDLE.fullmatch(text, one.end, other.start)
    if middle is None or one.is_range or one.up_to(other).low >= other.high:
        return False
    by = middle["by"].lower()
    if by == "or" and not middle["unit"]:
        return True
    start = _RANGE.search(text, max(0, one.start - NEAR), one.start)
    return by not in ("and", "or") or (start is not None and start["cue"].lower() == "between")


def _before(pattern: re.Pattern[str], text: str, done: int, at: int) -> tuple[str | None, int]:
    match = pattern.search(text, done, at)
    return turned_round(text, done, match.start(), match.lastgroup) if match else (None, at)
