"""Scores of pairs: cosine, sparsity, F and probability, from vectors and for pairs of texts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.contradiction.settings import CONTRADICTION, TOPICAL, ContradictionConstants
from logic_retrievers.errors import EmptyTextError, InputError
from logic_retrievers.scoring import cosine, normalise, sparsity
from logic_retrievers.text import is_blank, is_outside_latin
from logic_retrievers.types import SCORE_DECIMALS

Rows: TypeAlias = npt.NDArray[np.floating]
Values: TypeAlias = npt.NDArray[np.float64]
TextPair: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class VectorScores:
    """Scores of n pairs; every array has shape (n,).

    Args:
        cosines: of the topical vectors.
        sparsities: of the differences of the contradiction vectors; NaN for a copy.
        scores: F, by which pairs are ordered; NaN for a copy.
        probabilities: of a contradiction; 0 for a copy.
    """

    cosines: Values
    sparsities: Values
    scores: Values
    probabilities: Values


@dataclass(frozen=True, slots=True)
class PairScore:
    """The scores of two texts. Every value survives ``json.dumps``.

    Args:
        score: F, by which pairs are ordered: cosine + alpha * sparsity; of a copy the cosine alone.
        probability: of a contradiction, in [0, 1]; 0 for a copy, None where one of the two cannot
            be judged because it is mostly in another script than the Latin one.
        cosine: of the topical vectors.
        sparsity: of the difference of the contradiction vectors; None for a copy.
        conflict: whether the probability reaches the threshold.
        identical: whether the two are copies of one another, or as good as that.
    """

    score: float
    probability: float | None
    cosine: float
    sparsity: float | None
    conflict: bool
    identical: bool

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary, ready for JSON."""
        return asdict(self)


def score_against(
    one: Mapping[str, Rows],
    others: Mapping[str, Rows],
    constants: ContradictionConstants,
) -> VectorScores:
    """Scores one passage against others (Xu et al. 2024, F).

    Args:
        one: vector name -> shape (dimension,), for the names in ``settings.VECTORS``.
        others: vector name -> shape (n, dimension).
        constants: of the contradiction vector.
    """
    cosines = cosine(one[TOPICAL], others[TOPICAL])
    return _vector_scores(cosines, one[CONTRADICTION], others[CONTRADICTION], constants)


def score_rows(
    left: Mapping[str, Rows],
    right: Mapping[str, Rows],
    constants: ContradictionConstants,
) -> VectorScores:
    """Scores pairs row by row, the left passage of each row against the right one.

    Args:
        left: vector name -> shape (n, dimension), for the names in ``settings.VECTORS``.
        right: likewise.
        constants: of the contradiction vector.
    """
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


def check_pairs(pairs: Any) -> None:
    """Refuses what is not a list of pairs of texts.

    Raises:
        InputError: the message names the pair.
        EmptyTextError: a text is empty or white space.
    """
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


def texts_of(pairs: Iterable[TextPair]) -> Iterator[str]:
    """Every text of the pairs, in order."""
    return (text for pair in pairs for text in pair)


def pair_scores(
    pairs: Sequence[TextPair], scores: VectorScores, threshold: float
) -> Iterator[PairScore]:
    """The scores of pairs of texts, rounded as all scores are."""
    readable = {text: not is_outside_latin(text) for text in set(texts_of(pairs))}
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
