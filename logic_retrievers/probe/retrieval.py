"""Retrieval configurations: a policy over an index, with or without a contradiction filter."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from qdrant_client import models

from logic_retrievers.contradiction import ContradictionFilter
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex, lexical
from logic_retrievers.index.point_format import possible_point_ids
from logic_retrievers.policies import Policy, PolicyRouter
from logic_retrievers.policies.registry import describe_policy
from logic_retrievers.probe.questions import ProbeQuestion, ProbeSet
from logic_retrievers.progress import ProgressCallback
from logic_retrievers.search import Engine
from logic_retrievers.types import Hit, Passage

Retrieve: TypeAlias = Callable[[ProbeQuestion, int], Sequence[Hit]]
"""The passages for a question, best first, at most as many as the second argument says."""

RESOLUTION_SEPARATOR = "+"
"""Between the names of a policy and of a resolution of contradictions: ``auto+drop_both``."""
OVERFETCH = 4
"""Times the depth: how many passages a contradiction filter chooses from."""


@dataclass(frozen=True, slots=True)
class Retrieval:
    """A retrieval function with the settings that change its results.

    A file of traces stores the settings, and refuses to continue with other settings under the same
    name. Any function can take the place of this class; then only its name is compared.

    Args:
        retrieve: gives a question its passages.
        settings: policy, thresholds, fingerprints, ...: JSON values, no secret.

    Raises:
        ConfigurationError: settings that JSON cannot hold.
    """

    retrieve: Retrieve
    settings: Mapping[str, Any]

    def __post_init__(self) -> None:
        try:
            json.dumps(self.settings)
        except (TypeError, ValueError) as error:
            raise ConfigurationError(f"the settings of a retrieval must be JSON: {error}") from None

    def __call__(self, question: ProbeQuestion, depth: int) -> Sequence[Hit]:
        """The passages for a question."""
        return self.retrieve(question, depth)


def retrieval_settings(retrieve: Retrieve) -> dict[str, Any]:
    """The settings of a retrieval in one level, as JSON reads them back.

    ``{"policy": {"name": "auto"}}`` becomes ``{"policy.name": "auto"}``; a plain function has none.
    """
    if not isinstance(retrieve, Retrieval):
        return {}
    return dict(_flatten(json.loads(json.dumps(retrieve.settings)), ""))


def fill_index(
    index: PassageIndex, questions: ProbeSet, progress: ProgressCallback | None = None
) -> None:
    """Stores the passages of a set.

    Raises:
        CollectionError, ServerError: Qdrant refused or failed.
    """
    passages = [Passage(name, text) for name, text in questions.passages.items()]
    index.add(passages, progress=progress)


def resolve_configurations(
    names: Iterable[str],
    index: PassageIndex,
    questions: ProbeSet,
    *,
    threshold: float | None = None,
) -> dict[str, Retrieve]:
    """Name -> retrieval.

    ``topical`` is a policy over the index; ``topical+annotate`` adds a contradiction filter, which
    drops what contradicts the trusted passages of each question.

    Args:
        names: policies, alone or with a name of
            :data:`logic_retrievers.contradiction.resolution_strategies.RESOLUTIONS`.
        index: holds the passages of the set.
        questions: the set.
        threshold: least probability of a contradiction; by default that of the encoder.

    Raises:
        UnknownPolicyError, UnknownResolutionError: nothing has that name.
        ConfigurationError: no name, a threshold without a resolution, or an encoder without a
            contradiction vector.
    """
    names = list(names)
    if not names:
        raise ConfigurationError("name a policy")
    if threshold is not None and not any(RESOLUTION_SEPARATOR in name for name in names):
        raise ConfigurationError(
            "a threshold is for the resolution of contradictions, as in "
            f"{names[0]}{RESOLUTION_SEPARATOR}annotate"
        )
    configurations: dict[str, Retrieve] = {}
    for name in names:
        policy, separator, resolution = name.partition(RESOLUTION_SEPARATOR)
        retrieve = policy_retrieval(index, policy)
        if separator:
            contradiction_filter = ContradictionFilter(
                index=index, resolution=resolution, threshold=threshold
            )
            retrieve = filtered_retrieval(retrieve, contradiction_filter, questions.passages)
        configurations[name] = retrieve
    return configurations


def policy_retrieval(index: PassageIndex, policy: str | Policy | PolicyRouter) -> Retrieval:
    """Retrieval under a policy; where a question has candidates, only these can be retrieved.

    Raises:
        UnknownPolicyError: no policy has that name.
    """
    engine = Engine(index, policy)

    def retrieve(question: ProbeQuestion, depth: int) -> Sequence[Hit]:
        names = question.candidates
        points = [point for name in names for point in possible_point_ids(name, index.tenant)]
        candidates = models.Filter(must=[models.HasIdCondition(has_id=points)]) if points else None
        return engine.search(question.text, depth, filter=candidates)

    specs = index.encoder.specs
    vectors = {
        name: [specs[name].fingerprint_for("query"), specs[name].fingerprint_for("document")]
        if name in specs
        else lexical.fingerprint(index.language)
        for name in index.vectors
    }
    return Retrieval(retrieve, {"policy": describe_policy(policy), "vectors": vectors})


def filtered_retrieval(
    retrieve: Retrieve,
    contradiction_filter: ContradictionFilter,
    passages: Mapping[str, str],
    *,
    overfetch: int = OVERFETCH,
) -> Retrieval:
    """A retrieval with a contradiction filter, which gets the trusted passages of each question.

    It retrieves ``overfetch`` times the depth, so that dropped passages are replaced. A function as
    the filter's resolution, its own trusted passages and a pair judge are not among the settings
    that traces store. ``passages`` maps ids to texts.

    Raises:
        ConfigurationError: ``overfetch`` is under 1.
    """
    if overfetch < 1:
        raise ConfigurationError(f"overfetch is {overfetch}; it must be at least 1")

    def retrieve_filtered(question: ProbeQuestion, depth: int) -> list[Hit]:
        hits = retrieve(question, overfetch * depth)
        trusted = [Passage(name, passages[name]) for name in question.trusted]
        result = contradiction_filter.filter([hit.passage for hit in hits], depth, trusted=trusted)
        remaining = {hit.passage.id for hit in result.hits}
        return [hit for hit in hits if hit.passage.id in remaining]

    settings = {
        **retrieval_settings(retrieve),
        "overfetch": overfetch,
        "resolution": contradiction_filter.resolution.name,
        "against_trusted": contradiction_filter.against_trusted,
        "contradiction": asdict(contradiction_filter.constants),
    }
    return Retrieval(retrieve_filtered, settings)


def _flatten(value: Any, path: str) -> list[tuple[str, Any]]:
    if not isinstance(value, dict):
        return [(path, value)]
    prefix = f"{path}." if path else ""
    return [item for name, inner in value.items() for item in _flatten(inner, f"{prefix}{name}")]
