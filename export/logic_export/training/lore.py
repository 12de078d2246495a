"""LORE's query encoder, trained on candidates in three tiers: positive, distractor, negative.

If documents are frozen, their vectors stay those of the base model (``frozen_documents``).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from sentence_transformers import SentenceTransformer

from logic_export.data.tiers.distractor_queries import TIER_BUILDERS
from logic_export.data.tiers.examples import TieredExample, read_tiers, write_tiers
from logic_export.data.triplet_builders import find_data_file, run_builder
from logic_export.dense_retrieval import Encode
from logic_export.losses import DISTRACTOR, NEGATIVE, POSITIVE, TieredLoss
from logic_export.recipe import Recipe, TieredSettings
from logic_export.training.batches import Batches, Collator, Draw, Row, Tensors
from logic_export.training.coder import constraint_development
from logic_export.training.encoding import TextRoles, load_trainable
from logic_export.training.run_folder import DATA, TrainingSet
from logic_export.training.task import Development, Figures, Task, mean_of
from logic_export.training.training_data import RowFormat, sample_rows
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import load_dataset
from logic_retrievers.scoring import ordinal_ranks

Vectors: TypeAlias = npt.NDArray[np.float32]

# file of a run with frozen documents: one vector per passage of its data
VECTORS = "document_vectors.npy"

# maps rows of passages to the ``document_*`` features of a batch
DocumentFeatures: TypeAlias = Callable[[Sequence[int]], Tensors]


def _cached(encode: Encode) -> Encode:
    """Wrap a frozen encoder, so that the same list of texts is encoded only once."""
    cache: dict[tuple[str, ...], Any] = {}

    def cached(texts: Any) -> Any:
        key = tuple(texts)
        if key not in cache:
            cache[key] = encode(texts)
        return cache[key]

    return cached


def tier_plan(dataset: Any, size: int) -> Draw:
    """Draw random batches; any rows may share one, since a query uses only its own candidates."""
    count = len(dataset)

    def draw(random: Random) -> Batches:
        order = list(range(count))
        random.shuffle(order)
        return [order[start : start + size] for start in range(0, count, size)]

    return draw


class TierCollator(Collator):
    """Makes ``query_*``, ``document_*`` (each passage once) and ``label``.

    The label is the tier of each passage for each query, shape (queries, passages). ``documents``
    makes the features of the passages.
    """

    def __init__(
        self, model: SentenceTransformer, roles: TextRoles, documents: DocumentFeatures
    ) -> None:
        super().__init__(model, roles)
        self._documents = documents

    def __call__(self, features: Sequence[Row]) -> Tensors:
        passages = list(dict.fromkeys(passage for row in features for passage in row["documents"]))
        column = {passage: index for index, passage in enumerate(passages)}
        tiers = torch.zeros(len(features), len(passages), dtype=torch.long)
        for line, row in zip(tiers, features, strict=True):
            line[[column[passage] for passage in row["documents"]]] = torch.tensor(row["tiers"])
        queries = [row["query"] for row in features]
        return {
            **self._roles.query.tokenize(self._tokenizer, "query", queries),
            **self._documents(passages),
            "label": tiers,
        }


def unique_passages(examples: Sequence[TieredExample]) -> list[str]:
    """Return each passage once, in order of first occurrence."""
    return list(dict.fromkeys(text for example in examples for text in example.passages))


def tier_rows(examples: Sequence[TieredExample]) -> list[dict[str, Any]]:
    """Make rows of ``query``, ``documents`` (positions in :func:`unique_passages`), ``tiers``."""
    row_of = {text: index for index, text in enumerate(unique_passages(examples))}
    return [
        {
            "query": example.query,
            "documents": [row_of[text] for text in example.passages],
            "tiers": [POSITIVE] * len(example.positives)
            + [DISTRACTOR] * len(example.distractors)
            + [NEGATIVE] * len(example.negatives),
        }
        for example in examples
    ]


def write_vectors(path: Path, passages: Sequence[str], encode: Encode) -> None:
    """Write the passages' vectors, float32 of shape (passages, dimension), atomically."""
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as file:
        np.save(file, encode(passages).astype(np.float32, copy=False))
    partial.replace(path)


def stored_vectors(path: Path) -> DocumentFeatures:
    """Return features from the vectors that :func:`write_vectors` stored, memory-mapped."""
    vectors: npt.NDArray[np.float32] = np.load(path, mmap_mode="r")
    return lambda rows: {"document_sentence_embedding": torch.from_numpy(vectors[list(rows)])}


# share of a query's positives, and of its distractors, among its first three candidates
POSITIVES, DISTRACTORS = "P R@3", "N1 R@3"

TIER_DEPTH = 3


