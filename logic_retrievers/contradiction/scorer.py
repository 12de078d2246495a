"""``ContradictionScorer``: the probability that two texts contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from logic_retrievers.contradiction.pair_scores import (
    PairScore,
    TextPair,
    VectorScores,
    check_pairs,
    pair_scores,
    score_rows,
    texts_of,
)
from logic_retrievers.contradiction.settings import VECTORS, ContradictionSettings, merge_constants
from logic_retrievers.encoders import default_encoder
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.index.requests import batches
from logic_retrievers.validation import check_parts

PAIRS_PER_BATCH = 128

Vectors = dict[str, npt.NDArray[np.float32]]


class ContradictionScorer:
    """Scores pairs of texts by the sparsity of the difference of their vectors.

    F(p1, p2) = cosine(topical) + alpha * sparsity(contradiction); Xu et al. 2024, "SparseCL". The
    order of the two texts does not matter.

    Args:
        encoder: makes the vectors; by default that of the bundle that comes with the package.
        settings: over the constants that the encoder brings; all of them for an encoder that
            brings none.

    Raises:
        ConfigurationError: the encoder lacks a vector or its constants, or a value cannot work.

    Examples:
        >>> scorer = ContradictionScorer()                               # doctest: +SKIP
        >>> scorer.score([("The inn is quiet.", "The inn is loud.")])    # doctest: +SKIP
        [PairScore(score=2.31, probability=0.94, ...)]
    """

    def __init__(
        self, encoder: Encoder | None = None, *, settings: ContradictionSettings | None = None
    ) -> None:
        check_parts(encoder=encoder)
        self.encoder = default_encoder() if encoder is None else encoder
        self.constants = merge_constants(self.encoder.specs, settings)
        self.settings = settings or ContradictionSettings()

    def score(self, pairs: Sequence[TextPair]) -> list[PairScore]:
        """The score of every pair, in their order.

        Each text is encoded once, and its vectors are dropped after the last pair that has it, so
        memory grows with the texts that occur again and not with the pairs.

        Raises:
            EmptyTextError: a text is empty or white space; the message names the pair.
            InputError: something is not a pair of strings.
        """
        check_pairs(pairs)
        return [
            score
            for batch, columns in self._batch_scores(pairs)
            for score in pair_scores(batch, columns, self.constants.threshold)
        ]

    def _batch_scores(
        self, pairs: Sequence[TextPair]
    ) -> Iterator[tuple[Sequence[TextPair], VectorScores]]:
        """The pairs, a batch at a time, with their scores."""
        groups = list(batches(pairs, PAIRS_PER_BATCH))
        last_use = {text: n for n, batch in enumerate(groups) for pair in batch for text in pair}
        vectors: dict[str, Vectors] = {}
        for number, batch in enumerate(groups):
            yield batch, self._score_batch(batch, vectors)
            for text in [text for text in vectors if last_use[text] == number]:
                del vectors[text]

    def _score_batch(self, pairs: Sequence[TextPair], vectors: dict[str, Vectors]) -> VectorScores:
        """Encodes the texts that are not in ``vectors`` yet, adds them, and scores the pairs."""
        new = [text for text in dict.fromkeys(texts_of(pairs)) if text not in vectors]
        encoded = self.encoder.encode_documents(new, VECTORS) if new else {}
        for row, text in enumerate(new):
            # copies: a view would keep its whole batch in memory
            vectors[text] = {name: encoded[name][row].copy() for name in VECTORS}
        left, right = (
            {name: np.stack([vectors[pair[side]][name] for pair in pairs]) for name in VECTORS}
            for side in (0, 1)
        )
        return score_rows(left, right, self.constants)
