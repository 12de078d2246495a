"""Split a query at its top-level AND, OR and BUT NOT, if the parts are parallel.

Parallel parts each have a noun (*films of A or films of B*), or begin with relations and share one
noun (*villas near the beach and with a pool*). Only ``Decomposer`` reads *hotels in Rome or Paris*.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from operator import and_, or_
from typing import NamedTuple

from logic_retrievers.queries.expressions import MAX_ATOMS, Atom, Expression
from logic_retrievers.queries.masking import mask
from logic_retrievers.queries.patterns import pattern, word_set

_CERTAIN, _PARALLEL, _LIKELY = 0.95, 0.9, 0.75  # confidences
_MAX_BEFORE_NOUN, _MAX_BEHIND_NOUN = 4, 9  # words; a longer part counts as a clause
_CONNECTIVE, _WORD = pattern("connective"), re.compile(r"\S+")
_REQUEST, _WHICH_ARE_ALSO = pattern("request"), pattern("which_are_also")
_QUESTION_WORD, _PHRASE_TAIL = pattern("question_beginning"), pattern("phrase_tail")
_PHRASE_BREAK, _PRONOUN = pattern("phrase_break"), pattern("leading_pronoun")
_JOINING = pattern("joining")
_PLURAL = re.compile(r"[a-z][a-z'-]*[a-z](?<!s|u|i|')s")
_PLURALS, _NO_PLURALS = word_set("irregular_plurals"), word_set("no_plurals")
_PROPERTIES, _RELATIVES = word_set("properties"), word_set("relatives")
_PREPOSITIONS, _BLOCKING = word_set("prepositions"), word_set("blocking")
_PARTICIPLES, _NO_PARTICIPLES = word_set("irregular_participles"), word_set("no_participles")


class Coordination(NamedTuple):
    """The expression of a query, its first noun (*films*), and its first connective (*or*)."""

    expression: Expression
    noun: str
    confidence: float
    cue: str


class _Part(NamedTuple):
    """``noun`` ends with a noun; it is empty if the part begins with a relation."""

    noun: str
    behind: str
    operator: str
    strong: bool


def may_join(text: str) -> bool:
    """Return whether the text has a joining word; the parts are not read."""
    return _JOINING.search(mask(text)) is not None


def coordinate(wanted: str, excluded: Sequence[str] = ()) -> Coordination | None:
    """Return the expression of a query; None if the query joins nothing.

    Args:
        wanted: the query without its excluded texts.
        excluded: the excluded texts, with any relation: *starring B*.
    """
    masked = mask(wanted)
    span = _find_phrase(masked)
    result = _read(wanted, masked, span) if span else None
    if result is None or isinstance(result.expression, Atom):
        return None
    expression = result.expression
    for text in dict.fromkeys(excluded):
        part = _read_excluded(text, result.noun)
        if text.lower() == result.noun:
            return None  # "except films starring A", cut short
        expression &= ~(Atom(text) if part is None else part)
    return result._replace(expression=expression)


def _read_excluded(text: str, noun: str) -> Expression | None:
    """Read an excluded text; None unless it names or shares the noun (*set in Paris*)."""
    masked = mask(text)
    start = pronoun.end() if (pronoun := _PRONOUN.match(masked)) else 0
    forms = masked[start:].lower().split()
    if not forms or not (_relation_length(forms) or noun in forms):
        return None
    result = _read(text, masked, (start, len(masked)), noun)
    return None if result is None else result.expression


def _find_phrase(masked: str) -> tuple[int, int] | None:
    """Return the span of the requested phrase; None for other questions and for statements."""
    start = 0
    while request := _REQUEST.match(masked, start):
        start = request.end()
    if not start and (which := _WHICH_ARE_ALSO.match(masked)):
        start = which.end()
    tail = _PHRASE_TAIL.search(masked, max(start, len(masked) - 40))
    end = tail.start() if tail else len(masked)
    is_sentence = not start and masked[end:].strip()[:1] in (".", "?")
    start = len(masked) - len(masked[start:].lstrip())
    is_other = is_sentence or _QUESTION_WORD.match(masked, start)
    return None if start >= end or is_other else (start, end)


def _read(text: str, masked: str, span: tuple[int, int], noun: str = "") -> Coordination | None:
    """Read a phrase; parts without a noun share the first part's noun, or ``noun``."""
    matches = list(_CONNECTIVE.finditer(masked, *span))
    operators = ["", *(match.lastgroup or "" for match in matches)]
    for at in range(len(matches) - 1, 0, -1):  # a comma takes the operator of the next connective
        if operators[at] == "comma":
            operators[at] = operators[at + 1].replace("strong", "or").replace("also", "comma")
    if "comma" in operators or len(operators) > MAX_ATOMS or _PHRASE_BREAK.search(masked, *span):
        return None
    bounds = [span[0], *(place for match in matches for place in match.span()), span[1]]
    groups: list[list[_Part]] = []  # groups are joined by "that are also"
    for operator, start, end in zip(operators, bounds[::2], bounds[1::2], strict=True):
        part = _part(text, masked, start, end, operator)
        noun = noun or (part.noun if part else "")
        if part is None or not noun:
            return None
        if operator in ("", "also"):
            groups.append([])
        groups[-1].append(part)
    if not (confidence := min(map(_rate, groups))):
        return None
    expressions = []
    for parts in groups:
        atoms = [Atom(f"{part.noun or parts[0].noun or noun} {part.behind}") for part in parts]
        join = or_ if parts[-1].operator == "or" else and_
        expressions.append(reduce(join, dict.fromkeys(atoms)))
    if any(not parts[0].noun for parts in groups[1:]):  # "hotels that are also in Rome"
        expressions = [one for one in expressions if one != Atom(noun)]
    expression = reduce(and_, dict.fromkeys(expressions))
    cue = text[slice(*matches[0].span())].strip(" ,\t\n") if matches else ""
    return Coordination(expression, noun.split()[-1].lower(), confidence, cue)