def tier_development(
    sets: Mapping[str, Sequence[TieredExample]],
    roles: TextRoles,
    documents: Encode | None = None,
) -> Development:
    """Measure recall of positives and of distractors at 3, as LORE does.

    The score, -1 to 1, is recall of positives minus recall of distractors, averaged over the sets.
    Each recall alone is easy to get right: an encoder that follows every topic of a query finds the
    positives, and an encoder that follows none avoids the distractors. A set without a positive is
    a :class:`ConfigurationError`.
    """
    for name, examples in sets.items():
        if not any(example.positives for example in examples):
            raise ConfigurationError(f"no query of {name} has a right passage")

    def figures(examples: Sequence[TieredExample], queries: Encode, encode: Encode) -> Figures:
        query_vectors = queries([row.query for row in examples])
        passages = unique_passages(examples)
        vectors = dict(zip(passages, encode(passages), strict=True))
        recalls = tier_recalls(examples, query_vectors, vectors)
        return {
            name: float(np.nanmean(values))
            for name, values in recalls.items()
            if not np.isnan(values).all()
        }

    return Development(
        {name: partial(figures, examples) for name, examples in sets.items()},
        roles,
        mean_of(lambda figures: figures[POSITIVES] - figures.get(DISTRACTORS, 0.0)),
        documents,
    )


def tier_recalls(
    examples: Sequence[TieredExample], queries: Vectors, documents: Mapping[str, Vectors]
) -> dict[str, npt.NDArray[np.float64]]:
    """Compute :data:`POSITIVES` and :data:`DISTRACTORS`, each of shape (examples,).

    A recall is NaN where an example has no such passages. Ties count against the encoder.
    """
    values = {name: np.full(len(examples), np.nan) for name in (POSITIVES, DISTRACTORS)}
    for row, (example, query) in enumerate(zip(examples, queries, strict=True)):
        for tier, positions in tier_ranks(example, query, documents).items():
            if positions.size:
                values[tier][row] = (positions <= TIER_DEPTH).mean()
    return values


def tier_ranks(
    example: TieredExample, query: Vectors, documents: Mapping[str, Vectors]
) -> dict[str, npt.NDArray[np.int64]]:
    """Rank positives and distractors among a query's own candidates, from 1.

    Ties count against the encoder: a distractor ranks first among them, a positive last.
    """
    order = example.distractors + example.negatives + example.positives
    positions = ordinal_ranks(np.array([documents[text] @ query for text in order]))
    return {
        POSITIVES: positions[len(order) - len(example.positives) :],
        DISTRACTORS: positions[: len(example.distractors)],
    }


class TierTask(Task[TieredSettings]):
    """Trains a query encoder, by default for document vectors of its base."""

    format: RowFormat[TieredExample] = RowFormat(
        partial(run_builder, TIER_BUILDERS),
        sample_rows,
        write_tiers,
        read_tiers,
        lambda row: bool(row.positives) and bool(row.distractors or row.negatives),
    )
    plan = staticmethod(tier_plan)
    compute = TieredLoss

    def __init__(self, recipe: Recipe, settings: TieredSettings) -> None:
        super().__init__(recipe, settings)
        sets = recipe.evaluation.sets
        of_tiers = [name.endswith((".jsonl", ".jsonl.gz")) for name in sets]
        if any(of_tiers) != all(of_tiers):
            raise ConfigurationError("evaluation.sets are files of tiers or folders, not both")
        # read now, so that a missing name fails before all documents are encoded
        files, folders = (sets, ()) if all(of_tiers) else ((), sets)
        self._tiers = {name: read_tiers(find_data_file(Path(name))) for name in files}
        self._folders = [load_dataset(*name.rsplit("/", 1)) for name in folders]

    def rows(self, out: Path) -> tuple[list[dict[str, Any]], tuple[TrainingSet, ...]]:
        rows, sets = super().rows(out)
        if self.recipe.frozen_documents and not (out / VECTORS).is_file():
            passages = unique_passages(read_tiers(out / DATA))
            write_vectors(out / VECTORS, passages, self._base_documents())
        return rows, sets

    def table(self, rows: list[TieredExample]) -> list[dict[str, Any]]:
        return tier_rows(rows)

    def collator(self, model: SentenceTransformer, out: Path) -> Collator:
        if self.recipe.frozen_documents:
            return TierCollator(model, self.roles, stored_vectors(out / VECTORS))
        passages = unique_passages(read_tiers(out / DATA))
        return TierCollator(
            model,
            self.roles,
            lambda rows: self.roles.document.tokenize(
                model.tokenizer, "document", [passages[row] for row in rows]
            ),
        )

    def development(self) -> Development:
        documents = _cached(self._base_documents()) if self.recipe.frozen_documents else None
        if self._tiers:
            return tier_development(self._tiers, self.roles, documents)
        recall_loss = self.recipe.evaluation.recall_loss
        return constraint_development(self._folders, self.roles, recall_loss, documents)

    def _base_documents(self) -> Encode:
        return self.roles.document.encoder(load_trainable(self.recipe.model))
