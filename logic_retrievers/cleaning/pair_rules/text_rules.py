"""Rules by the texts of two passages: a newer version, another scope, a contradiction."""

from __future__ import annotations

from logic_retrievers.cleaning.differences import Change
from logic_retrievers.cleaning.differences.annotation import AnnotatedText, TokenSpan
from logic_retrievers.cleaning.differences.dates import PartialDate, Version
from logic_retrievers.cleaning.differences.quantities import Quantity
from logic_retrievers.cleaning.differences.tokens import listed_words, phrase_pattern
from logic_retrievers.cleaning.pair_rules.passage_pair import (
    PassagePair,
    later_side,
    scope_reason,
    shortened,
    values_of,
)
from logic_retrievers.cleaning.result import Side

# which of the two is the newer version, and the reason
NewerSide = tuple[Side, str]

_NOTICE = phrase_pattern("NOTICE")
_NEWS = phrase_pattern("NEWS")
_MIN_KNOWN_SHARE = 0.6
_BEFORE_VALIDITY = phrase_pattern("BEFORE_VALIDITY")
_CHARACTERS_BEFORE = 45

_PREPOSITIONS = listed_words("place_prepositions")
_SINGLE_EVENT = phrase_pattern("SINGLE_EVENT")
_CHARACTERS_BEFORE_YEAR = 60
# least sum of overlap and cosine of texts that begin with different names, as many things are of
# one kind
_MIN_SIMILARITY_NAMES = 0.97
# the same sum if both have quantities of one kind, which few texts share by chance
_MIN_SIMILARITY_QUANTITIES = 0.6
# added to both sums for pages
_MIN_SIMILARITY_PAGE = 0.14
_MIN_OVERLAP_SUBJECT = 0.12
_MIN_OVERLAP_SUBJECT_PAGE = 0.18
_OPENING_WORDS = 6

_MIN_OVERLAP_CONFLICT = 0.35
_MAX_CHANGES = 8
_MIN_SENTENCE_OVERLAP = 0.5
_MAX_NEGATIONS = 20
_REASON_WORDS = 4
_DENIED_REACH = 6
_DENIED_STEMS = 2


def find_newer_by_text(pair: PassagePair) -> NewerSide | None:
    """Find the newer text by versions, dates of validity and announced changes.

    "API v1 returns dates as strings." / "API v2 returns dates as numbers."
    """
    return _compare_versions(pair) or _compare_dates(pair) or _find_announcement(pair)


def _find_announcement(pair: PassagePair) -> NewerSide | None:
    """Find the text that says that the other one's statement is no longer true.

    "Bicycles can be borrowed." / "Bicycles can no longer be borrowed."
    """
    left, right = pair.texts
    phrases = _find_notice(left, right), _find_notice(right, left)
    if not any(phrases) and pair.are_brief:  # long texts say "today" about anything
        news = [match[0] if (match := _NEWS.search(text.text)) else "" for text in pair.texts]
        phrases = news[0], news[1]
    if all(phrases) or not any(phrases):
        return None
    reason = f'one announces a change of what both are about: "{shortened("".join(phrases))}"'
    return "one" if phrases[0] else "other", reason


def _find_notice(text: AnnotatedText, other: AnnotatedText) -> str:
    """Return the words with which a text says that the other one's statement is over, if any.

    They are in its first sentence. The words before them (if there are none, those after them) say
    what is over. Most of these must be in the first sentence of the other text.
    """
    start, end = text.sentence_at(0)
    known = other.stems_in(*other.sentence_at(0))
    words = text.tokens[start:end]
    for match in _NOTICE.finditer(text.text, *text.char_span(start, end)):
        before = start + sum(token.end_char <= match.start() for token in words)
        behind = start + sum(token.start_char < match.end() for token in words)
        subject = text.stems_in(start, before) or text.stems_in(behind, end)
        if len(subject & known) >= _MIN_KNOWN_SHARE * len(subject) > 0:
            return match[0]
    return ""


