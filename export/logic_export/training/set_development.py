"""Development of an encoder for set queries: recall of answers, and the violation rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

import numpy as np
import numpy.typing as npt
from sentence_transformers import SentenceTransformer

from logic_export.training.development import Development, Figures, Measured
from logic_export.training.encoding import TextRoles
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Dataset
from logic_retrievers.evaluation.queries import Query
from logic_retrievers.scoring import ordinal_ranks

RECALL, VIOLATION = "R@100", "violation rate"
"""Share of the answers among the first hundred; share of the queries with violating documents that
rank these, on average, above the answers (Shen et al. 2025)."""

DEPTH = 100
_LABELLED_SHARE = 0.5


def sample_pool(dataset: Dataset, documents: int | None) -> Dataset:
    """The data set reduced to a number of documents that can be encoded every few steps.

    Queries are sampled (at least one) while their satisfying and violating documents fill at most
    half of the pool; other documents fill the rest. Figures over different pools cannot be
    compared, so the sample depends on the data set's name, not on the seed of the run.

    Args:
        dataset: a development part.
        documents: size of the pool, unless a single query has more; None: all documents and
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


class SetDevelopment(Development):
    """Recall of the answers and the violation rate.

    Args:
        datasets: the development parts.
        lengths, prefixes: see :class:`TextRoles`.
        documents: see :func:`sample_pool`.
        base: see :class:`Development`.
    """

    def __init__(
        self,
        datasets: Sequence[Dataset],
        lengths: tuple[int, int],
        prefixes: tuple[str, str],
        documents: int | None = None,
        base: Mapping[str, Figures] | None = None,
    ) -> None:
        super().__init__(base)
        self._datasets = [sample_pool(dataset, documents) for dataset in datasets]
        self._roles = TextRoles(lengths, prefixes)

    def measure(self, model: SentenceTransformer) -> Measured:
        """The figures of every set."""
        queries, documents = self._roles.encodings(model)
        return {
            data.name: set_figures(
                data,
                queries([query.text for query in data.queries])
                @ documents(list(data.documents.values())).T,
            )
            for data in self._datasets
        }

    def score(self, measured: Mapping[str, Figures], base: Mapping[str, Figures]) -> float:  # noqa: ARG002
        """The mean recall."""
        return float(np.mean([figures[RECALL] for figures in measured.values()]))


def set_figures(dataset: Dataset, scores: npt.NDArray[np.floating]) -> Figures:
    """The figures of a ranking by score; the violation rate only where there are violating
    documents.

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
        recalls.append((answer_ranks <= DEPTH).mean())
        if len(violating_ranks):
            violations.append(violating_ranks.mean() < answer_ranks.mean())
    metrics = {RECALL: float(np.mean(recalls))}
    return {**metrics, VIOLATION: float(np.mean(violations))} if violations else metrics
