"""Pairs of texts, checked, and what there is to say about each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from logic_retrievers.contradiction.judging import Judgements
from logic_retrievers.contradiction.script import outside_script
from logic_retrievers.errors import EmptyTextError, InputError
from logic_retrievers.index.pools import DECIMALS

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class PairScore:
    """What there is to say about two texts. Every value survives ``json.dumps``.

    Args:
        score: F, what pairs are ordered by: cosine + alpha * sparsity; of a copy the cosine alone.
        probability: of a contradiction, in [0, 1]; 0 for a copy, None where one of the two cannot
            be judged, being mostly in another script than the Latin one.
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


def check_pairs(pairs: Any) -> None:
    """Refuses what is no list of pairs of texts.

    Raises:
        InputError: the message names the pair.
        EmptyTextError: a text with nothing but white space.
    """
    if isinstance(pairs, str) or not isinstance(pairs, Sequence):
        raise InputError(f"pairs is a list of (text, text), not {type(pairs).__name__}")
    for number, pair in enumerate(pairs):
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise InputError(f"pair {number} is no (text, text): {type(pair).__name__}")
        for text in pair:
            if not isinstance(text, str):
                raise InputError(f"pair {number} holds {type(text).__name__}, not two strings")
            if not text.strip():
                raise EmptyTextError(f"a text of pair {number} is empty; leave the pair out")


def texts_of(pairs: Iterable[Pair]) -> Iterator[str]:
    """Every text of the pairs, in order."""
    return (text for pair in pairs for text in pair)


def pair_scores(
    pairs: Sequence[Pair], judgements: Judgements, threshold: float
) -> Iterator[PairScore]:
    """The scores of judged pairs, rounded as all scores are."""
    readable = {text: not outside_script(text) for text in set(texts_of(pairs))}
    columns = (
        np.round(column, DECIMALS).tolist()
        for column in (
            judgements.cosines,
            judgements.sparsities,
            judgements.scores,
            judgements.probabilities,
        )
    )
    for (one, other), cosine, sparsity, score, likely in zip(pairs, *columns, strict=True):
        identical = sparsity != sparsity
        judged = identical or (readable[one] and readable[other])
        yield PairScore(
            score=cosine if identical else score,
            probability=likely if judged else None,
            cosine=cosine,
            sparsity=None if identical else sparsity,
            conflict=judged and likely >= threshold,
            identical=identical,
        )