def _compare_versions(pair: PassagePair) -> NewerSide | None:
    for change in pair.value_changes:
        versions = values_of(change, Version)
        if versions and (newer := later_side(*versions, Version.is_later)):
            return newer, scope_reason(*pair.words_of(change))
    return None


def _compare_dates(pair: PassagePair) -> NewerSide | None:
    """Compare dates of validity (``Since January 2020``) in texts that differ elsewhere too."""
    if len(pair.comparison.changes) == 1:
        return None
    for change in pair.value_changes:
        dates = values_of(change, PartialDate)
        if not dates or not all(_is_validity_date(*side) for side in pair.sides_of(change)):
            continue
        if newer := later_side(*dates, PartialDate.is_later):
            return newer, scope_reason(*pair.words_of(change))
    return None


def _is_validity_date(text: AnnotatedText, span: TokenSpan) -> bool:
    """Whether a cue before a date makes it a date of validity."""
    return _BEFORE_VALIDITY.search(text.before(span[0], _CHARACTERS_BEFORE)) is not None


def find_other_unit(pair: PassagePair) -> str:
    """Find quantities in different units or periods.

    "The belt runs at 100 km/h." / "The belt runs at 62 mph."
    """
    for change in pair.opposed_values if pair.is_related else ():
        quantities = values_of(change, Quantity)
        if quantities is not None and quantities[0].has_other_unit(quantities[1]):
            left, right = pair.words_of(change)
            return f'they use different units: "{shortened(left)}" and "{shortened(right)}"'
    return ""


def find_other_scope(pair: PassagePair) -> str:
    """Find a differing value or word that says what each text is about, if more differs.

    "Residents of Denver pay a tax of 8 percent." / "Residents of Boulder pay a tax of 9 percent."
    """
    if pair.is_related and len(pair.value_changes) > 1:
        for change in pair.value_changes:
            if _is_scope(pair, change):
                return scope_reason(*pair.words_of(change))
    return ""


def find_other_year(pair: PassagePair) -> str:
    """Find the years of two brief texts, if they have no year in common.

    "In 2011 there were 40 looms in the mill." / "By 2019 six looms were left in the mill."
    """
    left, right = pair.texts
    left_years, right_years = _years(left), _years(right)
    if not pair.are_brief or not left_years or not right_years:
        return ""
    if left_years.keys() & right_years.keys():
        return ""
    left_span, right_span = next(iter(left_years.values())), next(iter(right_years.values()))
    return scope_reason(left.excerpt(*left_span), right.excerpt(*right_span))


def find_other_subject(pair: PassagePair) -> str:
    """Find different subjects of two texts, if a value differs too."""
    if not all(pair.own_subjects) or not pair.opposed_values:
        return ""
    if pair.overlap < _MIN_OVERLAP_SUBJECT + _MIN_OVERLAP_SUBJECT_PAGE * pair.relative_length:
        return ""
    measured = any(map(_are_same_quantities, pair.value_changes))
    least = _MIN_SIMILARITY_QUANTITIES if measured else _MIN_SIMILARITY_NAMES
    if pair.overlap + pair.cosine < least + _MIN_SIMILARITY_PAGE * pair.relative_length:
        return ""
    openings = (text.excerpt(0, min(text.sentence_at(0)[1], _OPENING_WORDS)) for text in pair.texts)
    return scope_reason(*openings)


def _is_scope(pair: PassagePair, change: Change) -> bool:
    """Whether a change says what the text is about, and is not the answer itself."""
    if change.type != "entity":
        return change.in_both and pair.is_in_subjects(change)
    return all(_follows_preposition(text, span) for text, span in pair.sides_of(change))


def _are_same_quantities(change: Change) -> bool:
    """Whether a change has two quantities that are of one kind or count the same."""
    if not (quantities := values_of(change, Quantity)):
        return False
    left, right = ((quantity.kind, quantity.counted) for quantity in quantities)
    return left == right != ("", "")


def _follows_preposition(text: AnnotatedText, span: TokenSpan) -> bool:
    """Whether words follow a preposition: in Paris, for Germany, at the Munich office."""
    return any(token.key in _PREPOSITIONS for token in text.tokens[max(0, span[0] - 2) : span[0]])


