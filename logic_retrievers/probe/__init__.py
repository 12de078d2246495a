"""Are the answers of a RAG application better with one way of retrieving than with another?

questions = read_probe("my-questions")
with PassageIndex.open("probe") as index:
    fill_index(index, questions)
    ways = resolve_configurations(["topical", "auto"], index, questions)
    result = probe(questions, ways, ExtractiveReader(), traces=Path("traces.jsonl"))
result.figures("auto")["accuracy"], result.comparisons()["auto"].p
"""

from logic_retrievers.evaluation.statistics import holm
from logic_retrievers.probe.cache import CachedReader
from logic_retrievers.probe.configurations import (
    by_policy,
    fill_index,
    resolve_configurations,
    without_contradictions,
)
from logic_retrievers.probe.files import read_probe, write_probe
from logic_retrievers.probe.grading import Grade, Grading, grade
from logic_retrievers.probe.prompt import build_prompt
from logic_retrievers.probe.questions import ProbeQuestion, ProbeSet
from logic_retrievers.probe.readers import (
    EndpointReader,
    ExtractiveReader,
    GgufReader,
    Prompt,
    Reader,
)
from logic_retrievers.probe.result import ProbeResult
from logic_retrievers.probe.retrieval import Retrieval, Retrieve
from logic_retrievers.probe.runner import Progress, probe
from logic_retrievers.probe.statistics import Comparison, compare_all, mcnemar
from logic_retrievers.probe.traces import Trace

__all__ = [
    "CachedReader",
    "Comparison",
    "EndpointReader",
    "ExtractiveReader",
    "GgufReader",
    "Grade",
    "Grading",
    "ProbeQuestion",
    "ProbeResult",
    "ProbeSet",
    "Progress",
    "Prompt",
    "Reader",
    "Retrieval",
    "Retrieve",
    "Trace",
    "build_prompt",
    "by_policy",
    "compare_all",
    "fill_index",
    "grade",
    "holm",
    "mcnemar",
    "probe",
    "read_probe",
    "resolve_configurations",
    "without_contradictions",
    "write_probe",
]
