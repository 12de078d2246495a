"""Development figures: they select the checkpoint of a run and stop it early."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.evaluation import BaseEvaluator

from logic_export.contradiction_retrieval import (
    MAX_ALPHA,
    ContradictionPool,
    find_alpha,
    ndcg,
    nearest_candidates,
)
from logic_export.data.tiers.examples import TieredExample
from logic_export.dense_retrieval import Encode, brute_force
from logic_export.training.batches import unique_passages
from logic_export.training.encoding import TextRoles
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Dataset, evaluate
from logic_retrievers.evaluation.datasets import Query
from logic_retrievers.scoring import Sparsity, ordinal_ranks

SCORE = "score"
Figures: TypeAlias = dict[str, float]
Measured: TypeAlias = dict[str, Figures]
Vectors: TypeAlias = npt.NDArray[np.float32]


class Development(BaseEvaluator):
    """Measures a model on development sets, as the trainer expects it.

    Args:
        sets: name -> figures of a query encoder and a document encoder.
        roles: lengths and prefixes of queries and documents.
        score: from the figures of all sets, of the model and before training, one number; higher is
            better.
        base: figures before training; those of the first call where None.
        documents: encodes documents; the measured model itself where None.
    """

    def __init__(
        self,
        sets: Mapping[str, Callable[[Encode, Encode], Figures]],
        roles: TextRoles,
        score: Callable[[Sequence[Figures], Sequence[Figures]], float],
        base: Mapping[str, Figures] | None = None,
        documents: Encode | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.base = base
        self.primary_metric = SCORE
        self._sets, self._roles, self._score, self._documents = sets, roles, score, documents

    def __call__(self, model: Any, *_: Any, **__: Any) -> dict[str, float]:
        """``score``, and every figure of every set as ``SET FIGURE``."""
        measured = self.measure(model)
        if self.base is None:
            self.base = measured
        return {
            SCORE: self.score(measured, self.base),
            **{
                f"{name} {figure}": value
                for name, figures in measured.items()
                for figure, value in figures.items()
            },
        }

    def measure(self, model: SentenceTransformer) -> Measured:
        """The figures of every set."""
        queries, documents = self._roles.encodings(model)
        documents = self._documents or documents
        return {name: figures(queries, documents) for name, figures in self._sets.items()}

    def score(self, measured: Mapping[str, Figures], base: Mapping[str, Figures]) -> float:
        """One number; higher is better."""
        return self._score(list(measured.values()), list(base.values()))


def _mean_of(quality: Callable[[Figures], float]) -> Callable[..., float]:
    """A score that is the mean over the sets, whatever the base's figures."""
    return lambda measured, _: float(np.mean([quality(figures) for figures in measured]))


# Compatibility: constraint and recall

# paired accuracy where queries come in pairs, else 1 - V@5; recall of satisfying passages
CONSTRAINT, RECALL = "constraint", "R@5"

# deep enough for an exact paired accuracy on any development part
CONSTRAINT_DEPTH = 1000


def constraint_development(
    datasets: Sequence[Dataset],
    roles: TextRoles,
    recall_loss: float,
    base: Mapping[str, Figures] | None = None,
    documents: Encode | None = None,
) -> Development:
    """Measure constraint and recall on data sets that label violating passages.

    Args:
        datasets: the development parts.
        roles: lengths and prefixes of queries and documents.
        recall_loss: see :func:`constraint_score`.
        base: see :class:`Development`.
        documents: see :class:`Development`.
    """
    sets = {dataset.name: partial(constraint_figures, dataset) for dataset in datasets}
    return Development(
        sets, roles, partial(constraint_score, recall_loss=recall_loss), base, documents
    )


def constraint_figures(
    dataset: Dataset, encode_queries: Encode, encode_documents: Encode
) -> Figures:
    """Constraint and recall of an encoder, by exact search.

    Raises:
        ConfigurationError: the data set names no violating passages.
    """
    search = brute_force(dataset, encode_queries, encode_documents)
    metrics = evaluate(dataset, search, CONSTRAINT_DEPTH, resamples=1).metrics
    if "V@5" not in metrics:
        raise ConfigurationError(
            f"{dataset.name} labels no violating passages; evaluation.sets needs some that do"
        )
    return {CONSTRAINT: metrics.get("paired_accuracy", 1 - metrics["V@5"]), RECALL: metrics["R@5"]}


