"""Contradictions made by rules over any text; for training only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from logic_export.data.antonyms import find_antonyms, swap_antonyms
from logic_export.data.contradictions.groups import ContradictionGroup, unique_groups
from logic_export.data.contradictions.paraphrases import find_synonyms, paraphrase
from logic_export.data.contradictions.value_changes import (
    Change,
    apply_change,
    change_date,
    change_name,
    change_number,
    change_quantifier,
    collect_names,
)
from logic_export.data.negation import negate
from logic_export.data.sentences import split_sentences
from logic_export.data.wordnet import WordNet
from logic_retrievers.errors import ConfigurationError

KINDS = ("polarity", "antonym", "number", "date", "entity", "quantifier")
# Maximum attempts at a paraphrase that differs from the text.
MAX_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class CorpusWords:
    """Words of a corpus that the rules exchange; only names without WordNet."""

    # number of words -> names
    names: Mapping[int, Sequence[str]] = field(default_factory=dict)
    antonyms: Mapping[str, str] = field(default_factory=dict)
    synonyms: Mapping[str, str] = field(default_factory=dict)


def collect_words(texts: Sequence[str], wordnet: WordNet | None = None) -> CorpusWords:
    """Collect the words that the rules need."""
    names = collect_names(texts)
    if wordnet is None:
        return CorpusWords(names)
    return CorpusWords(names, find_antonyms(texts, wordnet), find_synonyms(texts, wordnet))


def contradict(text: str, kind: str, words: CorpusWords, random: Random) -> str | None:
    """Change a text in one thing so that it contradicts the original; None if no rule is safe.

    Polarity and antonyms change one sentence; a number, date or name is changed at every
    occurrence. ``kind`` is one of :data:`KINDS`.
    """
    if kind in ("polarity", "antonym"):
        return _contradict_sentence(text, kind, words, random)
    change = _VALUE_CHANGES[kind](text, words, random)
    if change is None:
        return None
    changed = apply_change(text, change)
    return changed if changed != text else None


def make_groups(
    texts: Iterable[str],
    words: CorpusWords,
    *,
    count: int,
    kinds: Sequence[str] = KINDS,
    most_sentences: int = 4,
    seed: int = 0,
) -> list[ContradictionGroup]:
    """Group excerpts and their paraphrases against contradictions and the paraphrases of these.

    Excerpts are one to ``most_sentences`` consecutive sentences. Kinds alternate, so that frequent
    kinds do not crowd out rare ones. ``count`` is the maximum number of groups. An unknown kind is
    a :class:`ConfigurationError`.
    """
    if unknown := sorted(set(kinds) - set(KINDS)):
        raise ConfigurationError(f"no kind {unknown[0]!r}; there are {', '.join(KINDS)}")
    random = Random(seed)
    order = sorted(set(texts))
    random.shuffle(order)
    groups: list[ContradictionGroup] = []
    turn = 0
    for text in order:
        if len(groups) >= count:
            break
        sentences = split_sentences(text)
        length = min(len(sentences), random.randint(1, most_sentences))
        start = random.randint(0, len(sentences) - length) if sentences else 0
        piece = " ".join(sentences[start : start + length])
        if len(piece.split()) < 5:
            continue
        for step in range(len(kinds)):
            kind = kinds[(turn + step) % len(kinds)]
            contradiction = contradict(piece, kind, words, random)
            if contradiction is None:
                continue
            group = group_with_paraphrases(
                piece, contradiction, f"rules {kind}", words.synonyms, random
            )
            if group is not None:
                groups.append(group)
                turn += step + 1
                break
    return unique_groups(groups)


def group_with_paraphrases(
    text: str, contradiction: str, source: str, synonyms: Mapping[str, str], random: Random
) -> ContradictionGroup | None:
    """Group two contradicting texts and a paraphrase of each; None if the sides share a text.

    Both are paraphrased with the same random choices, so that their form reveals nothing. A
    paraphrase that drops the difference itself is not used.
    """
    sides: list[tuple[str, ...]] = [(text,), (contradiction,)]
    for _ in range(MAX_ATTEMPTS):
        seed = random.getrandbits(64)
        versions = [
            paraphrase(original, Random(seed), synonyms) for original in (text, contradiction)
        ]
        if versions[0] != versions[1] and versions != [text, contradiction]:
            sides = [
                tuple(dict.fromkeys((original, version)))
                for original, version in zip((text, contradiction), versions, strict=True)
            ]
            break
    return None if set(sides[0]) & set(sides[1]) else ContradictionGroup(sides[0], sides[1], source)


def _contradict_sentence(text: str, kind: str, words: CorpusWords, random: Random) -> str | None:
    sentences = split_sentences(text)
    for position in random.sample(range(len(sentences)), len(sentences)):
        if kind == "polarity":
            negated = negate(sentences[position])
            candidates = [] if negated is None else [negated]
        else:
            candidates = swap_antonyms(sentences[position], text, words.antonyms)
        if candidates:
            return " ".join(
                [*sentences[:position], random.choice(candidates), *sentences[position + 1 :]]
            )
    return None


_VALUE_CHANGES: Mapping[str, Callable[[str, CorpusWords, Random], Change | None]] = {
    "number": lambda text, _, random: change_number(text, random),
    "date": lambda text, _, random: change_date(text, random),
    "quantifier": lambda text, _, random: change_quantifier(text, random),
    "entity": lambda text, words, random: change_name(text, words.names, random),
}
