"""Reads the topic of a passage, in a few words that fit into another sentence."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from logic_export.data.files import read_toml
from logic_export.data.tiers.labelled_questions import Candidate, terms

# Bounds of the number of words in a sentence that fits into a query.
MIN_SENTENCE_WORDS, MAX_SENTENCE_WORDS = 5, 22

_READ_SENTENCES = 4
_WORDS = read_toml(__package__, "passage_words.toml")
_END = re.compile(r"(?<=[.!?])[\"\u201d]?\s+(?=[\"\u201c]?[A-Z\u00c0-\u00de0-9])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:[A-Z]|Dr|Mr|Mrs|Ms|St|Sr|Jr|Inc|Ltd|Co|Corp|vs|No|Mt|Gen|Col|Capt|Sgt|Lt|Prof|Rev|"
    r"Hon|Sen|Gov|ca|approx|e\.g|i\.e|etc|[Ff]eat|Ph\.D|U\.S|U\.K))\.$"
)
_STATES = re.compile(
    r"\w[\w\- ,.'\"\u2019]* (?:is|are|was|were|has|have|had|can|may|will|does|contains?|includes?|"
    r"means|refers|consists|became|began|uses?|causes?|occurs?|takes?|makes?|won|lived|helps?|"
    r"produces?|provides?|allows?|requires?|lies|plays|played|costs?)\b"
)
_NO_SUBJECT = re.compile(rf"\w+ly,|(?:{'|'.join(_WORDS['no_subject'].split())})\b")
_BROKEN_TEXT = re.compile(
    r"^\d+ [A-Z]|^\w+ed in |[a-z] The [a-z]|[|*:;\u2022?!<>{}=~#@_\[\]()\u2026]|\.\.|www|http|"
    r"[\u00c2\u00c3\u00e2]"  # signs of broken UTF-8
)
_POINTS_BACK = re.compile(
    r"\b(?:your|you|I|my|we|our|this|these|above|below|following)\b", re.IGNORECASE
)
_FUNCTION = frozenset(_WORDS["function"].split())


def first_sentences(text: str) -> list[str]:
    """Return the first four sentences; abbreviations and initials do not end a sentence."""
    sentences: list[str] = []
    start = 0
    for end in _END.finditer(text):
        if len(sentences) == _READ_SENTENCES:
            return sentences
        sentence = text[start : end.start()]
        if not _ABBREVIATION.search(sentence):
            sentences.append(sentence.strip())
            start = end.end()
    remainder = text[start:].strip()
    return [*sentences, remainder][:_READ_SENTENCES] if remainder else sentences


def is_plain_statement(sentence: str) -> bool:
    """Whether a sentence is a plain statement with its own subject, understandable alone."""
    return (
        MIN_SENTENCE_WORDS <= len(sentence.split()) <= MAX_SENTENCE_WORDS
        and sentence.endswith(".")
        and (sentence[0].isupper() or sentence[0].isdigit())
        and _NO_SUBJECT.match(sentence.split()[0].capitalize()) is None
        and _BROKEN_TEXT.search(sentence) is None
        and _POINTS_BACK.search(sentence) is None
        and sentence.count('"') % 2 == 0
        and _STATES.match(sentence) is not None
    )


def lowercase_first(text: str, context: str = "") -> str:
    """Turn the first letter of a text to lower case unless the first word is a name.

    Function words such as ``the``, and words in lower case in ``context``, are not names.
    """
    head, _, _ = text.partition(" ")
    small = head.lower()
    if head in _FUNCTION or re.search(rf"(?<!\w){re.escape(small)}(?!\w)", context):
        return small + text[len(head) :]
    return text


MAX_DESCRIPTION_WORDS = 14

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
_BREAKS = frozenset(_WORDS["breaks"].split())
_DANGLING = frozenset(_WORDS["dangling"].split())


@dataclass(frozen=True, slots=True)
class PassageContent:
    """The topic of passages; a field is empty where it could not be read."""

    topic: str  # ``Demon Dice``
    named: str  # ``Demon Dice, a collectible dice game``
    clause: str  # ``Demon Dice is a collectible dice game``


def read_content(candidate: Candidate) -> PassageContent:
    """Read a passage by rules; equal passages give equal contents.

    The first sentence is searched for "X is a ..."; a passage's title is its topic. If the search
    fails, the clause is the first plain statement among the first sentences.
    """
    body = _clean(candidate.body)
    title = _title(candidate.title, body)
    sentences = first_sentences(body)
    for sentence in sentences[: 1 if title else None]:
        content = _read_definition(sentence, title, body)
        if content is not None:
            return content
    plain = (one for one in sentences if is_plain_statement(one) and _mentions_title(title, one))
    statement = next(plain, "")
    return PassageContent(title, "", lowercase_first(statement.rstrip(". "), body))


def join_contents(contents: Sequence[PassageContent]) -> PassageContent:
    """Combine the contents of several passages; a field is empty if one of them lacks it."""

    def join(field: str, by: str) -> str:
        parts = [getattr(content, field) for content in contents]
        return by.join(parts) if all(parts) else ""

    return PassageContent(join("topic", " and "), join("named", ", and "), join("clause", " and "))


def _read_definition(sentence: str, title: str, body: str) -> PassageContent | None:
    definition = _IS.match(sentence)
    if (
        definition is None
        or sentence.endswith("?")
        or _WITHIN.search(definition["subject"])
        or not _mentions_title(title, definition["subject"])
    ):
        return None
    topic = (
        _with_marks(definition["subject"], title) if title else _topic(definition["subject"], body)
    )
    description = _shorten_description(definition["kind"])
    if not topic or not description:
        return None
    return PassageContent(
        topic, f"{topic}, {description}", f"{topic} {definition['verb']} {description}"
    )


def _title(title: str, body: str) -> str:
    """Turn a title to lower case if the passage writes it so, like ``flute sonata``."""
    title = _clean(title)
    small = title[:1].lower() + title[1:]
    return small if small in body and small.islower() else title


def _with_marks(subject: str, title: str) -> str:
    """Give a title the article or quotation marks that it has in the passage."""
    plain = subject.strip('"').casefold()
    if plain == f"the {title.casefold()}":
        return f"the {title}"
    if subject.startswith('"') and subject.endswith('"') and plain == title.casefold():
        return subject
    return title


def _topic(subject: str, body: str) -> str:
    """Return the subject if it names something, unlike "the title", which refers to other text."""
    vague = _VAGUE.search(subject) or len(subject.split()) > 6
    can_stand_alone = is_plain_statement(f"{subject} is what can be known.")
    return lowercase_first(subject, body) if can_stand_alone and not vague else ""


def _shorten_description(kind: str) -> str:
    """Shorten a description to its leading noun phrase, which can stand alone."""
    text = kind.rstrip(". ")
    for pattern in (_ENDS, _COMMA):
        for end in pattern.finditer(text):
            if len(text[: end.start()].split()) > 2:  # "a device" alone says too little
                text = text[: end.start()]
                break
    words = text.split()
    if len(words) > MAX_DESCRIPTION_WORDS:
        ends = [n for n in range(3, MAX_DESCRIPTION_WORDS + 1) if words[n].casefold() in _BREAKS]
        if not ends:
            return ""
        words = words[: ends[-1]]
    while words and (words[-1].casefold() in _DANGLING or _PARTICIPLE.fullmatch(words[-1])):
        words.pop()
    text = " ".join(words).rstrip(",")
    return text if len(words) > 1 and text.count('"') % 2 == 0 else ""


def _mentions_title(title: str, text: str) -> bool:
    """Whether a text has half of a title's words (of three letters or more) and its kind.

    "Rush are a band" is not about ``Rush discography``; "Lesotho is a country" is not about
    ``Geography of Lesotho``.
    """
    words = [word for word in terms(title) if len(word) > 2]
    mentioned = set(terms(text))
    kinds = {word for word in re.findall(r"\w{3,}", title) if word.islower()}
    return (
        2 * sum(word in mentioned for word in words) >= len(words)
        and mentioned.issuperset(kinds)
        and (" of " not in title or mentioned.issuperset(words[:1]))
    )


def _clean(text: str) -> str:
    text = _MARKUP.sub("", html.unescape(text))
    for _ in range(3):  # asides within asides
        text = _ASIDE.sub("", text)
    text = re.sub(r"''+", "", text).replace("\u00a0", " ")
    return re.sub(r"\s+([,.;])", r"\1", " ".join(text.split()))
