"""An encoder with known contradictions: each word has its own coordinate.

Two texts that differ in one word differ in two coordinates of the contradiction vector, the
sparsest possible contradiction; texts about different things differ in many.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from suites import HashedEncoder, WatchedEncoder

from logic_retrievers.conflicts import ContradictionSettings
from logic_retrievers.conflicts.settings import ContradictionConstants
from logic_retrievers.encoders.base import VectorSpec

NAMES = ("topical", "compatibility", "contradiction")
CONSTANTS = {
    "alpha": 2.0,
    "null_mean": 0.85,
    "null_deviation": 0.05,
    "intercept": -6.0,
    "cosine_weight": 4.0,
    "sparsity_weight": 1.5,
    "threshold": 0.5,
}
SETTINGS = ContradictionSettings(**CONSTANTS)
MERGED = ContradictionConstants(**CONSTANTS)

QUIET = "the inn at the harbour is quiet at night"
LOUD = "the inn at the harbour is loud at night"
COPPER = "prices of copper rose again during this week"


def placed(
    names: tuple[str, ...] = NAMES, constants: Mapping[str, float] | None = CONSTANTS
) -> WatchedEncoder:
    """An encoder of 256 dimensions; its contradiction vector brings the constants."""
    encoder = HashedEncoder(names, dimension=256, query_prefix="query ")
    specs: dict[str, VectorSpec] = dict(encoder.specs)
    if "contradiction" in specs:
        specs["contradiction"] = replace(specs["contradiction"], contradiction=constants)
    encoder.specs = specs
    return WatchedEncoder(encoder)


def expected(one: str, other: str, settings: ContradictionConstants = MERGED) -> dict[str, float]:
    """Cosine, Hoyer, F and probability of a pair, by the formulae, in float64."""
    rows = {
        name: values.astype(np.float64)
        for name, values in placed().encode_documents([one, other]).items()
    }
    cosine = float(rows["topical"][0] @ rows["topical"][1])
    delta = np.abs(rows["contradiction"][0] - rows["contradiction"][1])
    root = np.sqrt(len(delta))
    hoyer = float((root - delta.sum() / np.sqrt((delta**2).sum())) / (root - 1))
    deviations = (hoyer - settings.null_mean) / settings.null_deviation
    logit = settings.intercept + settings.cosine_weight * cosine
    logit += settings.sparsity_weight * deviations
    return {
        "cosine": cosine,
        "sparsity": hoyer,
        "score": cosine + settings.alpha * hoyer,
        "probability": float(1 / (1 + np.exp(-logit))),
    }
