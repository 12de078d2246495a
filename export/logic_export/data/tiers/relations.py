"""Eight relations that join a clause about another passage to a question, with many wordings each.

``{clause}`` is a statement, ``{named}`` a topic with its description, ``{topic}`` the topic alone.
The question is contained word for word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from logic_export.data.files import read_toml
from logic_export.data.tiers.passage_contents import PassageContent, lowercase_first

RELATIONS: Mapping[str, Mapping[str, Sequence[str]]] = MappingProxyType(
    read_toml(__package__, "relations.toml")
)
"""Relation -> part -> wordings; no wording is in two parts."""

TEST_ONLY_RELATIONS = tuple(name for name, parts in RELATIONS.items() if "train" not in parts)
"""Relations that occur only in the test part."""


def wordings_of_part(part: str) -> dict[str, Sequence[str]]:
    """Relation -> wordings of a part, for the relations that it has."""
    return {name: parts[part] for name, parts in RELATIONS.items() if part in parts}


_SLOT = re.compile(r"\{(clause|named|topic)\}")
_TWO_STOPS = re.compile(r"([.?!]\"?)\.(?!\.)")  # "Monsters, Inc.."
_NEW_SENTENCE = re.compile(r"[.:?!]\s*$")


def usable_wordings(wordings: Sequence[str], content: PassageContent) -> list[str]:
    """The wordings whose slots the content can fill."""
    return [
        form for form in wordings if all(getattr(content, slot) for slot in _SLOT.findall(form))
    ]


def join_clause(wording: str, content: PassageContent, question: str) -> str:
    """The distractor query: the question word for word within the wording.

    Only its first letter may become lower case, within a sentence and where it begins no name; a
    question mark is added where another sentence follows.
    """
    before, _, after = wording.partition("{question}")
    question_text = question.strip()
    if after and question_text[-1] not in ".?!":
        question_text += "?"
    if before and not _NEW_SENTENCE.search(before):
        question_text = lowercase_first(question_text)
    before, after = (_fill_slots(part, content) for part in (before, after))
    text = f"{before}{question_text}{after}"
    return text if not before else text[0].upper() + text[1:]


def _fill_slots(part: str, content: PassageContent) -> str:
    text = _SLOT.sub(lambda slot: str(getattr(content, slot[1])), part)
    return _TWO_STOPS.sub(r"\1", text)
