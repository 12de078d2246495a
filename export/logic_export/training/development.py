"""Development figures, in the form in which the trainer asks for them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from sentence_transformers import SentenceTransformer
from sentence_transformers.base.evaluation import BaseEvaluator

from logic_export.retrieval import Encode

SCORE = "score"
Figures: TypeAlias = dict[str, float]
"""Of one data set: name of the figure -> value."""
Measured: TypeAlias = dict[str, Figures]
"""Name of a data set -> its figures."""


class Development(BaseEvaluator):
    """What a run is stopped and chosen by.

    Args:
        base: figures of the model before training; measured at the first call where None.
    """

    def __init__(self, base: Mapping[str, Figures] | None = None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.base = base
        self.primary_metric = SCORE

    def __call__(self, model: Any, *_: Any, **__: Any) -> dict[str, float]:
        """``score``, and every figure of every set as ``SET FIGURE``."""
        found = self.measure(model)
        if self.base is None:
            self.base = found
        return {
            SCORE: self.score(found, self.base),
            **{
                f"{name} {figure}": value
                for name, figures in found.items()
                for figure, value in figures.items()
            },
        }

    @abstractmethod
    def measure(self, model: SentenceTransformer) -> Measured:
        """The figures of every set."""

    @abstractmethod
    def score(self, found: Mapping[str, Figures], base: Mapping[str, Figures]) -> float:
        """One number, the higher the better."""


def encoding(model: SentenceTransformer, length: int, prefix: str) -> Encode:
    """A function from texts to vectors of length 1, cut as in training."""

    def encode(texts: Sequence[str]) -> Any:
        before, model.max_seq_length = model.max_seq_length, length
        try:
            return model.encode(
                [prefix + text for text in texts],
                batch_size=64,
                normalize_embeddings=True,
                show_progress_bar=False,
            )
        finally:
            model.max_seq_length = before

    return encode
