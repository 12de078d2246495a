"""Vectors placed by hand: a text names its topic, its claim and its wording.

``inn | quiet | a`` and ``inn | loud | a`` are about one thing and make different claims:
their contradiction vectors differ in two coordinates. ``inn | quiet | b`` repeats the first claim:
its vector differs a little everywhere. A text on a different topic differs much and everywhere.
Metadata before an empty line keeps the topic, but moves the contradiction vector to where it
tells nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b

import numpy as np

from logic_retrievers import Passage
from logic_retrievers.conflicts import ContradictionSettings
from logic_retrievers.conflicts.settings import ContradictionConstants
from logic_retrievers.encoders.base import VectorSpec

DIMENSION = 64
SETTINGS = ContradictionSettings(
    alpha=2.0,
    null_mean=0.23,
    null_deviation=0.03,
    intercept=-9.0,
    cosine_weight=4.0,
    sparsity_weight=0.6,
    threshold=0.5,
)
CONSTANTS = SETTINGS.overrides()
MERGED = ContradictionConstants(**CONSTANTS)


def vectors(text: str) -> dict[str, np.ndarray]:
    """Both vectors of a text, of length 1."""
    above, _, said = text.strip().rpartition("\n\n")
    topic, claim, wording = [*said.split(" | "), "", ""][:3]
    base = _random("topic", topic)
    base /= np.linalg.norm(base)
    spot = np.zeros(DIMENSION)
    if claim:
        spot[_number("claim", topic + claim) % DIMENSION] = 0.7
    noise = _random("wording", said if wording else topic) * (0.01 if wording else 0)
    moved = _random("above", above) if above else 0
    rows = {"topical": base + noise, "contradiction": base + spot + noise + moved}
    return {name: (row / np.linalg.norm(row)).astype(np.float32) for name, row in rows.items()}


def by_the_formulae(one: str, other: str) -> tuple[float, float, float]:
    """Cosine, F and probability of two texts that differ, in float64."""
    here, there = (
        {name: row.astype(np.float64) for name, row in vectors(text).items()}
        for text in (one, other)
    )
    cosine = float(here["topical"] @ there["topical"])
    delta = np.abs(here["contradiction"] - there["contradiction"])
    root = np.sqrt(len(delta))
    hoyer = float((root - delta.sum() / np.sqrt((delta**2).sum())) / (root - 1))
    logit = MERGED.intercept + MERGED.cosine_weight * cosine
    logit += MERGED.sparsity_weight * (hoyer - MERGED.null_mean) / MERGED.null_deviation
    return cosine, cosine + MERGED.alpha * hoyer, float(1 / (1 + np.exp(-logit)))


class PlacedEncoder:
    """Makes these vectors and records the texts that it encoded."""

    def __init__(self, names: Sequence[str] = ("topical", "contradiction")) -> None:
        self.specs = {
            name: VectorSpec(
                name,
                DIMENSION,
                512,
                f"placed-{name}",
                contradiction=CONSTANTS if name == "contradiction" else None,
            )
            for name in names
        }
        self.encoded: list[str] = []

    def encode_documents(self, texts, names=None):
        self.encoded.extend(texts)
        return {
            name: np.array([vectors(text)[name] for text in texts]).reshape(-1, DIMENSION)
            for name in names or self.specs
        }

    encode_queries = encode_documents

    def token_spans(self, text):
        return [(at, at + 1) for at in range(len(text))]


def passages(*texts: str, **metadata: Sequence) -> list[Passage]:
    """Passages whose ids are their texts; ``date=[...]`` gives one value each, None gives none."""
    return [
        Passage(
            text,
            text,
            {key: values[at] for key, values in metadata.items() if values[at] is not None},
        )
        for at, text in enumerate(texts)
    ]


def _number(*parts: str) -> int:
    return int.from_bytes(blake2b("/".join(parts).encode(), digest_size=7).digest(), "little")


def _random(*parts: str) -> np.ndarray:
    return np.random.default_rng(_number(*parts)).standard_normal(DIMENSION)
