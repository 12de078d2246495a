"""Judges: cross-encoders and callables that read a query and a passage, or two passages."""

from __future__ import annotations

from logic_retrievers.lazy_imports import lazy_names

_MODULES = {
    "constraint": "ConstraintReading",
    "judge": "LABELS VERDICTS Judgement QueryJudge",
    "onnx": (
        "OnnxConstraint OnnxNLI OnnxPairJudge OnnxRelation"
        " default_constraint default_judge default_nli default_relation"
    ),
    "relation": "RELATIONS",
    "settings": "JudgeSettings",
}

__getattr__, __all__ = lazy_names(__name__, _MODULES)
