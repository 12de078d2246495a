"""Batches of set queries: whole groups, a share of them at random, and their tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.data_collator import SentenceTransformerDataCollator

from logic_export.data.set_examples import SetExample
from logic_export.losses import pack_labels
from logic_export.training.encoding import TextRoles
from logic_export.training.query_relations import find_relations
from logic_export.training.triplet_batches import EpochBatchSampler
from logic_retrievers.queries.expressions import Expression


def mix_batches(
    queries: Sequence[tuple[str, str]], size: int, random_share: float, random: Random
) -> list[list[int]]:
    """Batches as indices of queries, every query once (LogiCoL's mixing).

    A group holds queries over the same atoms with different operators. Whole groups are drawn until
    they hold ``random_share`` of the queries; these are batched individually, in random order. The
    other batches are filled with whole groups. A batch holds one source, since it is unknown
    whether documents of another source satisfy a query.

    Args:
        queries: source and group of each.
        size: queries per batch; at least that many with groups, which are never split.
        random_share: alpha of the paper, 0 to 1.
        random: source of randomness.
    """
    sources: dict[str, dict[str, list[int]]] = {}
    for index, (source, group) in enumerate(queries):
        sources.setdefault(source, {}).setdefault(group, []).append(index)
    batches = []
    for of_source in sources.values():
        groups = list(of_source.values())
        random.shuffle(groups)
        wanted = random_share * sum(map(len, groups))
        loose: list[int] = []
        while len(loose) < wanted:
            loose += groups.pop()
        random.shuffle(loose)
        batches += [loose[start : start + size] for start in range(0, len(loose), size)]
        batches += _whole_groups(groups, size, random)
    random.shuffle(batches)
    return batches


def _whole_groups(groups: Sequence[list[int]], size: int, random: Random) -> Iterator[list[int]]:
    batch: list[int] = []
    for group in groups:
        batch += random.sample(group, len(group))
        if len(batch) >= size:
            yield batch
            batch = []
    if batch:
        yield batch


class SetBatchSampler(EpochBatchSampler):
    """:func:`mix_batches` as the trainer's batch sampler; reshuffled every epoch."""

    def __init__(
        self, dataset: Any, batch_size: int, *args: Any, random_share: float, **kwargs: Any
    ) -> None:
        super().__init__(dataset, batch_size, *args, **kwargs)
        self._random_share = random_share
        self._queries = list(zip(dataset["source"], dataset["group"], strict=True))

    def _batches(self, random: Random) -> list[list[int]]:
        return mix_batches(self._queries, self._size, self._random_share, random)


_LABELS = ("satisfying", "neutral")


class SetCollator(SentenceTransformerDataCollator):
    """Tokens of a batch: its queries, one answer of each, and the labels between them.

    The answer drawn depends on the batch itself (queries and order): it differs nearly every epoch
    and is the same in a resumed run.

    Args:
        model: its tokenizer.
        documents: source -> id -> text, of all satisfying documents.
        lengths, prefixes: see :class:`TextRoles`.
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
        self._roles = TextRoles(lengths, prefixes)

    def __call__(self, features: Sequence[Mapping[str, Any]]) -> dict[str, torch.Tensor]:
        """``query_*`` and ``document_*`` features, and ``label``: see :func:`pack_labels`."""
        queries = [row["query"] for row in features]
        random = Random("\n".join([str(self._seed), *queries]))
        ids = list(dict.fromkeys(random.choice(row["satisfying"]) for row in features))
        texts = [self._documents[features[0]["source"]][name] for name in ids]
        positives, unknown = (
            torch.tensor([[name in labelled for name in ids] for labelled in ids_by_query])
            for ids_by_query in ([set(row[label]) for row in features] for label in _LABELS)
        )
        related = find_relations([Expression.parse(row["expression"]) for row in features])
        return {
            **self._roles.tokenize(self._tokenizer, queries, texts),
            "label": pack_labels(positives, unknown, *related),
        }


def set_query_row(example: SetExample) -> dict[str, Any]:
    """A table row; the documents are kept outside."""
    return {
        "query": example.query,
        "expression": str(example.expression),
        "group": example.group,
        "satisfying": list(example.satisfying),
        "neutral": list(example.neutral),
        "source": example.source,
    }
