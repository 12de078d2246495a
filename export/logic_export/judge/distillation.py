"""Soft labels: what a larger judge, the teacher, says of pairs that nobody has labelled."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from logic_export.judge.rows import JudgeRow
from logic_export.judge.run import INPUTS
from logic_export.judge.soft_labels import SoftLabels
from logic_export.models import find_model
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.judging import LABELS

_CHUNK = 512
"""Pairs that are labelled and written together; an interrupted run loses at most these."""


def label_softly(
    teacher: str, rows: Sequence[JudgeRow], out: Path, *, tokens: int = 160, batch_size: int = 64
) -> int:
    """Adds the teacher's probabilities of the rows to a file; of those that it has already, none.

    Args:
        teacher: folder or hub name of a trained judge.
        rows: pairs; their own targets are not read.
        out: a file of :class:`~logic_export.judge.soft_labels.SoftLabels`, or a new one.
        tokens: longest pair.
        batch_size: pairs that the teacher reads at once.

    Returns:
        The number of rows that were labelled now.

    Raises:
        ConfigurationError: the teacher has other labels.
        ReadError: ``out`` is something else.
        StorageError: it cannot be written.
    """
    labels = SoftLabels.read(out) if out.is_file() else SoftLabels()
    missing = labels.missing(rows)
    folder = find_model(teacher)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    if [model.config.id2label.get(number) for number in range(len(LABELS))] != [*LABELS]:
        raise ConfigurationError(f"{teacher!r} is no judge: its labels are not {', '.join(LABELS)}")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = model.to(device)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.model_input_names = INPUTS
    for start in range(0, len(missing), _CHUNK):
        chunk = missing[start : start + _CHUNK]
        chunk.sort(key=lambda row: len(row.premise + row.hypothesis))
        shares = []
        for first in range(0, len(chunk), batch_size):
            part = chunk[first : first + batch_size]
            batch = tokenizer(
                [row.premise for row in part],
                [row.hypothesis for row in part],
                truncation="longest_first",
                max_length=tokens,
                padding=True,
                return_tensors="pt",
            ).to(device)
            with torch.no_grad(), torch.autocast(device, torch.bfloat16):
                shares.append(model(**batch).logits.float().softmax(-1).cpu().numpy())
        labels.add(chunk, np.concatenate(shares))
        labels.write(out)
    return len(missing)
