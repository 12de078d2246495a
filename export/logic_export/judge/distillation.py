"""Soft labels: what a larger judge, the teacher, says of pairs that nobody has labelled."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from logic_export.judge.rows import NEUTRAL, JudgeRow, labelled_row, read_judge_rows
from logic_export.judge.run import INPUTS
from logic_export.models import find_model
from logic_retrievers.encoders import Encoder
from logic_retrievers.errors import ConfigurationError, StorageError
from logic_retrievers.evaluation import Dataset
from logic_retrievers.index import PassageIndex
from logic_retrievers.judging import LABELS
from logic_retrievers.judging.excerpt import MAX_WORDS, nearest_sentences
from logic_retrievers.search import Engine
from logic_retrievers.types import Passage

_CHUNK = 512
"""Pairs that are labelled and written together; an interrupted run loses at most these."""


def candidate_pairs(dataset: Dataset, encoder: Encoder, depth: int = 10) -> Iterator[JudgeRow]:
    """Every query of a data set with its first topical candidates, as a judge would read them.

    Labels are not read; the rows' own mean nothing until a teacher gives one.

    Args:
        dataset: its queries and documents.
        encoder: of the topical vector.
        depth: candidates of each query.
    """
    texts = [query.text for query in dataset.queries]
    with PassageIndex.open("distillation", encoder, vectors=["topical"]) as index:
        index.add(Passage(name, text) for name, text in dataset.documents.items())
        hits_by_query = Engine(index, "topical").search_many(texts, depth)
    for text, hits in zip(texts, hits_by_query, strict=True):
        for hit in hits:
            read = nearest_sentences(hit.passage.text, text, MAX_WORDS)
            yield labelled_row(read, text, NEUTRAL)


def label_softly(
    teacher: str, rows: Sequence[JudgeRow], out: Path, *, tokens: int = 160, batch_size: int = 64
) -> int:
    """Writes the rows with the teacher's probabilities in place of their labels, or resumes that.

    Args:
        teacher: folder or hub name of a trained judge.
        rows: pairs; the same, in the same order, when it is resumed.
        out: JSON lines, read by the builder ``pairs``.
        tokens: longest pair.
        batch_size: pairs that the teacher reads at once.

    Returns:
        The number of rows that were labelled now.

    Raises:
        ConfigurationError: the teacher has other labels, or ``out`` holds other rows.
        ReadError: ``out`` holds something else.
        StorageError: it cannot be written.
    """
    done = _labelled_already(out, rows)
    folder = find_model(teacher)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    if [model.config.id2label.get(number) for number in range(len(LABELS))] != [*LABELS]:
        raise ConfigurationError(f"{teacher!r} is no judge: its labels are not {', '.join(LABELS)}")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = model.to(device)
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.model_input_names = INPUTS
    for start in range(done, len(rows), _CHUNK):
        chunk = rows[start : start + _CHUNK]
        order = sorted(range(len(chunk)), key=lambda n: len(chunk[n].premise + chunk[n].hypothesis))
        targets: dict[int, list[float]] = {}
        for first in range(0, len(order), batch_size):
            numbers = order[first : first + batch_size]
            batch = tokenizer(
                [chunk[number].premise for number in numbers],
                [chunk[number].hypothesis for number in numbers],
                truncation="longest_first",
                max_length=tokens,
                padding=True,
                return_tensors="pt",
            ).to(device)
            with torch.no_grad(), torch.autocast(device, torch.bfloat16):
                shares = model(**batch).logits.float().softmax(-1).cpu()
            targets |= {n: row.tolist() for n, row in zip(numbers, shares, strict=True)}
        _append(out, chunk, targets)
    return len(rows) - done


def _labelled_already(out: Path, rows: Sequence[JudgeRow]) -> int:
    """How many rows the file holds; a line that was cut off is removed."""
    if not out.is_file():
        return 0
    content = out.read_text("utf-8")
    if (whole := content[: content.rfind("\n") + 1]) != content:
        out.write_text(whole, encoding="utf-8")
    found = read_judge_rows(out)
    texts = [(row.premise, row.hypothesis) for row in found]
    if texts != [(row.premise, row.hypothesis) for row in rows[: len(found)]]:
        raise ConfigurationError(f"{out} holds labels of other pairs; name another file")
    return len(found)


def _append(out: Path, rows: Sequence[JudgeRow], targets: dict[int, list[float]]) -> None:
    lines = [
        json.dumps(
            {
                "premise": row.premise,
                "hypothesis": row.hypothesis,
                "target": [round(share, 4) for share in targets[number]],
            },
            ensure_ascii=False,
        )
        for number, row in enumerate(rows)
    ]
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        with out.open("a", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
    except OSError as error:
        raise StorageError(f"cannot write {out}: {error.strerror}") from error
