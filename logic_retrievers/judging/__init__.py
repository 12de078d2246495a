"""Judges: cross-encoders and callables that read a query and a passage, or two passages."""

from __future__ import annotations

from logic_retrievers.lazy_imports import lazy_names

_MODULES = {
    "chat_judge": "ChatJudge",
    "constraint": "ConstraintReading",
    "cross_encoder": "CrossEncoderJudge",
    "judge": "LABELS VERDICTS Judgement PartialAnswers QueryJudge Question RelevanceJudgement",
    "model_judge": "ModelJudge",
    "onnx": (
        "OnnxConstraint OnnxNLI OnnxPairJudge OnnxRelation"
        " default_constraint default_judge default_nli default_relation"
    ),
    "onnx_folder": "OnnxJudge",
    "relation": "RELATIONS",
    "rerank_endpoint": "RerankEndpoint",
    "settings": "JudgeSettings",
}

__getattr__, __all__ = lazy_names(__name__, _MODULES)
