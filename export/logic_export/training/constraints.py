"""Development of a compatibility head: does it keep to constraints and still find things."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from sentence_transformers import SentenceTransformer

from logic_export.retrieval import Encode, brute_force
from logic_export.training.development import Development, Figures, Measured
from logic_export.training.roles import Roles
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Dataset, evaluate

CONSTRAINT, RECALL = "constraint", "R@5"
"""Paired accuracy where queries come in pairs, else 1 - V@5; and recall of satisfying passages."""

DEPTH = 1000
"""Deep enough for the paired accuracy of any development part to be exact."""


def figures(dataset: Dataset, encode_queries: Encode, encode_documents: Encode) -> Figures:
    """The figures of an encoder, by brute-force search.

    Raises:
        ConfigurationError: the data set names no violating passages.
    """
    search = brute_force(dataset, encode_queries, encode_documents)
    found = evaluate(dataset, search, DEPTH, resamples=1).metrics
    if "V@5" not in found:
        raise ConfigurationError(
            f"{dataset.name} labels no violating passages; evaluation.sets needs some that do"
        )
    return {CONSTRAINT: found.get("paired_accuracy", 1 - found["V@5"]), RECALL: found["R@5"]}


def score(found: Sequence[Figures], base: Sequence[Figures], recall_loss: float) -> float:
    """The mean constraint figure, less what the mean recall lost beyond ``recall_loss``.

    A violation that is avoided by finding nothing is worth nothing.
    """
    before, after = (float(np.mean([one[RECALL] for one in some])) for some in (base, found))
    constraint = float(np.mean([one[CONSTRAINT] for one in found]))
    return constraint - max(0.0, before - after - recall_loss)


class ConstraintDevelopment(Development):
    """Constraint and recall on data sets that label violating passages.

    Args:
        datasets: the development parts.
        lengths, prefixes: see :class:`Roles`.
        recall_loss: see :func:`score`.
        base: see :class:`Development`.
        documents: encodes documents; the model that is measured where None.
    """

    def __init__(
        self,
        datasets: Sequence[Dataset],
        lengths: tuple[int, int],
        prefixes: tuple[str, str],
        recall_loss: float,
        base: Mapping[str, Figures] | None = None,
        documents: Encode | None = None,
    ) -> None:
        super().__init__(base)
        self._datasets, self._recall_loss = datasets, recall_loss
        self._documents = documents
        self._roles = Roles(lengths, prefixes)

    def measure(self, model: SentenceTransformer) -> Measured:
        """The figures of every set."""
        queries, own = self._roles.encodings(model)
        return {d.name: figures(d, queries, self._documents or own) for d in self._datasets}

    def score(self, found: Mapping[str, Figures], base: Mapping[str, Figures]) -> float:
        """See :func:`score`."""
        return score(list(found.values()), list(base.values()), self._recall_loss)
