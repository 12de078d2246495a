"""Builders of the judge's rows, by the name that a recipe gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from logic_export.data.contradictions.builders import build_groups
from logic_export.data.files import assign_part, optional_text
from logic_export.data.sentences import split_sentences
from logic_export.data.triplet_builders import BUILDERS as TRIPLET_BUILDERS
from logic_export.data.triplet_builders import find_data_file, run_builder
from logic_export.data.triplets import Triplet
from logic_export.judge.labelled_folder import labelled_folder
from logic_export.judge.rows import (
    CONTRADICTION,
    ENTAILMENT,
    NEUTRAL,
    OWN_PAIRS,
    JudgeRow,
    Part,
    excerpt_row,
    judge_format,
    labelled_row,
    read_clusters,
    read_judge_rows,
    unique_rows,
    write_judge_rows,
)
from logic_retrievers.encoders import OnnxEncoder
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.judging import RELATIONS
from logic_retrievers.judging.relation import pair_sentences, with_metadata
from logic_retrievers.queries.parsed_query import restate

_LABELS = {"s": ENTAILMENT, "v": CONTRADICTION, "n": NEUTRAL}
_NLI_LABELS = {
    "contradiction": CONTRADICTION,
    "superseded": CONTRADICTION,  # two states of one thing
    "supersedes": CONTRADICTION,
    "scope": NEUTRAL,
    "paraphrase": ENTAILMENT,
    "unrelated": NEUTRAL,
}
_NO_CONFLICT = tuple(0.5 if name in ("scope", "unrelated") else 0.0 for name in RELATIONS)
_AS_RELATION = {
    CONTRADICTION: tuple(float(name == "contradiction") for name in RELATIONS),
    ENTAILMENT: tuple(float(name == "paraphrase") for name in RELATIONS),
    NEUTRAL: _NO_CONFLICT,
}
_TURNED = {"superseded": "supersedes", "supersedes": "superseded"}
_SHARES = {"train": 0.9, "dev": 0.1}
# rank down to which a text's nearest neighbours may be drawn or paired with it
_NEAREST = 5
_NEIGHBOUR_TEXTS = 1_500


def pairs(path: str, *, relations: bool = False) -> list[JudgeRow]:
    """Read labelled pairs of texts, from any set of natural language inference.

    ``path`` is JSON lines with ``premise``, ``hypothesis`` and ``label``. With ``relations`` the
    labels become :data:`RELATIONS`; ``neutral`` becomes ``scope`` and ``unrelated`` with
    probability .5 each.
    """
    rows = read_judge_rows(find_data_file(Path(path)))
    if not relations:
        return rows
    return [JudgeRow(row.premise, row.hypothesis, _AS_RELATION[row.label]) for row in rows]


def clusters(
    part: Part = "train",
    path: str = "clusters",
    kinds: Sequence[str] = (),
    *,
    near: bool = False,
    restated: float = 0.0,
    seed: int = 0,
) -> list[JudgeRow]:
    """Pair every query over a cluster with each passage there, and with one of another cluster.

    Args:
        part: 15 % of the domains, by their hash, are ``dev``.
        path: JSON lines ``{domain, topic, passages, queries: [{q, kind, labels}]}``, or the name of
            a file of this project: ``clusters``, ``marked_clusters`` or ``denials``. ``labels`` has
            a letter for each passage: s(atisfies), v(iolates), n(either).
        kinds: kinds of queries to keep; empty keeps all.
        near: add a second passage of another cluster, drawn from the nearest by topical vectors.
        restated: share of the queries that state their exclusion twice, as searches do.
        seed: draws the restated queries and the passages of other clusters, which are neutral.
    """
    random = Random(seed)
    kept = list(_read_clusters(part, path))
    if restated:
        kept = [_restate_queries(row, restated, random) for row in kept]
    by_domain: dict[str, list[Mapping[str, Any]]] = {}
    for row in kept:
        by_domain.setdefault(row["domain"], []).append(row)
    built = []
    for row in kept:
        others = [other for other in by_domain[row["domain"]] if other is not row]
        for query in row["queries"]:
            if kinds and query["kind"] not in kinds:
                continue
            for passage, letter in zip(row["passages"], query["labels"], strict=True):
                built.append(labelled_row(passage, query["q"], _LABELS[letter]))
            if others:
                unrelated = random.choice(random.choice(others)["passages"])
                built.append(labelled_row(unrelated, query["q"], NEUTRAL))
    if near:
        asked = {row.hypothesis for row in built}
        built += [row for row in _near_rows(kept, random) if row.hypothesis in asked]
    return built


def _restate_queries(row: Mapping[str, Any], share: float, random: Random) -> Mapping[str, Any]:
    queries = [
        {**query, "q": restate(query["q"], query.get("excluded", ()))}
        if random.random() < share
        else query
        for query in row["queries"]
    ]
    return {**row, "queries": queries}


def _near_rows(rows: Sequence[Mapping[str, Any]], random: Random) -> Iterator[JudgeRow]:
    """Pair each query with one of the nearest passages of other clusters."""
    encoder = OnnxEncoder()
    passages = [(number, text) for number, row in enumerate(rows) for text in row["passages"]]
    owners = np.array([number for number, _ in passages])
    vectors = encoder.encode_documents([text for _, text in passages], ["topical"])["topical"]
    for number, row in enumerate(rows):
        queries = [query["q"] for query in row["queries"]]
        scores = encoder.encode_queries(queries, ["topical"])["topical"] @ vectors.T
        scores[:, owners == number] = -np.inf
        for query, order in zip(queries, np.argsort(-scores, axis=1)[:, :_NEAREST], strict=True):
            yield labelled_row(passages[random.choice(order)][1], query, NEUTRAL)


def cluster_relations(
    part: Part = "train", path: str = "clusters", *, seed: int = 0
) -> list[JudgeRow]:
    """Pair the passages of each cluster, which do not contradict each other.

    A pair is ``unrelated`` if one of its passages answers none of the queries, else ``scope``.
    ``part`` and ``path`` are as in :func:`clusters`; ``seed`` draws which passage comes first.
    """
    random = Random(seed)
    built = []
    for row in _read_clusters(part, path):
        letters = zip(*(query["labels"] for query in row["queries"]), strict=True)
        answers = [set(of_passage) != {"n"} for of_passage in letters]
        for pair in combinations(zip(row["passages"], answers, strict=True), 2):
            (one, first), (other, second) = random.sample(pair, 2)
            kind = "scope" if first and second else "unrelated"
            built.append(labelled_row(one, other, kind, RELATIONS))
    return built


def passage_pairs(part: Part = "train", path: str = "passage_pairs") -> list[JudgeRow]:
    """Pair passages in both orders, labelled by whether they disagree about the same thing.

    Metadata follow the text in words, since only they may tell two things apart. A tenth of the
    topics, by their hash, is ``dev``. ``path`` is JSON lines ``{domain, topic, label, one:
    {text, metadata}, other: ...}``, or a name of :data:`OWN_PAIRS`.
    """
    return [
        labelled_row(first, second, _NLI_LABELS[relation])
        for one, other, relation, _ in _read_passage_pairs(part, path)
        for first, second in ((one, other), (other, one))
    ]


def passage_relations(
    part: Part = "train", path: str = "passage_pairs", *, derived: bool = True
) -> list[JudgeRow]:
    """Pair passages in both orders, labelled with one of the :data:`RELATIONS`.

    ``part`` and ``path`` are as in :func:`passage_pairs`. ``derived`` adds pairs that two pairs
    imply, since a passage relates to a text as it does to a paraphrase of that text.
    """
    pairs = list(_read_passage_pairs(part, path))
    by_text: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for one, other, relation, topic in pairs:
        by_text.setdefault((topic, one), []).append((other, relation))
    triples = [(one, other, relation) for one, other, relation, _ in pairs]
    for others in by_text.values() if derived else ():
        for number, (paraphrase, same) in enumerate(others):
            if same == "paraphrase":
                triples += [
                    (paraphrase, other, relation)
                    for place, (other, relation) in enumerate(others)
                    if place != number and (relation != same or place > number)
                ]
    rows = []
    for one, other, relation in triples:
        rows.append(labelled_row(one, other, relation, RELATIONS))
        rows.append(labelled_row(other, one, _TURNED.get(relation, relation), RELATIONS))
    return rows


def near_passages(path: str, fields: Sequence[str], *, seed: int = 0) -> list[JudgeRow]:
    """Pair the texts in the ``fields`` of a corpus with their nearest texts, by topical vectors.

    No one labelled these pairs. The corpus must not contradict itself, since each pair becomes
    ``scope`` and ``unrelated`` with probability .5 each. ``seed`` draws the texts,
    ``_NEIGHBOUR_TEXTS`` at most, and the order of a pair.
    """
    random = Random(seed)
    rows = json_rows(find_data_file(Path(path)))
    texts = sorted({optional_text(row, field) for row in rows for field in fields} - {""})
    texts = random.sample(texts, min(len(texts), _NEIGHBOUR_TEXTS))
    vectors = OnnxEncoder().encode_documents(texts, ["topical"])["topical"]
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, -np.inf)
    nearest = np.argsort(-cosines, axis=1)[:, :_NEAREST]
    built = []
    numbered = enumerate(nearest.tolist())
    for pair in {(min(i, j), max(i, j)) for i, row in numbered for j in row if i != j}:
        one, other = random.sample(pair, 2)
        built.append(JudgeRow(*pair_sentences(texts[one], texts[other]), _NO_CONFLICT))
    return built


def triplets(
    builder: str, options: Mapping[str, Any], unrelated: float = 0.5, *, seed: int = 0
) -> list[JudgeRow]:
    """Make rows of triplets: satisfying passages entail their query, violating ones contradict it.

    Long passages are cut to the sentences that the judge reads in use. The share ``unrelated`` of
    the queries gets the satisfying passage of another triplet as a neutral row.
    """
    random = Random(seed)
    built: list[Triplet] = run_builder(TRIPLET_BUILDERS, builder, options, seed)
    rows = []
    for triplet in built:
        rows.append(excerpt_row(triplet.satisfying, triplet.query, ENTAILMENT))
        if triplet.violating is not None:
            rows.append(excerpt_row(triplet.violating, triplet.query, CONTRADICTION))
        if random.random() < unrelated:
            other = random.choice(built)
            if other.satisfying not in (triplet.satisfying, triplet.violating):
                rows.append(excerpt_row(other.satisfying, triplet.query, NEUTRAL))
    return rows


def group_pairs(
    builder: str, options: Mapping[str, Any], cut: float = 0.0, *, seed: int = 0
) -> list[JudgeRow]:
    """Pair texts of contradiction groups: opposite sides contradict, texts of one side entail.

    A pair with a text of another group is neutral. The longer text of a pair is the premise. In the
    share ``cut`` of the pairs, the second text is cut to one sentence, like a claim next to its
    evidence. In a contradiction this is the sentence that differs.
    """
    random = Random(seed)
    groups = build_groups(builder, options, seed)
    rows = []
    for group in groups:
        pairs = [(one, other, CONTRADICTION) for one, other in product(group.left, group.right)]
        for side in (group.left, group.right):
            pairs += [(one, other, ENTAILMENT) for one, other in combinations(side, 2)]
        stranger = random.choice(groups)
        if stranger is not group:
            pairs.append((random.choice(group.left), random.choice(stranger.left), NEUTRAL))
        for one, other, label in pairs:
            if random.random() < cut:
                other = _claim(one, other, label, random)
            premise, hypothesis = sorted(pair_sentences(one, other), key=len, reverse=True)
            rows.append(labelled_row(premise, hypothesis, label))
    return rows


BUILDERS: Mapping[str, Callable[..., list[JudgeRow]]] = {
    builder.__name__: builder
    for builder in (
        pairs,
        clusters,
        cluster_relations,
        passage_relations,
        near_passages,
        passage_pairs,
        triplets,
        group_pairs,
        labelled_folder,
    )
}


JUDGE_ROWS = judge_format(BUILDERS, unique_rows, write_judge_rows, read_judge_rows)


def _claim(one: str, other: str, label: str, random: Random) -> str:
    """Choose one sentence of the second text, or the whole text if no sentence fits.

    For a contradiction only a sentence missing from the first text fits, if it is the only one.
    """
    sentences = split_sentences(other)
    if label == CONTRADICTION:
        sentences = [text for text in sentences if text not in set(split_sentences(one))]
        return sentences[0] if len(sentences) == 1 else other
    return random.choice(sentences or [other])


def _read_passage_pairs(part: Part, path: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the two texts with their metadata, the relation, and the topic."""
    for row in json_rows(OWN_PAIRS.get(path) or find_data_file(Path(path))):
        fields = row.fields
        try:
            topic = f"{fields['domain']} {fields.get('topic', fields['id'])}"
            first, second = fields["one"], fields["other"]
            excerpts = pair_sentences(first["text"], second["text"])
            one, other = map(with_metadata, excerpts, (first["metadata"], second["metadata"]))
            relation = RELATIONS[RELATIONS.index(fields["label"])]
            if relation == "superseded":
                relation = {"one": "supersedes", "other": "superseded"}[fields["newer"]]
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise row.error(
                f"a pair has an id, a domain, a label ({', '.join(RELATIONS)}), one and other, "
                "each with text and metadata, and if superseded the newer side, one or other "
                f"({error!r})"
            ) from error
        if part in ("all", assign_part(topic, _SHARES)):
            yield one, other, relation, topic


def _read_clusters(part: Part, path: str) -> Iterator[Mapping[str, Any]]:
    for row in read_clusters(part, [path]):
        fields = row.fields
        try:
            if not (fields["passages"] and fields["domain"] and fields["topic"]):
                raise ValueError("it has no domain, topic or passage")
            for query in fields["queries"]:
                letters = query["labels"]
                wrong = len(letters) != len(fields["passages"]) or set(letters) - _LABELS.keys()
                if wrong or not (query["q"] and query["kind"]):
                    raise ValueError(query["q"])
        except (ValueError, KeyError, TypeError) as error:
            raise row.error(
                "a cluster has domain, topic, passages, and queries, each with a kind and one "
                f"letter of s, v and n for each passage ({error})"
            ) from error
        yield fields
