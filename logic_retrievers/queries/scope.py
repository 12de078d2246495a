"""Where an excluded text ends, and which part of it is a name. Works on masked text and offsets."""

from __future__ import annotations

import re

from logic_retrievers.queries.masking import FILL
from logic_retrievers.queries.rules import ENGLISH

_FILLER = ENGLISH.fragment("FILLER")


def _any(name: str) -> str:
    return f"(?:{'|'.join(ENGLISH.words(name))})"


_QUESTION = _any("question")
_VERBS = _any("verbs")
_CONJUNCTIONS = _any("conjunctions")
_REQUESTS = _any("requests")
_ARTICLES = _any("articles")
_INFORMATION = _any("information")
_ABOUT = _any("about")
_RELATIONS = _any("relations")
_POLITE = _any("polite")
_NO_NAME = _any("no_name")


def _pattern(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives), re.IGNORECASE)


_CONTEXT = 160
_SHORT_QUERY = 12
"""Words of a query in which a preposition behind a short excluded text belongs to the wanted part:
"films except Psycho on Netflix"."""
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
    rf"\s*,?\s+{_CONJUNCTIONS}\b",
    r"\s+(?:ranked|sorted|ordered|listed)\s(?=by\b)",
    r"\s+(?=in\s(?:order|chronological|alphabetical)\b)",
)
_ENDS_OPENING = _pattern(
    r"[?!;\n)\]]|:\s",
    r"(?<=\w\w)[.](?=\s|$)",
    rf",\s*(?=(?:{_QUESTION}|(?:in|for|at|on|of|from|by)\s(?:what|which)|of\sthe|any)\b)",
    rf"\s+(?={_REQUESTS}\b)",
    r"\s+and\s+(?=(?:list|show|count|find|tell|give|name)\b)",
)
_VERB_AHEAD = _pattern(
    rf"(?<=[\w)\"'#+])\s+(?={_VERBS}\b)", rf",?\s+(?=that\s+(?:{_VERBS}|\w+s)\b)"
)
_RELATIVE = _pattern(r"\s+(?=(?:that|who|which|whose)\s)")
# a place or a purpose of the wanted part: "in Rome", "for beginners"
_PLACE_OR_PURPOSE = re.compile(
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
_QUESTION_WORD = _pattern(r"\s*(?:what|which|who|whose|where|when|why|how)\b")
_RELATIVE_OF_NAME = re.compile(r"(?<=\w)\s+(?=(?:that|who|which)\s)")
_ANY_PREPOSITION = _pattern(  # "of", "and" and "or" bind within a name
    r"\s+(?=(?:in|near|for|under|around|from|at|on|during|within|after|before|with|to|over|that|"
    r"which|who|starring|featuring|written|directed|nominated|made|worth|hiring|suitable)\s+\S)"
)
_HAS_VERB = _pattern(
    rf"\b(?:{_VERBS}|find|show|list|tell|name|recommend|describe|explain|rank|count|compare|"
    r"want|looking)\b"
)
_NAMES_SOMETHING = _pattern(rf"\b(?!{_NO_NAME}\b)\w")
_CONTENT_WORD = _pattern(r"\b(?!(?:and|or|nor|a|an|the|any|of)\b)[\w'-]+")
# ", B and C" behind a first excluded text
_LIST = _pattern(
    r",(?!\s*(?:what|which|who|how|with|and|or|one|for|in|on|above|its|where|when|what|"
    r"but)\b)(?:[^,;?!]{1,40},)*[^,;?!]{1,40}?,?\s+(?:and|or|nor)\s+[^,;?!]{1,80}"
)
_LIST_ITEMS = _pattern(r",[^,.?!]{1,40},?\s+(?:and|or)\s+[^,.?!]{1,40}")
_COMMA = re.compile(r",\s")
# "asking *which month is the shortest*", "*putting speed over comfort*"
_WHOLE_REGION = _pattern(
    rf"\s*(?:{ENGLISH.fragment('FILLER')})\s(?:what|which|who|whom|whose|where|when|why|how|whether)\b".replace(
        " ", r"\s+"
    ),
    r"\s*[a-z]+ing\s[^,.?!;]{1,60}\sover\s(?!\d)",
)

# what stands before a name: article, "information about", "mentioning"
_NAME_HEAD = re.compile(
    r"(?:[\s,:(\"'-]+"
    rf"|{_ARTICLES}(?![\w-])|{_INFORMATION}(?:\s+(?:that|which)\s+(?:is|"
    rf"are))?\s+{_ABOUT}\b|{_RELATIONS}(?![\w-])"
    rf"|(?:{ENGLISH.fragment('FILLER')})(?![\w-])".replace(" ", r"\s+")
    + r")\s*",
    re.IGNORECASE,
)
_NAME_TAIL = _pattern(rf"[\s,;:.?!)(\"-]*(?:\b{_POLITE}\b)?[\s,;:.?!)(\"-]*$")
_LIST_SEPARATOR = _pattern(
    r"\s*,\s*(?:and|or|nor|no|not)\s+",
    r"\s*,\s*",
    r"\s+(?:and|or|nor|and/or|&)\s+(?:no\s+|without\s+)?",
    r"\s*/\s*",
)
_SHORT_NAME = re.compile(r"[\w'.&+#-]+(?:\s+[\w'.&+#-]+){0,4}")


def excluded_end(
    text: str, start: int, limit: int, *, opening: bool, lead: str, brief: bool = False
) -> int:
    """One past the last character of the excluded text that begins at ``start``.

    Args:
        text: the query, names and quotations masked.
        start: one past the last character of the cue.
        limit: where the next cue begins, or the text ends.
        opening: the cue stands at the beginning of its sentence.
        lead: the part of the sentence before the cue.
        brief: the excluded text is a word or two; a preposition behind it belongs to the wanted
            part.
    """
    region = text[start:limit]
    if opening:
        return start + _end_of_opening(region)
    short = len(text.split()) <= _SHORT_QUERY
    return start + _end_of_middle(region, lead, brief=brief, short=short)


def name_spans(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Spans of what a region names: the items of a list one by one, where all are short."""
    start, end = _trim(text, start, end)
    spans: list[tuple[int, int]] = []
    at = start
    for separator in _LIST_SEPARATOR.finditer(text, start, end):
        spans.append((at, separator.start()))
        at = separator.end()
    spans.append((at, end))
    names = [_trim(text, *span) for span in spans if span[0] < span[1]]
    names = [(a, b) for a, b in names if a < b]
    if len(names) > 1 and all(_SHORT_NAME.fullmatch(text[a:b]) for a, b in names):
        return names
    return [(start, end)] if start < end else []


def _end_of_opening(region: str) -> int:
    """It ends where the request begins: `other than X, what ...`."""
    end = _ENDS_OPENING.search(region)
    if end is not None and end.group().startswith(","):
        return end.start()
    comma = _COMMA.search(region)
    if comma and (end is None or comma.start() < end.start()):
        if items := _LIST_ITEMS.match(region, comma.start()):
            comma = _COMMA.search(region, items.end()) or comma
        return comma.start()
    return end.start() if end else len(region)


def _end_of_middle(region: str, lead: str, *, brief: bool, short: bool) -> int:
    """It ends with the sentence, or where that comes back to the wanted part."""
    match = _ENDS.search(region)
    end = match.start() if match else len(region)
    comma = region.find(",", 1, end)
    if comma >= 0:
        items = _LIST.match(region, comma, end)
        end = items.end() if items else comma
    if _WHOLE_REGION.match(region):
        return end
    terse = len(lead.split()) <= 7 and not _HAS_VERB.search(lead)
    pending = _PENDING.search(lead[-_CONTEXT:])
    expects_verb = terse or (pending is not None and not _HAS_VERB.search(pending.group(1)))
    patterns = [_CLAUSE, _RELATIVE_OF_NAME]
    if expects_verb:
        patterns += [_VERB_AHEAD, _VERB_BY_FORM, _RELATIVE]
        if pending and (name_match := _NAME_BEFORE_VERB.match(region, 0, end)):
            end = name_match.end()
    for pattern in patterns:
        ahead = pattern.search(region, 1, end)
        name = region[: ahead.start()] if ahead else ""
        if _NAMES_SOMETHING.search(name) and (
            pattern is not _RELATIVE_OF_NAME
            or (name.split()[-1][0].isupper() or name.rstrip()[-1] == FILL)
        ):
            end = len(name)
    # "hotels without a pool in Rome": a place or purpose of the wanted part
    if brief or short or (terse and not _QUESTION_WORD.match(lead)):
        for preposition in (_ANY_PREPOSITION if brief or short else _PLACE_OR_PURPOSE).finditer(
            region, 1, end
        ):
            name = region[: preposition.start()]
            if len(_CONTENT_WORD.findall(name)) <= 2 and _NAMES_SOMETHING.search(name):
                end = preposition.start()
                break
    return end


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """The part of a region that names: no article, no "information about", no "please"."""
    while (head := _NAME_HEAD.match(text, start, end)) and start < head.end() < end:
        start = head.end()
    if tail := _NAME_TAIL.search(text, max(start, end - 60), end):
        end = tail.start()
    return start, end
