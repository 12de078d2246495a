"""Ways of retrieving, by name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from qdrant_client import models

from logic_retrievers.contradiction import ContradictionFilter
from logic_retrievers.engine import Engine
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index import PassageIndex, lexical
from logic_retrievers.index.ids import candidate_ids
from logic_retrievers.index.writes import Progress
from logic_retrievers.policies import Chooser, Policy
from logic_retrievers.policies.registry import describe_policy
from logic_retrievers.probe.questions import ProbeQuestion, ProbeSet
from logic_retrievers.probe.retrieval import Retrieval, Retrieve, settings_of
from logic_retrievers.types import Hit, Passage

JOINT = "+"
"""Parts a policy's name from that of a rule about contradictions: ``auto+drop_both``."""
OVERFETCH = 4
"""Times the depth: what a contradiction filter may choose from."""


def fill_index(index: PassageIndex, questions: ProbeSet, progress: Progress | None = None) -> None:
    """Stores the passages of a set.

    Args:
        index: where to.
        questions: the set.
        progress: called with the number of passages stored so far.

    Raises:
        CollectionError, ServerError: Qdrant refused or failed.
    """
    stored = (Passage(name, text) for name, text in questions.passages.items())
    index.add(stored, progress=progress)


def resolve_configurations(
    names: Iterable[str],
    index: PassageIndex,
    questions: ProbeSet,
    *,
    threshold: float | None = None,
) -> dict[str, Retrieve]:
    """Name -> retrieval.

    ``topical`` is a policy over the index; ``topical+annotate`` the same with a contradiction
    filter behind it, for which the trusted passages of each question judge.

    Args:
        names: policies, alone or with a rule of :data:`logic_retrievers.contradiction.rules.RULES`.
        index: holds the passages.
        questions: the set.
        threshold: least probability of a contradiction; by default that of the encoder.

    Raises:
        UnknownPolicyError: no policy or no rule has that name.
        ConfigurationError: no name, a threshold without a rule, or an encoder that cannot tell
            contradictions.
    """
    names = list(names)
    if not names:
        raise ConfigurationError("name a policy")
    if threshold is not None and not any(JOINT in name for name in names):
        raise ConfigurationError(
            f"a threshold is for rules about contradictions, as in {names[0]}{JOINT}annotate"
        )
    found: dict[str, Retrieve] = {}
    for name in names:
        policy, joint, rule = name.partition(JOINT)
        retrieve = by_policy(index, policy)
        if joint:
            contradictions = ContradictionFilter(index=index, policy=rule, threshold=threshold)
            retrieve = without_contradictions(retrieve, contradictions, questions.passages)
        found[name] = retrieve
    return found


def by_policy(index: PassageIndex, policy: str | Policy | Chooser) -> Retrieval:
    """Retrieval under a policy; only a question's candidates compete, where it has some.

    Args:
        index: holds the passages.
        policy: a name or an instance.

    Raises:
        UnknownPolicyError: no policy has that name.
    """
    engine = Engine(index, policy)

    def retrieve(question: ProbeQuestion, depth: int) -> Sequence[Hit]:
        return engine.search(question.text, depth, filter=_only(index, question.candidates))

    specs = index.encoder.specs
    vectors = {
        name: [specs[name].side("query"), specs[name].side("document")]
        if name in specs
        else lexical.FINGERPRINT
        for name in index.vectors
    }
    return Retrieval(retrieve, {"policy": describe_policy(policy), "vectors": vectors})


def without_contradictions(
    retrieve: Retrieve,
    contradictions: ContradictionFilter,
    passages: Mapping[str, str],
    *,
    overfetch: int = OVERFETCH,
) -> Retrieval:
    """The same retrieval with a contradiction filter behind it.

    A function as the filter's policy, its own trusted passages and a second opinion are not among
    the settings that traces remember.

    Args:
        retrieve: is asked for ``overfetch`` times the depth, so that what goes is replaced.
        contradictions: the filter; the trusted passages of each question are given to it.
        passages: id -> text.
        overfetch: 1 or more.

    Raises:
        ConfigurationError: ``overfetch`` is under 1.
    """
    if overfetch < 1:
        raise ConfigurationError(f"overfetch is {overfetch}; it must be at least 1")

    def filtered(question: ProbeQuestion, depth: int) -> list[Hit]:
        hits = retrieve(question, overfetch * depth)
        trusted = [Passage(name, passages[name]) for name in question.trusted]
        found = contradictions.filter([hit.passage for hit in hits], depth, trusted=trusted)
        kept = {hit.passage.id for hit in found.hits}
        return [hit for hit in hits if hit.passage.id in kept]

    settings = {
        **settings_of(retrieve),
        "overfetch": overfetch,
        "rule": contradictions.policy.name,
        "against_trusted": contradictions.against_trusted,
        "contradiction": asdict(contradictions.settings),
    }
    return Retrieval(filtered, settings)


def _only(index: PassageIndex, candidates: Iterable[str]) -> models.Filter | None:
    points = [point for name in candidates for point in candidate_ids(name, index.tenant)]
    return models.Filter(must=[models.HasIdCondition(has_id=points)]) if points else None
