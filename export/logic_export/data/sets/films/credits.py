"""Who directed, wrote, produced and starred in a film, as sentences of its text state it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise

_INITIAL = r"(?:[A-Z]\.)+(?:-[A-Z]\.)*"
_WORD = r"(?!(?:Jr|Sr)\b)(?:(?:Mrs?|Dr|St|Wm|Chas|Geo)\. )?[A-ZÀ-ÖØ-Þ][\w'\-]*"
_PARTICLE = r"(?:(?:de|von|van|der|den|la|le|du|di|da|del|ten|y) )*(?:d')?"
_PIECE = rf"(?:{_INITIAL}|{_WORD})"
NAME = rf"{_PIECE}(?: {_PARTICLE}{_PIECE}){{0,4}}(?: (?:Jr|Sr)\.)?"
"""A name as a pattern: capitalised words, initials, particles between them."""

LIST = rf"{NAME}(?:(?:, and | and | & |, ){NAME})*"
"""Names joined by commas and *and*, in a text from :func:`normalise_names`."""

_JOINTS = re.compile(r", and | and | & |, ")
_UNSPACED = re.compile(r"(?<=\b[A-Z]\.)(?=[A-Z]\.)")
_INITIAL_LAST = re.compile(r" [A-Z]\.$")
_EDGE = " ,;:()[]\"“”'\u2018\u2019"
_LONGEST = 5


def normalise_names(text: str) -> str:
    """A text with uniformly spelt names.

    >>> alike("W.C. Fields and Alan Hale, Jr.")
    'W. C. Fields and Alan Hale Jr.'
    """
    spaced = _UNSPACED.sub(" ", text).replace("\u2019", "'")
    return spaced.replace(", Jr.", " Jr.").replace(", Sr.", " Sr.")


def split_names(listed: str) -> list[str]:
    """The names of a list; incomplete names are left out.

    >>> names_in("John Ford, Douglas Fairbanks Jr. and Eastwood")
    ['John Ford', 'Douglas Fairbanks Jr.', 'Eastwood']
    """
    parts = (name.strip() for name in _JOINTS.split(listed))
    return [
        name
        for name in parts
        if not re.search(r"'s(?: |$)", name) and not _INITIAL_LAST.search(name)
    ]


class KnownNames:
    """Finds names in texts.

    Args:
        names: of one to five words that begin with a capital.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(names)
        self._first = frozenset(
            piece for name in names for piece in _name_readings(name.split()[0])
        )

    def mentions(self, text: str) -> Iterator[tuple[int, str]]:
        """Mentions in a text: (offset, name)."""
        words = [(match.start(), match.end()) for match in re.finditer(r"\S+", text)]
        for number, (start, end) in enumerate(words):
            start = end - len(text[start:end].lstrip(_EDGE))
            if self._first.isdisjoint(_name_readings(text[start:end])):
                continue
            for _, end in words[number : number + _LONGEST]:
                for piece in _name_readings(text[start:end]):
                    if piece in self._names:
                        yield start, piece


def _name_readings(piece: str) -> set[str]:
    """A piece of text with and without punctuation and genitive."""
    bare = piece.rstrip(_EDGE)
    plain = bare.rstrip("." + _EDGE)
    stopped = piece[: len(plain) + 1]  # "Jr." within brackets
    return {bare, plain, stopped, plain.removesuffix("'s")}


ROLES = ("director", "writer", "producer", "star", "author")

_VERBS = {"directed": "director", "written": "writer", "produced": "producer"}
_VERB = (
    r"(?:(?:co-|executive |story |originally )?(?:directed|written|produced|edited|scripted|filmed|"
    r"photographed|composed|narrated|designed|created|scored|animated|distributed|released|shot))"
)
_CREDITED_BY = re.compile(
    rf"\b({_VERB}(?:(?:, and |, | and | & ){_VERB})*),? by(,? and (?:co-)?starring)? ({LIST})"
)
_STARRING = re.compile(
    rf"\b(?:[Ss]tarring|[Ss]tars|starred|[Cc]o-stars|co-starring|[Ff]eatur(?:es|ing)) ({LIST})"
)
_WORK = (
    r"(?:novel|novella|play|stage play|short story|story|stories|book|memoir|autobiography|"
    r"stage musical|poem|article|comic book|comic strip|graphic novel)"
)
_BASED = re.compile(
    rf"\b(?:[Bb]ased(?: loosely| partly)? (?:up)?on|[Aa]dapted from|[Aa]daptation of)\b"
    rf"((?:(?!\b(?:by|directed|written|starring|and)\b)[^.;])*?)\bby ({LIST})"
)
_BASED_GENITIVE = re.compile(
    r"\b(?:[Bb]ased(?: loosely| partly)? (?:up)?on|[Aa]dapted from|[Aa]daptation of) "
    rf"({NAME})'s? (?:[\w\-]+ ){{0,4}}?{_WORK}\b"
)
_HEDGE = re.compile(
    r"\b(?:based|remake|adapt\w*|sequel|version|inspired|originally|previous\w*|earlier|uncredited|"
    r"not|may|might|was to|supposed|intended|series|segments?|scenes?|sequences?|episodes?|footage|"
    r"who|whose|other|another|first|second unit|later|also|until|replaced|films|or|attributed|"
    r"credited|parody|spoof|documentary The|characters?|(?:19|20)\d\d (?:\w+ )?film [A-Z])\b"
)
_DEFINES = re.compile(r"(?<!\w)(?:is|was) (?:an?|the|one)\b")


