"""Negation inside the wanted fact: "which metals do not rust"."""

from __future__ import annotations

import re

_NEGATION = re.compile(
    r"(?<![\w-])(?:not|never|cannot|no|none|nobody|nothing|nowhere|"
    r"neither(?=[^.?!]{1,80}\bnor\b)|nor|lack|lacks|lacking|lacked|unable|fails? to|failed to|"
    r"hardly|rarely|seldom|refus(?:e|es|ed)|unrelated to|no one|(?:is|are|was|were|do|does|did|"
    r"has|have|had|ca|could|wo|would|should|must|need|might|ai)n't|cant|dont|dosent|doesnt|wont|"
    r"didnt|isnt|arent|wasnt)(?![\w-])",
    re.IGNORECASE,
)

_QUESTION_WITHOUT = re.compile(
    r"\s*(?:can|could|is|are|do|does|which|who|where|what|when)\b.{1,200}?\b(without)\b",
    re.IGNORECASE,
)
_STATEMENT = re.compile(
    r"(?![^.]*\b(?:i|me|my|we|you|please)\b)(?![^.]*,\s*(?:what|which|who|how|where|"
    r"when)\b)(?!\s*(?:who|what|which|where|when|why|how|whose|can|could|would|will|do|does|did|"
    r"is|are|was|were|has|have|find|show|list|tell|give|name|recommend|suggest|describe|explain|"
    r"provide|please|i|i'm|i'd|we|we're|my|our|looking|need|want|get|help|search|summari[sz]e|"
    r"introduce|share|discuss|compare|write|teach|identify)\b)[^.?!;\n]*\b(?:is|are|was|were|has|"
    r"have|had|can|could|may|might|will|would|do|does|did|must|should|cannot|occurs?|causes?|"
    r"leads?|increases?|decreases?|reduces?|induces?|inhibits?|promotes?|improves?|prevents?|"
    r"results?|depends?|requires?|gives? rise|shows?|demonstrates?|suggests?|indicates?|affects?|"
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
