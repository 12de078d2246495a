"""Read exclusions in languages other than English, with a small pack of rules per language.

Only exclusions are read. Texts that look like a title, an idiom, a limit ("not older than") or a
complaint ("does not start") are left alone. Patterns and texts are compared without accents, since
people omit accents.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from logic_retrievers.queries.masking import FILL, PLAIN, fill
from logic_retrievers.queries.parsed_query import ParsedQuery
from logic_retrievers.queries.rules.rule import Rule, RulePack, Scope

# Language -> file of its rules in ``queries/rules``.
PACKS = {
    "de": "german",
    "es": "spanish",
    "fr": "french",
    "it": "italian",
    "nl": "dutch",
    "pt": "portuguese",
}

# Characters on either side of a cue that decide its meaning.
CONTEXT = 160
# A text with more cues is not read as a query.
MAX_CUES = 10

# In a query of at most this many words, a place after a short excluded text belongs to the wanted
# part: "films except Psycho on Netflix".
_SHORT_QUERY = 12
_ITEM_WORDS = 4  # limit for each item of a list except the first

_PLAIN = PLAIN | str.maketrans("\u201e\u00ab\u00bb\u00a0\u00df", '""" s')
_QUOTED = re.compile(r'"[^"\n]{1,200}"')
_SENTENCE_END = re.compile(r"[.!?;\n](?=\s)")
_HARD_END = re.compile(r"[?!;:\n()]|[.](?=\s|$)|\s-+\s")
_PUNCTUATION = " \t\n,;:.?!()[]\"'-"


def fold(text: str) -> str:
    """Make quotation marks plain and remove accents; keep the text's length."""
    plain = text.translate(_PLAIN)
    return plain if plain.isascii() else "".join(map(_fold, plain))


@cache
def _fold(character: str) -> str:
    return unicodedata.normalize("NFD", character)[0]


@dataclass(frozen=True, slots=True)
class Cue:
    """A cue that means exclusion: rule, span, and any excluded span between the cue's halves."""

    rule: Rule
    start: int
    end: int
    excluded: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Exclusion:
    """A cue, the spans of the excluded texts, and the span to remove from the query."""

    cue: Cue
    excluded: tuple[tuple[int, int], ...]
    start: int
    end: int


