"""Where a trap ends, and what of it is its name. Pure functions over masked text and offsets."""

from __future__ import annotations

import re

from logic_retrievers.queries.masks import FILL
from logic_retrievers.queries.rules.words import FILLER

_QUESTION = """
what which who whom whose where when why how can could would will do does did is are was were has
have had should may might must tell name list give show find recommend suggest describe explain
provide summarise summarize please i i'm i'd we you he she they it also thanks preferably ideally so
"""
_VERBS = """
is are was were has have had can could would will do does did should may might must cause causes
make makes made play plays played win wins won work works worked speak speaks live lives lived
support supports contain contains help helps use uses used exist exists offer offers appear appears
appeared write wrote invent invented discover discovered become became run runs ran reach reached
border borders teach teaches allow allows start started affect affects lead leads led need needs
include includes share shares produce produces export exports touch handle handled rise grow grows
fly serve serves sell sells sing sings sang star starred direct directed compose composed belong
belongs treat treats prevent prevents accept accepts reduce reduces give gives gave know knows knew
come comes came take takes took get gets got require requires prove proves ask say says said
"""
_CONJUNCTIONS = """
but while whereas yet although because since so\\s+that if\\s+possible please pls thanks thx
thank\\s+you either
"""
_REQUESTS = """
what which who where how can\\s+you could\\s+you show\\s+me tell\\s+me give\\s+me find\\s+me list
recommend
"""
_ARTICLES = """
the a an any all some other its their his her my your our such more just anything something stuff
things? those ones that this these what even only of about either both too\\s+much cases? no not
"""
_INFORMATION = """
information info details? data facts? content material results? discussions? aspects? references?
mentions? parts? topics? anything something links? news connections? involvement influences?
scenarios reasons
"""
_ABOUT = """
about on of from related\\s+to relating\\s+to regarding concerning pertaining\\s+to
associated\\s+with connected\\s+to connected\\s+with involving specific\\s+to by in to for with like
mentioning
"""
_RELATIONS = """
related\\s+to relating\\s+to regarding concerning involving about containing that\\s+are that\\s+is
made\\s+by made\\s+of made\\s+with having needing using by from in on with for to at near like being
"""
_POLITE = """
please pls thanks thank\\s+you thx if\\s+possible ok okay at\\s+all either though for\\s+now
this\\s+time of\\s+course in\\s+it out\\s+of\\s+it and or but nor altogether entirely completely
itself himself herself themselves anymore too again lol
"""
_NO_NAME = "the those anything ones any a an something people"


