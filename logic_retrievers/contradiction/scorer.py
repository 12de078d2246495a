"""Pairs of texts: how likely the two are to contradict each other."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from logic_retrievers.answering import check_count
from logic_retrievers.contradiction.judging import Judgements, judge_pairs
from logic_retrievers.contradiction.null import unrelated_pairs, with_null
from logic_retrievers.contradiction.pairs import Pair, PairScore, check_pairs, pair_scores, texts_of
from logic_retrievers.contradiction.settings import VECTORS, ContradictionSettings, settings_for
from logic_retrievers.encoders import default_encoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index.requests import batches
from logic_retrievers.procedures import Procedure, Work, arun, encoding, run
from logic_retrievers.scoring import MEASURES, Sparsity

if TYPE_CHECKING:
    from logic_retrievers.encoders.base import Encoder

PAIRS_A_BATCH = 128

Vectors = dict[str, npt.NDArray[np.float32]]


class ContradictionScorer:
    """Scores pairs of texts by the sparsity of the difference of their vectors.

    F(p1, p2) = cosine(topical) + alpha * sparsity(contradiction); Xu et al. 2024, "SparseCL". The
    order of the two texts does not count.

    Args:
        encoder: makes the vectors; by default that of the bundle that comes with the package.
        alpha: weight of the sparsity in the score, instead of the one that the encoder brings; the
            probability does not depend on it.
        measure: ``hoyer``, ``l2_l1`` or ``kappa4``; of the sparsity in the score. The probability
            is that of Hoyer in any case, which its constants were found for.
        threshold: least probability of a conflict, instead of the encoder's.
        settings: all constants, for an encoder that brings none.

    Raises:
        ConfigurationError: the encoder lacks a vector or its constants, or a value cannot work.

    Example:
        >>> scorer = ContradictionScorer()                               # doctest: +SKIP
        >>> scorer.score([("The inn is quiet.", "The inn is loud.")])    # doctest: +SKIP
        [PairScore(score=2.31, probability=0.94, ...)]
    """

    def __init__(
        self,
        encoder: Encoder | None = None,
        *,
        alpha: float | None = None,
        measure: Sparsity = "hoyer",
        threshold: float | None = None,
        settings: ContradictionSettings | None = None,
    ) -> None:
        self.encoder = default_encoder() if encoder is None else encoder
        if measure not in MEASURES:
            raise ConfigurationError(f"no sparsity {measure!r}; there are {', '.join(MEASURES)}")
        self.measure: Sparsity = measure
        self.settings = settings_for(self.encoder.specs, settings, alpha=alpha, threshold=threshold)

    def score(self, pairs: Sequence[Pair]) -> list[PairScore]:
        """The score of every pair, in their order.

        Each text is encoded once, and its vectors are forgotten after the last pair that it stands
        in, so that memory grows with the texts that come again and not with the pairs.

        Args:
            pairs: two texts each.

        Raises:
            EmptyTextError: a text with nothing but white space; the message names the pair.
            InputError: what is no pair of strings.
        """
        return run(self._score(pairs), encoding)

    async def ascore(self, pairs: Sequence[Pair]) -> list[PairScore]:
        """:meth:`score` without blocking the event loop; the same scores."""
        return await arun(self._score(pairs), encoding)

    def with_null(
        self, texts: Sequence[str], *, pairs: int = 1000, seed: int = 0
    ) -> ContradictionScorer:
        """A scorer whose probability is that of this corpus.

        How sparse two texts differ that have nothing to do with each other depends on the corpus:
        on the length, style and field of its texts. Sparsity enters the probability as deviations
        from that null distribution, so its mean and deviation are found anew here, over pairs drawn
        at random. The score stays as it is.

        Args:
            texts: of the corpus, some hundreds or more, about different things.
            pairs: how many are drawn; all where there are fewer.
            seed: of the draw.

        Raises:
            InputError: too few texts that differ.
        """
        return run(self._with_null(texts, pairs, seed), encoding)

    async def awith_null(
        self, texts: Sequence[str], *, pairs: int = 1000, seed: int = 0
    ) -> ContradictionScorer:
        """:meth:`with_null` without blocking the event loop; the same scorer."""
        return await arun(self._with_null(texts, pairs, seed), encoding)

    def _score(self, pairs: Sequence[Pair]) -> Procedure[list[PairScore]]:
        check_pairs(pairs)
        judged = yield from self._judged(pairs, self.measure)
        return [
            one
            for some, judgements in zip(batches(pairs, PAIRS_A_BATCH), judged, strict=True)
            for one in pair_scores(some, judgements, self.settings.threshold)
        ]

    def _with_null(
        self, texts: Sequence[str], count: int, seed: int
    ) -> Procedure[ContradictionScorer]:
        check_count("pairs", count)
        pairs = unrelated_pairs(texts, count, seed)
        check_pairs(pairs)
        judged = yield from self._judged(pairs, "hoyer")
        sparsities = np.concatenate([judgements.sparsities for judgements in judged])
        found = with_null(self.settings, sparsities)
        return ContradictionScorer(self.encoder, measure=self.measure, settings=found)

    def _judged(self, pairs: Sequence[Pair], measure: Sparsity) -> Procedure[list[Judgements]]:
        """The judgements of every batch of pairs."""
        groups = list(batches(pairs, PAIRS_A_BATCH))
        last = {text: n for n, some in enumerate(groups) for pair in some for text in pair}
        known: dict[str, Vectors] = {}
        found: list[Judgements] = []
        for number, some in enumerate(groups):
            found.append((yield Work(partial(self._judge, some, known, measure))))
            for text in [text for text in known if last[text] == number]:
                del known[text]
        return found

    def _judge(
        self, pairs: Sequence[Pair], known: dict[str, Vectors], measure: Sparsity
    ) -> Judgements:
        """Encodes what is not known yet, notes it, and judges the pairs."""
        new = [text for text in dict.fromkeys(texts_of(pairs)) if text not in known]
        made = self.encoder.encode_documents(new, VECTORS) if new else {}
        for row, text in enumerate(new):
            # copies: a view would keep its whole batch in memory
            known[text] = {name: made[name][row].copy() for name in VECTORS}
        left, right = (
            {name: np.stack([known[pair[side]][name] for pair in pairs]) for name in VECTORS}
            for side in (0, 1)
        )
        return judge_pairs(left, right, self.settings, measure)
