"""Recipes of a pair judge and a constraint over a model of two layers, and their bundles."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import torch
from logic_export.judge.export import add_judge
from logic_export.judge.finished_run import JudgeSource
from logic_export.judge.rows import JudgeRow, labelled_row, write_judge_rows
from small_recipes import WORDS, json_lines
from transformers import AutoConfig, AutoModelForSequenceClassification

from logic_retrievers.judging import LABELS, RELATIONS
from logic_retrievers.judging.relation import NLI_CONSTANTS

CONFLICT_CONSTANTS = dict.fromkeys(NLI_CONSTANTS, 0.5)


@dataclass(frozen=True)
class SmallJudge:
    """Files that the tests of one session share; no test may change them.

    Args:
        base: the encoder that the judge is trained from.
        recipe: the judge's recipe; a run has 12 steps and a checkpoint every 4.
        run: the finished run.
        bundle: a bundle of two heads over the trunk of the same encoder.
    """

    base: Path
    recipe: Path
    run: Path
    bundle: Path


def rows(count: int, seed: int = 0) -> list[JudgeRow]:
    """Make pairs of random words, each label in turn."""
    random = Random(seed)
    made = []
    for number in range(count):
        premise, hypothesis = (" ".join(random.choices(WORDS, k=k)) for k in (7, 4))
        made.append(labelled_row(premise, hypothesis, LABELS[number % 3]))
    return made


def _recipe(
    path: Path, name: str, model: str, training: str, every: int, builder: str, *options: str
) -> Path:
    """Write a recipe's file with the options of its training and development sets."""
    train, dev = (
        f'builder = "{builder}"\nlicence = "CC0-1.0"\nships = true\noptions = {{ {one} }}'
        for one in options
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"""
        name = "{name}"
        [model]
        {model}
        [[data]]
        {train}
        [training]
        {training}
        [evaluation]
        every = {every}
        [[evaluation.sets]]
        {dev}
        """
    )
    return path


def judge_recipe(base: str | Path, folder: Path) -> Path:
    """Write a recipe over 24 rows; an epoch has 6 steps."""
    write_judge_rows(folder / "rows.jsonl", rows(24))
    write_judge_rows(folder / "dev.jsonl", rows(15, seed=1))
    options = [f'path = "{folder / name}.jsonl"' for name in ("rows", "dev")]
    model = f'base = "{base}"\ntokens = 24'
    training = "epochs = 2\nbatch_size = 4\nlearning_rate = 1e-3"
    return _recipe(folder / "judge.toml", "small-judge", model, training, 4, "pairs", *options)


def development_set(recipe: Path) -> str:
    """Return the name of the recipe's only development set."""
    return f"pairs {recipe.parent / 'dev.jsonl'}"


# --- further questions, as changes to a judge in four bits


def relation_rows(count: int) -> list[JudgeRow]:
    return [
        labelled_row(row.premise, row.hypothesis, RELATIONS[number % len(RELATIONS)], RELATIONS)
        for number, row in enumerate(rows(count, seed=3))
    ]


def add_pairs(
    bundle: Path, model: Path, out: Path, rank: int = 0, relation: bool = False, **constants: float
) -> Mapping[str, float]:
    """Add a judge; with a rank, add NLI, relation or a verdict as changes instead."""
    development = {"dev": relation_rows(12) if relation else rows(9)}
    source = JudgeSource(str(model), 24, (), "a run", rank)
    return add_judge(bundle, source, out, development, constants=constants, minimum={})


def relabelled(model: Path, labels: int, seed: int) -> torch.nn.Module:
    """Load a model with a new random classifier."""
    torch.manual_seed(seed)
    return AutoModelForSequenceClassification.from_pretrained(
        model,
        config=AutoConfig.from_pretrained(model, num_labels=labels),
        ignore_mismatched_sizes=True,
    )


def marked(query: str, kind: str, wanted: str = "", *excluded: str) -> dict[str, Any]:
    return {"q": query, "kind": kind, "excluded": list(excluded), "wanted": wanted or query}


EIGHT = [
    marked("hotel without noise", "exclusion", "hotel", "noise"),
    marked("quiet room not loud", "exclusion", "quiet room", "loud"),
    marked("find a room no noise", "exclusion", "find a room", "noise"),
    marked("a quiet hotel", "nothing"),
    marked("find a loud room", "nothing"),
    marked("a hotel noise", "nothing"),
    marked("a hotel not quiet", "negated_fact"),
    marked("find room not a hotel", "negated_fact"),
]


def constraint_recipe(base: Path, folder: Path) -> Path:
    """Write a recipe over :data:`EIGHT`, which a run of 80 steps memorises."""
    queries = json_lines(folder / "rows.jsonl", Random(0).sample(EIGHT, 8))
    options = f'part = "all", path = "{queries}"'
    model = f'base = "{base}"\nlabels = "constraint"\nrank = 8\ntokens = 16\ndropout = 0.0'
    training = "epochs = 40\nbatch_size = 4\nlearning_rate = 2e-2"
    path, builder = folder / "constraint.toml", "marked_queries"
    return _recipe(path, "small-constraint", model, training, 50, builder, options, options)
