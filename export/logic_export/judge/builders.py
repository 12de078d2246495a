"""Builders of the judge's rows, by the name that a recipe gives them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeAlias

from logic_export.data.files import assign_part
from logic_export.data.triplet_builders import BUILDERS as TRIPLET_BUILDERS
from logic_export.data.triplet_builders import find_data_file, run_builder
from logic_export.data.triplets import Triplet
from logic_export.judge.contradiction_groups import group_pairs
from logic_export.judge.rows import (
    CONTRADICTION,
    ENTAILMENT,
    NEUTRAL,
    JudgeRow,
    excerpt_row,
    labelled_row,
    read_judge_rows,
    unique_rows,
)
from logic_export.judge.soft_labels import SoftLabels
from logic_export.judge.unlabelled import candidates, neighbour_kinds, siblings
from logic_export.recipe import DataSettings
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.rows import json_rows
from logic_retrievers.judging import LABELS, PAIR_KINDS
from logic_retrievers.judging.pair_kinds import with_metadata

Builder: TypeAlias = Callable[..., list[JudgeRow]]

CLUSTERS = Path(__file__).parent / "clusters.jsonl.gz"
"""Passages of one narrow topic and queries over them, written for this project; see the README
beside it."""

PASSAGE_PAIRS = Path(__file__).parent / "passage_pairs.jsonl.gz"
"""Pairs of passages by how they relate, written for this project; see the README beside it."""

_LABELS = {"s": ENTAILMENT, "v": CONTRADICTION, "n": NEUTRAL}
_KIND_LABELS = {
    "contradiction": CONTRADICTION,
    "superseded": CONTRADICTION,  # two states of one thing: the judge does not say which is newer
    "scope": NEUTRAL,
    "paraphrase": ENTAILMENT,
    "unrelated": NEUTRAL,
}
_DEVELOPMENT_SHARE = 0.1


def pairs(path: str, *, seed: int = 0) -> list[JudgeRow]:  # noqa: ARG001 - every builder has a seed
    """Labelled pairs of texts: any set of natural language inference.

    Args:
        path: JSON lines with ``premise``, ``hypothesis`` and ``label``.
        seed: not used.
    """
    return read_judge_rows(find_data_file(Path(path)))


def clusters(
    part: Literal["train", "dev"] = "train",
    path: str | None = None,
    kinds: Sequence[str] = (),
    *,
    seed: int = 0,
) -> list[JudgeRow]:
    """Every passage of a cluster with every query over it, and one of another cluster.

    Args:
        part: a tenth of the clusters, by the hash of their topic, is ``dev``.
        path: JSON lines ``{domain, topic, passages, queries: [{q, kind, labels}]}``; those of this
            project where None. ``labels`` has a letter for each passage: s(atisfies), v(iolates),
            n(either).
        kinds: of the queries; all where empty.
        seed: of the passages from other clusters of the domain, which are neutral.
    """
    random = Random(seed)
    kept = _cluster_part(part, path)
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
    return built


def cluster_kinds(
    part: Literal["train", "dev"] = "train",
    path: str | None = None,
    *,
    seed: int = 0,
) -> list[JudgeRow]:
    """Pairs of one cluster's passages by their kind: neighbours that contradict each other nowhere.

    They are of another scope, or unrelated where one of the two answers none of the queries.

    Args:
        part: as in :func:`clusters`.
        path: as there.
        seed: of which comes first.
    """
    random = Random(seed)
    built = []
    for row in _cluster_part(part, path):
        letters = zip(*(query["labels"] for query in row["queries"]), strict=True)
        answers = [set(of_passage) != {"n"} for of_passage in letters]
        for pair in combinations(zip(row["passages"], answers, strict=True), 2):
            (one, first), (other, second) = random.sample(pair, 2)
            kind = "scope" if first and second else "unrelated"
            built.append(labelled_row(one, other, kind, PAIR_KINDS))
    return built


def passage_pairs(
    part: Literal["train", "dev", "all"] = "train",
    path: str | None = None,
    *,
    seed: int = 0,  # noqa: ARG001
) -> list[JudgeRow]:
    """Pairs of passages both ways: do they speak of the same thing, and disagree?

    Metadata stand behind their text in words, since they may be all that tells two things apart.

    Args:
        part: a tenth of the topics, by their hash, is ``dev``.
        path: JSON lines ``{domain, topic, label, one: {text, metadata}, other: ...}``; those of
            this project where None. Contradiction and superseded contradict, paraphrase entails,
            scope and unrelated are neutral.
        seed: not used.
    """
    return [
        row
        for one, other, kind, _ in _read_passage_pairs(part, path)
        for row in _both_ways(one, other, _KIND_LABELS[kind], LABELS)
    ]


def passage_kinds(
    part: Literal["train", "dev", "all"] = "train",
    path: str | None = None,
    *,
    derived: bool = True,
    seed: int = 0,  # noqa: ARG001
) -> list[JudgeRow]:
    """Pairs of passages both ways: which of five kinds are they?

    Args:
        part: as in :func:`passage_pairs`.
        path: as there.
        derived: also pairs that follow from two others: what a passage is to one text it is to a
            paraphrase of that text.
        seed: not used.
    """
    pairs = list(_read_passage_pairs(part, path))
    by_text: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for one, other, kind, topic in pairs:
        by_text.setdefault((topic, one), []).append((other, kind))
    triples = [(one, other, kind) for one, other, kind, _ in pairs]
    for others in by_text.values() if derived else ():
        for number, (paraphrase, same) in enumerate(others):
            if same == "paraphrase":
                triples += [
                    (paraphrase, other, kind)
                    for place, (other, kind) in enumerate(others)
                    if place != number and (kind != same or place > number)
                ]
    return [row for triple in triples for row in _both_ways(*triple, PAIR_KINDS)]


def triplets(
    builder: str, options: Mapping[str, Any], unrelated: float = 0.5, *, seed: int = 0
) -> list[JudgeRow]:
    """Triplets as rows: the satisfying passage entails its query, the violating one contradicts it.

    Long passages are cut to the sentences that the judge would read.

    Args:
        builder: of triplets.
        options: of that builder.
        unrelated: for how many of the queries the satisfying passage of another triplet is a
            neutral row.
        seed: of the builder and of the unrelated passages.
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


