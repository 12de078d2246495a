"""A recipe of a pair judge over a model of two layers, its rows, and a bundle to put it in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

from logic_export.judge.rows import JudgeRow, labelled_row, write_judge_rows
from small_recipes import WORDS

from logic_retrievers.judging import LABELS


@dataclass(frozen=True)
class SmallJudge:
    """What the tests of one session share; nothing of it may be changed.

    Args:
        base: the encoder that the judge is trained from.
        recipe: of the judge; a run of it has 12 steps and a checkpoint every 4.
        run: the finished run.
        bundle: two heads over the trunk of the same encoder.
    """

    base: Path
    recipe: Path
    run: Path
    bundle: Path


def rows(count: int, seed: int = 0) -> list[JudgeRow]:
    """Pairs of random words, each label in turn."""
    random = Random(seed)
    made = []
    for number in range(count):
        premise, hypothesis = (" ".join(random.choices(WORDS, k=k)) for k in (7, 4))
        made.append(labelled_row(premise, hypothesis, LABELS[number % 3]))
    return made


def judge_recipe(base: str | Path, folder: Path, *, name: str = "small-judge") -> Path:
    """Over 24 rows; an epoch has 6 steps."""
    folder.mkdir(parents=True, exist_ok=True)
    write_judge_rows(folder / "rows.jsonl", rows(24))
    write_judge_rows(folder / "dev.jsonl", rows(15, seed=1))
    path = folder / "judge.toml"
    path.write_text(
        f"""
        name = "{name}"
        [model]
        base = "{base}"
        tokens = 24
        [[data]]
        builder = "pairs"
        licence = "CC0-1.0"
        ships = true
        options = {{ path = "{folder / "rows.jsonl"}" }}
        [training]
        epochs = 2
        batch_size = 4
        learning_rate = 1e-3
        [evaluation]
        every = 4
        [[evaluation.sets]]
        builder = "pairs"
        licence = "CC0-1.0"
        ships = true
        options = {{ path = "{folder / "dev.jsonl"}" }}
        """
    )
    return path


def development_set(recipe: Path) -> str:
    """The name of its only one."""
    return f"pairs {recipe.parent / 'dev.jsonl'}"
