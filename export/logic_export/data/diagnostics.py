"""CoDeR's three diagnostics over any corpus, made by rules, to measure with (not to train on).

Yin et al. 2026, "Local Constraint-Compatible Retrieval Beyond Semantic Similarity": documents are
cut into sub-documents; a keyword is swapped for its antonym in query and document (antonym), an
assertion is flipped (negation), an attribute, entity or condition is excluded (exclusion). Two
mirrored queries share the documents of a set, satisfying and violating changed over; the other
sub-documents are neutral. nDCG takes gains 2, 1 and 0 for satisfying, neutral and violating
(:func:`logic_retrievers.evaluation.metrics.constraint_ndcg_at_k`).

The paper's sets were written with a language model; these are templates. A query of the first two
repeats its sentence word for word, so that the topic is easy to find and only the constraint is
not. The words say which document is meant, also where the swap makes odd English. Whether a
neutral sub-document happens to say the same as one of the two is not looked into.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from logic_export.data.antonym_swaps import swapped, swaps_of
from logic_export.data.contrasts import contrasts, rare_terms
from logic_export.data.negation import negate
from logic_export.data.subdocuments import claim, cut, lower_words
from logic_export.data.wordnet import WordNet
from logic_retrievers.errors import ConfigurationError, InputError

Category: TypeAlias = Literal["antonym", "negation", "exclusion"]

_CLAIMS = ("Find evidence that {}.", "What evidence shows that {}?", "Which study reports that {}?")
_EXCLUSIONS = (
    "Find passages about {topic} and {wanted}, excluding {unwanted}.",
    "What is known about {topic} with regard to {wanted}, but not {unwanted}?",
    "Studies of {topic} and {wanted} without {unwanted}",
)


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    """A query and how the documents of its set stand to it, by their ids.

    Args:
        pair_id: what it shares with its mirrored query.
    """

    id: str
    text: str
    category: Category
    satisfying: tuple[str, ...]
    violating: tuple[str, ...]
    neutral: tuple[str, ...]
    pair_id: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A small benchmark.

    Args:
        documents: id -> text; all sets together are the pool. No text occurs twice.
        queries: mirrored ones next to each other.
    """

    documents: Mapping[str, str]
    queries: tuple[LabelledQuery, ...]


@dataclass(frozen=True, slots=True)
class _Set:
    """Two mirrored queries: the first wants ``documents[0]``, the second ``documents[1]``."""

    queries: tuple[str, str]
    documents: tuple[str, ...]


_Builder: TypeAlias = Callable[[list[list[str]], random.Random], _Set | None]


def antonym_diagnostic(
    documents: Mapping[str, str], wordnet: WordNet, *, count: int, seed: int = 0
) -> Diagnostic:
    """A word of a sentence is swapped for its antonym, in a copy of its sub-document and the query.

    Which words: see :func:`logic_export.data.antonym_swaps.swaps_of`.

    Args:
        documents: id -> text, of eight sentences or more; shorter ones are passed over.
        wordnet: see :func:`logic_export.data.wordnet.load_wordnet`.
        count: sets, of two queries each.
        seed: which documents and which of their sentences.

    Raises:
        ConfigurationError: ``count`` is less than 1.
        InputError: the documents do not yield that many sets.
    """
    swaps = swaps_of(documents.values(), wordnet)

    def flips(sentence: str, text: str) -> list[str]:
        return swapped(sentence, text, swaps)

    return _diagnostic(
        documents, "antonym", _flipping(flips, lower_words(documents.values())), count, seed
    )


def negation_diagnostic(documents: Mapping[str, str], *, count: int, seed: int = 0) -> Diagnostic:
    """A sentence is negated, or loses its negation, in a copy of its sub-document and the query.

    Which sentences: see :func:`logic_export.data.negate.negate`. Arguments and errors: see
    :func:`antonym_diagnostic`.
    """

    def flips(sentence: str, _: str) -> list[str]:
        negated = negate(sentence)
        return [] if negated is None else [negated]

    return _diagnostic(
        documents, "negation", _flipping(flips, lower_words(documents.values())), count, seed
    )


