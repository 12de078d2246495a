"""From pairs that were told apart to what becomes of every passage: pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from logic_retrievers.cleaning.findings import Finding, Kind
from logic_retrievers.cleaning.result import Action, Decision
from logic_retrievers.contradiction.conflicts import Pair
from logic_retrievers.contradiction.rules import (
    AnyRule,
    ConflictGraph,
    ConflictPolicy,
    DropBoth,
    Group,
    Ruling,
    resolve_rule,
)
from logic_retrievers.contradiction.verdicts import AgainstTrusted, Case, verdict
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.types import Passage

ACTIONS: Mapping[str, Action] = {"dropped": "quarantined", "unreached": "kept"}
"""What the filter of a list calls otherwise."""


@dataclass(frozen=True)
class QuarantineAll(DropBoth):
    """Where two contradict each other, neither is to be believed."""

    name: ClassVar[str] = "quarantine_all"


@dataclass(frozen=True)
class InOrder(ConflictPolicy):
    """The first of several policies that can decide does.

    Args:
        policies: the most telling first.
    """

    policies: tuple[ConflictPolicy, ...]

    @property
    def name(self) -> str:  # type: ignore[override]
        """The names of all, in their order."""
        return ", ".join(policy.name for policy in self.policies)

    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:
        """As the first has it that does not abstain."""
        abstained = []
        for policy in self.policies:
            ruling = policy.decide(one, other, graph)
            if not ruling.abstained:
                return ruling
            abstained.append(ruling.reason)
        return Ruling("; ".join(abstained), abstained=True)


def cleaning_rule(
    policy: AnyRule | Sequence[AnyRule],
    date_key: str,
    source_key: str,
    source_order: Sequence[str],
) -> ConflictPolicy:
    """The policy of a cleaning from a name, a function, a policy, or several of them.

    Raises:
        UnknownPolicyError: no policy has that name.
        ConfigurationError: settings that a policy cannot work with.
    """
    if isinstance(policy, Sequence) and not isinstance(policy, str):
        if not policy:
            raise ConfigurationError("policy= is an empty list; name one policy or several")
        rules = (cleaning_rule(one, date_key, source_key, source_order) for one in policy)
        return InOrder(tuple(rules))
    if policy == "quarantine_all":
        return QuarantineAll()
    return resolve_rule(policy, date_key, source_key, source_order)


@dataclass(frozen=True, slots=True)
class Told:
    """A pair of places with its finding."""

    pair: Pair
    finding: Finding


@dataclass(frozen=True, slots=True)
class Corpus:
    """What a decision looks at beside the findings.

    Args:
        passages: by their places.
        trusted: places.
        groups: see ``ConflictGraph``.
    """

    passages: Sequence[Passage]
    trusted: frozenset[int] = frozenset()
    groups: Mapping[tuple[int, int], Group] = field(default_factory=dict)


def resolve(
    corpus: Corpus, told: Sequence[Told], rule: ConflictPolicy, against: AgainstTrusted
) -> tuple[Decision, ...]:
    """A decision for every finding, in their order.

    Contradictions are decided by trusted passages first, then by the policy. Of two versions the
    older one goes where the newer one is trusted, or the policy goes by dates; nothing else is held
    against a passage.

    Args:
        corpus: what the findings speak of.
        told: the strongest first.
        rule: decides where nobody is trusted.
        against: what becomes of a passage that contradicts a trusted one.
    """
    outdated = _by_dates(rule)
    trusted = {corpus.passages[place].id for place in corpus.trusted}
    held = [
        number
        for number, one in enumerate(told)
        if one.finding.kind is Kind.CONTRADICTION
        or (one.finding.kind is Kind.SUPERSEDED and (outdated or one.finding.newer in trusted))
    ]
    pairs = tuple(told[number].pair for number in held)
    versions = {
        (told[number].pair.one, told[number].pair.other): told[number].finding
        for number in held
        if told[number].finding.kind is Kind.SUPERSEDED
    }
    case = Case(
        corpus.passages,
        len(corpus.passages),
        corpus.trusted,
        {},
        pairs,
        _copies(told),
        groups=corpus.groups,
    )
    found = verdict(case, _Versions(rule, versions), 0.0, against, None)
    decided = dict(zip(held, found.conflicts, strict=True))
    decisions = []
    for number, one in enumerate(told):
        conflict = decided.get(number)
        if conflict is None:
            reason = f"nothing is held against a passage for this ({one.finding.kind.value})"
            decisions.append(Decision(one.finding, "kept", reason))
            continue
        action: Action = ACTIONS.get(conflict.decision, conflict.decision)  # type: ignore[arg-type]
        decisions.append(
            Decision(one.finding, action, conflict.reason, conflict.dropped, conflict.trusted)
        )
    return tuple(decisions)


@dataclass(frozen=True)
class _Versions(ConflictPolicy):
    """Of two versions the older one goes; all else is the policy's."""

    rule: ConflictPolicy
    versions: Mapping[tuple[int, int], Finding]

    @property
    def name(self) -> str:  # type: ignore[override]
        return self.rule.name

    def decide(self, one: int, other: int, graph: ConflictGraph) -> Ruling:
        finding = self.versions.get((one, other))
        if finding is None:
            return self.rule.decide(one, other, graph)
        older = other if finding.newer == graph.passages[one].id else one
        return Ruling(f"{finding.newer!r} is the newer version", (older,))


def _by_dates(rule: ConflictPolicy) -> bool:
    if isinstance(rule, InOrder):
        return any(_by_dates(policy) for policy in rule.policies)
    return rule.name == "prefer_newest"


def _copies(told: Sequence[Told]) -> dict[int, frozenset[int]]:
    copies: dict[int, set[int]] = {}
    for one in told:
        if one.finding.kind is Kind.DUPLICATE:
            copies.setdefault(one.pair.one, set()).add(one.pair.other)
            copies.setdefault(one.pair.other, set()).add(one.pair.one)
    return {place: frozenset(others) for place, others in copies.items()}