def constraint_score(
    measured: Sequence[Figures], base: Sequence[Figures], recall_loss: float
) -> float:
    """The mean constraint figure, minus the loss of mean recall beyond ``recall_loss``.

    So violations cannot be avoided by finding nothing.
    """
    before, after = (
        float(np.mean([figures[RECALL] for figures in sets])) for sets in (base, measured)
    )
    constraint = float(np.mean([figures[CONSTRAINT] for figures in measured]))
    return constraint - max(0.0, before - after - recall_loss)


# Contradiction: retrieval with the sparsity of differences

NDCG, COSINE, ALPHA = "nDCG@10", "nDCG@10 of cosine alone", "alpha"

# fewer candidates per query than in use, for speed; the right ones are among the nearest
DEVELOPMENT_CANDIDATES = 100


def contradiction_development(
    pools: Mapping[str, ContradictionPool],
    topical: Encode,
    roles: TextRoles,
    measure: Sparsity | None = "hoyer",
    base: Mapping[str, Figures] | None = None,
) -> Development:
    """Measure nDCG@10 of cosine + alpha * sparsity, with alpha searched at each measurement.

    Args:
        pools: by name.
        topical: encoder of the cosines, which is not trained.
        roles: lengths and prefixes; those of documents count.
        measure: measure of sparsity; None for the cosine baseline, which has only its own cosine.
        base: see :class:`Development`.

    Raises:
        ConfigurationError: a pool without queries.
    """
    if empty := [name for name, pool in pools.items() if not pool.queries]:
        raise ConfigurationError(f"{empty[0]} holds no questions with two sides")

    def figures(pool: ContradictionPool, cosines: Vectors, _: Encode, documents: Encode) -> Figures:
        vectors = documents(pool.texts)
        if measure is None:
            candidates = nearest_candidates(pool, vectors, vectors, depth=DEVELOPMENT_CANDIDATES)
            return {NDCG: float(ndcg(candidates, 0).mean())}
        candidates = nearest_candidates(pool, cosines, vectors, measure, DEVELOPMENT_CANDIDATES)
        alpha = find_alpha(candidates, highest=MAX_ALPHA[measure])
        return {
            NDCG: float(ndcg(candidates, alpha).mean()),
            COSINE: float(ndcg(candidates, 0).mean()),
            ALPHA: alpha,
        }

    sets = {name: partial(figures, pool, topical(pool.texts)) for name, pool in pools.items()}
    return Development(sets, roles, _mean_of(lambda figures: figures[NDCG]), base)


# Set queries: recall of answers and violation rate

# share of the answers among the first hundred; share of the queries with violating documents that
# rank these, on average, above the answers (Shen et al. 2025)
ANSWER_RECALL, VIOLATION = "R@100", "violation rate"

ANSWER_DEPTH = 100
_LABELLED_SHARE = 0.5


def set_development(
    datasets: Sequence[Dataset],
    roles: TextRoles,
    documents: int | None = None,
    base: Mapping[str, Figures] | None = None,
) -> Development:
    """Measure recall of the answers and the violation rate.

    Args:
        datasets: the development parts.
        roles: lengths and prefixes of queries and documents.
        documents: see :func:`sample_pool`.
        base: see :class:`Development`.
    """

    def figures(data: Dataset, queries: Encode, encode: Encode) -> Figures:
        vectors = queries([query.text for query in data.queries])
        return set_figures(data, vectors @ encode(list(data.documents.values())).T)

    pools = [sample_pool(dataset, documents) for dataset in datasets]
    sets = {pool.name: partial(figures, pool) for pool in pools}
    return Development(sets, roles, _mean_of(lambda figures: figures[ANSWER_RECALL]), base)


def sample_pool(dataset: Dataset, documents: int | None) -> Dataset:
    """Reduce a data set to a number of documents that can be encoded every few steps.

    Queries are sampled (at least one) while their satisfying and violating documents fill at most
    half of the pool; other documents fill the rest. Figures over different pools cannot be
    compared, so the sample depends on the data set's name, not on the seed of the run.

    Args:
        dataset: a development part.
        documents: size of the pool, unless a single query has more; None keeps all documents and
            queries.

    Raises:
        ConfigurationError: no query has an answer.
    """
    answerable = [query for query in dataset.queries if query.grades]
    if not answerable:
        raise ConfigurationError(f"no query of {dataset.name} has an answer")
    if documents is None or documents >= len(dataset.documents):
        return replace(dataset, queries=tuple(answerable))
    random = Random(dataset.name)
    random.shuffle(answerable)
    labelled: set[str] = set()
    queries: list[Query] = []
    for query in answerable:
        ids = query.satisfying | query.violating
        if not queries or len(labelled | ids) <= _LABELLED_SHARE * documents:
            labelled |= ids
            queries.append(query)
    others = [name for name in dataset.documents if name not in labelled]
    pool = labelled.union(random.sample(others, max(0, documents - len(labelled))))
    documents_kept = {name: text for name, text in dataset.documents.items() if name in pool}
    return replace(dataset, documents=documents_kept, queries=tuple(queries))


