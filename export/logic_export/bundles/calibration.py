"""Finds the constants of a contradiction head and writes them into a bundle's manifest.

The constants are alpha, the null distribution (sparsities of unrelated pairs), the weights of the
probability, and its threshold. Stored vectors and fingerprints do not change.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sklearn.linear_model import LogisticRegression

from logic_export.bundles.manifests import write_manifest
from logic_export.contradiction_retrieval import build_pool, find_alpha, nearest_candidates
from logic_export.data.contradictions.groups import ContradictionGroup, labelled_pairs
from logic_retrievers.conflicts.settings import ContradictionConstants
from logic_retrievers.encoders.base import Encoder
from logic_retrievers.encoders.bundle import load_bundle
from logic_retrievers.encoders.manifest import Calibration
from logic_retrievers.errors import ConfigurationError, InputError
from logic_retrievers.scoring import sparsity

HEAD = "contradiction"
# largest share of each source's non-contradicting pairs that may exceed the threshold
MAX_FALSE_ALARMS = 0.05
MIN_NULL_PAIRS = 30

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class LabelledPairs:
    """Labelled pairs of one source."""

    cosines: Values  # cosines of topical vectors
    sparsities: Values  # Hoyer sparsities of the contradiction vectors' differences
    contradicts: npt.NDArray[np.bool_]


def measure_pairs(encoder: Encoder, rows: Sequence[tuple[str, str, bool]]) -> LabelledPairs:
    """Measure the pairs of (text, text, contradicts) rows, without pairs of identical texts."""
    texts = list(dict.fromkeys(text for row in rows for text in row[:2]))
    row_of = {text: row for row, text in enumerate(texts)}
    vectors = encoder.encode_documents(texts, ["topical", HEAD])
    left, right = [row_of[text] for text, _, _ in rows], [row_of[text] for _, text, _ in rows]
    cosines = np.einsum("ij,ij->i", vectors["topical"][left], vectors["topical"][right])
    differing = vectors[HEAD]
    sparsities = np.array(
        [sparsity(differing[a], differing[b : b + 1])[0] for a, b in zip(left, right, strict=True)]
    )
    labels = np.array([row[2] for row in rows], dtype=bool)
    defined = ~np.isnan(sparsities)
    return LabelledPairs(
        cosines[defined].astype(np.float64), sparsities[defined].astype(np.float64), labels[defined]
    )


def calibrate(
    encoder: Encoder,
    questions: Sequence[ContradictionGroup],
    sources: Sequence[Sequence[ContradictionGroup]],
    background: Sequence[str],
    *,
    others: Sequence[ContradictionGroup] = (),
    pairs: int = 5000,
    seed: int = 0,
) -> ContradictionConstants:
    """Find the constants on development data.

    alpha comes from SparseCL's search on the retrieval of ``questions``. The null distribution
    comes from random pairs of ``background``. The probability is a logistic regression (Platt) on
    the cosine and on the sparsity, in standard deviations of the null distribution. Every source of
    pairs has the same weight. The threshold is the lowest multiple of 0.001, at least 0.5, that at
    most 5 % of each source's non-contradicting pairs reach.

    Args:
        encoder: makes ``topical`` and ``contradiction`` vectors.
        questions: development groups.
        sources: development groups of several kinds, whose pairs the probability is fitted on.
        background: unrelated texts of a corpus.
        others: groups whose texts join the candidate pool of ``questions``; a larger pool lowers
            alpha.
        pairs: number of random pairs for the null distribution.
        seed: seeds the random pairs.

    Raises:
        ConfigurationError: the pairs of a source all have one label, there are no sources or no
            questions, or no threshold has few enough false alarms.
        InputError: too few background texts.
    """
    measured = [measure_pairs(encoder, labelled_pairs(groups, seed)) for groups in sources]
    if not measured or any(len(set(source.contradicts.tolist())) < 2 for source in measured):
        raise ConfigurationError("each source needs pairs that contradict and pairs that do not")
    pool = build_pool(questions, others)
    vectors = encoder.encode_documents(list(pool.texts), ["topical", HEAD])
    alpha = find_alpha(nearest_candidates(pool, vectors["topical"], vectors[HEAD]))
    unrelated = [(*pair, False) for pair in unrelated_pairs(background, pairs, seed)]
    null = null_distribution(measure_pairs(encoder, unrelated).sparsities)
    cosines, sparsities, labels = (
        np.concatenate([getattr(source, name) for source in measured])
        for name in ("cosines", "sparsities", "contradicts")
    )
    deviations = (sparsities - null["null_mean"]) / null["null_deviation"]
    weights = np.concatenate(
        [np.full(len(source.contradicts), 1 / len(source.contradicts)) for source in measured]
    )
    model = LogisticRegression(C=1e6, max_iter=1000).fit(
        np.column_stack([cosines, deviations]), labels, sample_weight=weights * len(labels)
    )
    settings = ContradictionConstants(
        alpha=round(alpha, 3),
        intercept=round(float(model.intercept_[0]), 4),
        cosine_weight=round(float(model.coef_[0, 0]), 4),
        sparsity_weight=round(float(model.coef_[0, 1]), 4),
        threshold=0.5,
        **null,
    )
    return replace(settings, threshold=_find_threshold(settings, measured))


def _find_threshold(settings: ContradictionConstants, measured: Sequence[LabelledPairs]) -> float:
    negatives = [
        settings.probability(source.cosines, source.sparsities)[~source.contradicts]
        for source in measured
    ]
    for step in range(500, 1000):
        if all(
            (probabilities >= step / 1000).mean() <= MAX_FALSE_ALARMS for probabilities in negatives
        ):
            return step / 1000
    raise ConfigurationError(
        f"at every threshold more than {MAX_FALSE_ALARMS:.0%} of some source's other pairs look "
        "like contradictions: this head does not separate them"
    )


def write_constants(bundle: Path, settings: ContradictionConstants, origin: str) -> None:
    """Write the constants into a bundle's manifest; everything else stays as it is.

    A bundle without a contradiction head is a :class:`ConfigurationError`.
    """
    manifest = load_bundle(bundle).manifest
    if HEAD not in manifest.heads:
        raise ConfigurationError(f"{bundle} has no {HEAD!r} head: {', '.join(manifest.heads)}")
    head = manifest.heads[HEAD].model_copy(
        update={"contradiction": Calibration(constants=asdict(settings), origin=origin)}
    )
    write_manifest(bundle, manifest.model_copy(update={"heads": {**manifest.heads, HEAD: head}}))


def unrelated_pairs(texts: Sequence[str], count: int, seed: int) -> list[tuple[str, str]]:
    """Draw ``count`` random pairs of different texts, or all pairs if there are fewer.

    In a corpus about many things, two texts drawn at random are unrelated.
    """
    distinct = list(dict.fromkeys(texts))
    possible = len(distinct) * (len(distinct) - 1) // 2
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
    """Return ``null_mean`` and ``null_deviation`` of the Hoyer sparsities of pairs.

    Fewer than 30 pairs, or pairs that are all alike, are an :class:`InputError`.
    """
    if len(sparsities) < MIN_NULL_PAIRS or not sparsities.std():
        raise InputError(
            f"{len(sparsities)} random pairs are not copies; at least {MIN_NULL_PAIRS} are needed,"
            " and not all alike. Pass more texts of different things."
        )
    return {"null_mean": float(sparsities.mean()), "null_deviation": float(sparsities.std(ddof=1))}
