"""One run of a cleaning: candidate pairs -> classification -> resolution -> quarantine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial

from logic_retrievers.cleaning.candidate_pairs import (
    MIN_PROBABILITY,
    CandidatePairs,
    find_candidate_pairs,
    listed_pages,
    stored_pages,
)
from logic_retrievers.cleaning.classification import classify_pairs
from logic_retrievers.cleaning.finding_resolution import resolve_findings
from logic_retrievers.cleaning.known_ledger import check_ledger, write_entries
from logic_retrievers.cleaning.ledger import Entry, Ledger, ledger_namespace, text_hash
from logic_retrievers.cleaning.neighbour_groups import Pair, conflict_groups, opposition_by_pair
from logic_retrievers.cleaning.neighbours import NeighbourSearch
from logic_retrievers.cleaning.pair_reading import Readings, read_pairs
from logic_retrievers.cleaning.quarantine import Quarantine, refuse_mixed_tenants
from logic_retrievers.cleaning.result import CleaningResult, Decision, Kind
from logic_retrievers.cleaning.settings import Criteria
from logic_retrievers.contradiction.candidate_pairs import (
    NEAREST_READ,
    CandidatePair,
)
from logic_retrievers.contradiction.conflict_resolution import AgainstTrusted
from logic_retrievers.contradiction.pair_judge import judge_pairs
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.errors import ConfigurationError, ConflictingTrustWarning
from logic_retrievers.index.passage_index import PassageIndex
from logic_retrievers.progress import ProgressCallback, ProgressMeter
from logic_retrievers.types import Passage
from logic_retrievers.validation import as_stored, check_passages


@dataclass(frozen=True, slots=True)
class CleaningRun:
    """The steps of one cleaning in their order; the pair judge is asked between the two."""

    index: PassageIndex | None
    ledger: Ledger
    search: NeighbourSearch
    criteria: Criteria
    readings: Readings
    dry_run: bool
    start: datetime = field(default_factory=partial(datetime.now, UTC))

    def clean(
        self, passages: Iterable[Passage] | None, again: bool, progress: ProgressCallback | None
    ) -> Operation[tuple[CleaningResult, list[Warning]]]:
        """Finds pairs, classifies them, decides, writes the decisions down and applies them."""
        meter = ProgressMeter(progress)
        candidates = yield from self._find_pairs(passages, again, meter)
        opposition = yield from opposition_by_pair(self.search, candidates)
        judge, above = self.criteria.settings.judge, self.criteria.judge_above
        if self.criteria.kinds is not None:
            read = yield from read_pairs(
                candidates, self.criteria, opposition, self.readings, meter
            )
            return (yield from self._decide(candidates, opposition, read, []))
        judged = yield from judge_pairs(judge, candidates.pairs, candidates.passages, above)
        return (yield from self._decide(candidates, opposition, *judged))

    def _find_pairs(
        self, passages: Iterable[Passage] | None, again: bool, meter: ProgressMeter
    ) -> Operation[CandidatePairs]:
        criteria = self.criteria
        if passages is not None:
            pages = listed_pages(list(map(as_stored, check_passages(passages))))
        elif self.index is None:
            raise ConfigurationError("there is nothing to clean: pass an index, or passages")
        else:
            pages = stored_pages(self.index, self.ledger, None if again else criteria.fingerprint())
        if self.index is not None:
            yield from refuse_mixed_tenants(self.index)
            if not self.dry_run:
                yield from Quarantine(self.index, self.ledger).verify_operation()
            elif not self.ledger.in_memory:
                yield from check_ledger(self.index, self.ledger)
        return (
            yield from find_candidate_pairs(
                self.search,
                self.index,
                pages,
                criteria.settings,
                min(MIN_PROBABILITY, criteria.constants.threshold, criteria.judge_above),
                stored=passages is None,
                nearest_read=0 if criteria.kinds is None else NEAREST_READ,
                meter=meter,
            )
        )

    def _decide(
        self,
        candidates: CandidatePairs,
        opposition: Mapping[Pair, float],
        pairs: Sequence[CandidatePair],
        warnings: list[Warning],
    ) -> Operation[tuple[CleaningResult, list[Warning]]]:
        criteria, settings = self.criteria, self.criteria.settings
        threshold = criteria.constants.threshold
        findings = yield Compute(
            partial(
                classify_pairs,
                candidates,
                pairs,
                settings,
                threshold,
                opposition,
                criteria.kinds_threshold,
            )
        )
        position_of = {p.id: position for position, p in enumerate(candidates.passages)}
        conflicts = [
            (position_of[finding.one], position_of[finding.other])
            for finding in findings
            if finding.kind is Kind.CONTRADICTION
        ]
        groups = yield from conflict_groups(self.search, candidates, conflicts)
        against: AgainstTrusted = "drop" if settings.against_trusted == "quarantine" else "annotate"
        decisions = yield Compute(
            partial(
                resolve_findings,
                candidates.passages,
                candidates.trusted,
                groups,
                findings,
                criteria.resolution,
                against,
            )
        )
        passages = {passage.id: passage for passage in candidates.passages}
        if self.index is not None:
            states = yield Compute(partial(self.ledger.states, ledger_namespace(self.index)))
            decisions = without_restored(decisions, passages, states)
        contested = {name for d in decisions if d.action == "contested" for name in d.trusted}
        if contested:
            note = (
                "trusted passages contradict each other, and cannot all be right:"
                f" {', '.join(map(repr, sorted(contested)))}; nothing was judged by them"
            )
            warnings.append(ConflictingTrustWarning(note))
        named = {name for d in decisions for name in (d.finding.one, d.finding.other)}
        result = CleaningResult(
            decisions,
            {name: passage for name, passage in passages.items() if name in named},
            len(candidates.digests),
            candidates.compared,
            criteria.resolution.name,
            threshold,
            self.dry_run,
            self.start,
            round((datetime.now(UTC) - self.start).total_seconds(), 3),
            None if self.index is None else self.index.collection,
            candidates.unjudgeable,
            tuple(str(warning) for warning in warnings),
            settings.date_key,
            settings.source_key,
        )
        if self.index is not None and not self.dry_run:
            yield from self._apply(self.index, result, candidates.digests)
        return result, warnings

    def _apply(
        self, index: PassageIndex, result: CleaningResult, digests: Mapping[str, str]
    ) -> Operation[None]:
        """Writes every decision into the ledger, then hides passages, then notes what was examined.

        A stored passage is hidden only if its text is the one that was decided against: a passage
        that was examined on its way in may have the id of an older one.

        Raises:
            StorageError: the ledger cannot be written; nothing was hidden.
            CollectionError, ServerError: Qdrant refused or failed; the next cleaning, or
                ``verify``, does the rest.
        """
        namespace = ledger_namespace(index)
        stored = yield from index.get_passages(result.quarantined)
        unchanged = [p.id for p in stored if p.text == result.passages[p.id].text]
        points = yield from index.fingerprints(unchanged)
        entries = [entry for d in result.decisions for entry in _entries(result, d, points)]
        yield from write_entries(index, self.ledger, entries)
        if unchanged:
            yield from index.hide(unchanged)
        fingerprint = self.criteria.fingerprint()
        yield Compute(partial(self.ledger.note_examined, namespace, digests, fingerprint))


def without_restored(
    decisions: Sequence[Decision], passages: Mapping[str, Passage], states: Mapping[str, Entry]
) -> tuple[Decision, ...]:
    """The decisions, without hiding passages that a person restored and that have not changed."""
    restored = {
        name
        for name, entry in states.items()
        if entry.event == "restore" and name in passages and entry.text == text_hash(passages[name])
    }
    return tuple(_without(decision, restored) for decision in decisions)


def _without(decision: Decision, restored: set[str]) -> Decision:
    if not restored & set(decision.quarantined):
        return decision
    remaining = tuple(name for name in decision.quarantined if name not in restored)
    names = ", ".join(repr(name) for name in decision.quarantined if name in restored)
    return replace(
        decision,
        action="quarantined" if remaining else "kept",
        quarantined=remaining,
        reason=f"{decision.reason}; but {names} was restored by hand, and stays",
    )


def _entries(result: CleaningResult, decision: Decision, points: Mapping[str, str]) -> list[Entry]:
    """An entry for every passage that is hidden for a finding, or else one for the finding."""
    finding = decision.finding
    plain = finding.to_dict()
    scores = {name: plain[name] for name in ("probability", "own_probability", "score", "cosine")}
    entries = []
    for name in decision.quarantined or (finding.one,):
        opponent = finding.other if name == finding.one else finding.one
        entries.append(
            Entry(
                "quarantine" if decision.quarantined else "found",
                name,
                text=text_hash(result.passages[name]),
                point=points.get(name),
                opponent=opponent,
                opponent_text=text_hash(result.passages[opponent]),
                kind=finding.kind.value,
                **scores,
                differences=plain["differences"],
                resolution=result.resolution,
                reason=f"{finding.reason}: {decision.reason}",
            )
        )
    return entries
