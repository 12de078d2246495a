"""Negates a sentence by a small set of rules for plain English statements."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from logic_export.data.negation import lexicon

_TOKEN = re.compile(r"[^\W_][\w'’]*(?:[-.,/][^\W_][\w'’]*)*|[^\w\s]")  # noqa: RUF001
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_NUMBER = re.compile(
    r"\d.*|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundreds|thousands"
)
_CONTRACTED = re.compile(
    r".*['’](?:m|re|ve|ll|d)|(?:it|he|she|that|there|here|what|who|let)['’]s"  # noqa: RUF001
)


@dataclass(frozen=True, slots=True)
class Word:
    """A word or punctuation mark of a sentence: in lower case, as spelt, and its position."""

    text: str
    spelt: str
    start: int
    end: int


_Words = Sequence[Word]
_Edit = tuple[int, int, str]  # start, end, replacement

_UNSAFE = re.compile(r"[?\"“”«»]|[.!][)\]]*\s+[A-Z0-9]|(?:\.\s*){2,}|\n")

_PERFECT = lexicon.word_set("perfect") | frozenset(
    form for form in lexicon.CLEAR_PAST if form.endswith("ed") and form != "showed"
)


def negate(sentence: str) -> str | None:
    """Negate a sentence's assertion; None if no rule is safe.

        negate("Aspirin reduces the risk.")          # "Aspirin does not reduce the risk."
        negate("The gene is not expressed.")         # "The gene is expressed."
        negate("We found that it was effective.")    # "We found that it was not effective."
        negate("There was no difference.")           # "There was a difference."

    "not" is inserted after (or removed from) the first auxiliary of the asserting clause: forms of
    "be", "have" with a participle, and can, could, will, would, should, must, shall. "do" is
    inserted or removed for verbs of a fixed list: in the third person, in a past form that cannot
    be a participle, or in any form right after a pronoun. "there is" takes "no". Negations removed
    are "not", "n't", "never", and "no" where "a" or nothing can replace it.

    It refuses questions, commands, quotations and more than one sentence. It refuses "may" and
    "might" (with and without "not" they can both be true), statements about a part ("some", "two
    patients", "often"), and "all", whose negation is ambiguous. It refuses a verb in a relative or
    "because" clause, two words that negate, and negations other than a plain "not" ("without",
    "lack", "fail", "no patient was"). It refuses words that must change as well ("some" and "any",
    "already" and "yet", "not only", "not X but Y").

    It does not parse. It negates one of two assertions joined by "and", which contradicts the whole
    but leaves the second assertion. It treats "a patient was" like "the patient was". It skips past
    forms after a noun ("mice treated with X") and plural verbs other than auxiliaries. "should not"
    and "must not" are contraries of "should" and "must", not their absence. Negating a sentence
    twice may return its negation in a different position.
    """
    if _UNSAFE.search(sentence.strip()):
        return None
    words = tokenize(sentence)
    negative = [i for i, word in enumerate(words) if lexicon.NEGATIVE.fullmatch(word.text)]
    if not negative:
        edit = _insert_negation(words)
    elif len(negative) == 1:
        edit = _remove_negation(words, negative[0])
    else:
        return None
    if edit is None:
        return None
    start, end, text = edit
    if sentence[start:end] != sentence[start:end].lower():  # a name, a title, or a shout
        return None
    return sentence[:start] + text + sentence[end:]


def _insert_negation(words: _Words) -> _Edit | None:
    start = clause_start(words)
    if start is None:
        return None
    for i in range(start, len(words)):
        if (edit := _negate_word(words, start, i)) is not None:
            start_of_edit, end_of_edit, text = edit
            safe = (
                text
                and is_assertion(words, start, i)
                and _followed_by_none(words, i, lexicon.BREAKS_WHEN_NEGATED)
            )
            return (start_of_edit, end_of_edit, text) if safe else None
    return None


def _negate_word(words: _Words, start: int, i: int) -> _Edit | None:
    """Return the edit that negates a verb, with an empty text if that is not safe; else None."""
    word, after = words[i], _text(words, i + 1)
    unsafe = (word.start, word.end, "")
    if word.text in lexicon.BE and _text(words, i - 1) == "there":
        return _negate_existence(words, i)
    if word.text in lexicon.BE | lexicon.MODALS:
        noun = word.text in lexicon.MODALS and (
            after in lexicon.BE | lexicon.HAVE.keys() or _text(words, i - 1) in lexicon.OWNERS
        )
        if noun or after in lexicon.NOT_AFTER_VERB:
            return unsafe
        return (word.start, word.end, "cannot" if word.text == "can" else f"{word.text} not")
    if word.text in lexicon.HAVE:
        return _negate_have(words, i)
    if word.text in lexicon.DO:
        return unsafe
    auxiliary, base = _full_verb(words, start, i)
    if not base:
        return None
    first = i - 1 if _is_adverb(words, i - 1) and i - 1 > start else i
    subject_ends = (
        _is_word(words, first - 1) and _text(words, first - 1) not in lexicon.NO_SUBJECT_END
    )
    if first <= start or not subject_ends or after in lexicon.NOT_AFTER_VERB - {"to", "because"}:
        return unsafe
    adverb = f"{words[first].text} " if first < i else ""
    return (words[first].start, word.end, f"{auxiliary} not {adverb}{base}")


def _full_verb(words: _Words, start: int, i: int) -> tuple[str, str]:
    """Return a verb's form of "do" and base form; both empty if it may not be a verb."""
    text = words[i].text
    subject = i - 1 - _is_adverb(words, i - 1)
    pronoun = words[subject].text if subject == start else ""
    if text in lexicon.PLAIN_THIRD:
        return "does", lexicon.PLAIN_THIRD[text]
    sure = pronoun in lexicon.PRONOUNS or _text(words, i + 1) in lexicon.DETERMINERS
    if text in lexicon.NOUN_LIKE_THIRD and sure and i > start:
        return "does", lexicon.NOUN_LIKE_THIRD[text]
    if text in lexicon.CLEAR_PAST or (text in lexicon.ANY_PAST and pronoun in lexicon.PRONOUNS):
        return "did", lexicon.ANY_PAST[text]
    if text in lexicon.BASES and pronoun in lexicon.PLURAL_PRONOUNS:
        return "do", text
    return "", ""


def _negate_have(words: _Words, i: int) -> _Edit:
    word, after = words[i], _text(words, i + 1)
    if after in lexicon.DETERMINERS:
        return (word.start, word.end, f"{lexicon.HAVE[word.text]} not have")
    participle = i + 2 if _is_adverb(words, i + 1) else i + 1
    if _text(words, participle) in _PERFECT:
        return (word.start, word.end, f"{word.text} not")
    return (word.start, word.end, "")


def _negate_existence(words: _Words, i: int) -> _Edit:
    """Turn "there is a X" into "there is no X"."""
    after = _text(words, i + 1)
    if after in ("a", "an") and (
        _is_adverb(words, i + 2) or _text(words, i + 2) in lexicon.ADVERBS
    ):
        return (words[i].end, words[i].end, " not")
    if after in ("a", "an", "some"):
        return (words[i + 1].start, words[i + 1].end, "no")
    if after in lexicon.NO_EXISTENCE or not after.isalpha():
        return (words[i].start, words[i].end, "")
    return (words[i].end, words[i].end, " no")


def _remove_negation(words: _Words, i: int) -> _Edit | None:
    negation = words[i].text
    if negation not in lexicon.REMOVABLE:
        return None
    one_word = negation == "cannot" or negation in lexicon.CONTRACTIONS
    verb = i if one_word else i - 1
    start = clause_start(words[: verb + 1]) if verb >= 0 else None
    if start is None or not is_assertion(words, start, verb):
        return None
    if not _followed_by_none(words, i, lexicon.NEEDS_NEGATION) or not _is_word(words, i + 1):
        return None
    if negation == "no":
        return _replace_no(words, verb)
    auxiliary = (
        "can" if negation == "cannot" else lexicon.CONTRACTIONS.get(negation, words[verb].text)
    )
    if auxiliary in lexicon.DO and negation != "never":
        return _remove_do(words, verb, i, auxiliary)
    if auxiliary not in lexicon.BE | lexicon.MODALS | lexicon.HAVE.keys():
        return None
    return (words[verb].start, words[i].end, auxiliary)


def _remove_do(words: _Words, first: int, negation: int, auxiliary: str) -> _Edit | None:
    """Turn "does not reduce" into "reduces"."""
    verb = negation + 2 if _is_adverb(words, negation + 1) else negation + 1
    base = _text(words, verb)
    if not base.isalpha() or base in lexicon.NO_SUBJECT_END | lexicon.NOT_AFTER_VERB:
        return None
    form = {"do": base, "does": lexicon.third_person(base), "did": lexicon.past(base)}[auxiliary]
    if form is None:
        return None
    adverb = f"{words[negation + 1].text} " if verb > negation + 1 else ""
    return (words[first].start, words[verb].end, adverb + form)


def _replace_no(words: _Words, verb: int) -> _Edit | None:
    """Turn "has no effect" into "has an effect"; None if the noun may need a different word."""
    existence = words[verb].text in lexicon.BE and _text(words, verb - 1) == "there"
    if not existence and words[verb].text not in lexicon.FINDING:
        return None
    no, after = words[verb + 1], words[verb + 2]
    bare = (no.start, after.start, "")
    if existence and words[verb].text in ("are", "were"):
        return bare
    for word in words[verb + 2 : verb + 6]:
        if word.text in lexicon.COUNTED:
            return (no.start, no.end, lexicon.indefinite_article(after.spelt))
        if word.text in lexicon.UNCOUNTED or word.text.removesuffix("s") in lexicon.COUNTED:
            return bare
    return None


def _text(words: _Words, i: int) -> str:
    return words[i].text if 0 <= i < len(words) else ""


def _is_word(words: _Words, i: int) -> bool:
    return _text(words, i)[:1].isalnum()


def _is_adverb(words: _Words, i: int) -> bool:
    return _text(words, i).endswith("ly") and _text(words, i) not in lexicon.NO_ADVERBS


def _followed_by_none(words: _Words, i: int, unwanted: frozenset[str]) -> bool:
    return not any(word.text in unwanted for word in words[i + 1 :])


def tokenize(sentence: str) -> list[Word]:
    """Split a sentence into words and punctuation marks; text in brackets is left out."""
    masked = sentence
    while (unmasked := _BRACKETS.sub(lambda part: " " * len(part[0]), masked)) != masked:
        masked = unmasked
    return [Word(m[0].lower().replace("’", "'"), m[0], *m.span()) for m in _TOKEN.finditer(masked)]  # noqa: RUF001


def clause_start(words: Sequence[Word]) -> int | None:
    """Return the index where the asserting clause begins.

    It follows a heading ("RESULTS: "), "we found that", and the comma that ends a leading clause
    ("When it rains, "). None if the leading clause does not end among the words.
    """
    texts = [word.text for word in words]
    start = texts.index(":") + 1 if ":" in texts[1:4] else 0
    for i in range(start, len(texts) - 1):
        if texts[i] in lexicon.CLAUSES and i > start:
            break
        after = i + 2 if texts[i + 1] == "here" else i + 1
        if texts[i] in lexicon.REPORTING and texts[after : after + 1] == ["that"]:
            start = after + 1
            break
    if texts[start : start + 1] and texts[start] in lexicon.OPENERS:
        return texts.index(",", start) + 1 if "," in texts[start:] else None
    return start


def is_assertion(words: Sequence[Word], start: int, verb: int) -> bool:
    """Whether a verb asserts the clause's statement, judged by the words before it.

    False if another clause begins before the verb, or if the subject is only a part of something
    ("some", "30 %", "two patients"), since both sentence and negation could then be true.
    """
    for i in range(start, verb):
        text = words[i].text
        if text in lexicon.PARTIAL or _CONTRACTED.fullmatch(text):
            return False
        if text in lexicon.CLAUSES and not (text == "that" and i == start):
            return False
        leads = i == start or words[i - 1].text == ","
        if leads and _NUMBER.fullmatch(text):
            return False
    return verb > start and words[verb - 1].text != "to"
