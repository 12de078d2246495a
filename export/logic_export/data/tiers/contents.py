"""What a passage says, in a few words that fit into another sentence."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from logic_export.data.tiers.questions import Candidate
from logic_export.data.tiers.sentences import first_sentences, lowered, states_something
from logic_retrievers.index.lexical import terms

LONGEST = 14
"""Words of a description."""

_MARKUP = re.compile(r"<[^<>]{1,20}>")
_ASIDE = re.compile(r"\s*[(\[][^()\[\]]*[)\]]")
_IS = re.compile(r"(?P<subject>.{1,100}?),? (?P<verb>is|was|are|were) (?P<kind>(?:an?|the) .+)")
_WITHIN = re.compile(r"\b(?:who|whose|which|that|where|when|if|because|but|and (?:he|she|it))\b")
_VAGUE = re.compile(
    r",|^(?:In|On|At|For|From|With|During|After|Before|Under|\w+ed)\b|\bexample\b|"
    r"^(?:A|An|The) [a-z]\w*$|\b(?:What|How|Why)\b|^(.+) \1$"
)
_ENDS = re.compile(
    r"\s+(?:that|which|who|whose|whom|where|when|while|although|but|not only)\b|[;:]| [-\u2013] "
)
_COMMA = re.compile(r",\s*(?![\s\d])")
_PARTICIPLE = re.compile(r"[a-z]+(?<!e)ed|written|known|named|made")
_BREAKS = re.compile(
    r"by|in|from|for|with|on|at|during|near|starring|featuring|directed|written|"
    r"based|located|released|published|founded|held|known|produced|created|set|"
    r"under|replacing|established|recorded|to|as|between|into|after|before"
)
_LOOSE = re.compile(
    r"and|or|of|by|in|the|a|an|for|to|with|as|is|also|at|on|from|between|"
    r"best|most|most-known|such|its|his|her|their|he|she|it|was|were|are|under|"
    r"per|known|both|including|near|during|whose|than|into|about|through|over|"
    r"after|before|against|notable|well|original|same|first|second|established|"
    r"recorded|located|founded|based|used|held|set|built"
)


@dataclass(frozen=True, slots=True)
class Content:
    """What passages say; an empty field is what could not be read from them.

    Args:
        topic: ``Demon Dice``: what it is about.
        named: ``Demon Dice, a collectible dice game``: the topic with what it is beside it.
        clause: ``Demon Dice is a collectible dice game``.
    """

    topic: str
    named: str
    clause: str


def content_of(candidate: Candidate) -> Content:
    """Reads a passage; by rules, so that the same passage always says the same.

    The first sentence is looked at for "X is a ..."; a passage with a title has its title for a
    topic. Where that fails, the clause is one of its first sentences that states something.
    """
    body = _clean(candidate.body)
    title = _title(candidate.title, body)
    sentences = first_sentences(body)
    for sentence in sentences[: 1 if title else None]:
        found = _described(sentence, title, body)
        if found is not None:
            return found
    stated = next((s for s in sentences if states_something(s) and _about(title, s)), "")
    return Content(title, "", lowered(stated.rstrip(". "), body))


def joined(contents: Sequence[Content]) -> Content:
    """Several passages' contents in one; a field that one of them lacks is empty."""
    return Content(
        _all([one.topic for one in contents], " and "),
        _all([one.named for one in contents], ", and "),
        _all([one.clause for one in contents], " and "),
    )


def _all(parts: Sequence[str], by: str) -> str:
    return by.join(parts) if all(parts) else ""


def _described(sentence: str, title: str, body: str) -> Content | None:
    found = _IS.match(sentence)
    if (
        found is None
        or sentence.endswith("?")
        or _WITHIN.search(found["subject"])
        or not _about(title, found["subject"])
    ):
        return None
    topic = _with_marks(found["subject"], title) if title else _topic(found["subject"], body)
    description = _shortened(found["kind"])
    if not topic or not description:
        return None
    return Content(topic, f"{topic}, {description}", f"{topic} {found['verb']} {description}")


def _title(title: str, body: str) -> str:
    """In small letters where it is a common noun and the passage has it so: ``flute sonata``."""
    title = _clean(title)
    small = title[:1].lower() + title[1:]
    return small if small in body and small.islower() else title


def _with_marks(subject: str, title: str) -> str:
    """The title, with the article or the quotation marks that the passage gives it."""
    plain = subject.strip('"').casefold()
    if plain == f"the {title.casefold()}":
        return f"the {title}"
    if subject.startswith('"') and subject.endswith('"') and plain == title.casefold():
        return subject
    return title


def _topic(subject: str, body: str) -> str:
    """The subject where it names something: not "the title", whose text is elsewhere."""
    vague = _VAGUE.search(subject) or len(subject.split()) > 6
    stands = states_something(f"{subject} is what can be known.")
    return lowered(subject, body) if stands and not vague else ""


def _shortened(kind: str) -> str:
    """The noun phrase at the beginning, as long as it can stand alone."""
    text = kind.rstrip(". ")
    for end in _ENDS.finditer(text):
        if len(text[: end.start()].split()) > 2:  # "a device" alone says too little
            text = text[: end.start()]
            break
    for comma in _COMMA.finditer(text):
        if len(text[: comma.start()].split()) > 2:
            text = text[: comma.start()]
            break
    words = text.split()
    if len(words) > LONGEST:
        places = [n for n in range(3, LONGEST + 1) if _BREAKS.fullmatch(words[n].casefold())]
        if not places:
            return ""
        words = words[: places[-1]]
    while words and (_LOOSE.fullmatch(words[-1].casefold()) or _PARTICIPLE.fullmatch(words[-1])):
        words.pop()
    text = " ".join(words).rstrip(",")
    return text if len(words) > 1 and text.count('"') % 2 == 0 else ""


def _about(title: str, text: str) -> bool:
    """Whether a text names its title: half of its words, two letters aside, and its kind.

    "Rush are a band" is not about ``Rush discography``, nor "Lesotho is a country" about
    ``Geography of Lesotho``.
    """
    words = [word for word in terms(title) if len(word) > 2]
    said = set(terms(text))
    kinds = {word for word in re.findall(r"\w{3,}", title) if word.islower()}
    return (
        2 * sum(word in said for word in words) >= len(words)
        and said.issuperset(kinds)
        and (" of " not in title or said.issuperset(words[:1]))
    )


def _clean(text: str) -> str:
    text = _MARKUP.sub("", html.unescape(text))
    for _ in range(3):  # asides within asides
        text = _ASIDE.sub("", text)
    text = re.sub(r"''+", "", text).replace("\u00a0", " ")
    return re.sub(r"\s+([,.;])", r"\1", " ".join(text.split()))
