"""Development figures in the form that the trainer expects, and those of a compatibility head."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.evaluation import BaseEvaluator

from logic_export.dense_retrieval import Encode, brute_force
from logic_export.training.encoding import TextRoles
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Dataset, evaluate

SCORE = "score"
Figures: TypeAlias = dict[str, float]
"""Figures of one data set: name -> value."""
Measured: TypeAlias = dict[str, Figures]
"""Data set -> its figures."""


class Development(BaseEvaluator):
    """What checkpoints are selected and early stopping decided by.

    Args:
        base: figures before training; measured at the first call where None.
    """

    def __init__(self, base: Mapping[str, Figures] | None = None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.base = base
        self.primary_metric = SCORE

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

    @abstractmethod
    def measure(self, model: SentenceTransformer) -> Measured:
        """The figures of every set."""

    @abstractmethod
    def score(self, measured: Mapping[str, Figures], base: Mapping[str, Figures]) -> float:
        """One number, the higher the better."""


CONSTRAINT, RECALL = "constraint", "R@5"
"""Paired accuracy where queries come in pairs, else 1 - V@5; and recall of satisfying passages."""

CONSTRAINT_DEPTH = 1000
"""Deep enough for an exact paired accuracy on any development part."""


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


class ConstraintDevelopment(Development):
    """Constraint and recall on data sets that label violating passages.

    Args:
        datasets: the development parts.
        lengths, prefixes: see :class:`TextRoles`.
        recall_loss: see :func:`constraint_score`.
        base: see :class:`Development`.
        documents: encodes documents; the measured model itself where None.
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
        self._roles = TextRoles(lengths, prefixes)

    def measure(self, model: SentenceTransformer) -> Measured:
        """The figures of every set."""
        queries, model_documents = self._roles.encodings(model)
        return {
            d.name: constraint_figures(d, queries, self._documents or model_documents)
            for d in self._datasets
        }

    def score(self, measured: Mapping[str, Figures], base: Mapping[str, Figures]) -> float:
        """See :func:`constraint_score`."""
        return constraint_score(list(measured.values()), list(base.values()), self._recall_loss)
