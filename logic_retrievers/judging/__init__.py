"""The pair judge: reads a passage and a query together: does the one satisfy the other?

judge.py    what a judge is, and its verdict
asking.py   how a judge is asked, and what happens if it fails
onnx.py     the judge that comes with the bundle
excerpt.py  the sentences of a long passage that it reads
settings.py how much its word counts
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from logic_retrievers.judging.judge import LABELS, Judgement, QueryJudge
from logic_retrievers.judging.settings import JudgeSettings
from logic_retrievers.lazy_imports import lazy_getattr

if TYPE_CHECKING:
    from logic_retrievers.judging.onnx import OnnxPairJudge, default_judge

__all__ = ["LABELS", "JudgeSettings", "Judgement", "OnnxPairJudge", "QueryJudge", "default_judge"]

__getattr__ = lazy_getattr(__name__, {"onnx": "OnnxPairJudge default_judge"})