class PackParser:
    """Reads queries in one language; deterministic, and linear in the length of the query.

    Args:
        table: content of the pack's TOML file: ``fragments`` with ``IDIOMS``, ``rules`` for
            :class:`Rule`, and ``words``. The lists of words: ``articles`` (stand before a name but
            are not part of it), ``lists`` ("and", "or"), ``ends`` (end an excluded text),
            ``places`` (end a short excluded text), ``verbs`` (end an excluded text if a word
            follows), ``tails`` (end a clause and belong to no name), ``leads`` (lead to an
            exclusion and are removed with it), ``questions`` (begin the request after an opening
            exclusion), ``mentions`` (mark a query about a phrase), ``titles`` (mark such a query
            after the phrase).
    """

    def __init__(self, table: dict[str, Any]) -> None:
        pack = RulePack(table)
        self.rules = pack.rules

        def words(*names: str) -> str:
            found = [word for name in names for word in pack.words(name)]
            return f"(?:{'|'.join(sorted(found, key=len, reverse=True))})"

        def compiled(pattern: str) -> re.Pattern[str]:
            return re.compile(pattern, re.IGNORECASE)

        lists = words("lists")
        ending = r"(?:(?<=')|(?![\w-]))"
        self._idioms = compiled(
            rf"(?<![\w-])(?:{pack.fragment('IDIOMS')})(?![\w-])".replace(" ", r"\s+")
        )
        self._mentions = compiled(rf"(?<![\w-]){words('mentions')}(?![\w-])")
        self._titles = compiled(rf"\s*[^\s,.?!]+\s[^,.?!]*?(?<![\w-]){words('titles')}(?![\w-])")
        self._head = compiled(rf"(?:[\s,:(\"'-]+|{words('articles')}{ending})\s*")
        self._tail = compiled(rf"(?<![\w-]){words('tails', 'lists')}$")
        self._separator = compiled(rf"\s*,?\s+{lists}(?![\w-])\s*|\s*[,/&]\s*")
        self._has_list = compiled(rf"(?:^|[\s/]){lists}(?![\w-])|&")
        self._soft_end = compiled(
            rf",?\s+{words('ends')}(?![\w-])|\s+(?:{lists}\s+)?{words('verbs')}(?=\s+\w)"
        )
        self._place = compiled(rf"\s+(?:{lists}\s+)?(?P<place>{words('places')})(?=\s)")
        self._request = compiled(
            rf",?\s+(?=(?:(?:{words('places')}|{lists})\s+)?{words('questions')}(?![\w-]))"
        )
        self._lead = compiled(rf"(?:[\s,;:(\[-]+|(?<![\w-]){words('leads')})$")
        self._follow = compiled(rf"[\s,;:)\]!-]*(?:{words('tails', 'lists')}(?![\w-])[\s,]*)?")

    def parse(self, text: str) -> ParsedQuery:
        masked = self._idioms.sub(fill, _QUOTED.sub(fill, fold(text)))
        if self._mentions.search(masked):
            return ParsedQuery(text)
        exclusions = self._find_exclusions(masked)
        wanted = self._remainder(text, masked, exclusions)
        if not exclusions or not wanted.strip(_PUNCTUATION):
            return ParsedQuery(text)
        names = (text[a:b] for exclusion in exclusions for a, b in exclusion.excluded)
        first = exclusions[0].cue
        return ParsedQuery(
            text,
            "exclusion",
            wanted,
            tuple(dict.fromkeys(" ".join(name.split()) for name in names)),
            text[first.start : first.end].strip(),
            first.rule.name,
        )

    def _find_exclusions(self, masked: str) -> list[Exclusion]:
        """Return exclusions from left to right; skip cues inside an excluded text."""
        cues = self._find_cues(masked)
        exclusions: list[Exclusion] = []
        for number, cue in enumerate(cues):
            if exclusions and cue.start < exclusions[-1].end:
                continue
            limit = next((c.start for c in cues[number + 1 :] if c.start > cue.end), len(masked))
            if (exclusion := self._resolve(masked, cue, limit)) is not None:
                exclusions.append(exclusion)
        return exclusions

    def _find_cues(self, masked: str) -> list[Cue]:
        """Return cues that mean exclusion, from left to right; of overlapping cues only the first.

        If there are too many cues, the list is empty.
        """
        candidates = [
            (rule, match) for rule in self.rules for match in rule.cue_pattern.finditer(masked)
        ]
        if len(candidates) > 4 * MAX_CUES:
            return []
        cues: list[Cue] = []
        for rule, match in candidates:
            start, end = match.span()
            before, after = masked[max(0, start - CONTEXT) : start], masked[end : end + CONTEXT]
            if rule.opening is not None and rule.opening != _opens(masked, start):
                continue
            if rule.fits(before, after) and not self._titles.match(after):
                excluded = match.span("excluded") if rule.scope is Scope.BETWEEN else None
                cues.append(Cue(rule, start, end, excluded))
        cues.sort(key=lambda cue: (cue.start, cue.start - cue.end))
        apart: list[Cue] = []
        for cue in cues:
            if not apart or cue.start >= apart[-1].end:
                apart.append(cue)
        return apart if len(apart) <= MAX_CUES else []

    def _resolve(self, masked: str, cue: Cue, limit: int) -> Exclusion | None:
        """Return a cue's exclusion; None if the cue excludes nothing."""
        start, end = cue.start, cue.end
        if cue.excluded is not None:
            region = cue.excluded
        elif cue.rule.scope is Scope.BEFORE:
            comma = masked.rfind(",", _sentence(masked, start), start)
            if comma < 0:
                return None
            region, start = (comma + 1, start), comma
        else:
            stop = (
                self._end_of_opening(masked, end, limit)
                if _opens(masked, start)
                else self._end(masked, end, limit, brief=cue.rule.brief)
            )
            if stop is None:
                return None
            region, end = (end, stop), stop
        names = tuple(self._names(masked, *region))
        return Exclusion(cue, names, start, end) if names else None

    def _end(self, masked: str, start: int, limit: int, *, brief: bool) -> int:
        """Return where an excluded text ends: with the clause, or before a further wanted part."""
        hard = _HARD_END.search(masked, start, limit)
        end = self._end_of_list(masked, start, hard.start() if hard else limit)
        head = self._trim_head(masked, start, end)
        if soft := self._soft_end.search(masked, head + 1, end):
            end = soft.start()
        if brief or len(masked.split()) <= _SHORT_QUERY:
            own = masked[start:head].lower().split()  # "except in Rome and in Milan"
            for place in self._place.finditer(masked, head + 1, end):
                if place["place"].lower() not in own:
                    return place.start()
        return end

    def _end_of_opening(self, masked: str, start: int, limit: int) -> int | None:
        """Return the excluded text's end before the request; None for a title (no request)."""
        request = self._request.search(masked, self._trim_head(masked, start, limit) + 1, limit)
        stop = request.start() if request else limit
        end = self._end_of_list(masked, start, stop)
        return end if end < limit else None

    def _end_of_list(self, masked: str, start: int, end: int) -> int:
        """Return the position of the first comma, or the end of that comma's list."""
        pieces = masked[start:end].split(",")
        taken = len(pieces[0])
        at = taken
        for piece in pieces[1:]:
            at += 1 + len(piece)
            if len(piece.split()) > _ITEM_WORDS + 1 or self._soft_end.match(piece):
                break
            if self._has_list.search(piece):
                taken = at
                break
        return start + taken

    def _names(self, masked: str, start: int, end: int) -> Iterator[tuple[int, int]]:
        """Yield the spans of the names in a region, one per item of a list."""
        region = self._trim(masked, start, end)
        for span in _split_region(self._separator, masked, *region):
            first, last = self._trim(masked, *span)
            if masked[first:last].strip(_PUNCTUATION + FILL):
                yield first, last

    def _trim(self, masked: str, start: int, end: int) -> tuple[int, int]:
        start = self._trim_head(masked, start, end)
        while True:
            end = start + len(masked[start:end].rstrip(_PUNCTUATION))
            tail = self._tail.search(masked, max(start + 1, end - 40), end)
            if tail is None:
                return start, end
            end = tail.start()

    def _trim_head(self, masked: str, start: int, end: int) -> int:
        while (head := self._head.match(masked, start, end)) and start < head.end() < end:
            start = head.end()
        return start

    def _remainder(self, text: str, masked: str, exclusions: Sequence[Exclusion]) -> str:
        """Return the text without exclusions and without commas and small words around them."""
        wanted, at = "", 0
        for exclusion in exclusions:
            end = exclusion.start
            while lead := self._lead.search(masked, max(at, end - 20), end):
                end = lead.start()
            wanted = _join(wanted, text[at:end])
            at = exclusion.end
            at = self._follow.match(masked, at).end()  # type: ignore[union-attr]
        return _join(wanted, text[at:]).strip(" ,")


