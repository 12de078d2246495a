"""Development figures: they select the checkpoint of a run and stop it early."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.evaluation import BaseEvaluator

from logic_export.dense_retrieval import Encode
from logic_export.training.encoding import TextRoles

SCORE = "score"
Figures: TypeAlias = dict[str, float]
Measured: TypeAlias = dict[str, Figures]


class Development(BaseEvaluator):
    """Measures a model on development sets, as the trainer expects it.

    Args:
        sets: name -> function that measures a query encoder and a document encoder.
        roles: lengths and prefixes of queries and documents.
        score: makes one number (higher is better) of the figures of each set: a list for the model,
            and one for the model before training (``base``).
        documents: encodes documents; None takes the measured model.
    """

    def __init__(
        self,
        sets: Mapping[str, Callable[[Encode, Encode], Figures]],
        roles: TextRoles,
        score: Callable[[Sequence[Figures], Sequence[Figures]], float],
        documents: Encode | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.primary_metric = SCORE
        # figures before training; while None, the first call sets them
        self.base: Measured | None = None
        self._sets, self._roles, self._score, self._documents = sets, roles, score, documents

    def __call__(self, model: Any, *_: Any, **__: Any) -> dict[str, float]:
        """Return ``score``, and every figure of every set as ``SET FIGURE``."""
        measured = self.measure(model)
        self.base = self.base or measured
        return {
            SCORE: self.score(measured, self.base),
            **{
                f"{name} {figure}": value
                for name, figures in measured.items()
                for figure, value in figures.items()
            },
        }

    def measure(self, model: SentenceTransformer) -> Measured:
        queries = self._roles.query.encoder(model)
        documents = self._documents or self._roles.document.encoder(model)
        return {name: figures(queries, documents) for name, figures in self._sets.items()}

    def score(self, measured: Mapping[str, Figures], base: Mapping[str, Figures]) -> float:
        return self._score(list(measured.values()), list(base.values()))


def mean_of(quality: Callable[[Figures], float]) -> Callable[..., float]:
    """Make a score that is the mean of ``quality`` over the sets; the base does not count."""
    return lambda measured, _: float(np.mean([quality(figures) for figures in measured]))
