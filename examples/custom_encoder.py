"""An encoder of your own beside the shipped compatibility vector.

python examples/custom_encoder.py

Any function from texts to vectors will do: an API, a GPU server, a model of your own. Here it is
hashed character trigrams, so that the example runs anywhere.
"""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

from logic_retrievers import (
    CombinedEncoder,
    Engine,
    FunctionEncoder,
    OnnxEncoder,
    PassageIndex,
    UnionPolicy,
    read_documents,
)

DIMENSION = 512


def embed(texts: list[str]) -> npt.NDArray[np.float32]:
    """Counts of hashed trigrams, shape (texts, DIMENSION)."""
    rows = np.zeros((len(texts), DIMENSION), dtype=np.float32)
    for row, text in zip(rows, texts, strict=True):
        padded = f"  {text.lower()} "
        for start in range(len(padded) - 2):
            row[zlib.crc32(padded[start : start + 3].encode()) % DIMENSION] += 1
    return rows


def main() -> None:
    """Combine, store, search."""
    topical = FunctionEncoder(embed, identity="trigrams, 512")  # say which model, for the index
    encoder = CombinedEncoder([topical, (OnnxEncoder(), {"compatibility": "compatibility"})])
    index = PassageIndex.open(
        encoder=encoder
    )  # CachedEncoder(encoder, "vectors.sqlite") keeps them
    index.add(read_documents(Path(__file__).parent / "corpus"))
    for policy in ("topical", UnionPolicy(alpha=0.3)):
        engine = Engine(index, policy)
        print(engine.policy.name)
        for hit in engine.search("a quiet hotel near the harbour, not above a nightclub", k=4):
            print(f"  {hit.passage.id}: {hit.evidence.reason}")


if __name__ == "__main__":
    main()
