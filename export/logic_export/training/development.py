"""Development figures: does the encoder keep to constraints, and does it still find things."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.evaluation import BaseEvaluator

from logic_export.retrieval import Encode, brute_force
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Dataset, evaluate

SCORE = "score"
DEPTH = 1000
"""Deep enough for the paired accuracy of any development part to be exact."""


@dataclass(frozen=True, slots=True)
class Figures:
    """Of one data set.

    Args:
        constraint: paired accuracy where queries come in pairs, else 1 - V@5.
        recall: R@5 of the satisfying passages.
    """

    constraint: float
    recall: float


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
    return Figures(found.get("paired_accuracy", 1 - found["V@5"]), found["R@5"])


def score(found: Sequence[Figures], base: Sequence[Figures], recall_loss: float) -> float:
    """What a run is stopped and chosen by.

    The mean constraint figure, less what the mean recall lost beyond ``recall_loss``: a violation
    that is avoided by finding nothing is worth nothing.
    """
    constraint = float(np.mean([one.constraint for one in found]))
    lost = float(np.mean([before.recall for before in base]) - np.mean([f.recall for f in found]))
    return constraint - max(0.0, lost - recall_loss)


class Development(BaseEvaluator):
    """The figures of the model in training, in the form in which the trainer asks for them.

    Args:
        datasets: the development parts.
        lengths: most tokens of queries and of documents.
        prefixes: put before queries and before documents.
        recall_loss: see :func:`score`.
        base: figures of the model before training; measured at the first call where None.
    """

    def __init__(
        self,
        datasets: Sequence[Dataset],
        lengths: tuple[int, int],
        prefixes: tuple[str, str],
        recall_loss: float,
        base: Mapping[str, Figures] | None = None,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.base = base
        self.primary_metric = SCORE
        self._datasets, self._recall_loss = datasets, recall_loss
        self._lengths, self._prefixes = lengths, prefixes

    def __call__(self, model: Any, *_: Any, **__: Any) -> dict[str, float]:
        """``score``, and for every set ``SET constraint`` and ``SET R@5``."""
        found = self.measure(model)
        if self.base is None:
            self.base = found
        named: dict[str, float] = {
            SCORE: score(list(found.values()), list(self.base.values()), self._recall_loss)
        }
        for name, one in found.items():
            named[f"{name} constraint"], named[f"{name} R@5"] = one.constraint, one.recall
        return named

    def measure(self, model: SentenceTransformer) -> dict[str, Figures]:
        """The figures of every set."""
        queries, documents = (self._encode(model, side) for side in (0, 1))
        return {d.name: figures(d, queries, documents) for d in self._datasets}

    def _encode(self, model: SentenceTransformer, side: int) -> Encode:
        def encode(texts: Sequence[str]) -> Any:
            before, model.max_seq_length = model.max_seq_length, self._lengths[side]
            try:
                return model.encode(
                    [self._prefixes[side] + text for text in texts],
                    batch_size=64,
                    normalize_embeddings=True,
                    show_progress_bar=False,
                )
            finally:
                model.max_seq_length = before

        return encode
