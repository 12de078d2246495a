"""The parser: finds cues, the traps that they rule out, what is left, and what that joins."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from logic_retrievers.errors import ConfigurationError
from logic_retrievers.queries.coordination import Denial, coordinated
from logic_retrievers.queries.masks import mask
from logic_retrievers.queries.parsed import ParsedQuery
from logic_retrievers.queries.polarity import find_negation, is_statement
from logic_retrievers.queries.rules import RULES, Rule, Scope
from logic_retrievers.queries.scope import names_in, trap_end
from logic_retrievers.queries.seams import rest

MOST_CHARACTERS = 2_000
"""A longer text is a document that somebody searches with; no constraint is looked for in it."""

MOST_CUES = 10
"""A text with more cues is no query either."""

THRESHOLD = 0.7
"""Splits at most one ordinary query in a hundred (SciFact, MS MARCO and Cranfield: none)."""

_CONTEXT = 160
_RUN = re.compile(r"\s{2,}")
_RUN_OR_CHARACTER = re.compile(r"\s+|.", re.DOTALL)
_SENTENCE_BREAK = re.compile(r"(?:[.!?;:\n]|\s-|[(\[])\s*$")
_SENTENCE_END = re.compile(r"(?<=\w\w)[.!?;](?=\s|$)|\n")
_BEFORE_CUT = re.compile(r"(?:[,;:(]|\s-|\b(?:with|but)\b)\s*(?=[^,;:(]*$)", re.IGNORECASE)
_WHICH_ARE_NOT = re.compile(
    r"\s*which\s+(?P<wanted>.+?)\s+(?:are\s+not|aren't)\s+(?P<denied>.+)", re.IGNORECASE
)
_BUT_NOT = re.compile(
    r"(?P<wanted>.+?),?\s+(?:(?:but|and|just|only)\s+(?:not|no|aren't|isn't|are\s+not|none\s+of\s+"
    r"them)|none\s+of\s+them)\s+(?P<denied>.+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Cue:
    rule: Rule
    start: int
    end: int
    trap: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class _Exclusion:
    cue: _Cue
    traps: tuple[tuple[int, int], ...]
    start: int
    end: int


class RuleParser:
    """A :class:`QueryParser` of hand-made rules for English; other languages pass untouched.

    Deterministic, linear in the length of the query, and without a model. Texts of more than
    2,000 characters or ten cues are left alone.

    Args:
        rules: the families of cues, in order of precedence where two match at the same place. Put
            your own before ``RULES``, or leave some out.
        threshold: least confidence with which a query that joins things becomes an expression;
            above 1 none does.

    Raises:
        ConfigurationError: a threshold that is no number.
    """

    def __init__(self, rules: Sequence[Rule] = RULES, *, threshold: float = THRESHOLD) -> None:
        if isinstance(threshold, bool) or not threshold >= 0:
            raise ConfigurationError(f"threshold is a number of at least 0, not {threshold!r}")
        self._rules = tuple(rules)
        self._threshold = threshold

    def parse(self, text: str) -> ParsedQuery:
        """The query in its parts; ``kind="none"`` where no rule fits."""
        if len(text) > MOST_CHARACTERS:
            return ParsedQuery(text)
        squeezed, offsets = _squeezed(text)
        masked = mask(squeezed)
        statement = is_statement(masked)
        exclusions = [] if statement else self._exclusions(masked)
        parsed = _plain(text, squeezed, offsets, masked, exclusions)
        if statement or self._threshold > 1:
            return parsed
        return self._stated(parsed, squeezed, offsets, exclusions) or parsed

    def _stated(
        self,
        parsed: ParsedQuery,
        squeezed: str,
        offsets: Sequence[int],
        exclusions: Sequence[_Exclusion],
    ) -> ParsedQuery | None:
        """The query as an expression, where its wanted part surely joins things."""
        negated = parsed.kind == "polarity"
        readings = _negated(squeezed) if negated else _readings(squeezed, exclusions)
        for wanted, denials in readings:
            found = coordinated(wanted, denials)
            if found is None or found.confidence < self._threshold:
                continue
            if found.span is None and wanted.rstrip(" .?!") not in squeezed:
                continue  # parts that only an exclusion between them joins
            stated = replace(
                parsed, kind="expression", expression=found.expression, confidence=found.confidence
            )
            if denials:
                traps = tuple(dict.fromkeys(denial.text for denial in denials))
                return replace(stated, target=wanted, traps=traps)
            if found.span is None:
                return replace(stated, rule="coordination")
            start, end = found.span
            cue = squeezed[start:end].strip(" ,")
            start = squeezed.index(cue, start)
            span = (offsets[start], offsets[start + len(cue)])
            return replace(stated, rule="coordination", cue=cue, span=span)
        return None

    def _exclusions(self, masked: str) -> list[_Exclusion]:
        cues = self._cues(masked)
        if len(cues) > MOST_CUES:
            return []
        found: list[_Exclusion] = []
        done = 0
        for number, cue in enumerate(cues):
            if cue.start < done:
                continue
            limit = next((c.start for c in cues[number + 1 :] if c.start > cue.end), len(masked))
            exclusion = _resolve(masked, cue, limit)
            if exclusion is not None:
                found.append(exclusion)
                done = exclusion.end
        return found if found and rest(masked, _spans(found)).strip(" ?.!,") else []

    def _cues(self, masked: str) -> list[_Cue]:
        """The cues that mean exclusion, from left to right; where some overlap, the longest."""
        candidates = [
            (rule, found) for rule in self._rules for found in rule.cue_pattern.finditer(masked)
        ]
        if len(candidates) > 4 * MOST_CUES:
            return []
        cues: list[_Cue] = []
        for rule, found in candidates:
            start, end = found.span()
            before = masked[max(0, start - _CONTEXT) : start]
            opens = not before.strip() or bool(_SENTENCE_BREAK.search(before))
            if rule.opening is not None and rule.opening != opens:
                continue
            verb = found["verb"] if rule.again else ""
            if rule.fits(before, masked[end : end + _CONTEXT], verb):
                trap = found.span("trap") if rule.scope is Scope.BETWEEN else None
                cues.append(_Cue(rule, start, end, trap))
        cues.sort(key=lambda cue: (cue.start, cue.start - cue.end))
        kept: list[_Cue] = []
        for cue in cues:
            if not kept or cue.start >= kept[-1].end:
                kept.append(cue)
        return kept


def _plain(
    text: str,
    squeezed: str,
    offsets: Sequence[int],
    masked: str,
    exclusions: Sequence[_Exclusion],
) -> ParsedQuery:
    """The query without regard to what it joins."""
    if exclusions:
        traps = [squeezed[a:b] for found in exclusions for a, b in found.traps]
        cue = exclusions[0].cue
        return ParsedQuery(
            text,
            "exclusion",
            rest(squeezed, _spans(exclusions)),
            tuple(dict.fromkeys(traps)),
            squeezed[cue.start : cue.end].strip(),
            cue.rule.name,
            (offsets[cue.start], offsets[cue.end]),
        )
    if negation := find_negation(masked):
        start, end = negation
        span = (offsets[start], offsets[end])
        return ParsedQuery(text, "polarity", cue=squeezed[start:end], rule="negation", span=span)
    return ParsedQuery(text)


def _spans(exclusions: Sequence[_Exclusion]) -> list[tuple[int, int]]:
    return [(found.start, found.end) for found in exclusions]


def _readings(
    text: str, exclusions: Sequence[_Exclusion]
) -> Iterator[tuple[str, tuple[Denial, ...]]]:
    """What may be wanted and ruled out: all behind a single cue first, then as the cues say."""
    if len(exclusions) == 1 and exclusions[0].start == exclusions[0].cue.start > 0:
        cue = exclusions[0].cue
        denied = text[cue.end :].strip(" .?!,")
        if cue.rule.scope is Scope.AFTER and denied:
            taken = " ".join(text[a:b] for a, b in exclusions[0].traps).lower()
            denial = Denial(denied, text[cue.start : cue.end], must_share=True, rival=taken)
            yield rest(text, [(cue.start, len(text))]), (denial,)
    denials = tuple(
        Denial(text[a:b], text[found.cue.start : found.cue.end])
        for found in exclusions
        for a, b in found.traps
    )
    yield (rest(text, _spans(exclusions)) if exclusions else text), denials


def _negated(text: str) -> Iterator[tuple[str, tuple[Denial, ...]]]:
    """What *but not* rules out where no rule took it for an exclusion: *but not released in*."""
    found = _WHICH_ARE_NOT.match(text) or _BUT_NOT.match(text)
    if found is not None and find_negation(found["wanted"]) is None:
        denial = Denial(found["denied"].strip(" .?!,"), must_share=True, rival="")
        if denial.text:
            yield found["wanted"], (denial,)


def _squeezed(text: str) -> tuple[str, Sequence[int]]:
    """The text with every run of white space as one sign, and where each character came from."""
    if not _RUN.search(text):
        return text, range(len(text) + 1)
    pieces: list[str] = []
    offsets: list[int] = []
    for found in _RUN_OR_CHARACTER.finditer(text):
        sign = found.group()
        pieces.append(sign if len(sign) == 1 else "\n" if "\n" in sign else " ")
        offsets.append(found.start())
    return "".join(pieces), [*offsets, len(text)]


def _resolve(masked: str, cue: _Cue, limit: int) -> _Exclusion | None:
    """What a cue rules out and where in the text; None where nothing is left to rule out."""
    sentence = 0
    for found in _SENTENCE_END.finditer(masked, 0, cue.start):
        sentence = found.end()
    lead = masked[sentence : cue.start]
    if cue.trap is not None:
        start, end, region = cue.start, cue.end, cue.trap
    elif cue.rule.scope is Scope.BEFORE:
        cuts = [found.end() for found in _BEFORE_CUT.finditer(lead)]
        region = (sentence + (cuts[-1] if cuts else 0), cue.start)
        start, end = region[0], cue.end
    else:
        opening = not lead.strip(" ,;:(\"'")
        stop = trap_end(masked, cue.end, limit, opening=opening, lead=lead, brief=cue.rule.brief)
        start, end, region = cue.start, stop, (cue.end, stop)
    traps = names_in(masked, *region)
    return _Exclusion(cue, tuple(traps), start, end) if traps else None
