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
from logic_retrievers.encoders.base import Encoder, clean_texts
from logic_retrievers.errors import InputError
from logic_retrievers.index.requests import batches
from logic_retrievers.settings import check_count
from logic_retrievers.validation import check_parts

PAIRS_PER_BATCH = 128
MIN_NULL_PAIRS = 30
"""With fewer pairs, mean and deviation say little."""

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

    def with_null_distribution(
        self, texts: Sequence[str], *, pairs: int = 1000, seed: int = 0
    ) -> ContradictionScorer:
        """A scorer whose probability is calibrated to this corpus.

        How sparsely two unrelated texts differ depends on the corpus: on the length, style and
        field of its texts. Sparsity enters the probability as deviations from that null
        distribution, so its mean and deviation are estimated again here, over random pairs. The
        score stays as it is. ``scorer.settings`` passes the calibration on to a filter or cleaner.

        Args:
            texts: of the corpus, some hundreds or more, about different things.
            pairs: how many random pairs; all where there are fewer.
            seed: of the random numbers.

        Raises:
            InputError: too few different texts.
        """
        check_count("pairs", pairs)
        scores = self._batch_scores(unrelated_pairs(texts, pairs, seed))
        sparsities = np.concatenate([columns.sparsities for _, columns in scores])
        settings = self.settings.model_copy(update=null_distribution(sparsities))
        return ContradictionScorer(self.encoder, settings=settings)

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


def unrelated_pairs(texts: Sequence[str], count: int, seed: int) -> list[TextPair]:
    """Random pairs of different texts without repetition; all pairs where there are no more.

    In a corpus about many things, two texts drawn at random are unrelated.

    Copies count once.

    Raises:
        InputError: there are no texts, or they do not give 30 pairs.
        EmptyTextError: a text is empty or white space.
    """
    clean_texts(texts)
    distinct = list(dict.fromkeys(texts))
    possible = len(distinct) * (len(distinct) - 1) // 2
    if min(count, possible) < MIN_NULL_PAIRS:
        raise InputError(
            f"{len(distinct)} different texts give {min(count, possible)} pairs; at least"
            f" {MIN_NULL_PAIRS} are needed to estimate how sparsely unrelated texts differ. Pass"
            " more texts of the corpus."
        )
    generator = np.random.default_rng(seed)
    if possible <= 4 * count:
        left, right = np.triu_indices(len(distinct), k=1)
        chosen = generator.permutation(possible)[:count]
        return [(distinct[left[n]], distinct[right[n]]) for n in chosen]
    pairs: dict[tuple[int, int], None] = {}
    while len(pairs) < count:
        one, other = sorted(generator.integers(len(distinct), size=2).tolist())
        if one != other:
            pairs[one, other] = None
    return [(distinct[one], distinct[other]) for one, other in pairs]


def null_distribution(sparsities: npt.NDArray[np.float64]) -> dict[str, float]:
    """``null_mean`` and ``null_deviation`` of Hoyer sparsities; copies (NaN) do not count.

    Raises:
        InputError: nearly all pairs are copies, or all are equally sparse.
    """
    known = sparsities[~np.isnan(sparsities)]
    if len(known) < MIN_NULL_PAIRS or not known.std():
        raise InputError(
            f"Only {len(known)} of {len(sparsities)} pairs are no copies, or all differ alike; pass"
            " texts that are about different things."
        )
    return {"null_mean": float(known.mean()), "null_deviation": float(known.std(ddof=1))}
