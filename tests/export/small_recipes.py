"""Recipes of every task over a model of two layers, and data that the model can learn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations, permutations, product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from jsonl_files import write_rows
from logic_export.data.contradictions.groups import ContradictionGroup, write_groups
from logic_export.data.tiers.examples import TieredExample, write_tiers
from logic_export.data.triplets import Triplet, write_triplets
from logic_export.training.encoding import TextRole, TextRoles

from logic_retrievers.queries.expressions import Atom, Expression

WORDS = ["a", "quiet", "room", "hotel", "noise", "find", "not", "loud", "without", "no"]


def json_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> Path:
    write_rows(path, rows)
    return path


def changed(path: Path, *changes: tuple[str, str]) -> Path:
    """Change settings in a recipe's file."""
    text = path.read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    path.write_text(text)
    return path


def roles(
    query: int, document: int, query_prefix: str = "", document_prefix: str = ""
) -> TextRoles:
    """Make the lengths and prefixes of queries and documents."""
    return TextRoles(TextRole(query, query_prefix), TextRole(document, document_prefix))


def weights(folder: Path) -> dict[str, np.ndarray]:
    """Read the weights in a model's folder."""
    from safetensors.numpy import load_file

    (file,) = folder.rglob("*.safetensors")
    return load_file(file)


def _recipe(
    model: Path, folder: Path, builder: str, options: str, sets: Path | str, **settings: str
) -> Path:
    """Write a recipe's file from the common settings and its own."""
    path = folder / "recipe.toml"
    path.write_text(
        f"""
        name = "small"
        head = "{settings.get("head", "compatibility")}"
        [model]
        base = "{model}"
        {settings["read"]}
        [[data]]
        builder = "{builder}"
        licence = "CC0-1.0"
        ships = true
        options = {{ {options} }}
        {settings.get("loss", "")}
        [training]
        epochs = 2
        {settings["training"]}
        [evaluation]
        sets = ["{sets}"]
        every = {settings.get("every", "4")}
        """
    )
    return path


# settings of the trainer
SLOW = "batch_size = 4\nlearning_rate = 1e-3"
FAST = 'learning_rate = 2e-3\nschedule = "constant"\nbatch_size'


# --- triplets


def triplets(count: int, seed: int = 0) -> list[Triplet]:
    """Make ``count`` pairs of mirrored triplets."""
    random = Random(seed)
    made = []
    for i in range(count):
        left, right = (" ".join(random.choices(WORDS, k=5)) + f" {side}" for side in ".,")
        made.append(Triplet(f"find {left}", left, right, f"s{i % 2}"))
        made.append(Triplet(f"find {right}", right, left, f"s{i % 2}"))
    return made


def compatibility_recipe(model: Path, folder: Path) -> Path:
    """Write a recipe over 48 triplets; an epoch has 12 steps."""
    write_triplets(folder / "rows.jsonl", triplets(24))
    held_out = triplets(6, seed=1)
    texts = sorted({t.satisfying for t in held_out})
    part = folder / "set" / "dev"
    json_lines(part / "corpus.jsonl", ({"_id": str(i), "text": t} for i, t in enumerate(texts)))
    json_lines(
        part / "queries.jsonl",
        (
            {
                "_id": str(i),
                "text": t.query,
                "satisfying": [str(texts.index(t.satisfying))],
                "violating": [str(texts.index(t.violating))],
            }
            for i, t in enumerate(held_out)
        ),
    )
    return _recipe(
        model,
        folder,
        "file",
        f'path = "{folder / "rows.jsonl"}"',
        folder / "set" / "dev",
        read="query_tokens = 16\ndocument_tokens = 16\ndropout = 0.1",
        training=SLOW,
    )


# --- contradiction groups


def groups(count: int, seed: int = 0) -> list[ContradictionGroup]:
    """Group a statement and its paraphrase against copies with "not"; some sides have one text."""
    random = Random(seed)
    made = []
    for number in range(count):
        words = random.choices(WORDS, k=5) + [random.choice(".,:!")] * (number % 5)
        said = [" ".join(words), " ".join(reversed(words))]
        right = [f"{text} not loud" for text in said][: 1 + number % 2]
        made.append(ContradictionGroup(tuple(dict.fromkeys(said)), tuple(right), f"s{number % 2}"))
    return made


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


def contradiction_recipe(model: Path, folder: Path) -> Path:
    """Write a recipe over 24 groups; an epoch has about 6 steps."""
    write_groups(folder / "rows.jsonl", groups(24))
    random = Random(1)
    for name, count in (("dev", 6), ("empty", 0)):
        json_lines(folder / f"{name}.jsonl", (_question_row(n, random) for n in range(count)))
    return _recipe(
        model,
        folder,
        "file",
        f'path = "{folder / "rows.jsonl"}"',
        folder / "dev.jsonl",
        head="contradiction",
        read="document_tokens = 16\ndropout = 0.1",
        loss='[loss]\nname = "sparse_contrastive"\ntemperature = 0.1',
        training=SLOW,
    )


