"""The pair judge: reads a passage and a query together: does the one satisfy the other?

judge.py    what a judge is, and its verdict
asking.py   how a judge is asked, and what happens if it fails
onnx.py     what comes with the bundle: the judge, pair kinds, NLI, and both of these as one
pair_kinds.py  kinds of pairs of passages, and what is read of a pair
excerpt.py  the sentences of a long passage that it reads
conflict.py  what was read of two passages and what their vectors say, as one probability
settings.py how much its word counts
"""

from __future__ import annotations

from logic_retrievers.lazy_imports import lazy_names

_MODULES = {
    "judge": "LABELS Judgement QueryJudge",
    "onnx": (
        "OnnxConflictJudge OnnxNLI OnnxPairJudge OnnxPairKinds"
        " default_conflict_judge default_judge default_pair_kinds"
    ),
    "pair_kinds": "PAIR_KINDS",
    "settings": "JudgeSettings",
}

__getattr__, __all__ = lazy_names(__name__, _MODULES)
