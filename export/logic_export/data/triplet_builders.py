"""The triplet builders that a recipe names, which turn files of a data folder into triplets."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from inspect import signature
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from pydantic import ValidationError, validate_call

from logic_export.data.exclusion_queries import (
    FILM_REQUESTS,
    Topic,
    describe_topic,
    exclusion_triplets,
    neighbouring_topics,
)
from logic_export.data.labelled_triplets import (
    conflict_triplets,
    cropped_triplets,
    labelled_triplets,
)
from logic_export.data.negated_passages import negated_passage_triplets
from logic_export.data.triplets import Triplet, read_triplets, unique_triplets
from logic_export.data.wordnet import load_wordnet
from logic_export.data.wordnet_triplets import phrase_triplets, word_triplets
from logic_retrievers.encoders.onnx import OnnxEncoder
from logic_retrievers.errors import ConfigurationError, ReadError
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.evaluation.datasets import data_folder
from logic_retrievers.evaluation.rows import Row, json_rows

T = TypeVar("T")


def build_triplets(name: str, options: Mapping[str, Any], seed: int) -> list[Triplet]:
    """Run a builder by its name in :data:`BUILDERS`.

    Raises:
        ConfigurationError: the builder or one of its options is unknown.
        ReadError: a file of the data folder is missing or malformed.
    """
    return run_builder(BUILDERS, name, options, seed)


def run_builder(
    builders: Mapping[str, Callable[..., list[T]]], name: str, options: Mapping[str, Any], seed: int
) -> list[T]:
    """Run one of ``builders`` by name, with the seed if it is random; errors as above."""
    if name not in builders:
        raise ConfigurationError(f"no builder {name!r}; there are {', '.join(sorted(builders))}")
    builder = builders[name]
    seeded = {"seed": seed} if "seed" in signature(builder).parameters else {}
    try:
        return validate_call(builder)(**options, **seeded)
    except ValidationError as error:
        faults = error.errors(include_url=False, include_input=False)
        details = "; ".join(
            f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in faults
        )
        raise ConfigurationError(f"builder {name!r}: {details}") from error


def file(path: Path) -> list[Triplet]:
    """Read a user's own triplets, in the format of :func:`read_triplets`."""
    return read_triplets(find_data_file(path))


def labelled(
    folder: str, split: str = "train", crops: int = 0, *, violating: bool = True, seed: int = 0
) -> list[Triplet]:
    """Make triplets from a folder with labelled queries (NevIR, ExcluIR, or ordinary retrieval).

    ``crops`` adds that many copies of each pair of passages, cropped around the difference. Without
    ``violating``, violating passages are dropped, for plain contrastive training.
    """
    triplets = labelled_triplets(load_dataset(folder, split))
    if not violating:
        triplets = unique_triplets(replace(row, violating=None) for row in triplets)
    return cropped_triplets(triplets, copies=crops, seed=seed)


def wordnet(folder: Path | None = None, *, phrases: bool = True, seed: int = 0) -> list[Triplet]:
    """Make the triplets of CoDeR's stage 1, of words and, with ``phrases``, of short phrases."""
    words = load_wordnet(folder)
    triplets = word_triplets(words, seed=seed)
    return [*triplets, *phrase_triplets(words, seed=seed)] if phrases else triplets


def conflicts(path: Path, *, seed: int = 0) -> list[Triplet]:
    """Make triplets from rows in ConflictQA's format."""
    return conflict_triplets([row.fields for row in json_rows(find_data_file(path))], seed=seed)


def linked(path: Path, *, seed: int = 0) -> list[Triplet]:
    """Make queries that want one of the two passages in ``positive`` and exclude the other."""
    random = Random(seed)
    pairs = []
    for row in json_rows(find_data_file(path)):
        topics = [_parse_titled(line) for line in row.text("positive").split("\n") if ": " in line]
        if len(topics) == 2:
            pairs.append((describe_topic(topics[0], random), describe_topic(topics[1], random)))
    return exclusion_triplets(pairs, seed=seed)


def neighbours(path: Path, count: int, *, seed: int = 0) -> list[Triplet]:
    """Make queries that want one title of a corpus and exclude a very similar title."""
    encoder = OnnxEncoder()
    pairs = neighbouring_topics(
        [_topic(row) for row in json_rows(find_data_file(path)) if row.text("title").strip()],
        lambda names: encoder.encode_queries(names, ["topical"])["topical"],
        count=count,
        seed=seed,
    )
    return exclusion_triplets(pairs, seed=seed)


def sharing(
    path: Path, field: str, count: int, asks: Sequence[str] = FILM_REQUESTS, *, seed: int = 0
) -> list[Triplet]:
    """Make queries for texts that share a name in ``field`` (a film's cast), with one excluded.

    ``asks`` are the wordings of the request, with the placeholder ``{name}``.
    """
    random = Random(seed)
    by_name: dict[str, list[Topic]] = defaultdict(list)
    for row in json_rows(find_data_file(path)):
        for name in row.fields.get(field) or ():
            if name in row.text("text"):
                by_name[name].append(_topic(row))
    names = sorted(name for name, topics in by_name.items() if len(topics) > 2)
    pairs = []
    for name in random.sample(names, min(count, len(names))):
        request_text = random.choice(asks).format(name=name)
        left, right = random.sample(by_name[name], 2)
        pairs.append(
            (Topic(left.name, left.text, request_text), Topic(right.name, right.text, request_text))
        )
    return exclusion_triplets(pairs, seed=seed)


def negated(path: Path, count: int, *, seed: int = 0) -> list[Triplet]:
    """Pair passages of a corpus with copies in which one sentence is negated."""
    return negated_passage_triplets(corpus_texts(path), seed=seed, most=count)


BUILDERS: Mapping[str, Callable[..., list[Triplet]]] = {
    builder.__name__: builder
    for builder in (file, labelled, wordnet, conflicts, linked, neighbours, sharing, negated)
}


def find_data_file(path: Path) -> Path:
    """Find a path as it is, or inside the data folder."""
    if path.is_absolute() or path.is_file():
        return path
    try:
        inside = data_folder() / path
    except ReadError as error:
        raise ReadError(f"no such file: {path.absolute()}; and {error}") from None
    if not inside.is_file():
        raise ReadError(f"no such file; looked in {path.absolute()} and {inside}")
    return inside


def corpus_texts(path: Path) -> list[str]:
    """Read the lines of a corpus's texts, or of the ``positive`` fields of questions."""
    return [
        passage
        for row in json_rows(find_data_file(path))
        for passage in row.text("positive" if "positive" in row.fields else "text").split("\n")
    ]


def _topic(row: Row) -> Topic:
    title, text = row.text("title").rstrip(". "), row.text("text")
    return Topic(title, text if text.startswith(title) else f"{title}. {text}")


def _parse_titled(line: str) -> Topic:
    title, text = line.split(": ", 1)
    return Topic(title, text if text.startswith(title[:5]) else f"{title}: {text}")
