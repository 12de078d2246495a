"""The constants of a contradiction head: alpha, the null distribution, a probability, a threshold.

``logic-retrievers calibrate BUNDLE`` finds them and writes them into the bundle's manifest. No
stored vector changes by them, and no fingerprint.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from logic_retrievers.contradiction import ContradictionSettings
from logic_retrievers.contradiction.null import unrelated_pairs, with_null
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.encoders.bundle import load_bundle, write_manifest
from logic_retrievers.encoders.manifest import Calibration
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation.contradictions import candidates_of, find_alpha, pool_of
from logic_retrievers.evaluation.sides import Sides, pairs_within
from logic_retrievers.scoring import sparsity

NAME = "contradiction"
FALSE_ALARMS = 0.05
"""Share of pairs that do not contradict, each source apart, that may lie over the threshold."""

_EMPTY = ContradictionSettings(
    alpha=0,
    null_mean=0,
    null_deviation=1,
    intercept=0,
    cosine_weight=0,
    sparsity_weight=0,
    threshold=0.5,
)
"""Nothing is known yet."""

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Labelled pairs of one source.

    Args:
        cosines: of each pair's topical vectors.
        sparsities: Hoyer, of the difference of its contradiction vectors.
        contradicts: whether it is a contradiction.
    """

    cosines: Values
    sparsities: Values
    contradicts: npt.NDArray[np.bool_]


def pairs_of(encoder: Encoder, rows: Sequence[tuple[str, str, bool]]) -> Pairs:
    """Cosine and Hoyer sparsity of (text, text, contradicts); copies are left out."""
    texts = list(dict.fromkeys(text for one, other, _ in rows for text in (one, other)))
    place = {text: row for row, text in enumerate(texts)}
    vectors = encoder.encode_documents(texts, ["topical", NAME])
    left, right = [place[one] for one, _, _ in rows], [place[other] for _, other, _ in rows]
    cosines = np.einsum("ij,ij->i", vectors["topical"][left], vectors["topical"][right])
    own = vectors[NAME]
    sparse = np.array(
        [sparsity(own[a], own[b : b + 1])[0] for a, b in zip(left, right, strict=True)]
    )
    said = np.array([row[2] for row in rows], dtype=bool)
    known = ~np.isnan(sparse)
    return Pairs(cosines[known].astype(np.float64), sparse[known].astype(np.float64), said[known])


def calibrate(
    encoder: Encoder,
    questions: Sequence[Sides],
    sources: Sequence[Sequence[Sides]],
    background: Sequence[str],
    *,
    others: Sequence[Sides] = (),
    pairs: int = 5000,
    seed: int = 0,
) -> ContradictionSettings:
    """Finds the constants on development data.

    alpha by the paper's search on the retrieval of ``questions``. The null from random pairs of
    ``background``. The probability by logistic regression on cosine and deviation (Platt), every
    source of pairs with the same weight. The threshold is the lowest from 0.5 up, in thousandths,
    at which no source has more than 5 % of its other pairs flagged.

    Args:
        encoder: makes ``topical`` and ``contradiction`` vectors.
        questions: development groups.
        sources: development groups of several kinds, whose pairs are told apart.
        background: texts of a corpus that have little to do with each other.
        others: groups whose texts are in the pool of ``questions`` too: alpha falls with what else
            there is to be found.
        pairs: how many random pairs make the null.
        seed: of the random pairs.

    Raises:
        ConfigurationError: a source whose pairs all have one label, no source, no questions, or
            no threshold that keeps its promise.
        InputError: too few background texts.
    """
    measured = [pairs_of(encoder, pairs_within(groups, seed)) for groups in sources]
    if not measured or any(len(set(one.contradicts.tolist())) < 2 for one in measured):
        raise ConfigurationError("each source needs pairs that contradict and pairs that do not")
    pool = pool_of(questions, others)
    vectors = encoder.encode_documents(list(pool.texts), ["topical", NAME])
    alpha = find_alpha(candidates_of(pool, vectors["topical"], vectors[NAME]))
    strangers = [(*pair, False) for pair in unrelated_pairs(background, pairs, seed)]
    null = with_null(_EMPTY, pairs_of(encoder, strangers).sparsities)
    features = np.concatenate(
        [np.column_stack([one.cosines, _deviations(one, null)]) for one in measured]
    )
    labels = np.concatenate([one.contradicts for one in measured])
    weights = np.concatenate(
        [np.full(len(one.contradicts), 1 / len(one.contradicts)) for one in measured]
    )
    model = LogisticRegression(C=1e6, max_iter=1000).fit(
        features, labels, sample_weight=weights * len(labels)
    )
    settings = replace(
        null,
        alpha=round(alpha, 3),
        intercept=round(float(model.intercept_[0]), 4),
        cosine_weight=round(float(model.coef_[0, 0]), 4),
        sparsity_weight=round(float(model.coef_[0, 1]), 4),
    )
    return settings.with_threshold(_threshold(settings, measured))


def _threshold(settings: ContradictionSettings, measured: Sequence[Pairs]) -> float:
    alarms = [
        settings.probability(one.cosines, one.sparsities)[~one.contradicts] for one in measured
    ]
    for step in range(500, 1000):
        if all((some >= step / 1000).mean() <= FALSE_ALARMS for some in alarms):
            return step / 1000
    raise ConfigurationError(
        f"at every threshold more than {FALSE_ALARMS:.0%} of some source's other pairs look like "
        "contradictions: this head does not tell them apart"
    )


def _deviations(pairs: Pairs, null: ContradictionSettings) -> Values:
    return (pairs.sparsities - null.null_mean) / null.null_deviation


def write_constants(bundle: Path, settings: ContradictionSettings, origin: str) -> None:
    """Writes the constants into a bundle's manifest; everything else stays as it is.

    Raises:
        BundleError: no such bundle, or a damaged one.
        ConfigurationError: it has no contradiction head.
    """
    manifest = load_bundle(bundle).manifest
    if NAME not in manifest.heads:
        raise ConfigurationError(f"{bundle} has no {NAME!r} head: {', '.join(manifest.heads)}")
    head = manifest.heads[NAME].model_copy(
        update={"contradiction": Calibration(constants=asdict(settings), origin=origin)}
    )
    write_manifest(bundle, manifest.model_copy(update={"heads": {**manifest.heads, NAME: head}}))