@cache
def pack_parser(language: str) -> PackParser:
    """Return the parser for a language of :data:`PACKS`; load it once."""
    path = files("logic_retrievers.queries.rules").joinpath(f"{PACKS[language]}.toml")
    return PackParser(_folded(tomllib.loads(path.read_text("utf-8"))))


def _folded(value: Any, name: str = "") -> Any:
    """Remove accents from a pack's patterns."""
    if isinstance(value, dict):
        return {key: _folded(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [_folded(inner, name) for inner in value]
    return fold(value) if isinstance(value, str) and name != "name" else value


def _split_region(
    separator: re.Pattern[str], text: str, start: int, end: int
) -> Iterator[tuple[int, int]]:
    """Yield the spans between separators in a region."""
    for match in separator.finditer(text, start, end):
        yield start, match.start()
        start = match.end()
    yield start, end


def _sentence(masked: str, at: int) -> int:
    """Return where the sentence around the position ``at`` begins."""
    ends = [mark.end() for mark in _SENTENCE_END.finditer(masked, max(0, at - CONTEXT), at)]
    return ends[-1] if ends else 0


def _opens(masked: str, at: int) -> bool:
    """Return whether only punctuation stands between the sentence's beginning and ``at``."""
    return not masked[_sentence(masked, at) : at].strip(" \t\n,:(\"'\u00bf\u00a1-")


def _join(left: str, right: str) -> str:
    right = " ".join(right.split())
    if not left or not right:
        return left or right
    return left + right if right in (".", "?", "!") else f"{left} {right}"
