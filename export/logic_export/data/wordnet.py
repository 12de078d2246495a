"""Synonyms and antonyms from WordNet's own data files."""

# NLTK's reader needs the file lexnames, which Debian's package lacks, and refuses folders outside
# NLTK's own; the wn package reads a different format.

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from logic_retrievers.errors import ConfigurationError, ReadError

PartOfSpeech: TypeAlias = Literal["noun", "verb", "adjective", "adverb"]

USUAL_FOLDER = Path("/usr/share/wordnet")

_FILES: dict[PartOfSpeech, str] = {
    "noun": "data.noun",
    "verb": "data.verb",
    "adjective": "data.adj",
    "adverb": "data.adv",
}
_PARTS: dict[str, PartOfSpeech] = {
    "n": "noun",
    "v": "verb",
    "a": "adjective",
    "s": "adjective",  # a satellite: an adjective whose synset belongs to a head synset
    "r": "adverb",
}
_MARKER = re.compile(r"\((?:a|p|ip)\)$")


@dataclass(frozen=True, slots=True)
class Sense:
    """One meaning of a word: synonyms (the synset's other words), and the word's antonyms."""

    synonyms: tuple[str, ...]
    antonyms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WordNet:
    """Words by lemma and part of speech.

    Lemmas keep their case, have spaces for underscores and lack the markers of an adjective's
    position ("(a)", "(p)", "(ip)"). Only antonyms between words count, not antonyms of similar
    adjectives.
    """

    # the meanings of each word, in the order of the files, not by frequency
    senses: Mapping[tuple[str, PartOfSpeech], tuple[Sense, ...]]

    def synonyms(self, lemma: str, part: PartOfSpeech) -> tuple[str, ...]:
        """Return the other lemmas of all synsets of a word; none for an unknown word."""
        senses = self.senses.get((lemma, part), ())
        return tuple(dict.fromkeys(word for sense in senses for word in sense.synonyms))

    def antonyms(self, lemma: str, part: PartOfSpeech) -> tuple[str, ...]:
        """Return the antonyms of all senses of a word; none for an unknown word."""
        senses = self.senses.get((lemma, part), ())
        return tuple(dict.fromkeys(word for sense in senses for word in sense.antonyms))

    def parts(self, lemma: str) -> tuple[PartOfSpeech, ...]:
        """Return the parts of speech under which a lemma is listed."""
        return tuple(part for part in _FILES if (lemma, part) in self.senses)


# The key of a synset: part of speech and offset.
_Key: TypeAlias = tuple[PartOfSpeech, int]


@dataclass(frozen=True, slots=True)
class _Synset:
    lemmas: tuple[str, ...]
    # (position of a word in this synset, the other synset, position of a word there)
    antonyms: tuple[tuple[int, _Key, int], ...]


def load_wordnet(folder: Path | None = None) -> WordNet:
    """Read ``data.noun``, ``data.verb``, ``data.adj`` and ``data.adv``.

    ``folder`` None means the environment variable ``WNSEARCHDIR``, else ``dict`` in ``WNHOME``,
    else ``/usr/share/wordnet``. If a variable is set, no other folder is tried.

    Raises:
        ConfigurationError: a file is missing.
        ReadError: a file is not in WordNet's format.
    """
    directory = _find_folder() if folder is None else folder
    missing = [name for name in _FILES.values() if not (directory / name).is_file()]
    if missing:
        raise ConfigurationError(
            f"no WordNet in {directory}: {', '.join(missing)} not found. Install it with 'apt-get "
            "install wordnet-base', or set WNSEARCHDIR or WNHOME"
        )
    synsets = {
        key: synset for name in _FILES.values() for key, synset in _read_synsets(directory / name)
    }
    try:
        return _link_senses(synsets)
    except (KeyError, IndexError) as error:
        raise ReadError(
            f"an antonym is not there ({error}); do the four files belong to one version?",
            file=str(directory),
        ) from error


def _find_folder() -> Path:
    if folder := os.environ.get("WNSEARCHDIR"):
        return Path(folder)
    home = os.environ.get("WNHOME")
    return Path(home) / "dict" if home else USUAL_FOLDER


def _read_synsets(path: Path) -> Iterator[tuple[_Key, _Synset]]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ReadError(f"cannot be read: {error}", file=str(path)) from error
    for number, line in enumerate(lines, start=1):
        if line.startswith("  ") or not line:  # the licence, ahead of the data
            continue
        try:
            yield _parse_synset(line)
        except (ValueError, IndexError, KeyError) as error:
            raise ReadError(
                "not a line of a WordNet data file, see wndb(5)", file=str(path), line=number
            ) from error


def _parse_synset(line: str) -> tuple[_Key, _Synset]:
    fields = line.split(" | ")[0].split()
    end = 4 + 2 * int(fields[3], 16)
    lemmas = tuple(_MARKER.sub("", word).replace("_", " ") for word in fields[4:end:2])
    antonyms = []
    for start in range(end + 1, end + 1 + 4 * int(fields[end]), 4):
        symbol, offset, letter, numbers = fields[start : start + 4]
        source, target = int(numbers[:2], 16), int(numbers[2:], 16)
        if symbol == "!" and source and target:  # 0 points between synsets, not words
            antonyms.append((source - 1, (_PARTS[letter], int(offset)), target - 1))
    return (_PARTS[fields[2]], int(fields[0])), _Synset(lemmas, tuple(antonyms))


def _link_senses(synsets: Mapping[_Key, _Synset]) -> WordNet:
    senses: dict[tuple[str, PartOfSpeech], list[Sense]] = {}
    for (part, _), synset in synsets.items():
        opposed: list[list[str]] = [[] for _ in synset.lemmas]
        for source, key, target in synset.antonyms:
            opposed[source].append(synsets[key].lemmas[target])
        for lemma, antonyms in zip(synset.lemmas, opposed, strict=True):
            synonyms = dict.fromkeys(other for other in synset.lemmas if other != lemma)
            sense = Sense(tuple(synonyms), tuple(antonyms))
            senses.setdefault((lemma, part), []).append(sense)
    return WordNet({word: tuple(senses_of_word) for word, senses_of_word in senses.items()})
