"""Negation inside the wanted fact: "which metals do not rust"."""

from __future__ import annotations

import re

_NEGATION = re.compile(
    r"(?<![\w-])(?:not|never|cannot|no|none|nobody|nothing|nowhere|neither(?=[^.?!]{1,80}\bnor\b)|"
    r"nor|lack|lacks|lacking|lacked|"
    r"unable|fails? to|failed to|hardly|rarely|seldom|refus(?:e|es|ed)|unrelated to|no one|(?:is|"
    r"are|was|were|do|does|did|has|have|had|ca|"
    r"could|wo|would|should|must|"
    r"need|might|ai)n't|cant|dont|dosent|doesnt|wont|didnt|isnt|arent|wasnt)(?![\w-])",
    re.IGNORECASE,
)

_QUESTION_WITHOUT = re.compile(
    r"\s*(?:can|could|is|are|do|does|which|who|where|what|"
    r"when)\b.{1,200}?\b(without)\b",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"(?![^.]*\b(?:i|me|my|we|you|please)\b)(?![^.]*,\s*(?:what|which|who|how|where|"
    r"when)\b)(?!\s*(?:who|what|which|where|when|why|how|"
    r"whose|can|could|would|will|do|does|did|is|are|was|were|has|have|find|show|"
    r"list|tell|give|name|recommend|suggest|describe|explain|provide|please|i|i'm|i'd|we|we're|my|"
    r"our|looking|need|want|"
    r"get|help|search|summari[sz]e|introduce|share|discuss|compare|write|teach|identify)\b)"
    r"[^.?!;\n]*\b(?:is|are|was|were|has|have|had|can|could|may|might|will|would|do|does|did|must|"
    r"should|cannot|occurs?|"
    r"causes?|leads?|increases?|decreases?|reduces?|induces?|inhibits?|promotes?|improves?|"
    r"prevents?|results?|depends?|"
    r"requires?|gives? rise|shows?|demonstrates?|suggests?|indicates?|affects?|"
    r"struggles?)\b[^.?!;\n]*\.\s*$",
    re.IGNORECASE,
)


def is_statement(masked: str) -> bool:
    """A claim, one sentence long, and no request: "Mice without the gene are resistant."."""
    return _STATEMENT.match(masked.replace(". ", "! ")) is not None


def find_negation(masked: str) -> tuple[int, int] | None:
    """Span of the first word that negates, in a text whose names and idioms are masked."""
    found = _NEGATION.search(masked) or _QUESTION_WITHOUT.match(masked)
    return found.span(found.lastindex or 0) if found else None