def exclusion_diagnostic(documents: Mapping[str, str], *, count: int, seed: int = 0) -> Diagnostic:
    """A query wants what one sub-document has and excludes what another one has.

    Both are about one topic, and a document is violating because it mentions the excluded word;
    see :func:`logic_export.data.contrasts.contrasts`. No document is changed. Arguments and
    errors: see :func:`antonym_diagnostic`.
    """
    frequency = rare_terms(documents.values())

    def build(pieces: list[list[str]], rng: random.Random) -> _Set | None:
        texts = [" ".join(piece) for piece in pieces]
        found = contrasts(texts, frequency)
        if not found:
            return None
        contrast, template = rng.choice(found), rng.choice(_EXCLUSIONS)
        one, other = contrast.only
        first, second = (
            template.format(topic=contrast.topic, wanted=wanted, unwanted=unwanted)
            for wanted, unwanted in ((one, other), (other, one))
        )
        own = [texts[i] for i in contrast.pieces]
        rest = [text for i, text in enumerate(texts) if i not in contrast.pieces]
        return _Set((first, second), (*own, *rest))

    return _diagnostic(documents, "exclusion", build, count, seed)


def write_diagnostic(folder: Path, diagnostic: Diagnostic) -> None:
    """Writes ``corpus.jsonl`` and ``queries.jsonl``, which ``load_dataset(folder)`` reads."""
    folder.mkdir(parents=True, exist_ok=True)
    corpus = [
        {"_id": name, "title": "", "text": text} for name, text in diagnostic.documents.items()
    ]
    queries = []
    for query in diagnostic.queries:
        row: dict[str, Any] = asdict(query)
        queries.append({"_id": row.pop("id"), **row})
    for name, rows in (("corpus.jsonl", corpus), ("queries.jsonl", queries)):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / name).write_text(text, encoding="utf-8")


def _flipping(flips: Callable[[str, str], list[str]], lower: Collection[str]) -> _Builder:
    """Sets of a sub-document and its copy with one sentence flipped."""

    def build(pieces: list[list[str]], rng: random.Random) -> _Set | None:
        choices = [
            (claims, i, j, flipped)
            for i, piece in enumerate(pieces)
            for j, sentence in enumerate(piece)
            for flipped in flips(sentence, " ".join(piece))
            if (claims := _claims(sentence, flipped, lower)) is not None
        ]
        if not choices:
            return None
        (one, other), i, j, flipped = rng.choice(choices)
        template = rng.choice(_CLAIMS)
        copy = [*pieces[i][:j], flipped, *pieces[i][j + 1 :]]
        rest = [" ".join(piece) for k, piece in enumerate(pieces) if k != i]
        return _Set(
            (template.format(one), template.format(other)),
            (" ".join(pieces[i]), " ".join(copy), *rest),
        )

    return build


def _claims(sentence: str, flipped: str, lower: Collection[str]) -> tuple[str, str] | None:
    one, other = claim(sentence, lower), claim(flipped, lower)
    return (one, other) if one is not None and other is not None and one != other else None


def _diagnostic(
    documents: Mapping[str, str], category: Category, build: _Builder, count: int, seed: int
) -> Diagnostic:
    if count < 1:
        raise ConfigurationError(f"count={count}: a diagnostic has 1 set or more")
    sets: list[_Set] = []
    taken: set[str] = set()
    for found in _sets(documents, build, seed):
        if len(set(found.documents)) == len(found.documents) and taken.isdisjoint(
            {*found.documents, *found.queries}
        ):
            taken |= {*found.documents, *found.queries}
            sets.append(found)
        if len(sets) == count:
            return _numbered(sets, category)
    raise InputError(
        f"{len(documents)} documents yield {len(sets)} sets of the kind {category!r}, not {count}: "
        "give more documents, of eight sentences or more, or ask for fewer sets"
    )


def _sets(documents: Mapping[str, str], build: _Builder, seed: int) -> Iterator[_Set]:
    """The sets of one document after another, in an order that the seed decides."""
    names = sorted(documents)
    random.Random(seed).shuffle(names)
    for name in names:
        pieces = cut(documents[name])
        # two for the mirrored queries, or one and its copy, and something neutral
        if len(pieces) >= 3:
            found = build(pieces, random.Random(f"{seed}:{name}"))
            if found is not None:
                yield found


def _numbered(sets: list[_Set], category: Category) -> Diagnostic:
    documents: dict[str, str] = {}
    queries: list[LabelledQuery] = []
    for number, found in enumerate(sets):
        ids = [f"doc-{len(documents) + i}" for i in range(len(found.documents))]
        documents |= dict(zip(ids, found.documents, strict=True))
        first, second, *rest = ids
        for text, wanted, ruled_out in zip(
            found.queries, (first, second), (second, first), strict=True
        ):
            queries.append(
                LabelledQuery(
                    id=f"q-{len(queries)}",
                    text=text,
                    category=category,
                    satisfying=(wanted,),
                    violating=(ruled_out,),
                    neutral=tuple(rest),
                    pair_id=f"pair-{number}",
                )
            )
    return Diagnostic(documents, tuple(queries))
