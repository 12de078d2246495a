"""The RAG probe: which way of retrieving gives better answers?

questions = read_probe("my-questions")
with PassageIndex.open("probe") as index:
    fill_index(index, questions)
    configurations = resolve_configurations(["topical", "auto"], index, questions)
    result = probe(questions, configurations, ExtractiveReader())
result.figures("auto")["accuracy"], result.comparisons()["auto"].p

A configuration is a way of retrieving. A reader answers a question from the retrieved passages.
The depth is the number of these passages. Labels mark passages as satisfying or violating.
"""

from logic_retrievers.probe.grading import Grade, Grading, grade
from logic_retrievers.probe.questions import ProbeQuestion, ProbeSet, read_probe
from logic_retrievers.probe.readers import (
    CachedReader,
    EndpointReader,
    ExtractiveReader,
    Prompt,
    Reader,
    build_prompt,
)
from logic_retrievers.probe.result import AccuracyComparison, ProbeResult, Trace, compare_accuracy
from logic_retrievers.probe.retrieval import (
    Retrieve,
    fill_index,
    filtered_retrieval,
    policy_retrieval,
    resolve_configurations,
)
from logic_retrievers.probe.runner import probe

__all__ = [
    "AccuracyComparison",
    "CachedReader",
    "EndpointReader",
    "ExtractiveReader",
    "Grade",
    "Grading",
    "ProbeQuestion",
    "ProbeResult",
    "ProbeSet",
    "Prompt",
    "Reader",
    "Retrieve",
    "Trace",
    "build_prompt",
    "compare_accuracy",
    "fill_index",
    "filtered_retrieval",
    "grade",
    "policy_retrieval",
    "probe",
    "read_probe",
    "resolve_configurations",
]
