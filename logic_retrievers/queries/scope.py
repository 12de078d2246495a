"""Find where an excluded text ends, which part of it is a name, and what is left of the query."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from logic_retrievers.queries.masking import FILL
from logic_retrievers.queries.patterns import pattern
from logic_retrievers.queries.rules.rule import CONTEXT, Exclusion

# In a query of at most so many words, a preposition behind a short excluded text belongs to the
# wanted part: "films except Psycho on Netflix".
SHORT_QUERY = 12
_ENDS = pattern("ends")
_ENDS_OPENING = pattern("ends_opening")
_VERB_AHEAD = pattern("verb_ahead")
_RELATIVE = pattern("relative")
_PLACE_OR_PURPOSE = pattern("place_or_purpose", flags=0)
_PENDING = pattern("pending")
_CLAUSE = pattern("clause")
_VERB_BY_FORM = pattern("verb_by_form", flags=0)
_NAME_BEFORE_VERB = pattern("name_before_verb", flags=0)
_QUESTION_WORD = pattern("question_word")
_RELATIVE_OF_NAME = pattern("relative_of_name", flags=0)
_ANY_PREPOSITION = pattern("any_preposition")
_HAS_VERB = pattern("has_verb")
_NAMES_SOMETHING = pattern("names_something")
_CONTENT_WORD = pattern("content_word")
_LIST = pattern("list")
_LIST_ITEMS = pattern("list_items")
_COMMA = re.compile(r",\s")
_WHOLE_REGION = pattern("whole_region")
_NAME_HEAD = pattern("name_head")
_NAME_TAIL = pattern("name_tail")
_LIST_SEPARATOR = pattern("list_separator")
_SHORT_NAME = re.compile(r"[\w'.&+#-]+(?:\s+[\w'.&+#-]+){0,4}")
_CONJUNCTION = pattern("conjunction")
_LEADING_WORDS = pattern("leading_words")
_TRAILING_WORDS = pattern("trailing_words")

# The end of a sentence that is followed by another one.
_STOP = re.compile(r"\s*([.!])\s+(?=[A-Z])")


def remainder(text: str, exclusions: Sequence[Exclusion]) -> str:
    """Return the text without its exclusions, and without commas and small words around them."""
    left = text[: exclusions[0].start]
    ends = [*(exclusion.start for exclusion in exclusions[1:]), len(text)]
    for exclusion, end in zip(exclusions, ends, strict=True):
        left = _join(left, text[exclusion.end : end])
    return left.strip()


def name_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Return the spans of the names in a region: one for each list item if all are short."""
    start, end = _trim(text, start, end)
    spans = split_region(_LIST_SEPARATOR, text, start, end)
    names = [_trim(text, *span) for span in spans if span[0] < span[1]]
    names = [(a, b) for a, b in names if a < b]
    if len(names) > 1 and all(_SHORT_NAME.fullmatch(text[a:b]) for a, b in names):
        return names
    return [(start, end)] if start < end else []


def split_region(
    separator: re.Pattern[str], text: str, start: int, end: int
) -> Iterator[tuple[int, int]]:
    """Yield the spans between the separators in a region."""
    for match in separator.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end


def end_of_opening(region: str) -> int:
    """Return where an excluded text ends if its cue opens the sentence: `other than X, what ...`.

    Args:
        region: the masked text from the cue to the next one.
    """
    end = _ENDS_OPENING.search(region)
    if end is not None and end.group().startswith(","):
        return end.start()
    comma = _COMMA.search(region)
    if comma and (end is None or comma.start() < end.start()):
        if items := _LIST_ITEMS.match(region, comma.start()):
            comma = _COMMA.search(region, items.end()) or comma
        return comma.start()
    return end.start() if end else len(region)


def end_of_middle(region: str, lead: str, *, brief: bool) -> int:
    """Return where any other one ends: with the sentence, or before more of the wanted part.

    Args:
        region: the masked text from the cue to the next one.
        lead: the part of the sentence before the cue.
        brief: whether a preposition behind a word or two belongs to the wanted part.
    """
    match = _ENDS.search(region)
    end = match.start() if match else len(region)
    comma = region.find(",", 1, end)
    if comma >= 0:
        items = _LIST.match(region, comma, end)
        end = items.end() if items else comma
    if _WHOLE_REGION.match(region):
        return end
    terse = len(lead.split()) <= 7 and not _HAS_VERB.search(lead)
    pending = _PENDING.search(lead[-CONTEXT:])
    expects_verb = terse or (pending is not None and not _HAS_VERB.search(pending.group(1)))
    patterns = [_CLAUSE, _RELATIVE_OF_NAME]
    if expects_verb:
        patterns += [_VERB_AHEAD, _VERB_BY_FORM, _RELATIVE]
        if pending and (name_match := _NAME_BEFORE_VERB.match(region, 0, end)):
            end = name_match.end()
    for ending in patterns:
        ahead = ending.search(region, 1, end)
        name = region[: ahead.start()] if ahead else ""
        if _NAMES_SOMETHING.search(name) and (
            ending is not _RELATIVE_OF_NAME
            or (name.split()[-1][0].isupper() or name.rstrip()[-1] == FILL)
        ):
            end = len(name)
    # "hotels without a pool in Rome": a place or purpose of the wanted part
    if brief or (terse and not _QUESTION_WORD.match(lead)):
        prepositions = _ANY_PREPOSITION if brief else _PLACE_OR_PURPOSE
        for preposition in prepositions.finditer(region, 1, end):
            name = region[: preposition.start()]
            if len(_CONTENT_WORD.findall(name)) <= 2 and _NAMES_SOMETHING.search(name):
                end = preposition.start()
                break
    return end


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the name in a region, without an article, "information about" or "please"."""
    while (head := _NAME_HEAD.match(text, start, end)) and start < head.end() < end:
        start = head.end()
    if tail := _NAME_TAIL.search(text, max(start, end - 60), end):
        end = tail.start()
    return start, end


def _join(left: str, right: str) -> str:
    """Join both sides of an exclusion, without the commas and conjunctions around it."""
    while (match := _LEADING_WORDS.search(left, max(0, len(left) - CONTEXT))) is not None:
        left = left[: match.start()]
    following = right[_TRAILING_WORDS.match(right).end() :]  # type: ignore[union-attr]
    if not left:
        following = _CONJUNCTION.sub("", following)
    if following.strip(" ?"):
        stop = _STOP.match(right)
        left += stop[1] if stop and left[-1:].isalnum() else ""
        return f"{left} {following}" if left else following
    stop_mark = right.strip()[-1:]  # nothing follows but the end of the sentence
    needs_mark = stop_mark in (".", "!", "?") and left[-1:] not in (".", "!", "?")
    return left + stop_mark if needs_mark else left