def set_figures(dataset: Dataset, scores: npt.NDArray[np.floating]) -> Figures:
    """The figures of a ranking by score; no violation rate without violating documents.

    Args:
        dataset: every query has an answer.
        scores: shape (queries, documents).
    """
    column_of = {name: column for column, name in enumerate(dataset.documents)}
    recalls, violations = [], []
    for query, row in zip(dataset.queries, scores, strict=True):
        ranks = ordinal_ranks(row)
        answer_ranks, violating_ranks = (
            ranks[[column_of[name] for name in names]] for names in (query.grades, query.violating)
        )
        recalls.append((answer_ranks <= ANSWER_DEPTH).mean())
        if len(violating_ranks):
            violations.append(violating_ranks.mean() < answer_ranks.mean())
    metrics = {ANSWER_RECALL: float(np.mean(recalls))}
    return {**metrics, VIOLATION: float(np.mean(violations))} if violations else metrics


# Tiers: recall of positives and of distractors (LORE)

# share of a query's positives, and of its distractors, among its first three candidates
POSITIVES, DISTRACTORS = "P R@3", "N1 R@3"

TIER_DEPTH = 3


def tier_development(
    sets: Mapping[str, Sequence[TieredExample]],
    roles: TextRoles,
    documents: Encode | None = None,
    base: Mapping[str, Figures] | None = None,
) -> Development:
    """Measure recall of positives and of distractors at 3, as LORE does.

    The score is the mean over the sets of recall of positives minus recall of distractors, -1 to 1.
    Either alone is easy: the first for an encoder that follows every topic a query names, the
    second for one that follows none.

    Args:
        sets: data set -> examples; N1 is measured where a query has distractors.
        roles: lengths and prefixes of queries and documents.
        documents: see :class:`Development`.
        base: see :class:`Development`.

    Raises:
        ConfigurationError: a set without any positive.
    """
    for name, examples in sets.items():
        if not any(example.positives for example in examples):
            raise ConfigurationError(f"no query of {name} has a right passage")

    def figures(examples: Sequence[TieredExample], queries: Encode, encode: Encode) -> Figures:
        query_vectors = queries([row.query for row in examples])
        passages = unique_passages(examples)
        vectors = dict(zip(passages, encode(passages), strict=True))
        recalls = tier_recalls(examples, query_vectors, vectors)
        return {
            name: float(np.nanmean(values))
            for name, values in recalls.items()
            if not np.isnan(values).all()
        }

    return Development(
        {name: partial(figures, examples) for name, examples in sets.items()},
        roles,
        _mean_of(lambda figures: figures[POSITIVES] - figures.get(DISTRACTORS, 0.0)),
        base,
        documents,
    )


def tier_recalls(
    examples: Sequence[TieredExample], queries: Vectors, documents: Mapping[str, Vectors]
) -> dict[str, npt.NDArray[np.float64]]:
    """Both recalls of each query among its own candidates; ties count against the encoder.

    Args:
        examples: queries with candidates.
        queries: shape (examples, dimension).
        documents: passage -> vector.

    Returns:
        :data:`POSITIVES` and :data:`DISTRACTORS`, each of shape (examples,); NaN where an example
        has no such passages.
    """
    values = {name: np.full(len(examples), np.nan) for name in (POSITIVES, DISTRACTORS)}
    for row, (example, query) in enumerate(zip(examples, queries, strict=True)):
        for tier, positions in tier_ranks(example, query, documents).items():
            if positions.size:
                values[tier][row] = (positions <= TIER_DEPTH).mean()
    return values


def tier_ranks(
    example: TieredExample, query: Vectors, documents: Mapping[str, Vectors]
) -> dict[str, npt.NDArray[np.int64]]:
    """Ranks of positives and distractors among a query's own candidates, from 1.

    Ties count against the encoder: a distractor ranks first among them, a positive last.

    Args:
        example: the query with its candidates.
        query: its vector.
        documents: passage -> vector.
    """
    order = example.distractors + example.negatives + example.positives
    positions = ordinal_ranks(np.array([documents[text] @ query for text in order]))
    return {
        POSITIVES: positions[len(order) - len(example.positives) :],
        DISTRACTORS: positions[: len(example.distractors)],
    }
