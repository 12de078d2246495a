"""CoDeR's three diagnostics over any corpus, made by rules; for measuring, not for training.

Yin et al. 2026, "Local Constraint-Compatible Retrieval Beyond Semantic Similarity": documents are
split into sub-documents; a keyword is replaced by its antonym in query and document (antonym), an
assertion is negated (negation), or an attribute, entity or condition is excluded (exclusion). Two
mirrored queries share the documents of a set, with satisfying and violating exchanged; the other
sub-documents are neutral. nDCG uses gains 2, 1 and 0 for satisfying, neutral and violating
(:func:`logic_retrievers.evaluation.metrics.constraint_ndcg_at_k`).

The paper's sets were written with a language model; these are templates. A query of the first two
kinds repeats its sentence word for word, so that the topic is easy to find and only the constraint
is hard. Whether a neutral sub-document happens to say the same as one of the two is not checked.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from logic_export.data.antonyms import find_antonyms, swap_antonyms
from logic_export.data.contrasting_terms import find_contrasts, rare_terms
from logic_export.data.negation import negate
from logic_export.data.sentences import lowercase_words, split_subdocuments, to_claim
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
class DiagnosticQuery:
    """A query and the labels of its set's documents, by id.

    Args:
        pair_id: shared with the mirrored query.
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
        documents: id -> text, of all sets; no text occurs twice.
        queries: mirrored ones next to each other.
    """

    documents: Mapping[str, str]
    queries: tuple[DiagnosticQuery, ...]


@dataclass(frozen=True, slots=True)
class _MirroredSet:
    """Two mirrored queries: the first wants ``documents[0]``, the second ``documents[1]``."""

    queries: tuple[str, str]
    documents: tuple[str, ...]


_Builder: TypeAlias = Callable[[list[list[str]], random.Random], _MirroredSet | None]


def antonym_diagnostic(
    documents: Mapping[str, str], wordnet: WordNet, *, count: int, seed: int = 0
) -> Diagnostic:
    """A word is replaced by its antonym, in a copy of its sub-document and in the query.

    For the choice of words see :func:`logic_export.data.antonyms.find_antonyms`.

    Args:
        documents: id -> text, of eight sentences or more; shorter ones are skipped.
        wordnet: see :func:`logic_export.data.wordnet.load_wordnet`.
        count: sets, of two queries each.
        seed: choice of documents and sentences.

    Raises:
        ConfigurationError: ``count`` is less than 1.
        InputError: the documents do not yield that many sets.
    """
    antonyms = find_antonyms(documents.values(), wordnet)

    def edit(sentence: str, text: str) -> list[str]:
        return swap_antonyms(sentence, text, antonyms)

    return _diagnostic(
        documents,
        "antonym",
        _edited_sentence_builder(edit, lowercase_words(documents.values())),
        count,
        seed,
    )


def negation_diagnostic(documents: Mapping[str, str], *, count: int, seed: int = 0) -> Diagnostic:
    """A sentence is negated, or loses its negation, in a copy of its sub-document and in the query.

    For the choice of sentences see :func:`logic_export.data.negation.negate`. Arguments and errors:
    see :func:`antonym_diagnostic`.
    """

    def edit(sentence: str, _: str) -> list[str]:
        negated = negate(sentence)
        return [] if negated is None else [negated]

    return _diagnostic(
        documents,
        "negation",
        _edited_sentence_builder(edit, lowercase_words(documents.values())),
        count,
        seed,
    )


def exclusion_diagnostic(documents: Mapping[str, str], *, count: int, seed: int = 0) -> Diagnostic:
    """A query wants a term of one sub-document and excludes a term of another.

    Both share a topic, and a document violates because it mentions the excluded term; see
    :func:`logic_export.data.contrasting_terms.find_contrasts`. No document is changed. Arguments
    and errors: see :func:`antonym_diagnostic`.
    """
    frequency = rare_terms(documents.values())

    def build(pieces: list[list[str]], rng: random.Random) -> _MirroredSet | None:
        texts = [" ".join(piece) for piece in pieces]
        contrasts = find_contrasts(texts, frequency)
        if not contrasts:
            return None
        contrast, template = rng.choice(contrasts), rng.choice(_EXCLUSIONS)
        first_term, second_term = contrast.only
        first, second = (
            template.format(topic=contrast.topic, wanted=wanted, unwanted=unwanted)
            for wanted, unwanted in ((first_term, second_term), (second_term, first_term))
        )
        contrasted = [texts[i] for i in contrast.pieces]
        rest = [text for i, text in enumerate(texts) if i not in contrast.pieces]
        return _MirroredSet((first, second), (*contrasted, *rest))

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


def _edited_sentence_builder(
    edit: Callable[[str, str], list[str]], lower: Collection[str]
) -> _Builder:
    """Sets of a sub-document and a copy with one sentence edited."""

    def build(pieces: list[list[str]], rng: random.Random) -> _MirroredSet | None:
        choices = [
            (claims, i, j, edited)
            for i, piece in enumerate(pieces)
            for j, sentence in enumerate(piece)
            for edited in edit(sentence, " ".join(piece))
            if (claims := _claims(sentence, edited, lower)) is not None
        ]
        if not choices:
            return None
        (first_claim, second_claim), i, j, edited = rng.choice(choices)
        template = rng.choice(_CLAIMS)
        copy = [*pieces[i][:j], edited, *pieces[i][j + 1 :]]
        rest = [" ".join(piece) for k, piece in enumerate(pieces) if k != i]
        return _MirroredSet(
            (template.format(first_claim), template.format(second_claim)),
            (" ".join(pieces[i]), " ".join(copy), *rest),
        )

    return build


def _claims(sentence: str, edited: str, lower: Collection[str]) -> tuple[str, str] | None:
    first, second = to_claim(sentence, lower), to_claim(edited, lower)
    return (first, second) if first is not None and second is not None and first != second else None


def _diagnostic(
    documents: Mapping[str, str], category: Category, build: _Builder, count: int, seed: int
) -> Diagnostic:
    if count < 1:
        raise ConfigurationError(f"count={count}: a diagnostic has 1 set or more")
    sets: list[_MirroredSet] = []
    used: set[str] = set()
    for candidate in _sets(documents, build, seed):
        if len(set(candidate.documents)) == len(candidate.documents) and used.isdisjoint(
            {*candidate.documents, *candidate.queries}
        ):
            used |= {*candidate.documents, *candidate.queries}
            sets.append(candidate)
        if len(sets) == count:
            return _assign_ids(sets, category)
    raise InputError(
        f"{len(documents)} documents yield {len(sets)} sets of the kind {category!r}, not {count}: "
        "give more documents, of eight sentences or more, or ask for fewer sets"
    )


def _sets(documents: Mapping[str, str], build: _Builder, seed: int) -> Iterator[_MirroredSet]:
    """The sets of one document after another, in a seeded order."""
    names = sorted(documents)
    random.Random(seed).shuffle(names)
    for name in names:
        pieces = split_subdocuments(documents[name])
        # two for the mirrored queries, or one and its copy, and something neutral
        if len(pieces) >= 3:
            mirrored = build(pieces, random.Random(f"{seed}:{name}"))
            if mirrored is not None:
                yield mirrored


def _assign_ids(sets: list[_MirroredSet], category: Category) -> Diagnostic:
    documents: dict[str, str] = {}
    queries: list[DiagnosticQuery] = []
    for number, mirrored in enumerate(sets):
        ids = [f"doc-{len(documents) + i}" for i in range(len(mirrored.documents))]
        documents |= dict(zip(ids, mirrored.documents, strict=True))
        first, second, *rest = ids
        for text, wanted, excluded in zip(
            mirrored.queries, (first, second), (second, first), strict=True
        ):
            queries.append(
                DiagnosticQuery(
                    id=f"q-{len(queries)}",
                    text=text,
                    category=category,
                    satisfying=(wanted,),
                    violating=(excluded,),
                    neutral=tuple(rest),
                    pair_id=f"pair-{number}",
                )
            )
    return Diagnostic(documents, tuple(queries))
