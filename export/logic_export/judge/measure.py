"""Accuracy, calibration and temperature of a judge on labelled pairs; gates of its export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import torch
from scipy.optimize import minimize_scalar
from scipy.special import log_softmax
from transformers import PreTrainedModel

from logic_export.bundles.parity import ParityError
from logic_export.judge.constraint import ConstraintRow
from logic_export.judge.constraint_training import TAGS
from logic_export.judge.rows import JudgeRow
from logic_retrievers.judging import OnnxConstraint, QueryJudge
from logic_retrievers.judging.onnx import OnnxCrossEncoder

Figures: TypeAlias = Mapping[str, float]


def accuracy(judge: QueryJudge, rows: Sequence[JudgeRow]) -> float:
    """Compute the share of the rows whose most probable label is right.

    If no row is neutral (verification: supported or refuted), the judge chooses between the
    remaining two labels.
    """
    probabilities, targets = _judged(judge, rows)
    return float((probabilities.argmax(axis=1) == targets.argmax(axis=1)).mean())


def constraint_accuracy(read: OnnxConstraint, rows: Sequence[ConstraintRow]) -> float:
    """Compute the share of queries with P(none) < .5 if, and only if, they have a constraint."""
    return float(np.mean([(read(row.query).none < 0.5) == (row.kind != "none") for row in rows]))


_BINS = 10


def calibration_error(judge: QueryJudge, rows: Sequence[JudgeRow]) -> float:
    """Compute the most probable label's expected calibration error (Guo et al. 2017), ten bins."""
    probabilities, targets = _judged(judge, rows)
    right = probabilities.argmax(axis=1) == targets.argmax(axis=1)
    confidence = probabilities.max(axis=1)
    place = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
    return float(
        sum(
            abs(right[place == b].mean() - confidence[place == b].mean()) * (place == b).mean()
            for b in range(_BINS)
            if (place == b).any()
        )
    )


def find_temperature(logits: npt.NDArray[np.float64], rows: Sequence[JudgeRow]) -> float:
    """Find the temperature of lowest cross entropy (Guo et al. 2017); logits: (rows, labels)."""
    targets = np.array([row.target for row in rows])

    def loss(temperature: float) -> float:
        logs = log_softmax(logits / temperature, axis=1)
        return float(-(targets * logs).sum(axis=1).mean())

    return round(float(minimize_scalar(loss, bounds=(0.25, 8), method="bounded").x), 4)


def require_gate(figures: Figures, minimum: Mapping[str, float]) -> None:
    """Raise :class:`ParityError` if an accuracy is below its minimum."""
    for name, least in minimum.items():
        if figures[name] < least:
            raise ParityError(f"{name}: accuracy {figures[name]:.3f}, minimum {least}")


def require_same_answers(
    reader: OnnxCrossEncoder, model: PreTrainedModel, rows: Sequence[list[int]], most: float
) -> None:
    """Refuse an export whose probabilities differ from the original's by more than ``most``."""
    differences = []
    for ids in rows[:: max(1, len(rows) // 200)]:
        with torch.no_grad():
            original = model(input_ids=torch.tensor([ids])).logits[0]
        found = torch.from_numpy(reader.logits(ids)).float()
        differences.append(float((_probabilities(original) - _probabilities(found)).abs().max()))
    if (difference := float(np.mean(differences))) > most:
        raise ParityError(
            f"probabilities differ from the original's by {difference:.3f} on average, over "
            f"{most}; export with less compression, or with a higher rank"
        )


def _probabilities(logits: torch.Tensor) -> torch.Tensor:
    """Return the probabilities of a pair's labels, or of a query's kinds and its tokens' tags."""
    if logits.ndim == 1:
        return logits.softmax(-1)
    tags = logits[1:-1, : len(TAGS)].sigmoid()
    return torch.cat([logits[0, len(TAGS) :].softmax(-1), tags.flatten()])


def _judged(
    judge: QueryJudge, rows: Sequence[JudgeRow]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return probabilities and targets, shape (rows, 3); neutral is 0 if no row is neutral."""
    probabilities = np.array(judge([(row.premise, row.hypothesis) for row in rows]))
    targets = np.array([row.target for row in rows])
    if not targets[:, 1].any():
        probabilities[:, 1] = 0
        probabilities /= np.maximum(probabilities.sum(axis=1, keepdims=True), 1e-12)
    return probabilities, targets
