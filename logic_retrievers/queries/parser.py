"""The parser of exclusions: finds cues, the traps that they rule out, and what is left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from logic_retrievers.queries.masks import mask
from logic_retrievers.queries.parsed import ParsedQuery
from logic_retrievers.queries.polarity import find_negation, is_statement
from logic_retrievers.queries.rules import RULES, Rule, Scope
from logic_retrievers.queries.scope import names_in, trap_end

MOST_CHARACTERS = 2_000
"""A longer text is a document that somebody searches with; no constraint is looked for in it."""

MOST_CUES = 10
"""A text with more cues is no query either."""

_CONTEXT = 160
_RUN = re.compile(r"\s{2,}")
_RUN_OR_CHARACTER = re.compile(r"\s+|.", re.DOTALL)
_SENTENCE_BREAK = re.compile(r"(?:[.!?;:\n]|\s-|[(\[])\s*$")
_SENTENCE_END = re.compile(r"(?<=\w\w)[.!?;](?=\s|$)|\n")
_BEFORE_CUT = re.compile(r"(?:[,;:(]|\s-|\b(?:with|but)\b)\s*(?=[^,;:(]*$)", re.IGNORECASE)
_CONJUNCTION = re.compile(r"^(?:but|and)\s+", re.IGNORECASE)
_SEAM_LEFT = re.compile(
    r"(?:[\s,;:(\[-]+|(?<![\w-])(?:and|but(?:\sone)?|while|though|yet|only|just|with|please|"
    r"(?<=\S\s)that|(?<=\S\s)which|(?:you\s)?(?:can|may)|ideally|preferably|definitely|"
    r"specifically|kindly|quite|having|it's|it\sshould(?:\shave)?|i\s(?:have|need|want)\sto|"
    r"if\s(?:we|you|i)|we|i))$",
    re.IGNORECASE,
)
_SEAM_RIGHT = re.compile(
    r"[\s,;:)\].!-]*(?:(?:please|pls|thanks|thank\syou|thx|either|though)\b[\s,;:)\].!]*)*",
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
    """

    def __init__(self, rules: Sequence[Rule] = RULES) -> None:
        self._rules = tuple(rules)

    def parse(self, text: str) -> ParsedQuery:
        """The query in its parts; ``kind="none"`` where no rule fits."""
        if len(text) > MOST_CHARACTERS:
            return ParsedQuery(text)
        squeezed, offsets = _squeezed(text)
        masked = mask(squeezed)
        exclusions = [] if is_statement(masked) else self._exclusions(masked)
        if exclusions:
            traps = [squeezed[a:b] for found in exclusions for a, b in found.traps]
            cue = exclusions[0].cue
            return ParsedQuery(
                text,
                "exclusion",
                _rest(squeezed, exclusions),
                tuple(dict.fromkeys(traps)),
                squeezed[cue.start : cue.end].strip(),
                cue.rule.name,
                (offsets[cue.start], offsets[cue.end]),
            )
        if negation := find_negation(masked):
            start, end = negation
            span = (offsets[start], offsets[end])
            return ParsedQuery(
                text, "polarity", cue=squeezed[start:end], rule="negation", span=span
            )
        return ParsedQuery(text)

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
        return found if found and _rest(masked, found).strip(" ?.!,") else []

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
            if rule.fits(before, masked[end : end + _CONTEXT]):
                trap = found.span("trap") if rule.scope is Scope.BETWEEN else None
                cues.append(_Cue(rule, start, end, trap))
        cues.sort(key=lambda cue: (cue.start, cue.start - cue.end))
        kept: list[_Cue] = []
        for cue in cues:
            if not kept or cue.start >= kept[-1].end:
                kept.append(cue)
        return kept


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


def _rest(text: str, exclusions: Sequence[_Exclusion]) -> str:
    """The text without its exclusions, the seams closed."""
    rest, at = text[: exclusions[0].start], exclusions[0].end
    for following in (*exclusions[1:], None):
        piece = text[at : following.start] if following else text[at:]
        rest = _joined(rest, piece)
        at = following.end if following else at
    return rest.strip()


def _without_seam(left: str) -> str:
    """The text without the commas and small words at its end that led to an exclusion."""
    while (cut := _SEAM_LEFT.search(left, max(0, len(left) - _CONTEXT))) is not None:
        left = left[: cut.start()]
    return left


def _joined(left: str, right: str) -> str:
    """Both sides of an exclusion, without the commas and conjunctions that led to it."""
    left = _without_seam(left)
    bare = right[_SEAM_RIGHT.match(right).end() :]  # type: ignore[union-attr]
    if not left:
        bare = _CONJUNCTION.sub("", bare)
    if bare.strip(" ?"):
        return f"{left} {bare}" if left else bare
    sign = right.strip()[-1:]  # nothing follows but the end of the sentence
    return left + sign if sign in (".", "!", "?") and left[-1:] not in (".", "!", "?") else left