# --- set queries: the words of a room's text are the atoms that hold for it

ATOMS = ("quiet", "loud", "noise", "room", "hotel")
ROOMS = {
    f"{'-'.join(held)}{number}": f"{' '.join(held)} {mark}"
    for size in range(1, len(ATOMS) + 1)
    for held in combinations(ATOMS, size)
    for number, mark in enumerate(map(" ".join, product(".,:", repeat=2)))
}


def _answers(expression: Expression) -> list[str]:
    """Find the rooms that satisfy an expression over one or two atoms."""

    def holds(part: Expression, words: list[str]) -> bool:
        if isinstance(part, Atom):
            return part.text in words
        held = [holds(one, words) for one in part.args]
        return {"and": all(held), "or": any(held), "not": not held[0]}[part.op]

    return [name for name, text in ROOMS.items() if holds(expression, text.split())]


def write_rooms(folder: Path) -> Path:
    """Write ``train`` and ``dev`` with their variants in the format of ``set-queries``."""
    rows: dict[str, list[dict[str, object]]] = {}
    for number, (one, other) in enumerate(permutations(ATOMS, 2)):
        part = "dev" if number % 4 == 0 else "train"
        left, right = Atom(one), Atom(other)
        for place, (template, text, expression) in enumerate(
            (
                ("a_and_b", f"find {one} {other}", left & right),
                ("a_or_b", f"q {one} {other}", left | right),
                ("a_not_b", f"find {one} not {other}", left & ~right),
                ("a", f"a {one}", left),
                ("a", f"a {other}", right),
            )
        ):
            row = {
                "_id": f"{part}-{number}-{place}",
                "text": text,
                "satisfying": _answers(expression),
                "violating": _answers(left & right) if template == "a_not_b" else [],
                "neutral": [],
                "expression": expression.to_dict(),
                "template": template,
                "group": f"{part}-{number}",
            }
            rows.setdefault(f"{part}_variants" if template == "a" else part, []).append(row)
    json_lines(folder / "corpus.jsonl", ({"_id": n, "text": t} for n, t in ROOMS.items()))
    for part, queries in rows.items():
        json_lines(folder / part / "queries.jsonl", queries)
    return folder


def set_recipe(model: Path, folder: Path) -> Path:
    """Write the rooms to ``rooms`` and a recipe over them; an epoch has about 5 steps."""
    rooms = write_rooms(folder / "rooms")
    return _recipe(
        model,
        folder,
        "set_queries",
        f'folder = "{rooms}", variants = true',
        rooms / "dev",
        read="query_tokens = 12\ndocument_tokens = 16",
        loss='[loss]\nname = "logically_informed"\nrandom_share = 0.4',
        training=f"{FAST} = 16",
    )


# --- tiers: a question also names things that it does not ask for

WORDINGS = {
    "train": ("without {other} find {one}", "find {one} not {other}", "q {one} , no {other} !"),
    "dev": ("find {one} not {other} .",),
}
# a change to the recipe: train the documents too
FREE = ("document_tokens = 10", "document_tokens = 10\nfrozen_documents = false")


def _tiers(part: str) -> list[TieredExample]:
    """Make questions "find A not B": A's passages are right, B's distract, all others are wrong."""

    def passages(word: str, count: int) -> tuple[str, ...]:
        marks = list(product(".,:!", repeat=2))[:count]
        return tuple(f"{word} {mark} {end}" for mark, end in marks)

    return [
        TieredExample(
            wording.format(one=one, other=other),
            passages(one, 3),
            passages(other, 3),
            tuple(p for word in ATOMS if word not in (one, other) for p in passages(word, 2)),
            "rooms",
            "contrastive",
            f"find {one}",
        )
        for one, other in permutations(ATOMS, 2)
        for wording in WORDINGS[part]
    ]


def tier_recipe(model: Path, folder: Path) -> Path:
    """Write a recipe over ``tiers``, with different wordings in development; 5 steps an epoch."""
    for part in WORDINGS:
        write_tiers(folder / "tiers" / f"{part}.jsonl.gz", _tiers(part))
    return _recipe(
        model,
        folder,
        "tiers",
        f'path = "{folder / "tiers" / "train.jsonl.gz"}"',
        folder / "tiers" / "dev.jsonl.gz",
        head="topical",
        read="query_tokens = 12\ndocument_tokens = 10",
        loss='[loss]\nname = "tiered"',
        training=f"{FAST} = 12",
        every="3",
    )
