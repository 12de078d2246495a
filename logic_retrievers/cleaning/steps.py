"""The steps of a cleaning, from what is examined to what is decided and done."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from logic_retrievers.cleaning.acting import act, home_of, refuse_tenants, respecting
from logic_retrievers.cleaning.comparing import Neighbourhood
from logic_retrievers.cleaning.findings import Kind
from logic_retrievers.cleaning.gathering import Gathered, Pages, Progress, gather
from logic_retrievers.cleaning.grouping import opponents, surroundings
from logic_retrievers.cleaning.ledger import Ledger
from logic_retrievers.cleaning.pages import given_pages, stored_pages
from logic_retrievers.cleaning.quarantine import Quarantine
from logic_retrievers.cleaning.resolving import Corpus, resolve
from logic_retrievers.cleaning.result import Cleaned, Decision
from logic_retrievers.cleaning.rules import Rules
from logic_retrievers.cleaning.telling import tell
from logic_retrievers.contradiction.gathering import checked_passages
from logic_retrievers.contradiction.opinions import Heard, Questions, answered, questions
from logic_retrievers.errors import (
    ConfigurationError,
    ConflictingTrustWarning,
    SecondOpinionWarning,
)
from logic_retrievers.procedures import Procedure, Work
from logic_retrievers.types import Passage

if TYPE_CHECKING:
    from logic_retrievers.index.passages import PassageIndex

Warned: TypeAlias = list[tuple[type[Warning], str]]


def _now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Steps:
    """Those of one cleaning, in their order; the second opinion is asked between two of them.

    Args:
        index: the collection; None: the passages are compared with each other.
        ledger: where every decision is written down.
        quarantine: the hidden passages of the collection.
        room: finds the neighbours.
        rules: to judge by.
        least: probability from which a pair is of interest.
        dry_run: decide, and write nothing.
        begun: when.
    """

    index: PassageIndex | None
    ledger: Ledger
    quarantine: Quarantine | None
    room: Neighbourhood
    rules: Rules
    least: float
    dry_run: bool
    begun: datetime = field(default_factory=_now)

    def gathered(
        self, passages: Iterable[Passage] | None, again: bool, progress: Progress | None
    ) -> Procedure[Gathered]:
        """The pairs that are worth a look.

        Args:
            passages: to examine; None: what the collection holds.
            again: examine also what was examined before and has not changed since.
            progress: called with the number of passages examined so far.
        """
        pages = self._pages(again) if passages is None else given_pages(checked_passages(passages))
        if self.index is not None:
            yield from refuse_tenants(self.index)
        if self.quarantine is not None and not self.dry_run:
            yield from self.quarantine.verifying()
        return (
            yield from gather(
                self.room,
                self.index,
                pages,
                self.rules.trust,
                self.least,
                stored=passages is None,
                progress=progress,
            )
        )

    def asked(self, gathered: Gathered) -> Questions:
        """What to ask the second opinion, where there is one."""
        if not self.rules.asking:
            return {}
        return questions(gathered.pairs, gathered.passages, self.rules.ask_above)

    def decided(
        self, gathered: Gathered, asked: Questions, heard: Heard
    ) -> Procedure[tuple[Cleaned, Warned]]:
        """What was found and decided, written down and done, and what to warn of.

        Args:
            gathered: see :meth:`gathered`.
            asked: see :meth:`asked`.
            heard: what the second opinion said to it.
        """
        rules = self.rules
        problems: Warned = []
        answers, problem = heard
        pairs = gathered.pairs
        if answers is None:
            problems.append((SecondOpinionWarning, f"the second opinion does not count: {problem}"))
        else:
            pairs = answered(pairs, list(asked.values()), answers)
        sides = {} if rules.trust.top else (yield from opponents(self.room, gathered))
        told = yield Work(partial(tell, gathered, pairs, rules.reading, sides))
        disputes = [one.pair for one in told if one.finding.kind is Kind.CONTRADICTION]
        groups = yield from surroundings(self.room, gathered, disputes)
        corpus = Corpus(gathered.passages, gathered.trusted, groups)
        decisions = yield Work(partial(resolve, corpus, told, rules.policy, rules.against))
        known = {one.id: one for one in gathered.passages}
        if self.index is not None:
            states = yield Work(partial(self.ledger.states, home_of(self.index)))
            decisions = respecting(decisions, known, states)
        if note := _contested(decisions):
            problems.append((ConflictingTrustWarning, note))
        named = {name for one in decisions for name in (one.finding.one, one.finding.other)}
        cleaned = Cleaned(
            decisions,
            {name: one for name, one in known.items() if name in named},
            gathered.examined,
            gathered.compared,
            rules.policy.name,
            rules.settings.threshold,
            self.dry_run,
            self.begun,
            round((_now() - self.begun).total_seconds(), 3),
            None if self.index is None else self.index.collection,
            gathered.unjudged,
            tuple(message for _, message in problems),
            rules.reading.date_key,
            rules.reading.source_key,
        )
        if self.index is not None and not self.dry_run:
            yield from act(self.index, self.ledger, cleaned, gathered.digests, rules.fingerprint())
        return cleaned, problems

    def _pages(self, again: bool) -> Pages:
        if self.index is None:
            raise ConfigurationError("there is nothing to clean: pass an index, or passages")
        return stored_pages(self.index, self.ledger, None if again else self.rules.fingerprint())


def _contested(decisions: Sequence[Decision]) -> str:
    """Which trusted passages contradict each other; empty where none do."""
    names = {name for one in decisions if one.action == "contested" for name in one.trusted}
    if not names:
        return ""
    return (
        "trusted passages contradict each other, and cannot all be right:"
        f" {', '.join(map(repr, sorted(names)))}; nothing was judged by them"
    )
