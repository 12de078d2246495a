"""The rule parser divides a query into excluded texts, wanted rest, and the rest's AND and OR.

Cues, such as *not*, tell where the excluded texts are.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from typing import TypeAlias

from logic_retrievers.errors import ConfigurationError, ExpressionError, InputError, shown
from logic_retrievers.queries.coordination import coordinate
from logic_retrievers.queries.language import detect_language
from logic_retrievers.queries.masking import mask
from logic_retrievers.queries.pack_parser import PACKS, may_exclude, pack_parser
from logic_retrievers.queries.parsed_query import ParsedQuery
from logic_retrievers.queries.patterns import pattern
from logic_retrievers.queries.rules import RULES, Rule, Scope
from logic_retrievers.queries.rules.rule import CONTEXT, Cue, Exclusion, find_cues, find_exclusions
from logic_retrievers.queries.scope import (
    SHORT_QUERY,
    end_of_middle,
    end_of_opening,
    name_spans,
    remainder,
)

# A longer text is a document to search with, and is not parsed.
MAX_CHARACTERS = 2_000

# With this threshold, no query of SciFact, MS MARCO or Cranfield becomes an expression.
THRESHOLD = 0.7

_SPACES = re.compile(r"\s{2,}")
_SPACE_OR_CHARACTER = re.compile(r"\s+|.", re.DOTALL)
_SENTENCE_BREAK = re.compile(r"(?:[.!?;:\n]|\s-|[(\[])\s*$")
_SENTENCE_END = re.compile(r"(?<=\w\w)[.!?;](?=\s|$)|\n")
_CLAUSE_BREAK = pattern("clause_break")
_WHICH_ARE_NOT = pattern("which_are_not")
_BUT_NOT = pattern("but_not")
_NEGATION = pattern("negation")
_JOINING = pattern("joining")

_QUESTION_WITHOUT = pattern("question_without")
_STATEMENT = pattern("statement")

# A query cut in two: the wanted text, the excluded texts as (relation or ``""``, text), and None if
# the rules made this cut. If not, the last part is the text that the rules exclude, in lower case
# (``""`` if they exclude nothing).
_Split: TypeAlias = tuple[str, tuple[tuple[str, str], ...], str | None]


@dataclass(frozen=True)
class RuleParser:
    """A :class:`QueryParser` of hand-made rules for English, and exclusions of six more languages.

    German, French, Spanish, Portuguese, Italian and Dutch have a small pack of rules each, for
    exclusions only; other languages pass untouched. Parsing is deterministic, linear in the query's
    length, and needs no model. Texts of more than 2,000 characters or ten cues are left alone.

    Args:
        rules: the families of cues, in order of precedence if two match at the same place. Put
            your own before ``RULES``, or leave some out.
        threshold: least confidence at which a query with AND, OR or BUT NOT becomes an expression;
            above 1 no query does.
        languages: languages besides English whose exclusions are read, from ``de``, ``es``,
            ``fr``, ``it``, ``nl`` and ``pt``.

    Raises:
        ConfigurationError: the threshold is no number, or a language has no rules.
    """

    rules: Sequence[Rule] = field(default=RULES, repr=False)
    _: KW_ONLY
    threshold: float = THRESHOLD
    languages: Collection[str] = tuple(PACKS)

    def __post_init__(self) -> None:
        if isinstance(self.threshold, bool) or not self.threshold >= 0:
            raise ConfigurationError(
                f"threshold is a number of at least 0, not {shown(self.threshold)}"
            )
        if isinstance(self.languages, str) or not set(self.languages) <= PACKS.keys():
            raise ConfigurationError(
                f"languages is a list of {', '.join(PACKS)}, not {shown(self.languages)}"
            )
        object.__setattr__(self, "rules", tuple(self.rules))
        object.__setattr__(self, "languages", tuple(sorted(self.languages)))

    def parse(self, text: str) -> ParsedQuery:
        """Return the query in its parts, with ``kind="none"`` if no rule matches."""
        if not isinstance(text, str):
            raise InputError(f"a query is a text, not {shown(text)}")
        if len(text) > MAX_CHARACTERS:
            return ParsedQuery(text)
        parsed = self._parse(text)
        if parsed.kind == "none" and not may_exclude(text, tuple(self.languages)):
            return parsed
        language = detect_language(text)
        if language in self.languages:
            return pack_parser(language).parse(text)
        return parsed if _is_english(parsed, language) else ParsedQuery(text)

    def _parse(self, text: str) -> ParsedQuery:
        if not _SPACES.search(text):
            return self._parse_squeezed(text)
        squeezed, offsets = _squeeze(text)
        parsed = self._parse_squeezed(squeezed)
        wanted = text if parsed.wanted == squeezed else parsed.wanted
        span = (offsets[parsed.span[0]], offsets[parsed.span[1]]) if parsed.span else None
        return replace(parsed, text=text, wanted=wanted, span=span)

    def _parse_squeezed(self, text: str) -> ParsedQuery:
        """Parse a text without runs of white space."""
        masked = mask(text)
        # a claim of one sentence: "Mice without the gene are resistant."
        statement = _STATEMENT.match(masked.replace(". ", "! ")) is not None
        exclusions = [] if statement else self._exclusions(masked)
        parsed = _parse_exclusions(text, masked, exclusions)
        may_join = parsed.kind != "none" or _JOINING.search(masked)
        if statement or self.threshold > 1 or not may_join:
            return parsed
        return self._parse_expression(parsed, exclusions)

    def _parse_expression(
        self, parsed: ParsedQuery, exclusions: Sequence[Exclusion]
    ) -> ParsedQuery:
        """Return the query; make it an expression if its wanted part clearly joins things."""
        text = parsed.text
        is_negated = parsed.kind == "negated_fact"
        splits = _split_negated(text) if is_negated else _splits(text, exclusions)
        for wanted, phrases, rule_reading in splits:
            try:
                related = [f"{relation} {phrase}".strip() for relation, phrase in phrases]
                result = coordinate(wanted, related, rule_reading)
            except ExpressionError:  # more parts or characters than an expression may have
                continue
            if result is None or result.confidence < self.threshold:
                continue
            query = replace(
                parsed,
                kind="expression",
                expression=result.expression,
                confidence=result.confidence,
            )
            if phrases:
                excluded = tuple(dict.fromkeys(phrase for _, phrase in phrases))
                return replace(query, wanted=wanted, excluded=excluded)
            start, end = result.span or (0, 0)
            cue = text[start:end].strip(" ,")
            start = text.index(cue, start)
            return replace(query, rule="coordination", cue=cue, span=(start, start + len(cue)))
        return parsed

    def _exclusions(self, masked: str) -> list[Exclusion]:
        cues = find_cues(self.rules, masked, _opens)
        exclusions = find_exclusions(masked, cues, _resolve_cue)
        if exclusions and remainder(masked, exclusions).strip(" ?.!,"):
            return exclusions
        return []


def _opens(masked: str, at: int) -> bool:
    """Whether a sentence, or a separate part of one, begins at this place."""
    before = masked[max(0, at - CONTEXT) : at]
    return not before.strip() or bool(_SENTENCE_BREAK.search(before))


def _is_english(parsed: ParsedQuery, language: str | None) -> bool:
    """Whether English rules may read the text.

    If no word tells its language, they may, except for a negated fact or the cue "no", which is a
    word of several languages.
    """
    tells = parsed.kind != "negated_fact" and parsed.cue.lower() != "no"
    return language == "en" or (language is None and tells)


def _parse_exclusions(text: str, masked: str, exclusions: Sequence[Exclusion]) -> ParsedQuery:
    """Parse exclusions and negations, but no AND or OR."""
    if exclusions:
        excluded = [text[a:b] for exclusion in exclusions for a, b in exclusion.excluded]
        cue = exclusions[0].cue
        return ParsedQuery(
            text,
            "exclusion",
            remainder(text, exclusions),
            tuple(dict.fromkeys(excluded)),
            text[cue.start : cue.end].strip(),
            cue.rule.name,
            (cue.start, cue.end),
            reading="property" if all(e.cue.rule.property for e in exclusions) else "thing",
        )
    if span := _find_negation(masked):
        cue_text = text[slice(*span)]
        return ParsedQuery(text, "negated_fact", cue=cue_text, rule="negation", span=span)
    return ParsedQuery(text)


def _splits(text: str, exclusions: Sequence[Exclusion]) -> Iterator[_Split]:
    """Yield the cuts of a query to try, in order.

    If its only cue stands inside the query and excludes what follows, the first cut excludes all
    text behind the cue. The rules' own cut is always the last.
    """
    if len(exclusions) == 1 and exclusions[0].start == exclusions[0].cue.start > 0:
        cue = exclusions[0].cue
        behind = text[cue.end :].strip(" .?!,")
        if cue.rule.scope is Scope.AFTER and behind:
            reading = " ".join(text[a:b] for a, b in exclusions[0].excluded).lower()
            wanted = remainder(text, [replace(exclusions[0], end=len(text))])
            yield wanted, ((_relation(text, cue), behind),), reading
    phrases = tuple(
        (_relation(text, exclusion.cue), text[a:b])
        for exclusion in exclusions
        for a, b in exclusion.excluded
    )
    yield (remainder(text, exclusions) if exclusions else text), phrases, None


def _relation(text: str, cue: Cue) -> str:
    """Return the words of a cue behind its *not*, such as *set in*."""
    words = text[cue.start : cue.end]
    return words.rpartition("not ")[2].strip() if "not " in words else ""


def _split_negated(text: str) -> Iterator[_Split]:
    """Yield a cut of a negated fact at *but not* or *which are not*.

    *films of A or films of B but not released in 1990*. No cut if the wanted part is negated.
    """
    match = _WHICH_ARE_NOT.match(text) or _BUT_NOT.match(text)
    if match is None or _find_negation(match["wanted"]) is not None:
        return
    if excluded := match["excluded"].strip(" .?!,"):
        yield match["wanted"], (("", excluded),), ""


def _squeeze(text: str) -> tuple[str, list[int]]:
    """Make each run of white space one character.

    Return the text, and the old position of each of its characters and of its end.
    """
    pieces: list[str] = []
    offsets: list[int] = []
    for match in _SPACE_OR_CHARACTER.finditer(text):
        piece = match.group()
        pieces.append(piece if len(piece) == 1 else "\n" if "\n" in piece else " ")
        offsets.append(match.start())
    return "".join(pieces), [*offsets, len(text)]


def _resolve_cue(masked: str, cue: Cue, limit: int) -> Exclusion | None:
    """Return what a cue excludes, and where in the text; None if it excludes nothing."""
    sentence = max((mark.end() for mark in _SENTENCE_END.finditer(masked, 0, cue.start)), default=0)
    lead = masked[sentence : cue.start]
    if cue.excluded is not None:
        start, end, region = cue.start, cue.end, cue.excluded
    elif cue.rule.scope is Scope.BEFORE:
        breaks = [match.end() for match in _CLAUSE_BREAK.finditer(lead)]
        region = (sentence + (breaks[-1] if breaks else 0), cue.start)
        start, end = region[0], cue.end
    else:
        behind = masked[cue.end : limit]
        if not lead.strip(" ,;:(\"'"):
            length = end_of_opening(behind)
        else:
            brief = cue.rule.brief or len(masked.split()) <= SHORT_QUERY
            length = end_of_middle(behind, lead, brief=brief)
        start, end = cue.start, cue.end + length
        region = (cue.end, end)
    excluded = name_spans(masked, *region)
    return Exclusion(cue, tuple(excluded), start, end) if excluded else None


def _find_negation(masked: str) -> tuple[int, int] | None:
    """Return the span of the first negating word in a text with masked names and idioms."""
    match = _NEGATION.search(masked) or _QUESTION_WITHOUT.match(masked)
    return match.span(match.lastindex or 0) if match else None
