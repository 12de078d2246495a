"""A judge from a user's own labelled folder, on any base: its training rows and its recipe."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from pydantic import Field

from logic_export.judge.rows import CONTRADICTION, ENTAILMENT, NEUTRAL, JudgeRow, excerpt_row
from logic_export.recipe import JudgeRecipe, parse_recipe
from logic_retrievers.encoders import OnnxEncoder
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Dataset, load_dataset
from logic_retrievers.evaluation.datasets import existing_folder, find_dataset_files
from logic_retrievers.judging.judge import MAX_WORDS

WholeNumber: TypeAlias = Annotated[int, Field(ge=0)]
FolderLabels: TypeAlias = Literal["verdict", "relevance"]

# rank down to which unlabelled passages are drawn
_NEAREST = 20
# a query and an excerpt; a judge at run time gives half of what its model reads to the passage
_TOKENS = 2 * MAX_WORDS
_TRAINING = {"epochs": 3.0, "batch_size": 16, "learning_rate": 3e-5}
_EVERY = 200


def labelled_folder(
    folder: str, split: str = "train", unlabelled: WholeNumber = 3, *, seed: int = 0
) -> list[JudgeRow]:
    """Pair each query of a labelled folder with its passages, and with near ones without a label.

    Long passages are cut to the sentences that the judge reads in use.

    Args:
        folder: a data set as :func:`load_dataset` reads it.
        split: its part.
        unlabelled: passages per query to draw from the nearest without a label, by topical vectors;
            they count as neutral. 0 draws none, for folders that label only some right passages.
        seed: draws them.
    """
    dataset = load_dataset(folder, split)
    rows = []
    for query in dataset.queries:
        for passages, label in (
            (query.satisfying, ENTAILMENT),
            (query.violating, CONTRADICTION),
            (query.neutral, NEUTRAL),
        ):
            rows += [
                excerpt_row(dataset.documents[name], query.text, label) for name in sorted(passages)
            ]
    return rows + list(_near_rows(dataset, unlabelled, Random(seed)))


def _near_rows(dataset: Dataset, count: int, random: Random) -> Iterator[JudgeRow]:
    if not count:
        return
    encoder = OnnxEncoder()
    names = list(dataset.documents)
    documents = encoder.encode_documents([*dataset.documents.values()], ["topical"])["topical"]
    queries = encoder.encode_queries([query.text for query in dataset.queries], ["topical"])
    for query, vector in zip(dataset.queries, queries["topical"], strict=True):
        labelled = query.satisfying | query.violating | query.neutral | query.exclude
        order = np.argsort(-(documents @ vector), kind="stable")[: _NEAREST + len(labelled)]
        near = [names[place] for place in order if names[place] not in labelled][:_NEAREST]
        for name in random.sample(near, min(count, len(near))):
            yield excerpt_row(dataset.documents[name], query.text, NEUTRAL)


def folder_recipe(
    folder: Path, base: str, labels: FolderLabels = "verdict", **training: Any
) -> JudgeRecipe:
    """Make the recipe of a judge trained from a labelled folder, all of its weights.

    Args:
        folder: a data set with the parts ``train`` and ``dev``.
        base: any encoder or cross-encoder that transformers loads; a folder, a hub name or the name
            of a packaged model.
        labels: ``verdict`` or ``relevance``.
        training: fields of a recipe's ``[training]`` that differ from the defaults.

    Raises:
        ReadError: a part or a file of the folder is missing or malformed, or no query is labelled.
        ConfigurationError: both parts are the same queries, the labels lack what a judge has to
            tell apart, or a training setting is out of range.
    """
    root = existing_folder(folder).resolve()
    if find_dataset_files(root, "train") == find_dataset_files(root, "dev"):
        raise ConfigurationError(
            f"{root} has one set of queries: put those to train on into its folder train, and "
            "others, which select the best checkpoint, into dev"
        )
    for split in ("train", "dev"):
        queries = load_dataset(root, split).queries
        if not any(query.satisfying for query in queries):
            raise ConfigurationError(
                f"{root}: no query of the part {split!r} has a satisfying passage"
            )
        if labels == "verdict" and not any(query.violating for query in queries):
            raise ConfigurationError(
                f"{root}: no query of the part {split!r} has a violating passage, so nothing shows "
                "what a verdict is; train relevance instead (--labels relevance)"
            )
    train, dev = (
        {
            "builder": labelled_folder.__name__,
            "licence": "of your own data",
            "ships": False,
            "options": {"folder": str(root), "split": split},
        }
        for split in ("train", "dev")
    )
    settings = {
        "name": f"{root.name}-{labels}",
        "model": {
            "base": str(Path(base).resolve()) if Path(base).is_dir() else base,
            "labels": labels,
            "frozen_embeddings": False,
            "tokens": _TOKENS,
            "token_types": True,
            "dropout": None,
        },
        "data": [train],
        "training": {**_TRAINING, **training},
        "evaluation": {"sets": [dev], "every": _EVERY},
    }
    return parse_recipe(settings, JudgeRecipe, f"a judge from {root}")
