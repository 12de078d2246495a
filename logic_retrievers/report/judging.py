"""Who judges pairs of texts: our probability, its mended forms, the cosine, a cross-encoder."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from logic_retrievers.contradiction import ContradictionScorer
from logic_retrievers.evaluation.calibration import crossed_platt
from logic_retrievers.report.cross_encoder import find_cross_encoder
from logic_retrievers.report.labelled_pairs import LabelledPairs
from logic_retrievers.report.workbench import Workbench

Values = npt.NDArray[np.float64]

PROBABILITY = "probability (ours)"
COSINE = "cosine"
ADAPTED = "probability, null of the set's own texts"
HALVED = "probability, calibrated on the other half"
CROSS = "cross-encoder"


@dataclass(frozen=True, slots=True, eq=False)
class Judge:
    """Scores of the pairs of one set by one judge.

    Args:
        scores: shape (pairs,).
        threshold: from which a pair is flagged; None where the judge has none, and where the score
            is no probability.
    """

    scores: Values
    threshold: float | None = None


def judges_of(bench: Workbench, one: LabelledPairs) -> dict[str, Judge]:
    """Each judge's scores of a set; the cross-encoder's where there is one."""
    bench.say(f"{one.name}: {len(one.pairs)} pairs")
    scorer = ContradictionScorer(bench.encoder)
    scored = scorer.score(one.pairs)
    threshold = scorer.settings.threshold
    texts = list(dict.fromkeys(text for pair in one.pairs for text in pair))
    adapted = scorer.with_null(texts, seed=bench.seed).score(one.pairs)
    ours = np.array([each.probability or 0.0 for each in scored])
    found = {
        COSINE: Judge(np.array([each.cosine for each in scored])),
        PROBABILITY: Judge(ours, threshold),
        ADAPTED: Judge(np.array([each.probability or 0.0 for each in adapted]), threshold),
        HALVED: Judge(crossed_platt(one.contradicts, ours, one.groups), threshold),
    }
    peer = find_cross_encoder(bench)
    if peer is not None:
        found[CROSS] = Judge(peer.probabilities(one.pairs), 0.5)
    return found
