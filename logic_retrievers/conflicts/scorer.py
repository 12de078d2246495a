"""``ContradictionScorer``: scores how probably two texts contradict each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.conflicts.settings import (
    CONTRADICTION,
    TOPICAL,
    VECTORS,
    ContradictionConstants,
    ContradictionSettings,
    merge_constants,
)
from logic_retrievers.encoders import default_encoder
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import EmptyTextError, InputError
from logic_retrievers.index.client_calls import batches
from logic_retrievers.scoring import cosine, normalise, sparsity
from logic_retrievers.text import is_blank, is_outside_latin
from logic_retrievers.types import SCORE_DECIMALS
from logic_retrievers.validation import check_parts

PAIRS_PER_BATCH = 128

Rows: TypeAlias = npt.NDArray[np.floating]
Values: TypeAlias = npt.NDArray[np.float64]
TextPair: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class VectorScores:
    """Scores of n pairs; every array has shape (n,).

    Args:
        cosines: cosines of the topical vectors.
        sparsities: Hoyer sparsities of the differences of contradiction vectors; NaN for a copy.
        scores: F, which orders pairs; NaN for a copy.
        probabilities: probabilities of a contradiction; 0 for a copy.
    """

    cosines: Values
    sparsities: Values
    scores: Values
    probabilities: Values


@dataclass(frozen=True, slots=True)
class PairScore:
    """The scores of two texts, all JSON-serialisable.

    Args:
        score: F = cosine + alpha * sparsity, which orders pairs; for a copy the cosine alone.
        probability: probability of a contradiction, in [0, 1]; 0 for a copy. None if a text is
            mostly in a script other than Latin, so the pair cannot be judged.
        cosine: cosine of the topical vectors.
        sparsity: Hoyer sparsity of the difference of the contradiction vectors; None for a copy.
        conflict: whether the probability reaches the threshold.
        identical: whether the contradiction vectors are equal, as for copies of one text.
    """

    score: float
    probability: float | None
    cosine: float
    sparsity: float | None
    conflict: bool
    identical: bool

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def score_against(
    one: Mapping[str, Rows],
    others: Mapping[str, Rows],
    constants: ContradictionConstants,
) -> VectorScores:
    """Score one passage against others by F (Xu et al. 2024).

    Args:
        one: vector name -> shape (dimension,), for the names in ``settings.VECTORS``.
        others: vector name -> shape (n, dimension).
        constants: constants of the contradiction vector.
    """
    cosines = cosine(one[TOPICAL], others[TOPICAL])
    return _vector_scores(cosines, one[CONTRADICTION], others[CONTRADICTION], constants)


def score_rows(
    left: Mapping[str, Rows],
    right: Mapping[str, Rows],
    constants: ContradictionConstants,
) -> VectorScores:
    """Score pairs row by row; each side is vector name -> shape (n, dimension)."""
    left_unit, right_unit = (normalise(side[TOPICAL].astype(np.float64)) for side in (left, right))
    cosines = np.einsum("ij,ij->i", left_unit, right_unit)
    differences = left[CONTRADICTION] - right[CONTRADICTION]
    origin = np.zeros(differences.shape[1], dtype=differences.dtype)
    return _vector_scores(cosines, origin, differences, constants)


def _vector_scores(
    cosines: Rows, one: Rows, others: Rows, constants: ContradictionConstants
) -> VectorScores:
    topical = cosines.astype(np.float64)
    hoyer = sparsity(one, others).astype(np.float64)
    return VectorScores(
        topical, hoyer, constants.score(topical, hoyer), constants.probability(topical, hoyer)
    )


class ContradictionScorer:
    """Scores pairs of texts by the sparsity of the difference of their vectors.

    F(p1, p2) = cosine(topical) + alpha * sparsity(contradiction); Xu et al. 2024, "SparseCL". The
    order of the two texts does not matter. ``settings.py`` explains all constants.

    Args:
        encoder: makes the vectors; by default that of the package's bundle.
        settings: overrides the encoder's constants; must set all if the encoder has none.

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
        """Score every pair, in the given order.

        Each text is encoded once, and its vectors are freed after the last pair with that text. So
        memory grows with the texts that later pairs need, not with the number of pairs.

        Raises:
            EmptyTextError: a text is empty or white space; the message names the pair.
            InputError: something is not a pair of strings.
        """
        _check_pairs(pairs)
        groups = list(batches(pairs, PAIRS_PER_BATCH))
        last_use = {text: n for n, batch in enumerate(groups) for pair in batch for text in pair}
        vectors: dict[str, dict[str, Rows]] = {}
        found: list[PairScore] = []
        for number, batch in enumerate(groups):
            new = [t for t in dict.fromkeys(t for pair in batch for t in pair) if t not in vectors]
            encoded = self.encoder.encode_documents(new, VECTORS) if new else {}
            for row, text in enumerate(new):
                # copied, because a view keeps its whole batch in memory
                vectors[text] = {name: encoded[name][row].copy() for name in VECTORS}
            left, right = (
                {name: np.stack([vectors[pair[side]][name] for pair in batch]) for name in VECTORS}
                for side in (0, 1)
            )
            scores = score_rows(left, right, self.constants)
            found += _pair_scores(batch, scores, self.constants.threshold)
            for text in [text for text in vectors if last_use[text] == number]:
                del vectors[text]
        return found


def _check_pairs(pairs: Any) -> None:
    if isinstance(pairs, str) or not isinstance(pairs, Sequence):
        raise InputError(f"pairs is a list of (text, text), not {type(pairs).__name__}")
    for number, pair in enumerate(pairs):
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise InputError(f"pair {number} is no (text, text): {type(pair).__name__}")
        for text in pair:
            if not isinstance(text, str):
                raise InputError(f"pair {number} holds {type(text).__name__}, not two strings")
            if is_blank(text):
                raise EmptyTextError(f"a text of pair {number} is empty; leave the pair out")


def _pair_scores(
    pairs: Sequence[TextPair], scores: VectorScores, threshold: float
) -> Iterator[PairScore]:
    readable = {text: not is_outside_latin(text) for pair in pairs for text in pair}
    columns = (
        np.round(column, SCORE_DECIMALS).tolist()
        for column in (scores.cosines, scores.sparsities, scores.scores, scores.probabilities)
    )
    for (left, right), cos, sparse, score, probability in zip(pairs, *columns, strict=True):
        identical = sparse != sparse  # NaN: the vectors do not differ
        is_judged = identical or (readable[left] and readable[right])
        yield PairScore(
            score=cos if identical else score,
            probability=probability if is_judged else None,
            cosine=cos,
            sparsity=None if identical else sparse,
            conflict=is_judged and probability >= threshold,
            identical=identical,
        )
