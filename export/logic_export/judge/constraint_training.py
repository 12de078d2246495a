"""Training of the constraint question: targets of tokens, their batches, loss and figures.

The model gives five logits at every token. The first two say whether the token is excluded and
whether the wanted part omits it; the last three, read at the first token only, are the kinds.
Targets have the same shape, with :data:`IGNORED` where there is nothing to learn.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from torch import nn
from transformers import DataCollatorWithPadding, EvalPrediction, PreTrainedTokenizerBase

from logic_export.judge.constraint import KINDS, ConstraintRow, Span, overlaps

TAGS = ("excluded", "leaves")
CONSTRAINT_LABELS = (*TAGS, *KINDS)
IGNORED = -100.0  # the trainer pads with this value too

_TAG_WEIGHT = 2.0


def constraint_dataset(
    rows: Sequence[ConstraintRow], tokenizer: PreTrainedTokenizerBase, tokens: int
) -> Dataset:
    """Tokenise rows; ``labels`` has shape (tokens, 5)."""
    encoded = tokenizer(
        [row.query for row in rows],
        truncation=True,
        max_length=tokens,
        return_offsets_mapping=True,
    )
    columns = {name: encoded[name] for name in tokenizer.model_input_names}
    offsets = encoded["offset_mapping"]
    labels = [token_targets(row, spans) for row, spans in zip(rows, offsets, strict=True)]
    return Dataset.from_dict({**columns, "labels": labels, "length": list(map(len, labels))})


def token_targets(row: ConstraintRow, offsets: Sequence[Span]) -> list[list[float]]:
    """Make the targets of a row's tokens; special tokens have empty offsets."""
    targets = [[IGNORED] * len(CONSTRAINT_LABELS) for _ in offsets]
    targets[0][len(TAGS) :] = [float(row.kind == kind) for kind in KINDS]
    for (start, end), target in zip(offsets, targets, strict=True):
        if start == end:
            continue
        excluded = overlaps((start, end), row.excluded)
        target[0] = float(excluded)
        if excluded or row.dropped is not None:
            target[1] = float(excluded or overlaps((start, end), row.dropped or ()))
    return targets


class ConstraintCollator:
    """Pads tokens and their targets."""

    def __init__(self, tokenizer: PreTrainedTokenizerBase) -> None:
        self._pad = DataCollatorWithPadding(tokenizer, pad_to_multiple_of=8)

    def __call__(self, rows: Sequence[Mapping[str, Any]]) -> dict[str, torch.Tensor]:
        inputs = [{key: row[key] for key in row if key != "labels"} for row in rows]
        batch = dict(self._pad(inputs))
        labels = torch.full((*batch["input_ids"].shape, len(CONSTRAINT_LABELS)), IGNORED)
        for place, row in enumerate(rows):
            labels[place, : len(row["labels"])] = torch.tensor(row["labels"])
        return {**batch, "labels": labels}


def constraint_loss(
    outputs: Mapping[str, torch.Tensor],
    labels: torch.Tensor,
    num_items_in_batch: torch.Tensor | int | None = None,  # noqa: ARG001 - a step is one batch
) -> torch.Tensor:
    """Return the kinds' cross entropy plus twice the known tags' binary cross entropy.

    Logits and labels have shape (batch, tokens, 5); both terms are means over the batch.
    """
    logits, tags = outputs["logits"].float(), len(TAGS)
    known = labels[..., :tags] != IGNORED
    of_tags = nn.functional.binary_cross_entropy_with_logits(
        logits[..., :tags][known], labels[..., :tags][known]
    )
    of_kinds = nn.functional.cross_entropy(logits[:, 0, tags:], labels[:, 0, tags:])
    return _TAG_WEIGHT * of_tags + of_kinds


def constraint_figures(
    sizes: Mapping[str, int],
) -> Callable[[EvalPrediction], dict[str, float]]:
    """Make a function that measures each development set.

    A query is read if P(none) < .5. ``exclusions read`` is the share of a set's exclusions that are
    read, ``ordinary read`` the same of its queries of the kind none. ``exact words`` is the share
    of the exclusions whose excluded tokens are exactly the marked ones. ``score`` averages each
    over the sets, and then the three, with ``ordinary read`` as 1 - x.
    """

    def measure(prediction: EvalPrediction) -> dict[str, float]:
        logits, labels = np.asarray(prediction.predictions), np.asarray(prediction.label_ids)
        none, exclusion, negated_fact = np.moveaxis(logits[:, 0, len(TAGS) :], 1, 0)
        read = np.logaddexp(exclusion, negated_fact) > none
        right = (logits[..., 0] > 0) == (labels[..., 0] == 1)
        exact = (right | (labels[..., 0] == IGNORED)).all(axis=1)
        kinds = np.array(KINDS)[labels[:, 0, len(TAGS) :].argmax(axis=1)]
        figures: dict[str, float] = {}
        scores = []
        for figure, kind, values in (
            ("exclusions read", "exclusion", read),
            ("ordinary read", "none", read),
            ("exact words", "exclusion", exact),
        ):
            found, start = {}, 0
            for name, size in sizes.items():
                part = slice(start, start + size)
                start += size
                if (chosen := values[part][kinds[part] == kind]).size:
                    found[f"{name} {figure}"] = float(chosen.mean())
            figures |= found
            if found:
                mean = float(np.mean(list(found.values())))
                scores.append(1 - mean if figure == "ordinary read" else mean)
        return {**figures, "score": float(np.mean(scores))}

    return measure
