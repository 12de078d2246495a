"""Sentences: where they end, whether they state something, and how they stand within another."""

from __future__ import annotations

import re

FEWEST, MOST = 5, 22
"""Words of a sentence that can stand within a query."""

_END = re.compile(r"(?<=[.!?])[\"\u201d]?\s+(?=[\"\u201c]?[A-Z\u00c0-\u00de0-9])")
_SHORT = re.compile(
    r"(?:\b(?:[A-Z]|Dr|Mr|Mrs|Ms|St|Sr|Jr|Inc|Ltd|Co|Corp|vs|No|Mt|Gen|Col|Capt|Sgt|Lt|Prof|Rev|"
    r"Hon|Sen|Gov|ca|approx|e\.g|i\.e|etc|[Ff]eat|Ph\.D|U\.S|U\.K))\.$"
)
_STATES = re.compile(
    r"\w[\w\- ,.'\"\u2019]* (?:is|are|was|were|has|have|had|can|may|will|does|contains?|includes?|"
    r"means|refers|consists|became|began|uses?|causes?|occurs?|takes?|makes?|won|lived|helps?|"
    r"produces?|provides?|allows?|requires?|lies|plays|played|costs?)\b"
)
_NO_SUBJECT = re.compile(
    r"\w+ly,|(?:"
    r"This|That|These|Those|It|Its|He|She|They|We|You|I|Your|My|Our|His|Her|"
    r"Their|Here|There|But|And|Or|So|Also|However|If|When|While|What|How|Why|Who|"
    r"Which|Where|Click|See|Find|Get|Learn|Use|Make|Please|Yes|No|Not|Both|"
    r"Another|Other|Such|Then|Thus|Therefore|Although|Because|Since|As|Just|Let|One|"
    r"Well|Now|Today|Is|Are|Do|Does|Can|Did|Will|To|Add|Once|Instead|Generally|"
    r"Some|First|Second|Finally|Similarly|Typically|Usually|Most|Many|Each|Every|"
    r"Depending|Remember|Furthermore|Moreover|Drink|Eat|Keep|Try|Take|Avoid|Check|"
    r"Definition|Answer|Best|Quick|Related|Source|Top|Re|Note|By"
    r")\b"
)
_RAW = re.compile(
    r"^\d+ [A-Z]|^\w+ed in |[a-z] The [a-z]|[|*:;\u2022?!<>{}=~#@_\[\]()\u2026]|\.\.|www|http|"
    r"[\u00c2\u00c3\u00e2]"  # the last ones are what broken UTF-8 looks like
)
_POINTS_BACK = re.compile(
    r"\b(?:your|you|I|my|we|our|this|these|above|below|following)\b", re.IGNORECASE
)
_FUNCTION = re.compile(
    r"A|An|The|In|On|At|For|From|By|Of|With|During|After|Before|Under|To|As|"
    r"Its|Their|Between|Which|What|Who|Whom|Whose|When|Where|Why|How|Is|Are|Was|"
    r"Were|Do|Does|Did|Has|Have|Had|Can|Could|Will|Would|Should|Name|This|That|"
    r"These|Those|Among|Both|Out|Into|Through|Since|About|Besides|Other|Another|"
    r"There"
)


def first_sentences(text: str, most: int = 4) -> list[str]:
    """The first sentences; abbreviations and initials end none."""
    found: list[str] = []
    start = 0
    for end in _END.finditer(text):
        if len(found) == most:
            return found
        piece = text[start : end.start()]
        if not _SHORT.search(piece):
            found.append(piece.strip())
            start = end.end()
    rest = text[start:].strip()
    return found if len(found) == most or not rest else [*found, rest]


def states_something(sentence: str) -> bool:
    """Whether a sentence can be told alone: a plain statement with a subject of its own."""
    return (
        FEWEST <= len(sentence.split()) <= MOST
        and sentence.endswith(".")
        and (sentence[0].isupper() or sentence[0].isdigit())
        and _NO_SUBJECT.match(sentence.split()[0].capitalize()) is None
        and _RAW.search(sentence) is None
        and _POINTS_BACK.search(sentence) is None
        and sentence.count('"') % 2 == 0
        and _STATES.match(sentence) is not None
    )


def lowered(text: str, context: str = "") -> str:
    """The text with a small first letter, where its first word is no name.

    That is so of words as ``the``, and of one that the context has in small letters.
    """
    head, _, _ = text.partition(" ")
    small = head.lower()
    if _FUNCTION.fullmatch(head) or re.search(rf"(?<!\w){re.escape(small)}(?!\w)", context):
        return small + text[len(head) :]
    return text