def _rate(parts: Sequence[_Part]) -> float:
    """Return the confidence that the parts are several things to find; 0 if not parallel."""
    if len(parts) == 1:
        return _CERTAIN
    first, *others = parts
    if len({part.operator for part in others}) > 1:
        return 0
    if first.behind and not any(part.noun for part in others):
        return _PARALLEL
    strong = first.operator == "also" or any(part.strong for part in parts)
    same_form = all(part.noun and bool(part.behind) == bool(first.behind) for part in parts)
    if not same_form or not (first.behind or strong):
        return 0
    same = len({part.noun.split()[-1].lower() for part in parts}) == 1
    if others[0].operator == "or":
        return _CERTAIN if strong or same else _LIKELY
    differ = all(a.behind.split()[:2] != b.behind.split()[:2] for a, b in pairwise(parts))
    return _CERTAIN if strong else _LIKELY if same and differ else 0  # "and" may mean OR


def _part(text: str, masked: str, start: int, end: int, connective: str) -> _Part | None:
    """Return a part of a phrase; None if it names nothing and does not begin with a relation."""
    words = list(_WORD.finditer(masked, start, end))
    content = [word for word in words if word[0].lower() not in ("either", "both", "too")]
    texts = [text[slice(*word.span())] for word in content]
    forms = [word[0] for word in content]
    pairs = pairwise(["", *" ".join(texts).split()])
    blocked = any(word in _BLOCKING and before.lower() not in _RELATIVES for before, word in pairs)
    if not forms or forms[-1].lower() in _PREPOSITIONS or blocked:
        return None
    operator = "or" if connective == "strong" else connective
    strong = connective == "strong" or len(content) < len(words)
    if length := _relation_length(forms):
        return _Part("", " ".join(texts), operator, strong) if length < len(forms) else None
    forms[0] = forms[0] if connective else forms[0].lower()  # the phrase may begin with a capital
    for at, form in enumerate(forms):
        if _is_plural(form) and (at + 1 == len(forms) or _relation_length(forms[at + 1 :])):
            if at > _MAX_BEFORE_NOUN or len(forms) - at - 1 > _MAX_BEHIND_NOUN:
                return None
            return _Part(" ".join(texts[: at + 1]), " ".join(texts[at + 1 :]), operator, strong)
    return None


def _is_plural(word: str) -> bool:
    """Return whether the word looks like a plural noun; names do not."""
    is_regular = _PLURAL.fullmatch(word) is not None and word not in _NO_PLURALS | _PREPOSITIONS
    return is_regular or word in _PLURALS


def _relation_length(forms: Sequence[str]) -> int:
    """Count words of the relation at a phrase's beginning: *starring*, *set in*, *that have*."""
    word, following = [*(form.lower() for form in forms[:2]), "", ""][:2]
    if word in _RELATIVES and following:
        return 2 + _relation_length(forms[2:])
    is_participle = word.endswith("ed") and len(word) > 4 and word not in _NO_PARTICIPLES
    if following in _PREPOSITIONS and (is_participle or word in _PARTICIPLES):
        return 2
    return int(word in _PREPOSITIONS or word in _PROPERTIES)