@dataclass(slots=True)
class Credits:
    """The credits that a film's text states.

    Args:
        stated: role -> full names.
        unclear: name -> roles that a bare surname or first name may give it.
        spans: spans of the text that state credits, with their roles.
    """

    stated: dict[str, set[str]] = field(default_factory=lambda: {role: set() for role in ROLES})
    unclear: dict[str, set[str]] = field(default_factory=dict)
    spans: list[tuple[int, int, frozenset[str]]] = field(default_factory=list)

    def possible_roles(self, text: str, known: KnownNames) -> dict[str, set[str]]:
        """Known names that the text mentions outside stated credits -> possible roles."""
        roles_of_name = {name: set(roles) for name, roles in self.unclear.items()}
        for start, name in known.mentions(text):
            inside = [roles for first, last, roles in self.spans if first <= start < last]
            roles = set().union(*inside) if inside else set(ROLES)
            roles_of_name.setdefault(name, set()).update(roles)
        return roles_of_name


def read_credits(text: str) -> Credits:
    """Reads the credits that a text from :func:`normalise_names` states.

    Text after *based on*, *remake of*, *originally* and similar words is about another film or
    hedged; it is skipped, so that its names become mentions with an unknown role.
    """
    film_credits = Credits()
    for match in _CREDITED_BY.finditer(text):
        verbs = re.findall(r"directed|written|produced|\w+", match[1])
        roles = {_VERBS[verb] for verb in verbs if verb in _VERBS}
        if match[2]:
            roles.add("star")
        if "executive" in match[1] or "story" in match[1]:
            roles -= {"producer", "writer"}
        _add_credit(film_credits, text, match, 3, roles)
    for match in _STARRING.finditer(text):
        _add_credit(film_credits, text, match, 1, {"star"})
    for pattern in (_BASED, _BASED_GENITIVE):
        for match in pattern.finditer(text):
            if pattern is _BASED_GENITIVE or re.search(rf"\b{_WORK}\b", match[1]):
                group = match.lastindex or 1
                film_credits.stated["author"].update(split_names(match[group]))
                film_credits.spans.append((*match.span(group), frozenset({"author"})))
    _resolve_surnames(film_credits)
    return film_credits


def _add_credit(
    film_credits: Credits, text: str, match: re.Match[str], group: int, roles: set[str]
) -> None:
    """Adds a list of names to its roles, unless the clause before it hedges.

    A star needs no such check: the metadata must name it as well.
    """
    sentence = max(text.rfind(". ", 0, match.start()) + 1, match.start() - 200, 0)
    before = text[sentence : match.start()]
    defined = _DEFINES.search(before)
    if roles != {"star"} and _HEDGE.search(before[defined.end() :] if defined else before):
        return
    names = split_names(match[group])
    for role in roles:
        film_credits.stated[role].update(names)
    for name, following in pairwise(names):
        if " " not in name:  # "directed by Joel and Ethan Coen"
            film_credits.unclear.setdefault(f"{name} {following.split()[-1]}", set()).update(roles)
    film_credits.spans.append((*match.span(group), frozenset(roles)))


def _resolve_surnames(film_credits: Credits) -> None:
    """Assigns the credits of a bare surname (*directed by Eastwood*) to its only bearer."""
    whole = {name for names in film_credits.stated.values() for name in names if " " in name}
    for role, names in film_credits.stated.items():
        for surname in [name for name in names if " " not in name]:
            names.discard(surname)
            bearers = {name for name in whole if surname in name.split()[1:]}
            if len(bearers) == 1:
                names |= bearers
            for name in bearers - names:
                film_credits.unclear.setdefault(name, set()).add(role)
