"""Builders of question sets from benchmark data, by name.

    questions = BUILDERS["films"]("wikipedia_movies", seed=1)

Every builder takes a folder, the part of it where it has parts, and a seed; the same seed gives the
same set.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from benchmarks.probe_questions.boolquestions import boolquestions_questions
from benchmarks.probe_questions.films import film_questions
from benchmarks.probe_questions.limit import limit_questions
from benchmarks.probe_questions.ramdocs import ramdocs_questions
from logic_retrievers.probe.questions import ProbeSet

ProbeSetBuilder: TypeAlias = Callable[..., ProbeSet]

BUILDERS: Mapping[str, ProbeSetBuilder] = {
    "limit": limit_questions,
    "films": film_questions,
    "ramdocs": ramdocs_questions,
    "boolquestions": boolquestions_questions,
}

__all__ = [
    "BUILDERS",
    "ProbeSetBuilder",
    "boolquestions_questions",
    "film_questions",
    "limit_questions",
    "ramdocs_questions",
]
