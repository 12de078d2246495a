"""Synonyms and antonyms from WordNet's own data files."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
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
    "s": "adjective",  # a satellite: an adjective whose synset leans on another one
    "r": "adverb",
}
_MARKER = re.compile(r"\((?:a|p|ip)\)$")


@dataclass(frozen=True, slots=True)
class Antonym:
    """What a word's antonym pointer leads to: a word, and the other words of its synset."""

    lemma: str
    synonyms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sense:
    """One meaning of a word: the other words of the synset, and the antonyms of this word."""

    synonyms: tuple[str, ...]
    antonyms: tuple[Antonym, ...]


@dataclass(frozen=True, slots=True)
class WordNet:
    """Words by lemma and part of speech.

    Lemmas are spelt as in the files, with spaces for underscores and without the markers of an
    adjective's position ("(a)", "(p)", "(ip)"); case is kept. Only lexical antonyms (word to word)
    count; indirect ones, over similar adjectives, are not followed.

    Args:
        senses: the meanings of each word, in the order of the files, not by frequency.
    """

    senses: Mapping[tuple[str, PartOfSpeech], tuple[Sense, ...]]

    def synonyms(self, lemma: str, part: PartOfSpeech) -> tuple[str, ...]:
        """The other lemmas of all synsets of a word; none for a word that is not listed."""
        return _distinct(s.synonyms for s in self.senses.get((lemma, part), ()))

    def antonyms(self, lemma: str, part: PartOfSpeech) -> tuple[str, ...]:
        """The lemmas that a word is opposed to in any sense; none for a word not listed."""
        senses = self.senses.get((lemma, part), ())
        return _distinct(tuple(a.lemma for a in sense.antonyms) for sense in senses)

    def parts(self, lemma: str) -> tuple[PartOfSpeech, ...]:
        """The parts of speech under which a lemma is listed."""
        return tuple(part for part in _FILES if (lemma, part) in self.senses)


@dataclass(frozen=True, slots=True)
class _Synset:
    key: tuple[PartOfSpeech, int]
    lemmas: tuple[str, ...]
    # position of a word here; the other synset; position of a word there
    antonyms: tuple[tuple[int, tuple[PartOfSpeech, int], int], ...]
    place: tuple[Path, int]


def load_wordnet(folder: Path | None = None) -> WordNet:
    """Reads ``data.noun``, ``data.verb``, ``data.adj`` and ``data.adv``.

    Args:
        folder: where they lie. None: the folder of the environment variable ``WNSEARCHDIR``, else
            ``dict`` in that of ``WNHOME``, else ``/usr/share/wordnet``. If a variable is set,
            no other folder is tried.

    Raises:
        ConfigurationError: a file is not there.
        ReadError: a file is not in WordNet's format.
    """
    directory, named_by = (folder, "the given folder") if folder is not None else _find_folder()
    missing = [name for name in _FILES.values() if not (directory / name).is_file()]
    if missing:
        raise ConfigurationError(
            f"no WordNet in {directory} ({named_by}): looked for {', '.join(missing)}. Install it "
            "with 'apt-get install wordnet-base', or name the folder that holds these files"
        )
    return _link_senses(
        {s.key: s for name in _FILES.values() for s in _synsets(directory / name)},
    )


def _find_folder() -> tuple[Path, str]:
    if folder := os.environ.get("WNSEARCHDIR"):
        return Path(folder), "named by WNSEARCHDIR"
    if folder := os.environ.get("WNHOME"):
        return Path(folder) / "dict", "named by WNHOME"
    return USUAL_FOLDER, "the usual folder; WNSEARCHDIR and WNHOME are not set"


def _synsets(path: Path) -> Iterator[_Synset]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise ReadError(f"cannot be read: {error}", file=str(path)) from error
    for number, line in enumerate(lines, start=1):
        if line.startswith("  ") or not line:  # the licence, ahead of the data
            continue
        try:
            yield _synset(line, (path, number))
        except (ValueError, IndexError, KeyError) as error:
            raise ReadError(
                "not a line of a WordNet data file (see wndb(5)): offset, file number, part of "
                "speech, count of words, words, count of pointers, pointers",
                file=str(path),
                line=number,
            ) from error


def _synset(line: str, location: tuple[Path, int]) -> _Synset:
    fields = line.split(" | ")[0].split()
    part = _PARTS[fields[2]]
    end = 4 + 2 * int(fields[3], 16)
    lemmas = tuple(_MARKER.sub("", word).replace("_", " ") for word in fields[4:end:2])
    antonyms = []
    for start in range(end + 1, end + 1 + 4 * int(fields[end]), 4):
        symbol, offset, letter, numbers = fields[start : start + 4]
        source, target = int(numbers[:2], 16), int(numbers[2:], 16)
        if symbol == "!" and source and target:  # 0: a pointer between synsets, not words
            lemmas[source - 1]  # an IndexError here names the line
            antonyms.append((source - 1, (_PARTS[letter], int(offset)), target - 1))
    return _Synset((part, int(fields[0])), lemmas, tuple(antonyms), location)


def _link_senses(synsets: Mapping[tuple[PartOfSpeech, int], _Synset]) -> WordNet:
    senses: dict[tuple[str, PartOfSpeech], list[Sense]] = {}
    for synset in synsets.values():
        opposed: list[list[Antonym]] = [[] for _ in synset.lemmas]
        for source, key, target in synset.antonyms:
            target_lemmas = synsets[key].lemmas if key in synsets else ()
            if target >= len(target_lemmas):
                path, line = synset.place
                raise ReadError(
                    f"an antonym pointer leads to word {target + 1} of {key[0]} {key[1]:08}, which "
                    "is not there; do the four files belong to one version?",
                    file=str(path),
                    line=line,
                )
            opposed[source].append(
                Antonym(target_lemmas[target], _others(target_lemmas, target_lemmas[target]))
            )
        for lemma, antonyms in zip(synset.lemmas, opposed, strict=True):
            sense = Sense(_others(synset.lemmas, lemma), tuple(antonyms))
            senses.setdefault((lemma, synset.key[0]), []).append(sense)
    return WordNet({word: tuple(senses_of_word) for word, senses_of_word in senses.items()})


def _others(lemmas: tuple[str, ...], lemma: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(other for other in lemmas if other != lemma))


def _distinct(groups: Iterator[tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(chain.from_iterable(groups)))
