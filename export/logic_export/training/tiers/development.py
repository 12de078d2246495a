"""Development of a query encoder: what it finds among each query's own candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from sentence_transformers import SentenceTransformer

from logic_export.data.tiers.examples import TieredExample
from logic_export.retrieval import Encode
from logic_export.training.development import Development, Figures, Measured
from logic_export.training.roles import Roles
from logic_export.training.tiers.rows import passages_of
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.scoring.ranks import ordinal_ranks

POSITIVES, DISTRACTORS = "P R@3", "N1 R@3"
"""Share of a query's right passages, and of its distractors, among its first three."""

DEPTH = 3


class TieredDevelopment(Development):
    """Recall of right passages and of distractors at 3, as LORE measures.

    Args:
        sets: by name; N1 is measured where a query has distractors.
        lengths, prefixes: see :class:`Roles`.
        documents: encodes passages; the model that is measured where None.
        base: see :class:`Development`.

    Raises:
        ConfigurationError: a set in which no query has a right passage.
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
            if not any(one.positives for one in examples):
                raise ConfigurationError(f"no query of {name} has a right passage")
        self._sets, self._documents = sets, documents
        self._roles = Roles(lengths, prefixes)

    def measure(self, model: SentenceTransformer) -> Measured:
        """The figures of every set."""
        queries, own = self._roles.encodings(model)
        documents = self._documents or own
        return {
            name: figures(
                examples,
                queries([one.query for one in examples]),
                dict(zip(passages_of(examples), documents(passages_of(examples)), strict=True)),
            )
            for name, examples in self._sets.items()
        }

    def score(self, found: Mapping[str, Figures], base: Mapping[str, Figures]) -> float:  # noqa: ARG002
        """The mean over the sets of the one recall less the other, -1 to 1.

        Either alone is easily had: the first by a query encoder that follows the disturbed words to
        all that they name, the second by one that follows nothing.
        """
        return float(
            np.mean([one[POSITIVES] - one.get(DISTRACTORS, 0.0) for one in found.values()])
        )


def figures(
    examples: Sequence[TieredExample],
    queries: npt.NDArray[np.float32],
    documents: Mapping[str, npt.NDArray[np.float32]],
) -> Figures:
    """The means of :func:`recalls`, of what has a value.

    Args:
        examples: at least one with a positive.
        queries: a vector a row, as the examples.
        documents: passage -> vector.
    """
    found = recalls(examples, queries, documents)
    return {
        name: float(np.nanmean(values))
        for name, values in found.items()
        if not np.isnan(values).all()
    }


def recalls(
    examples: Sequence[TieredExample],
    queries: npt.NDArray[np.float32],
    documents: Mapping[str, npt.NDArray[np.float32]],
) -> dict[str, npt.NDArray[np.float64]]:
    """Both recalls of each query among its own candidates; equal scores count against the encoder.

    Args:
        examples: queries with candidates.
        queries: a vector a row, as the examples.
        documents: passage -> vector.

    Returns:
        :data:`POSITIVES` and :data:`DISTRACTORS`, a value an example; NaN where it has none of
        these passages.
    """
    found = {name: np.full(len(examples), np.nan) for name in (POSITIVES, DISTRACTORS)}
    for place, (one, query) in enumerate(zip(examples, queries, strict=True)):
        for tier, places in ranks(one, query, documents).items():
            if places.size:
                found[tier][place] = (places <= DEPTH).mean()
    return found


def ranks(
    one: TieredExample,
    query: npt.NDArray[np.float32],
    documents: Mapping[str, npt.NDArray[np.float32]],
) -> dict[str, npt.NDArray[np.int64]]:
    """Where right passages and distractors stand among a query's own candidates, from 1.

    Equal scores count against the encoder: a distractor stands first of them, a positive last.

    Args:
        one: with its candidates.
        query: its vector.
        documents: passage -> vector.
    """
    order = one.distractors + one.negatives + one.positives
    places = ordinal_ranks(np.array([documents[text] @ query for text in order]))
    return {
        POSITIVES: places[len(order) - len(one.positives) :],
        DISTRACTORS: places[: len(one.distractors)],
    }