def _years(text: AnnotatedText) -> dict[int, TokenSpan]:
    """Return year -> the first date that names it, in the order of the text.

    The result is empty if a date is that of an event or a thing: "built in 1931", "a 1931 drama".
    """
    years: dict[int, TokenSpan] = {}
    for mention in text.mentions:
        if isinstance(mention.value, PartialDate) and mention.value.year:
            if _SINGLE_EVENT.search(text.before(mention.span[0], _CHARACTERS_BEFORE_YEAR)):
                return {}
            years.setdefault(mention.value.year, mention.span)
    return years


def find_conflicting_value(pair: PassagePair) -> str:
    """Find a value that differs in nearly the same words about the same thing.

    "The tower was completed in 1889." / "The tower was completed in 1899."
    """
    for change in pair.opposed_values if _may_conflict(pair) else ():
        if change.type != "entity" or not pair.is_in_subjects(change):
            return pair.contrast(change)
    return ""


def find_denial(pair: PassagePair) -> str:
    """Find the words with which one text denies what the other says.

    "The warranty covers water damage." / "Water damage is not covered by the warranty."
    """
    words = denial_words(pair) if _may_conflict(pair) else ""
    return f'one denies what the other says: "{shortened(words)}"' if words else ""


def find_vector_contradiction(pair: PassagePair) -> str:
    """Follow the vectors' contradiction if nothing says that the texts are about two things."""
    if pair.probability < pair.threshold:
        return ""
    if not pair.is_decided_by_vectors and all(pair.own_subjects):
        return ""
    return f"the vectors give {pair.probability:.2f} that they contradict each other"


def denial_words(pair: PassagePair) -> str:
    """Return the words with which one text denies a similar sentence of the other, if any.

    A negation need not be aligned. It counts if a word after it stands in that sentence of the
    other text and is not negated there.
    """
    left, right = pair.texts
    for text, other in ((left, right), (right, left)):
        for index in _negations(text)[:_MAX_NEGATIONS]:
            if _denies(text, index, other):
                end = text.sentence_at(index)[1]
                return text.excerpt(index, min(end, index + _REASON_WORDS))
    return ""


def _may_conflict(pair: PassagePair) -> bool:
    """Whether two texts say the same about the same thing, apart from their values."""
    if pair.overlap_without_values < _MIN_OVERLAP_CONFLICT or all(pair.own_subjects):
        return False
    return len(pair.comparison.changes) <= _MAX_CHANGES


def _denies(text: AnnotatedText, index: int, other: AnnotatedText) -> bool:
    """Whether a negation is about what the most similar sentence of the other text affirms."""
    sentence = text.sentence_at(index)
    stems = text.stems_in(*sentence)

    def likeness(candidate: TokenSpan) -> tuple[int, float]:
        """Count common stems (a heading has few), and their share of the shorter sentence."""
        others = other.stems_in(*candidate)
        shared = len(stems & others)
        return shared, shared / max(1, min(len(stems), len(others)))

    counterpart = max(other.sentences, key=likeness, default=(0, 0))
    if likeness(counterpart)[1] < _MIN_SENTENCE_OVERLAP:
        return False
    negated: set[str] = set()
    for start in _negations(other):
        if counterpart[0] <= start < counterpart[1]:
            negated |= _negated_stems(other, start, counterpart)
    affirmed = other.stems_in(*counterpart) - negated
    return not affirmed.isdisjoint(_negated_stems(text, index, sentence))


def _negations(text: AnnotatedText) -> list[int]:
    return [mention.span[0] for mention in text.mentions if mention.type == "polarity"]


def _negated_stems(text: AnnotatedText, index: int, sentence: TokenSpan) -> set[str]:
    """Return the stems of the next content words, which a negation is about."""
    end = min(sentence[1], index + 1 + _DENIED_REACH)
    stems = [text.stems[n] for n in range(index + 1, end) if n in text.stems]
    return set(stems[:_DENIED_STEMS])
