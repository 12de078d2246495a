"""Contradictions made by rules over any text; for training only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from logic_export.data.antonym_swaps import swapped, swaps_of
from logic_export.data.contradictions.paraphrases import synonyms_of
from logic_export.data.contradictions.values import (
    Change,
    date,
    entity,
    exchanged,
    names_of,
    number,
    quantifier,
)
from logic_export.data.negation import negate
from logic_export.data.wordnet import WordNet
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.paraphrases import paraphrase
from logic_retrievers.evaluation.sentences import sentences
from logic_retrievers.evaluation.sides import Sides, unique_sides

KINDS = ("polarity", "antonym", "number", "date", "entity", "quantifier")
TOSSES = 4
"""How often the coins of a paraphrase are thrown again where they changed nothing."""


@dataclass(frozen=True, slots=True)
class Words:
    """What the rules know of a corpus.

    Args:
        names: by how many words they have; one is exchanged for another.
        antonyms, synonyms: word -> word; empty without WordNet.
    """

    names: Mapping[int, Sequence[str]] = field(default_factory=dict)
    antonyms: Mapping[str, str] = field(default_factory=dict)
    synonyms: Mapping[str, str] = field(default_factory=dict)


def words_of(texts: Sequence[str], wordnet: WordNet | None = None) -> Words:
    """What the rules have to know of some texts."""
    if wordnet is None:
        return Words(names_of(texts))
    return Words(names_of(texts), swaps_of(texts, wordnet), synonyms_of(texts, wordnet))


def contradicted(text: str, kind: str, words: Words, random: Random) -> str | None:
    """The text with one thing changed so that it contradicts what it said; None: no rule is safe.

    Polarity and antonyms change one sentence; a number, date or name is changed wherever the text
    has it.

    Args:
        text: one sentence or several.
        kind: one of :data:`KINDS`.
        words: of the corpus.
        random: which sentence or value.
    """
    if kind in ("polarity", "antonym"):
        return _one_sentence(text, kind, words, random)
    change = _VALUES[kind](text, words, random)
    if change is None:
        return None
    made = exchanged(text, change)
    return made if made != text else None


def made_sides(
    texts: Iterable[str],
    words: Words,
    *,
    count: int,
    kinds: Sequence[str] = KINDS,
    most_sentences: int = 4,
    seed: int = 0,
) -> list[Sides]:
    """A piece of a text with a paraphrase, against its contradiction with a paraphrase.

    Pieces are one to ``most_sentences`` sentences that follow each other. Kinds take turns, so that
    the common ones do not crowd out the others.

    Args:
        texts: any.
        words: what the rules know of them.
        count: groups to make, at most.
        kinds: of contradictions.
        most_sentences: of a piece.
        seed: of everything.

    Raises:
        ConfigurationError: a kind that is unknown, or pieces of no sentence.
    """
    if unknown := sorted(set(kinds) - set(KINDS)):
        raise ConfigurationError(f"no kind {unknown[0]!r}; there are {', '.join(KINDS)}")
    if most_sentences < 1:
        raise ConfigurationError(f"a piece has at least one sentence, not {most_sentences}")
    random = Random(seed)
    order = sorted(set(texts))
    random.shuffle(order)
    found: list[Sides] = []
    turn = 0
    for text in order:
        if len(found) >= count:
            break
        said = sentences(text)
        length = min(len(said), random.randint(1, most_sentences))
        start = random.randint(0, len(said) - length) if said else 0
        piece = " ".join(said[start : start + length])
        if len(piece.split()) < 5:
            continue
        for step in range(len(kinds)):
            kind = kinds[(turn + step) % len(kinds)]
            other = contradicted(piece, kind, words, random)
            group = (
                None
                if other is None
                else said_otherwise(piece, other, f"made {kind}", words.synonyms, random)
            )
            if group is not None:
                found.append(group)
                turn += step + 1
                break
    return unique_sides(found)


def said_otherwise(
    one: str, other: str, source: str, synonyms: Mapping[str, str], random: Random
) -> Sides | None:
    """A group of two texts that contradict each other and a paraphrase of each.

    Both are said otherwise by the same coins, so that their form tells nothing. What the coins
    dropped was dropped from both; if that was the difference, the paraphrases are one text and
    stand for neither side. None where the two do not differ.
    """
    sides: list[tuple[str, ...]] = [(one,), (other,)]
    for _ in range(TOSSES):
        coins = random.getrandbits(64)
        versions = [paraphrase(text, Random(coins), synonyms) for text in (one, other)]
        if versions[0] != versions[1] and versions != [one, other]:
            sides = [
                tuple(dict.fromkeys((text, version)))
                for text, version in zip((one, other), versions, strict=True)
            ]
            break
    return None if set(sides[0]) & set(sides[1]) else Sides(sides[0], sides[1], source)


def _one_sentence(text: str, kind: str, words: Words, random: Random) -> str | None:
    said = sentences(text)
    for place in random.sample(range(len(said)), len(said)):
        if kind == "polarity":
            denied = negate(said[place])
            made = [] if denied is None else [denied]
        else:
            made = swapped(said[place], text, words.antonyms)
        if made:
            return " ".join([*said[:place], random.choice(made), *said[place + 1 :]])
    return None


_VALUES: Mapping[str, Callable[[str, Words, Random], Change | None]] = {
    "number": lambda text, _, random: number(text, random),
    "date": lambda text, _, random: date(text, random),
    "quantifier": lambda text, _, random: quantifier(text, random),
    "entity": lambda text, words, random: entity(text, words.names, random),
}
