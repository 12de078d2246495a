"""Recipes of every task over a model of two layers, and their data."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import numpy as np
from logic_export.data.contradictions.groups import ContradictionGroup, write_groups
from logic_export.data.triplets import Triplet, write_triplets
from small_sets import write_small_sets

WORDS = ["a", "quiet", "room", "hotel", "noise", "find", "not", "loud", "without", "no"]


def triplets(count: int, seed: int = 0) -> list[Triplet]:
    """So many pairs of mirrored triplets."""
    random = Random(seed)
    made = []
    for i in range(count):
        left, right = (" ".join(random.choices(WORDS, k=5)) + f" {side}" for side in ".,")
        made.append(Triplet(f"find {left}", left, right, f"s{i % 2}"))
        made.append(Triplet(f"find {right}", right, left, f"s{i % 2}"))
    return made


def groups(count: int, seed: int = 0) -> list[ContradictionGroup]:
    """A statement and its paraphrase against the same with "not", some with a side of one."""
    random = Random(seed)
    made = []
    for number in range(count):
        words = random.choices(WORDS, k=5) + [random.choice(".,:!")] * (number % 5)
        said = [" ".join(words), " ".join(reversed(words))]
        right = [f"{text} not loud" for text in said][: 1 + number % 2]
        made.append(ContradictionGroup(tuple(dict.fromkeys(said)), tuple(right), f"s{number % 2}"))
    return made


def compatibility_recipe(model: Path, folder: Path) -> Path:
    """Over 48 triplets; an epoch has 12 steps."""
    write_triplets(folder / "rows.jsonl", triplets(24))
    part = folder / "set" / "dev"
    part.mkdir(parents=True)
    held_out = triplets(6, seed=1)
    texts = sorted({t.satisfying for t in held_out})
    (part / "corpus.jsonl").write_text(
        "".join(json.dumps({"_id": str(i), "text": t}) + "\n" for i, t in enumerate(texts))
    )
    (part / "queries.jsonl").write_text(
        "".join(
            json.dumps(
                {
                    "_id": str(i),
                    "text": t.query,
                    "satisfying": [str(texts.index(t.satisfying))],
                    "violating": [str(texts.index(t.violating))],
                }
            )
            + "\n"
            for i, t in enumerate(held_out)
        )
    )
    return _written(
        folder,
        f"""
        name = "small"
        [model]
        base = "{model}"
        query_tokens = 16
        document_tokens = 16
        dropout = 0.1
        [[data]]
        builder = "file"
        licence = "CC0-1.0"
        ships = true
        options = {{ path = "{folder / "rows.jsonl"}" }}
        [training]
        epochs = 2
        batch_size = 4
        learning_rate = 1e-3
        [evaluation]
        sets = ["{folder / "set"}/dev"]
        every = 4
        """,
    )


def contradiction_recipe(model: Path, folder: Path) -> Path:
    """Over 24 groups; an epoch has 6 steps or so."""
    write_groups(folder / "rows.jsonl", groups(24))
    random = Random(1)
    for name, count in (("dev", 6), ("empty", 0)):
        (folder / f"{name}.jsonl").write_text(
            "".join(json.dumps(_question_row(n, random)) + "\n" for n in range(count))
        )
    return _written(
        folder,
        f"""
        name = "small"
        head = "contradiction"
        [model]
        base = "{model}"
        document_tokens = 16
        dropout = 0.1
        [[data]]
        builder = "file"
        licence = "CC0-1.0"
        ships = true
        options = {{ path = "{folder / "rows.jsonl"}" }}
        [loss]
        name = "sparse_contrastive"
        temperature = 0.1
        [training]
        epochs = 2
        batch_size = 4
        learning_rate = 1e-3
        [evaluation]
        sets = ["{folder / "dev.jsonl"}"]
        every = 4
        """,
    )


def set_recipe(model: Path, folder: Path) -> Path:
    """Over the rooms, which go to ``rooms``; an epoch has 5 steps or so."""
    rooms = write_small_sets(folder / "rooms")
    return _written(
        folder,
        f"""
        name = "small"
        [model]
        base = "{model}"
        query_tokens = 12
        document_tokens = 16
        [[data]]
        builder = "set_queries"
        licence = "CC0-1.0"
        ships = true
        options = {{ folder = "{rooms}", variants = true }}
        [loss]
        name = "logically_informed"
        random_share = 0.4
        [training]
        epochs = 2
        batch_size = 16
        learning_rate = 2e-3
        schedule = "constant"
        [evaluation]
        sets = ["{rooms}/dev"]
        every = 4
        """,
    )


def changed(path: Path, *changes: tuple[str, str]) -> Path:
    """A recipe's file with other settings."""
    text = path.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)
    return path


def weights(folder: Path) -> dict[str, np.ndarray]:
    """The weights of a model's folder."""
    from safetensors.numpy import load_file

    (file,) = folder.rglob("*.safetensors")
    return load_file(file)


def _question_row(number: int, random: Random) -> dict[str, str]:
    yes, no = (" ".join(random.choices(WORDS, k=6)) for _ in range(2))
    return {
        "question": f"q {number}",
        "memory_answer": f"yes {number}",
        "parametric_memory": f"{yes} : {number}",
        "parametric_memory_aligned_evidence": f"{yes} ! {number}",
        "counter_answer": f"no {number}",
        "counter_memory": f"{no} : {number} not",
        "counter_memory_aligned_evidence": f"{no} ! {number} not",
    }


def _written(folder: Path, recipe: str) -> Path:
    path = folder / "recipe.toml"
    path.write_text(recipe)
    return path
