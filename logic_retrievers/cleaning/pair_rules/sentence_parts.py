"""Parts of a sentence: its subject, and what stands before a word."""

from __future__ import annotations

from collections.abc import Sequence

from logic_retrievers.cleaning.differences.annotation import AnnotatedText, TokenSpan
from logic_retrievers.cleaning.differences.lexicon import listed_words
from logic_retrievers.cleaning.differences.tokens import Token

_VERBS = listed_words("verbs")
_SUBJECT_SHARE = 2.5
_CLAUSE_OPENERS = listed_words("clause_openers")
_RELATIVE_PRONOUNS = listed_words("relative_pronouns")


def subject_end(tokens: Sequence[Token], start: int, end: int) -> int:
    """Index behind the subject of a sentence, which is that of its main verb.

    The main verb is the first known verb outside a clause: "if you are a student, you pay",
    "students who live at home pay". Without one, the subject is two fifths of the sentence.
    """
    in_clause_opener = start < end and tokens[start].key in _CLAUSE_OPENERS
    clauses, verb, comma = int(in_clause_opener), 0, 0
    for index in range(start + 1, end):
        after_punctuation = tokens[index].start_char - tokens[index - 1].end_char > 1
        if (clauses or verb) and after_punctuation and not comma:
            comma, clauses = index, 0  # the clause ends with its comma
        if tokens[index].text not in _VERBS:  # capitalized words of a title are no verbs
            opens_clause = tokens[index].key in _RELATIVE_PRONOUNS
            clauses += opens_clause and tokens[index - 1].key not in _VERBS
        elif not clauses:
            return index
        elif not verb or index > verb + 1:
            verb = index
            clauses -= tokens[start].key not in _CLAUSE_OPENERS
    return comma or verb or start + int((end - start) / _SUBJECT_SHARE)


def is_in_subject(text: AnnotatedText, span: TokenSpan) -> bool:
    """Whether tokens stand before the verb of their sentence."""
    return span[1] <= subject_end(text.tokens, *text.sentence_at(span[0]))


def text_before(
    text: AnnotatedText, index: int, characters: int, *, in_sentence: bool = True
) -> str:
    """At most so many characters before a token, by default of its sentence alone."""
    end = text.tokens[index].start_char
    sentence_start = text.tokens[text.sentence_at(index)[0]].start_char if in_sentence else 0
    return text.text[max(sentence_start, end - characters) : end]


def shortened(words: str, max_characters: int = 60) -> str:
    """Words for a reason, on one line and cut with an ellipsis."""
    line = " ".join(words.split())
    return line if len(line) <= max_characters else f"{line[: max_characters - 1]}\u2026"
