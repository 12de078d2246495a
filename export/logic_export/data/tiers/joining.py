"""One question, some contents and a wording: the disturbed query."""

from __future__ import annotations

import re
from collections.abc import Sequence

from logic_export.data.tiers.contents import Content
from logic_export.data.tiers.sentences import lowered

_SLOT = re.compile(r"\{(clause|named|topic)\}")
_TWO_STOPS = re.compile(r"([.?!]\"?)\.(?!\.)")  # "Monsters, Inc.."
_NEW_SENTENCE = re.compile(r"[.:?!]\s*$")


def fitting(wordings: Sequence[str], content: Content) -> list[str]:
    """The wordings whose slots the content can fill."""
    return [form for form in wordings if all(getattr(content, s) for s in _SLOT.findall(form))]


def said(wording: str, content: Content, question: str) -> str:
    """The disturbed query: the question word for word, and what the wording puts around it.

    Only its first letter may become small, within a sentence and where it begins no name; a
    question mark is added where another sentence follows.
    """
    before, _, after = wording.partition("{question}")
    asked = question.strip()
    if after and asked[-1] not in ".?!":
        asked += "?"
    if before and not _NEW_SENTENCE.search(before):
        asked = lowered(asked)
    before, after = (_filled(part, content) for part in (before, after))
    text = f"{before}{asked}{after}"
    return text if not before else text[0].upper() + text[1:]


def _filled(part: str, content: Content) -> str:
    text = _SLOT.sub(lambda slot: str(getattr(content, slot[1])), part)
    return _TWO_STOPS.sub(r"\1", text)