def _any(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


def _pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


_CONTEXT = 160
_SHORT_QUERY = 12
"""Words up to which a preposition behind a short trap is taken for the target's: "films except
Psycho on Netflix"."""
_FULL_STOP = (
    r"(?-i:(?<!\b[A-Z])(?<!\bSt)(?<!\bMr)(?<!\bDr)(?<!\bMs)(?<!\bMrs)(?<!\bvs)(?<!\bNo)(?<!\bJr))"
    r"[.](?=[\"')\]]*(?:\s|$))"
)
_ENDS = _pattern(
    _FULL_STOP,
    r"[?!;\n)\]]",
    r"\s-+\s",
    r"\s+\(",
    r"\s+w/\s",
    rf"\s*,?\s+{_any(_CONJUNCTIONS)}\b",
    r"\s+(?:ranked|sorted|ordered|listed)\s(?=by\b)",
    r"\s+(?=in\s(?:order|chronological|alphabetical)\b)",
)
_ENDS_OPENING = _pattern(
    r"[?!;\n)\]]|:\s",
    r"(?<=\w\w)[.](?=\s|$)",
    rf",\s*(?=(?:{_any(_QUESTION)}|(?:in|for|at|on|of|from|by)\s(?:what|which)|of\sthe|any)\b)",
    rf"\s+(?={_any(_REQUESTS)}\b)",
    r"\s+and\s+(?=(?:list|show|count|find|tell|give|name)\b)",
)
_VERB_AHEAD = _pattern(
    rf"(?<=[\w)\"'#+])\s+(?={_any(_VERBS)}\b)", rf",?\s+(?=that\s+(?:{_any(_VERBS)}|\w+s)\b)"
)
_RELATIVE = _pattern(r"\s+(?=(?:that|who|which|whose)\s)")
# a place or a purpose of the target: "in Rome", "for beginners"
_SIDE = re.compile(
    r"\s+(?=(?:in|near|for|under|around|from|at|on|during|within|after|"
    r"before)\s+(?:the\s+)?(?:[A-Z0-9]|me\b|kids|children|beginners|us\b|small|my\b|home|two|"
    r"four)|for\s+\w)"
)
# a question whose verb has not come yet: "which rivers other than ..."
_PENDING = re.compile(
    r".*(?:\b(?:who|what|which|whose|where)\b|(?:^|[,.;]\s*)(?:did|do|does|can|could|has|have|"
    r"will|would|is|are|was|were)\b)((?:\s+[^\s,;]+){0,7})\s*[,(]?\s*$",
    re.IGNORECASE,
)
# a new clause: "... when it rains"
_CLAUSE = _pattern(
    r",?\s+(?=(?:when|while|where|what|if|unless|until|though|i|we|you|they|he|she|together|"
    r"suitable|using|lasting|good)\s)"
)
_VERB_BY_FORM = re.compile(
    r"(?<=[\w)\"'])\s+(?=(?!of\b|and\b|or\b|in\b|for\b|with\b|on\b|at\b|to\b|from\b|the\b|a\b|"
    r"by\b|about\b)[a-z]{3,}\s+(?:the|a|an|his|her|its|their|it|them)\s)"
)
# "who besides *Amundsen* reached ..."
_NAME_BEFORE_VERB = re.compile(
    r"\s*(?:the\s+)?[A-Z_][\w'.-]*(?:\s+(?:of\s+|the\s+|de\s+|"
    r"van\s+)*[A-Z_][\w'.-]*)*(?=\s+(?!(?:of|and|or|in|for|with|on|at|to|from|by|about|nor|"
    r"novels?|books?|films?|movies?|one|ones)\b)[a-z]{3,}\s)"
)
_ASKS = _pattern(r"\s*(?:what|which|who|whose|where|when|why|how)\b")
_RELATIVE_OF_NAME = re.compile(r"(?<=\w)\s+(?=(?:that|who|which)\s)")
_ANY_SIDE = _pattern(  # "of", "and" and "or" bind within a name
    r"\s+(?=(?:in|near|for|under|around|from|at|on|during|within|after|before|with|to|over|that|"
    r"which|who|starring|featuring|written|directed|nominated|made|worth|hiring|suitable)\s+\S)"
)
_HAS_VERB = _pattern(
    rf"\b(?:{_any(_VERBS)}|find|show|list|tell|name|recommend|describe|explain|rank|count|compare|"
    r"want|looking)\b"
)
_NAMES_SOMETHING = _pattern(rf"\b(?!{_any(_NO_NAME)}\b)\w")
_BARE = _pattern(r"\b(?!(?:and|or|nor|a|an|the|any|of)\b)[\w'-]+")
# ", B and C" behind a first trap
_LIST = _pattern(
    r",(?!\s*(?:what|which|who|how|with|and|or|one|for|in|on|above|its|where|when|what|"
    r"but)\b)(?:[^,;?!]{1,40},)*[^,;?!]{1,40}?,?\s+(?:and|or|nor)\s+[^,;?!]{1,80}"
)
_LIST_GOES_ON = _pattern(r",[^,.?!]{1,40},?\s+(?:and|or)\s+[^,.?!]{1,40}")
_COMMA = re.compile(r",\s")
# "asking *which month is the shortest*", "*putting speed over comfort*"
_WHOLE = _pattern(
    rf"\s*(?:{FILLER})\s(?:what|which|who|whom|whose|where|when|why|how|whether)\b".replace(
        " ", r"\s+"
    ),
    r"\s*[a-z]+ing\s[^,.?!;]{1,60}\sover\s(?!\d)",
)

# what stands before a name: article, "information about", "mentioning"
_HEAD = re.compile(
    r"(?:[\s,:(\"'-]+"
    rf"|{_any(_ARTICLES)}(?![\w-])|{_any(_INFORMATION)}(?:\s+(?:that|which)\s+(?:is|"
    rf"are))?\s+{_any(_ABOUT)}\b|{_any(_RELATIONS)}(?![\w-])"
    rf"|(?:{FILLER})(?![\w-])".replace(" ", r"\s+")
    + r")\s*",
    re.IGNORECASE,
)
_TAIL = _pattern(rf"[\s,;:.?!)(\"-]*(?:\b{_any(_POLITE)}\b)?[\s,;:.?!)(\"-]*$")
_SPLIT = _pattern(
    r"\s*,\s*(?:and|or|nor|no|not)\s+",
    r"\s*,\s*",
    r"\s+(?:and|or|nor|and/or|&)\s+(?:no\s+|without\s+)?",
    r"\s*/\s*",
)
_SHORT_NAME = re.compile(r"[\w'.&+#-]+(?:\s+[\w'.&+#-]+){0,4}")


def trap_end(
    text: str, start: int, limit: int, *, opening: bool, lead: str, brief: bool = False
) -> int:
    """One past the last character of the trap that begins at ``start``.

    Args:
        text: the query, names and quotations masked.
        start: one past the last character of the cue.
        limit: where the next cue begins, or the text ends.
        opening: the cue stands at the beginning of its sentence.
        lead: the part of the sentence before the cue.
        brief: such a trap is a word or two; what follows with a preposition is the target's.
    """
    region = text[start:limit]
    if opening:
        return start + _end_of_opening(region)
    short = len(text.split()) <= _SHORT_QUERY
    return start + _end_of_middle(region, lead, brief=brief, short=short)


def names_in(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of the things that a region names: those of a list each, where all are short."""
    start, end = _name(text, start, end)
    spans: list[tuple[int, int]] = []
    at = start
    for found in _SPLIT.finditer(text, start, end):
        spans.append((at, found.start()))
        at = found.end()
    spans.append((at, end))
    names = [_name(text, *span) for span in spans if span[0] < span[1]]
    names = [(a, b) for a, b in names if a < b]
    if len(names) > 1 and all(_SHORT_NAME.fullmatch(text[a:b]) for a, b in names):
        return names
    return [(start, end)] if start < end else []


def _end_of_opening(region: str) -> int:
    """It ends where the request begins: `other than X, what ...`."""
    found = _ENDS_OPENING.search(region)
    if found is not None and found.group().startswith(","):
        return found.start()
    comma = _COMMA.search(region)
    if comma and (found is None or comma.start() < found.start()):
        if goes_on := _LIST_GOES_ON.match(region, comma.start()):
            comma = _COMMA.search(region, goes_on.end()) or comma
        return comma.start()
    return found.start() if found else len(region)


def _end_of_middle(region: str, lead: str, *, brief: bool, short: bool) -> int:
    """It ends with the sentence, or where that speaks of the target again."""
    found = _ENDS.search(region)
    end = found.start() if found else len(region)
    comma = region.find(",", 1, end)
    if comma >= 0:
        goes_on = _LIST.match(region, comma, end)
        end = goes_on.end() if goes_on else comma
    if _WHOLE.match(region):
        return end
    terse = len(lead.split()) <= 7 and not _HAS_VERB.search(lead)
    pending = _PENDING.search(lead[-_CONTEXT:])
    expects_verb = terse or (pending is not None and not _HAS_VERB.search(pending.group(1)))
    patterns = [_CLAUSE, _RELATIVE_OF_NAME]
    if expects_verb:
        patterns += [_VERB_AHEAD, _VERB_BY_FORM, _RELATIVE]
        if pending and (named := _NAME_BEFORE_VERB.match(region, 0, end)):
            end = named.end()
    for pattern in patterns:
        ahead = pattern.search(region, 1, end)
        name = region[: ahead.start()] if ahead else ""
        if _NAMES_SOMETHING.search(name) and (
            pattern is not _RELATIVE_OF_NAME
            or (name.split()[-1][0].isupper() or name.rstrip()[-1] == FILL)
        ):
            end = len(name)
    # "hotels without a pool in Rome": a place or purpose of the target
    if brief or short or (terse and not _ASKS.match(lead)):
        for side in (_ANY_SIDE if brief or short else _SIDE).finditer(region, 1, end):
            name = region[: side.start()]
            if len(_BARE.findall(name)) <= 2 and _NAMES_SOMETHING.search(name):
                end = side.start()
                break
    return end


def _name(text: str, start: int, end: int) -> tuple[int, int]:
    """The part of a region that names: no article, no "information about", no "please"."""
    while (found := _HEAD.match(text, start, end)) and start < found.end() < end:
        start = found.end()
    if found := _TAIL.search(text, max(start, end - 60), end):
        end = found.start()
    return start, end
