"""Development of a query encoder: recall of positives and of distractors (LORE)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from sentence_transformers import SentenceTransformer

from logic_export.data.tiers.examples import TieredExample
from logic_export.dense_retrieval import Encode
from logic_export.training.development import Development, Figures, Measured
from logic_export.training.encoding import TextRoles
from logic_export.training.tier_batches import unique_passages
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.scoring import ordinal_ranks

POSITIVES, DISTRACTORS = "P R@3", "N1 R@3"
"""Share of a query's positives, and of its distractors, among its first three candidates."""

RANK_CUTOFF = 3


class TieredDevelopment(Development):
    """Recall of positives and of distractors at 3, as LORE measures.

    Args:
        sets: data set -> examples; N1 is measured where a query has distractors.
        lengths, prefixes: see :class:`TextRoles`.
        documents: encodes passages; the measured model itself where None.
        base: see :class:`Development`.

    Raises:
        ConfigurationError: a set without any positive.
    """

    def __init__(
        self,
        sets: Mapping[str, Sequence[TieredExample]],
        lengths: tuple[int, int],
        prefixes: tuple[str, str],
        documents: Encode | None = None,
        base: Mapping[str, Figures] | None = None,
    ) -> None:
        super().__init__(base)
        for name, examples in sets.items():
            if not any(example.positives for example in examples):
                raise ConfigurationError(f"no query of {name} has a right passage")
        self._sets, self._documents = sets, documents
        self._roles = TextRoles(lengths, prefixes)

    def measure(self, model: SentenceTransformer) -> Measured:
        """The figures of every set."""
        queries, model_documents = self._roles.encodings(model)
        documents = self._documents or model_documents
        return {
            name: tier_figures(
                examples,
                queries([example.query for example in examples]),
                dict(
                    zip(
                        unique_passages(examples), documents(unique_passages(examples)), strict=True
                    )
                ),
            )
            for name, examples in self._sets.items()
        }

    def score(self, measured: Mapping[str, Figures], base: Mapping[str, Figures]) -> float:  # noqa: ARG002
        """The mean over the sets of recall of positives minus recall of distractors, -1 to 1.

        Either alone is easy: the first for an encoder that follows every topic a query names, the
        second for one that follows none.
        """
        return float(
            np.mean(
                [
                    figures[POSITIVES] - figures.get(DISTRACTORS, 0.0)
                    for figures in measured.values()
                ]
            )
        )


def tier_figures(
    examples: Sequence[TieredExample],
    queries: npt.NDArray[np.float32],
    documents: Mapping[str, npt.NDArray[np.float32]],
) -> Figures:
    """The means of :func:`tier_recalls`, NaN aside.

    Args:
        examples: at least one with a positive.
        queries: shape (examples, dimension).
        documents: passage -> vector.
    """
    recalls_by_tier = tier_recalls(examples, queries, documents)
    return {
        name: float(np.nanmean(values))
        for name, values in recalls_by_tier.items()
        if not np.isnan(values).all()
    }


def tier_recalls(
    examples: Sequence[TieredExample],
    queries: npt.NDArray[np.float32],
    documents: Mapping[str, npt.NDArray[np.float32]],
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
                values[tier][row] = (positions <= RANK_CUTOFF).mean()
    return values


def tier_ranks(
    example: TieredExample,
    query: npt.NDArray[np.float32],
    documents: Mapping[str, npt.NDArray[np.float32]],
) -> dict[str, npt.NDArray[np.int64]]:
    """Ranks of positives and distractors among a query's own candidates, from 1.

    Ties count against the encoder: a distractor ranks first among them, a positive last.

    Args:
        example: with its candidates.
        query: its vector.
        documents: passage -> vector.
    """
    order = example.distractors + example.negatives + example.positives
    positions = ordinal_ranks(np.array([documents[text] @ query for text in order]))
    return {
        POSITIVES: positions[len(order) - len(example.positives) :],
        DISTRACTORS: positions[: len(example.distractors)],
    }
