"""Questions in tiers that a small model can learn: a text says what it does not ask for."""

from __future__ import annotations

from itertools import permutations, product
from pathlib import Path

from logic_export.data.tiers.examples import TieredExample, write_tiers

WORDINGS = {
    "train": ("without {other} find {one}", "find {one} not {other}", "q {one} , no {other} !"),
    "dev": ("find {one} not {other} .",),
}
WORDS = ("quiet", "loud", "noise", "room", "hotel")


def texts(word: str, count: int) -> tuple[str, ...]:
    """Passages of a word, which punctuation tells apart."""
    return tuple(f"{word} {mark} {end}" for mark, end in list(product(".,:!", repeat=2))[:count])


def small_tiers(part: str) -> list[TieredExample]:
    """Of "find A not B", A's passages are right, B's distract, the others' are wrong."""
    return [
        TieredExample(
            wording.format(one=one, other=other),
            texts(one, 3),
            texts(other, 3),
            tuple(text for word in WORDS if word not in (one, other) for text in texts(word, 2)),
            "rooms",
            "contrastive",
            f"find {one}",
        )
        for one, other in permutations(WORDS, 2)
        for wording in WORDINGS[part]
    ]


def write_small_tiers(folder: Path) -> Path:
    """Files ``train`` and ``dev``, whose wordings are others."""
    for part in WORDINGS:
        write_tiers(folder / f"{part}.jsonl.gz", small_tiers(part))
    return folder


FREE = ("document_tokens = 10", "document_tokens = 10\nfrozen_documents = false")
"""The change to :func:`write_small_recipe` that trains the documents too."""


def write_small_recipe(path: Path, model: Path, folder: Path) -> Path:
    """A recipe over a model of two layers; an epoch has 5 steps."""
    path.write_text(
        f"""
        name = "small"
        head = "topical"
        [model]
        base = "{model}"
        query_tokens = 12
        document_tokens = 10
        [[data]]
        builder = "tiers"
        licence = "CC0-1.0"
        ships = true
        options = {{ path = "{folder}/train.jsonl.gz" }}
        [loss]
        name = "tiered"
        [training]
        epochs = 2
        batch_size = 12
        learning_rate = 2e-3
        schedule = "constant"
        [evaluation]
        sets = ["{folder}/dev.jsonl.gz"]
        every = 3
        """
    )
    return path
