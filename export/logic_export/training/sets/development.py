"""Development of an encoder for set queries: how many answers it finds, among some documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random

import numpy as np
import numpy.typing as npt
from sentence_transformers import SentenceTransformer

from logic_export.training.development import Development, Figures, Measured
from logic_export.training.roles import Roles
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Dataset
from logic_retrievers.evaluation.queries import Query
from logic_retrievers.scoring.ranks import ordinal_ranks

RECALL, VIOLATION = "R@100", "violation rate"
"""Share of the answers among the first hundred; and of the queries with violating documents, those
that rank these, on average, above the answers (Shen et al. 2025)."""

DEPTH = 100
_LABELLED_SHARE = 0.5


def pooled(dataset: Dataset, documents: int | None) -> Dataset:
    """The data set with so many documents: an encoder cannot read all of them every few steps.

    Queries are drawn as long as what satisfies or violates them fills at most half of the pool, and
    at least one; other documents fill the rest. Figures of two pools do not compare, so the draw
    follows from the data set's name, whatever the seed of a run.

    Args:
        dataset: a development part.
        documents: at most, unless one query alone has more; all, and all queries, where None.

    Raises:
        ConfigurationError: no query has an answer.
    """
    asked = [query for query in dataset.queries if query.grades]
    if not asked:
        raise ConfigurationError(f"no query of {dataset.name} has an answer")
    if documents is None or documents >= len(dataset.documents):
        return replace(dataset, queries=tuple(asked))
    random = Random(dataset.name)
    random.shuffle(asked)
    labelled: set[str] = set()
    queries: list[Query] = []
    for query in asked:
        own = query.satisfying | query.violating
        if not queries or len(labelled | own) <= _LABELLED_SHARE * documents:
            labelled |= own
            queries.append(query)
    others = [name for name in dataset.documents if name not in labelled]
    chosen = labelled.union(random.sample(others, max(0, documents - len(labelled))))
    kept = {name: text for name, text in dataset.documents.items() if name in chosen}
    return replace(dataset, documents=kept, queries=tuple(queries))


class SetDevelopment(Development):
    """Recall of the answers and the violation rate.

    Args:
        datasets: the development parts.
        lengths, prefixes: see :class:`Roles`.
        documents: see :func:`pooled`.
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
        self._datasets = [pooled(dataset, documents) for dataset in datasets]
        self._roles = Roles(lengths, prefixes)

    def measure(self, model: SentenceTransformer) -> Measured:
        """The figures of every set."""
        queries, documents = self._roles.encodings(model)
        return {
            data.name: figures(
                data,
                queries([query.text for query in data.queries])
                @ documents(list(data.documents.values())).T,
            )
            for data in self._datasets
        }

    def score(self, found: Mapping[str, Figures], base: Mapping[str, Figures]) -> float:  # noqa: ARG002
        """The mean recall."""
        return float(np.mean([one[RECALL] for one in found.values()]))


def figures(dataset: Dataset, scores: npt.NDArray[np.floating]) -> Figures:
    """The figures of a ranking by score; the violation rate only where something violates.

    Args:
        dataset: whose every query has an answer.
        scores: shape (queries, documents).
    """
    place = {name: column for column, name in enumerate(dataset.documents)}
    recalls, violations = [], []
    for query, row in zip(dataset.queries, scores, strict=True):
        ranks = ordinal_ranks(row)
        own, ruled_out = (
            ranks[[place[name] for name in names]] for names in (query.grades, query.violating)
        )
        recalls.append((own <= DEPTH).mean())
        if len(ruled_out):
            violations.append(ruled_out.mean() < own.mean())
    found = {RECALL: float(np.mean(recalls))}
    return {**found, VIOLATION: float(np.mean(violations))} if violations else found
