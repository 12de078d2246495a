"""Pairs from a known distribution, and a bundle to calibrate."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from logic_export.bundles.manifests import write_manifest
from logic_export.data.contradictions.groups import ContradictionGroup
from tiny_bundles import head, write_tiny_bundle

from logic_retrievers.encoders import load_bundle
from logic_retrievers.scoring import normalise

DIMENSION = 64
BACKGROUND = [f"{g} 0 0" for g in range(5000, 5100)]


class Drawn:
    """Vectors from a known distribution: the text ``GROUP SIDE NUMBER`` varies its group's vector.

    Texts of one side differ in many coordinates, texts of two sides in few. Both numbers are random
    and overlap, so that no score separates all pairs.
    """

    def __init__(self, overlap: float = 1.0) -> None:
        self._overlap = overlap
        self._rows: dict[str, np.ndarray] = {}

    def encode_documents(self, texts: Sequence[str], names: Sequence[str]) -> dict[str, np.ndarray]:
        assert len(set(texts)) == len(texts)
        assert set(names) == {"topical", "contradiction"}
        self._rows |= {text: self._row(text) for text in texts if text not in self._rows}
        rows = np.array([self._rows[text] for text in texts]).reshape(-1, DIMENSION)
        topical = rows + 0.05 * np.random.default_rng(len(texts)).normal(size=rows.shape)
        return {
            "topical": normalise(topical).astype(np.float32),
            "contradiction": normalise(rows).astype(np.float32),
        }

    def _row(self, text: str) -> np.ndarray:
        group, side, number = (int(part) for part in text.split())
        base = np.random.default_rng([1, group]).normal(size=DIMENSION)
        own = np.random.default_rng([2, group, side, number])
        base += 0.02 * own.normal(size=DIMENSION)
        touched = own.permutation(DIMENSION)[: own.integers(1, 2 + int(30 * self._overlap))]
        base[touched] += own.normal(size=len(touched)) * 0.3
        if side:
            base[np.random.default_rng([3, group]).integers(DIMENSION)] += 4
        return base


def drawn_groups(start: int, count: int, left: int = 2, right: int = 2) -> list[ContradictionGroup]:
    return [
        ContradictionGroup(
            tuple(f"{g} 0 {n}" for n in range(left)), tuple(f"{g} 1 {n}" for n in range(right)), "x"
        )
        for g in range(start, start + count)
    ]


def own_bundle(folder: Path) -> Path:
    """Write a bundle of which only the manifest is read."""
    heads = {
        "topical": head(exclusion={"constants": {"penalty": 0.1}, "origin": "here"}),
        "contradiction": head(training=[{"name": "s", "licence": "MIT", "rows": 3}]),
    }
    write_tiny_bundle(folder, heads=heads, origin="a naïve model")
    write_manifest(folder, load_bundle(folder).manifest)
    return folder
