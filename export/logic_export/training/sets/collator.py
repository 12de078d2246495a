"""The tensors of a batch of set queries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.data_collator import SentenceTransformerDataCollator

from logic_export.data.set_examples import SetExample
from logic_export.losses import packed_labels
from logic_export.training.roles import Roles
from logic_export.training.sets.relations import relations
from logic_retrievers.queries.expressions import Expression

_LABELS = ("satisfying", "neutral")


class SetCollator(SentenceTransformerDataCollator):
    """Tokens of a batch: its queries, one answer of each, and how all of these stand together.

    Which answer is drawn follows from the batch itself, queries and order: another one nearly every
    epoch, and the same one in a run that goes on.

    Args:
        model: its tokenizer.
        documents: source -> id -> text, of all that satisfies a query.
        lengths, prefixes: see :class:`Roles`.
        seed: of the draws.
    """

    def __init__(
        self,
        model: SentenceTransformer,
        documents: Mapping[str, Mapping[str, str]],
        lengths: tuple[int, int],
        prefixes: tuple[str, str],
        seed: int,
    ) -> None:
        super().__init__(preprocess_fn=model.preprocess)
        self._tokenizer = model.tokenizer
        self._documents, self._seed = documents, seed
        self._roles = Roles(lengths, prefixes)

    def __call__(self, features: Sequence[Mapping[str, Any]]) -> dict[str, torch.Tensor]:
        """``query_*`` and ``document_*`` features, and ``label``: see :func:`packed_labels`."""
        queries = [row["query"] for row in features]
        random = Random("\n".join([str(self._seed), *queries]))
        ids = list(dict.fromkeys(random.choice(row["satisfying"]) for row in features))
        texts = [self._documents[features[0]["source"]][name] for name in ids]
        positives, doubtful = (
            torch.tensor([[name in labelled for name in ids] for labelled in stand])
            for stand in ([set(row[label]) for row in features] for label in _LABELS)
        )
        found = relations([Expression.parse(row["expression"]) for row in features])
        return {
            **self._roles.features(self._tokenizer, queries, texts),
            "label": packed_labels(positives, doubtful, *found),
        }


def to_row(example: SetExample) -> dict[str, Any]:
    """A row of a table; the documents stay outside."""
    return {
        "query": example.query,
        "expression": str(example.expression),
        "group": example.group,
        "satisfying": list(example.satisfying),
        "neutral": list(example.neutral),
        "source": example.source,
    }
