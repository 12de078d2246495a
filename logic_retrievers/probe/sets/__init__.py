"""Sets of questions made of benchmark data: name -> builder.

    questions = SETS["films"]("wikipedia_movies", seed=1)

Every builder takes a folder, the part of it where it has parts, and a seed; the same seed gives the
same set.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from logic_retrievers.probe.questions import ProbeSet
from logic_retrievers.probe.sets.boolquestions import boolquestions_questions
from logic_retrievers.probe.sets.films import film_questions
from logic_retrievers.probe.sets.limit import limit_questions
from logic_retrievers.probe.sets.ramdocs import ramdocs_questions

SetBuilder: TypeAlias = Callable[..., ProbeSet]

SETS: Mapping[str, SetBuilder] = {
    "limit": limit_questions,
    "films": film_questions,
    "ramdocs": ramdocs_questions,
    "boolquestions": boolquestions_questions,
}

__all__ = [
    "SETS",
    "SetBuilder",
    "boolquestions_questions",
    "film_questions",
    "limit_questions",
    "ramdocs_questions",
]