def soft(labels: str, builder: str, options: Mapping[str, Any], *, seed: int = 0) -> list[JudgeRow]:
    """Rows of another builder with a teacher's probabilities; those without any are left out.

    Args:
        labels: a file that ``logic-export soft-labels`` wrote.
        builder: of the rows.
        options: of that builder.
        seed: of that builder.
    """
    known = SoftLabels.read(find_data_file(Path(labels)))
    return known.label(run_builder(BUILDERS, builder, options, seed))


BUILDERS: Mapping[str, Builder] = {
    "pairs": pairs,
    "clusters": clusters,
    "cluster_kinds": cluster_kinds,
    "passage_kinds": passage_kinds,
    "passage_pairs": passage_pairs,
    "triplets": triplets,
    "candidates": candidates,
    "siblings": siblings,
    "neighbour_kinds": neighbour_kinds,
    "group_pairs": group_pairs,
    "soft": soft,
}


def build_judge_rows(dataset: DataSettings, seed: int) -> list[JudgeRow]:
    """The rows of one set of a recipe, each pair once, at most ``dataset.most``.

    Raises:
        ConfigurationError: an unknown builder or option.
        ReadError: data are missing or malformed.
    """
    rows = unique_rows(run_builder(BUILDERS, dataset.builder, dataset.options, seed))
    if dataset.most is not None and dataset.most < len(rows):
        return Random(seed).sample(rows, dataset.most)
    return rows


def soft_source(dataset: DataSettings) -> tuple[Path, DataSettings]:
    """Of a set of the builder :func:`soft`: the file of its labels, and its rows' own set.

    Raises:
        ConfigurationError: an option is missing.
    """
    try:
        labels, builder, options = (
            dataset.options[name] for name in ("labels", "builder", "options")
        )
    except KeyError as error:
        raise ConfigurationError(f"builder 'soft': {error} is missing") from None
    return Path(labels), dataset.model_copy(update={"builder": builder, "options": options})


def _read_passage_pairs(
    part: Literal["train", "dev", "all"], path: str | None
) -> Iterator[tuple[str, str, str, str]]:
    """The two texts with their metadata, the kind, and the topic."""
    shares = {"train": 1 - _DEVELOPMENT_SHARE, "dev": _DEVELOPMENT_SHARE}
    for row in json_rows(PASSAGE_PAIRS if path is None else find_data_file(Path(path))):
        fields = row.fields
        try:
            topic = f"{fields['domain']} {fields.get('topic', fields['id'])}"
            one, other = (
                with_metadata(fields[side]["text"], fields[side]["metadata"])
                for side in ("one", "other")
            )
            kind = PAIR_KINDS[PAIR_KINDS.index(fields["label"])]
        except (KeyError, TypeError, AttributeError, ValueError) as error:
            raise row.error(
                f"a pair has an id, a domain, a label ({', '.join(PAIR_KINDS)}), one and other, "
                f"each with text and metadata ({error!r})"
            ) from error
        if part in ("all", assign_part(topic, shares)):
            yield one, other, kind, topic


def _both_ways(one: str, other: str, label: str, labels: Sequence[str]) -> list[JudgeRow]:
    return [labelled_row(one, other, label, labels), labelled_row(other, one, label, labels)]


def _cluster_part(part: Literal["train", "dev"], path: str | None) -> list[Mapping[str, Any]]:
    shares = {"train": 1 - _DEVELOPMENT_SHARE, "dev": _DEVELOPMENT_SHARE}
    rows = _read_clusters(CLUSTERS if path is None else find_data_file(Path(path)))
    return [row for row in rows if assign_part(f"{row['domain']} {row['topic']}", shares) == part]


def _read_clusters(path: Path) -> Iterator[Mapping[str, Any]]:
    for row in json_rows(path):
        try:
            passages, queries = row.fields["passages"], row.fields["queries"]
            if not (passages and row.fields["domain"] and row.fields["topic"]):
                raise ValueError("it has no domain, topic or passage")
            for query in queries:
                letters = query["labels"]
                wrong = len(letters) != len(passages) or set(letters) - _LABELS.keys()
                if wrong or not (query["q"] and query["kind"]):
                    raise ValueError(query["q"])
        except (ValueError, KeyError, TypeError) as error:
            raise row.error(
                "a cluster has domain, topic, passages, and queries, each with a kind and one "
                f"letter of s, v and n for each passage ({error})"
            ) from error
        yield row.fields
