"""Retrieval configurations: a policy, with or without a contradiction filter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from qdrant_client import models

from logic_retrievers.conflicts import ContradictionFilter
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex
from logic_retrievers.index.point_format import possible_point_ids
from logic_retrievers.policies import Policy, PolicyRouter
from logic_retrievers.probe.questions import ProbeQuestion, ProbeSet
from logic_retrievers.progress import ProgressCallback
from logic_retrievers.search import Engine
from logic_retrievers.types import Hit, Passage

# (question, k) -> at most k passages, best first
Retrieve: TypeAlias = Callable[[ProbeQuestion, int], Sequence[Hit]]

OVERFETCH = 4  # a contradiction filter gets this many times the depth


def fill_index(
    index: PassageIndex, questions: ProbeSet, progress: ProgressCallback | None = None
) -> None:
    """Store the passages of a set.

    Raises:
        CollectionError, ServerError: Qdrant refused or failed.
    """
    index.add([Passage(*item) for item in questions.passages.items()], progress=progress)


def resolve_configurations(
    names: Iterable[str],
    index: PassageIndex,
    questions: ProbeSet,
    *,
    threshold: float | None = None,
) -> dict[str, Retrieve]:
    """Return the retrieval for each name.

    ``topical`` is a policy over the index. ``topical+annotate`` adds a contradiction filter with
    the resolution ``annotate``. The filter drops passages that contradict a trusted passage of the
    question. Between other passages the resolution decides (``annotate`` keeps both).

    ``threshold`` is the least probability of a contradiction; by default the encoder's. The index
    must hold the passages of the set.

    Raises:
        UnknownPolicyError, UnknownResolutionError: no policy, or no resolution, has that name.
        ConfigurationError: there is no name, a threshold has no resolution, or the encoder has no
            contradiction vector.
    """
    names = list(names)
    if not names:
        raise ConfigurationError("name a policy")
    if threshold is not None and not any("+" in name for name in names):
        raise ConfigurationError(
            f"a threshold is for the resolution of contradictions, as in {names[0]}+annotate"
        )
    configurations: dict[str, Retrieve] = {}
    for name in names:
        policy, separator, resolution = name.partition("+")
        retrieve = policy_retrieval(index, policy)
        if separator:
            contradictions = ContradictionFilter(
                index=index, resolution=resolution, threshold=threshold
            )
            retrieve = filtered_retrieval(retrieve, contradictions, questions.passages)
        configurations[name] = retrieve
    return configurations


def policy_retrieval(index: PassageIndex, policy: str | Policy | PolicyRouter) -> Retrieve:
    """Return a retrieval by a policy. If a question lists candidates, it finds only these.

    Raises:
        UnknownPolicyError: no policy has that name.
    """
    engine = Engine(index, policy)

    def retrieve(question: ProbeQuestion, depth: int) -> Sequence[Hit]:
        names = question.candidates
        points = [point for name in names for point in possible_point_ids(name, index.tenant)]
        candidates = models.Filter(must=[models.HasIdCondition(has_id=points)]) if points else None
        return engine.search(question.text, depth, filter=candidates)

    return retrieve


def filtered_retrieval(
    retrieve: Retrieve,
    contradiction_filter: ContradictionFilter,
    passages: Mapping[str, str],
) -> Retrieve:
    """Add a contradiction filter, which gets the trusted passages of each question.

    :data:`OVERFETCH` times the depth is retrieved, so that other passages replace dropped ones.
    ``passages`` maps ids to texts.
    """

    def retrieve_filtered(question: ProbeQuestion, depth: int) -> list[Hit]:
        hits = retrieve(question, OVERFETCH * depth)
        trusted = [Passage(name, passages[name]) for name in question.trusted]
        result = contradiction_filter.filter([hit.passage for hit in hits], depth, trusted=trusted)
        remaining = {hit.passage.id for hit in result.hits}
        return [hit for hit in hits if hit.passage.id in remaining]

    return retrieve_filtered
