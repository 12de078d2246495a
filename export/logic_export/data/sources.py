"""The builders that a recipe names: from files of a data folder to triplets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, TypeAlias, TypeVar

from pydantic import ValidationError, validate_call

from logic_export.data.crops import cropped_triplets
from logic_export.data.exclusions import Topic, exclusion_triplets, without_constraint
from logic_export.data.flipped import flipped_triplets
from logic_export.data.labelled import labelled_triplets
from logic_export.data.near import described, near_topics
from logic_export.data.pairs import conflict_triplets, negation_triplets
from logic_export.data.polarity import phrase_triplets, word_triplets
from logic_export.data.triplets import Triplet, read_triplets, unique
from logic_export.data.wording import FILMS
from logic_export.data.wordnet import load_wordnet
from logic_retrievers.encoders.onnx import OnnxEncoder
from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.evaluation.folders import data_folder
from logic_retrievers.evaluation.rows import Row, json_rows

T = TypeVar("T")
Builder: TypeAlias = Callable[..., list[Triplet]]


def build(name: str, options: Mapping[str, Any], seed: int) -> list[Triplet]:
    """Runs a builder by its name in :data:`BUILDERS`.

    Raises:
        ConfigurationError: no such builder, or an option that it does not have.
        ReadError: a file of the data folder is missing or malformed.
    """
    return called(BUILDERS, name, options, seed)


def called(
    builders: Mapping[str, Callable[..., list[T]]], name: str, options: Mapping[str, Any], seed: int
) -> list[T]:
    """What a builder of some family makes; the errors of :func:`build`."""
    if name not in builders:
        raise ConfigurationError(f"no builder {name!r}; there are {', '.join(sorted(builders))}")
    try:
        return validate_call(builders[name])(**options, seed=seed)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        said = "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults)
        raise ConfigurationError(f"builder {name!r}: {said}") from error


def file(path: Path, *, seed: int = 0) -> list[Triplet]:  # noqa: ARG001 - builders share a form
    """Triplets of the user's own, in the form of :func:`read_triplets`."""
    return read_triplets(place(path))


def labelled(
    folder: str, split: str = "train", crops: int = 0, *, violating: bool = True, seed: int = 0
) -> list[Triplet]:
    """A folder with labelled queries (NevIR, ExcluIR, or ordinary retrieval).

    With ``crops``, each pair of passages comes that often more, cut around what differs. Without
    ``violating``, the violating passages are left out: plain contrastive training.
    """
    found = labelled_triplets(load_dataset(folder, split))
    if not violating:
        found = unique(replace(row, violating=None) for row in found)
    return cropped_triplets(found, copies=crops, seed=seed)


def wordnet(folder: Path | None = None, *, phrases: bool = True, seed: int = 0) -> list[Triplet]:
    """CoDeR's stage 1: words and, on request, phrases with their opposites."""
    words = load_wordnet(folder)
    found = word_triplets(words, seed=seed)
    return [*found, *phrase_triplets(words, seed=seed)] if phrases else found


def negations(path: Path, most: int | None = None, *, seed: int = 0) -> list[Triplet]:
    """Rows ``{sentence, negated}``."""
    rows = [(row.text("sentence"), row.text("negated")) for row in json_rows(place(path))]
    return negation_triplets(rows, seed=seed, most=most)


def conflicts(path: Path, *, seed: int = 0) -> list[Triplet]:
    """Rows of ConflictQA's form."""
    return conflict_triplets([row.fields for row in json_rows(place(path))], seed=seed)


def questions(path: Path, *, seed: int = 0) -> list[Triplet]:  # noqa: ARG001
    """Rows ``{text, positive, hard_negative}``: ordinary questions with a hard negative each."""
    return [
        Triplet(row.text("text"), row.text("positive"), row.text("hard_negative"), "questions")
        for row in json_rows(place(path))
    ]


def linked(path: Path, *, seed: int = 0) -> list[Triplet]:
    """The two passages of a question's ``positive``: one asked for, the other ruled out."""
    random = Random(seed)
    pairs = []
    for row in json_rows(place(path)):
        topics = [_titled(line) for line in row.text("positive").split("\n") if ": " in line]
        if len(topics) == 2:
            pairs.append((described(topics[0], random), described(topics[1], random)))
    return exclusion_triplets(pairs, seed=seed)


def neighbours(path: Path, count: int, *, seed: int = 0) -> list[Triplet]:
    """A corpus with titles: one title asked for, one of the nearest ruled out."""
    encoder = OnnxEncoder()
    pairs = near_topics(
        _topics(path),
        lambda names: encoder.encode_queries(names, ["topical"])["topical"],
        count=count,
        seed=seed,
    )
    return exclusion_triplets(pairs, seed=seed)


def sharing(
    path: Path, field: str, count: int, asks: Sequence[str] = FILMS, *, seed: int = 0
) -> list[Triplet]:
    """A corpus whose rows list names under ``field`` (a film's cast): a name's texts but one.

    ``asks`` are wordings for the texts of a ``{name}``.
    """
    random = Random(seed)
    by_name: dict[str, list[Topic]] = defaultdict(list)
    for row in json_rows(place(path)):
        for name in row.fields.get(field) or ():
            if name in row.text("text"):
                by_name[name].append(_topic(row))
    names = sorted(name for name, topics in by_name.items() if len(topics) > 2)
    pairs = []
    for name in random.sample(names, min(count, len(names))):
        asked = random.choice(asks).format(name=name)
        left, right = random.sample(by_name[name], 2)
        pairs.append((Topic(left.name, left.text, asked), Topic(right.name, right.text, asked)))
    return exclusion_triplets(pairs, seed=seed)


def flipped(path: Path, count: int, *, seed: int = 0) -> list[Triplet]:
    """A corpus: passages against their copies with one sentence denied."""
    return flipped_triplets(texts_of(path), seed=seed, most=count)


def plain(path: Path, count: int, *, seed: int = 0) -> list[Triplet]:
    """A corpus with titles, asked for without any constraint."""
    topics = _topics(path)
    drawn = Random(seed).sample(topics, min(count, len(topics)))
    return without_constraint(drawn, seed=seed)


BUILDERS: Mapping[str, Builder] = {
    builder.__name__: builder
    for builder in (
        file,
        labelled,
        wordnet,
        negations,
        conflicts,
        questions,
        linked,
        neighbours,
        sharing,
        flipped,
        plain,
    )
}


def place(path: Path) -> Path:
    """The path as it is, or inside the data folder."""
    if path.is_absolute() or path.is_file():
        return path
    inside = data_folder() / path
    if not inside.is_file():
        raise ReadError(f"no such file; looked in {path.absolute()} and {inside}")
    return inside


def texts_of(path: Path) -> list[str]:
    """The texts of a corpus, or of the ``positive`` fields of questions."""
    rows = json_rows(place(path))
    return [
        passage
        for row in rows
        for passage in row.text("positive" if "positive" in row.fields else "text").split("\n")
    ]


def _topics(path: Path) -> list[Topic]:
    return [_topic(row) for row in json_rows(place(path)) if row.text("title").strip()]


def _topic(row: Row) -> Topic:
    title, text = row.text("title").rstrip(". "), row.text("text")
    return Topic(title, text if text.startswith(title) else f"{title}. {text}")


def _titled(line: str) -> Topic:
    title, text = line.split(": ", 1)
    return Topic(title, text if text.startswith(title[:5]) else f"{title}: {text}")
