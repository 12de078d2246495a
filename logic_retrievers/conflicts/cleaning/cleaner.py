"""``CorpusCleaner``: finds the conflicts of a corpus, decides them, hides the losing passages."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime
from functools import partial
from typing import Any, Unpack

from qdrant_client import models

from logic_retrievers.conflicts.candidate_pairs import (
    BY_WORDS_READ,
    LEAST_COSINE_READ,
    CandidatePair,
)
from logic_retrievers.conflicts.cleaning.candidate_pairs import (
    CandidatePairs,
    find_candidate_pairs,
    listed_pages,
    stored_pages,
)
from logic_retrievers.conflicts.cleaning.classification import classify_pairs, read_pairs
from logic_retrievers.conflicts.cleaning.closing import Closing, close_superseded
from logic_retrievers.conflicts.cleaning.finding_resolution import (
    close_entries,
    decision_entries,
    resolve_findings,
    restored_ids,
    without_restored,
)
from logic_retrievers.conflicts.cleaning.ledger import (
    MEMORY,
    Entry,
    Ledger,
    check_ledger,
    examined_hash,
    ledger_namespace,
    write_entries,
)
from logic_retrievers.conflicts.cleaning.neighbour_groups import (
    Pair,
    conflict_groups,
    opposition_by_pair,
)
from logic_retrievers.conflicts.cleaning.neighbours import MIN_COSINE, NeighbourSearch
from logic_retrievers.conflicts.cleaning.quarantine import (
    Quarantine,
    Release,
    refuse_mixed_tenants,
)
from logic_retrievers.conflicts.cleaning.result import (
    CleaningResult,
    Decision,
    Finding,
    Kind,
    ScreeningResult,
    flag_quarantined,
)
from logic_retrievers.conflicts.cleaning.settings import CleaningOptions, CleaningSettings, Criteria
from logic_retrievers.conflicts.conflict_resolution import AgainstTrusted
from logic_retrievers.conflicts.pair_judge import Readings, judge_pairs
from logic_retrievers.dates import parse_date
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.encoders import Encoder, default_encoder
from logic_retrievers.errors import (
    ConfigurationError,
    ConflictingTrustWarning,
    LedgerWarning,
    shown,
    warn_each,
)
from logic_retrievers.index.filters import written_since
from logic_retrievers.index.passage_index import PassageIndex
from logic_retrievers.progress import ProgressCallback, ProgressMeter
from logic_retrievers.ranking.execution import arun_over, run_over
from logic_retrievers.tracing import Attributes, own_attributes, traced
from logic_retrievers.types import Passage
from logic_retrievers.validation import as_stored, check_parts, check_passages

_FORGOTTEN = (
    "passages are hidden or closed, or will be once they are stored, and this ledger ends with the"
    " process: later no one can tell for which passage they were, and what was restored by hand may"
    " be so again. Name a file: ledger='ledger.sqlite'"
)


def _describe_cleaning(result: CleaningResult, *_: object, **__: object) -> Attributes:
    kinds = Counter(str(decision.finding.kind) for decision in result.decisions)
    actions = Counter(decision.action for decision in result.decisions)
    return own_attributes(
        collection=result.collection,
        resolution=result.resolution,
        dry_run=result.dry_run,
        examined=result.examined,
        compared=result.compared,
        unjudged=len(result.unjudged),
        hidden=len(result.quarantined),
        **{f"kind.{name}": count for name, count in kinds.items()},
        **{f"action.{name}": count for name, count in actions.items()},
    )


def _since_filter(since: Any, passages: Any) -> models.Filter | None:
    """Return the filter for the passages written since a time; None if there is no time."""
    if since is None:
        return None
    if passages is not None:
        raise ConfigurationError("since= chooses among stored passages; leave it or passages out")
    read = parse_date(since) if isinstance(since, date | str) else None
    if read is None:
        raise ConfigurationError(
            f"since is a date, a datetime or ISO 8601 text, not {shown(since)}"
        )
    return written_since(read.start.replace(tzinfo=UTC))


class CorpusCleaner:
    """Finds passages that contradict, repeat or replace each other, and decides which to hide.

    Only new and changed passages are compared, each with its topical neighbours, so the cost grows
    linearly with them. Nothing is ever deleted. A passage that a resolution decides against is
    *quarantined*: hidden from retrieval, and restorable byte for byte. By default (``annotate``)
    only passages that contradict a trusted passage are hidden.

    Args:
        index: the collection to clean, or to which new passages will be added. Without an index
            the passages given to :meth:`clean` are compared with each other.
        ledger: log of all decisions: a :class:`Ledger` or a path. The default is kept in memory
            only; hiding passages of a lasting collection then gives a :class:`LedgerWarning`.
        encoder: makes the vectors; by default the index's encoder, or without an index that of the
            package's bundle.
        **options: the fields of :class:`~logic_retrievers.conflicts.CleaningSettings`:
            ``resolution``, ``trusted_filter``, ``threshold``, ``judge`` and others.

    Raises:
        UnknownResolutionError: no resolution has that name.
        ConfigurationError: a setting cannot work, or the encoder lacks a vector.
        InputError: a trusted passage is not a passage, or a filter cannot be read.
        StorageError: the ledger cannot be opened.

    Examples:
        >>> cleaner = CorpusCleaner(index, ledger="ledger.sqlite")        # doctest: +SKIP
        >>> cleaner.clean(dry_run=True).of_kind(Kind.CONTRADICTION)       # doctest: +SKIP
    """

    def __init__(
        self,
        index: PassageIndex | None = None,
        *,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        encoder: Encoder | None = None,
        **options: Unpack[CleaningOptions],
    ) -> None:
        check_parts(encoder=encoder, index=index)
        self.settings = CleaningSettings(**options)
        if encoder is None:
            encoder = default_encoder() if index is None else index.encoder
        elif index is not None and encoder is not index.encoder:
            raise ConfigurationError("an index brings its own encoder; leave encoder= out")
        self.index = index
        self.encoder = encoder
        self.criteria = Criteria.merge(self.settings, encoder)
        self.ledger = ledger if isinstance(ledger, Ledger) else Ledger(ledger or MEMORY)
        reads = self.criteria.reader is not None
        self._search = NeighbourSearch(
            encoder,
            index,
            self.criteria.constants,
            self.settings.neighbours,
            LEAST_COSINE_READ if reads else MIN_COSINE,
            BY_WORDS_READ if reads else 0,
        )
        self._readings: Readings = {}
        self._has_verified = False

    @property
    def quarantine(self) -> Quarantine:
        """The hidden passages of the collection.

        Raises:
            ConfigurationError: there is no index.
        """
        if self.index is None:
            raise ConfigurationError("nothing is hidden without an index: pass one")
        return Quarantine(self.index, self.ledger)

    @traced("clean", "CHAIN", _describe_cleaning)
    def clean(
        self,
        passages: Iterable[Passage] | None = None,
        *,
        since: date | str | None = None,
        dry_run: bool = False,
        again: bool = False,
        progress: ProgressCallback | None = None,
    ) -> CleaningResult:
        """Clean the collection, what is new in it, or a list of passages.

        Args:
            passages: passages to examine instead of the collection's. With an index they are
                compared with its passages as if new; none of them is stored.
            since: examine only the passages that were stored or changed at this time or later, and
                read no others except their neighbours. A date, a datetime or ISO 8601 text; without
                a zone it is UTC. Passages written by another store or an earlier version have no
                time and are left out. What is hidden stays hidden: only a cleaning without
                ``since`` checks whether the passage for which it was hidden is still the same.
            dry_run: decide, but write neither to the collection nor to the ledger.
            again: also examine unchanged passages that were examined before. Pass it after changing
                the code of your own resolution or judge, because such changes are not detected.
            progress: called after each page of examined passages. If a cross-encoder reads pairs,
                passages count as done in proportion to the pairs read.

        Raises:
            ConfigurationError: there is neither an index nor passages, ``since`` is not a date or
                is given with passages, or tenants share the collection and the index was opened
                without a tenant.
            InputError: something is not a passage, or a resolution function returned a wrong value.
            StorageError: the ledger cannot be written; nothing was hidden.
            CollectionError, ServerError: Qdrant refused or failed.
        """
        operation = self._clean(passages, since, again, progress, dry_run)
        result, warnings = run_over(self.index, operation)
        warn_each(warnings)
        return result

    @traced("clean", "CHAIN", _describe_cleaning)
    async def aclean(
        self,
        passages: Iterable[Passage] | None = None,
        *,
        since: date | str | None = None,
        dry_run: bool = False,
        again: bool = False,
        progress: ProgressCallback | None = None,
    ) -> CleaningResult:
        """:meth:`clean` without blocking the event loop; the same result."""
        operation = self._clean(passages, since, again, progress, dry_run)
        result, warnings = await arun_over(self.index, operation)
        warn_each(warnings)
        return result

    def screen(self, passages: Iterable[Passage], *, dry_run: bool = False) -> ScreeningResult:
        """Examine passages before they are stored in a collection.

        New passages that the resolution decides against are returned with the quarantine flag, so
        that they are stored hidden. Stored passages that lose are hidden at once.

        Args:
            passages: passages to be stored; each id once.
            dry_run: decide, but set no flag, and write neither to the collection nor to the ledger.

        Raises:
            InputError: something is not a passage.
            StorageError, CollectionError, ServerError: as for :meth:`clean`.
        """
        checked = check_passages(passages)
        return flag_quarantined(checked, self.clean(checked, dry_run=dry_run))

    async def ascreen(
        self, passages: Iterable[Passage], *, dry_run: bool = False
    ) -> ScreeningResult:
        """:meth:`screen` without blocking the event loop; the same result."""
        checked = check_passages(passages)
        return flag_quarantined(checked, await self.aclean(checked, dry_run=dry_run))

    def _clean(
        self,
        passages: Iterable[Passage] | None,
        since: date | str | None,
        again: bool,
        progress: ProgressCallback | None,
        dry_run: bool,
    ) -> Operation[tuple[CleaningResult, list[Warning]]]:
        """Find pairs, classify and decide them, record the decisions and apply them."""
        begun, warnings, meter = datetime.now(UTC), list[Warning](), ProgressMeter(progress)
        criteria, settings = self.criteria, self.settings
        candidates = yield from self._find_pairs(passages, since, again, meter, dry_run)
        opposition = yield from opposition_by_pair(self._search, candidates)
        pairs: Sequence[CandidatePair]
        if criteria.reader is not None:
            pairs = yield from read_pairs(candidates, criteria, self._readings, meter)
        else:
            pairs, warnings = yield from judge_pairs(
                settings.judge, candidates.pairs, candidates.passages, criteria.judge_above
            )
        failed = bool(warnings)
        decisions = yield from self._decide(candidates, opposition, pairs, begun)
        if contested := {name for d in decisions if d.action == "contested" for name in d.trusted}:
            note = (
                "trusted passages contradict each other, and cannot all be right:"
                f" {', '.join(map(repr, sorted(contested)))}; nothing was judged by them"
            )
            warnings.append(ConflictingTrustWarning(note))
        is_forgotten = (
            self.index is not None and self.index.connection.is_lasting and self.ledger.in_memory
        )
        if is_forgotten and not dry_run and any(d.quarantined or d.closed for d in decisions):
            warnings.append(LedgerWarning(_FORGOTTEN))
        named = {name for d in decisions for name in (d.finding.one, d.finding.other)}
        result = CleaningResult(
            decisions,
            {passage.id: passage for passage in candidates.passages if passage.id in named},
            len(candidates.digests),
            candidates.compared,
            criteria.resolution.name,
            criteria.threshold,
            dry_run,
            begun,
            round((datetime.now(UTC) - begun).total_seconds(), 3),
            None if self.index is None else self.index.collection,
            candidates.unjudgeable,
            tuple(str(warning) for warning in warnings),
            settings.date_key,
            settings.source_key,
            settings.validity[1] if settings.validity and settings.supersede == "close" else None,
        )
        if self.index is not None and not dry_run:
            # after a judge's failure no passage counts as examined, so the next cleaning retries
            self._has_verified = False  # what fails from here on is left to the next run
            yield from self._apply(self.index, result, {} if failed else candidates.digests)
            self._has_verified = True
        return result, warnings

    def _find_pairs(
        self,
        passages: Iterable[Passage] | None,
        since: date | str | None,
        again: bool,
        meter: ProgressMeter,
        dry_run: bool,
    ) -> Operation[CandidatePairs]:
        criteria, released = self.criteria, dict[str, str]()
        condition = _since_filter(since, passages)
        is_whole = passages is None and since is None
        release: Release = "all" if is_whole else "none"
        if self.index is not None and dry_run:
            released = yield from self.quarantine.lost_reasons(release)
        elif self.index is not None and self._has_verified and not is_whole:
            # verifying reads all that is hidden, which no batch after the first should pay for
            yield from refuse_mixed_tenants(self.index)
            yield from check_ledger(self.index, self.ledger)
        elif self.index is not None:
            yield from self.quarantine.verify_operation(release=release)
            self._has_verified = True
        if passages is not None:
            pages = listed_pages(list(map(as_stored, check_passages(passages))))
        elif self.index is None:
            raise ConfigurationError("there is nothing to clean: pass an index, or passages")
        else:
            fingerprint = None if again else criteria.fingerprint()
            pages = stored_pages(self.index, self.ledger, fingerprint, released, condition)
        return (
            yield from find_candidate_pairs(
                self._search,
                self.index,
                pages,
                criteria,
                stored=passages is None,
                released=released,
                meter=meter,
            )
        )

    def _decide(
        self,
        candidates: CandidatePairs,
        opposition: Mapping[Pair, float],
        pairs: Sequence[CandidatePair],
        begun: datetime,
    ) -> Operation[tuple[Decision, ...]]:
        criteria = self.criteria
        settings, threshold = criteria.settings, criteria.constants.threshold
        read_as = criteria.read_thresholds
        findings: list[Finding] = yield Compute(
            lambda: classify_pairs(candidates, pairs, settings, threshold, opposition, read_as)
        )
        position_of = {p.id: position for position, p in enumerate(candidates.passages)}
        conflicts = [
            (position_of[finding.one], position_of[finding.other])
            for finding in findings
            if finding.kind is Kind.CONTRADICTION and finding.certain
        ]
        judged = {(pair.one, pair.other): pair.probability for pair in pairs}
        groups = yield from conflict_groups(self._search, candidates, conflicts, judged)
        passages, trusted = candidates.passages, candidates.trusted
        against: AgainstTrusted = "annotate" if settings.against_trusted == "annotate" else "drop"
        by_id = {passage.id: passage for passage in passages}

        def resolve(findings: Sequence[Finding]) -> tuple[Decision, ...]:
            strategy = criteria.resolution
            return resolve_findings(passages, trusted, groups, findings, strategy, against)

        decide = partial(resolve, findings)
        if settings.validity is not None and settings.supersede == "close":
            kept = {passages[position].id for position in trusted}
            if self.index is not None:
                namespace = ledger_namespace(self.index)
                closings = yield Compute(partial(self.ledger.closings, namespace, by_id))
                kept |= restored_ids(by_id, closings, "reopen")
            closing = Closing(settings.validity, settings.date_key, begun, kept)
            decide = partial(close_superseded, by_id, findings, closing, resolve)
        decisions: tuple[Decision, ...] = yield Compute(decide)
        if self.index is None:
            return decisions
        states = yield Compute(partial(self.ledger.states, ledger_namespace(self.index), by_id))
        return without_restored(decisions, by_id, states)

    def _apply(
        self, index: PassageIndex, result: CleaningResult, digests: Mapping[str, str]
    ) -> Operation[None]:
        """Write decisions into the ledger, hide or close passages, then note which were examined.

        A stored passage is hidden or closed only if its text is the one decided against, because a
        new passage may have been examined under the same id.
        """
        namespace = ledger_namespace(index)
        stored = yield from index.get_passages(result.quarantined)
        unchanged = [p.id for p in stored if p.text == result.passages[p.id].text]
        points = yield from index.fingerprints(unchanged)
        trusted = {passage.id: passage for passage in self.settings.trusted or ()}
        theirs = yield from index.get_passages(sorted(trusted.keys() & result.passages.keys()))
        as_stored = {p.id: p for p in theirs if p.text == trusted[p.id].text}
        elsewhere = trusted.keys() - as_stored.keys()
        closing = {p.id: p for p in (yield from index.get_passages(list(result.closed)))}
        closing = {n: p for n, p in closing.items() if p.text == result.passages[n].text}
        # a passage that is closed in this cleaning must not count as changed by the next one
        after = {n: result.as_closed(closing.get(n, p)) for n, p in result.passages.items()}
        states = {n: examined_hash(as_stored.get(n, p)) for n, p in after.items()}
        states = {name: state for name, state in states.items() if name not in elsewhere}
        entries = [e for d in result.decisions for e in decision_entries(result, d, points, states)]
        entries += close_entries(result, closing, states)
        hidden = yield Compute(partial(self.ledger.hidden, namespace, digests))
        cleared = hidden.keys() & digests.keys() - set(result.quarantined)
        there = {p.id for p in (yield from index.get_passages(sorted(cleared)))}
        entries += [
            Entry("released", name, reason="examined before it is stored, and nothing hides it")
            for name in sorted(cleared - there)
        ]
        yield from write_entries(index, self.ledger, entries)
        if unchanged:
            yield from index.hide(unchanged)
        if result.end_key is not None:
            ends = {name: {result.end_key: result.closed[name]} for name in closing}
            yield from index.write_field(result.end_key, ends)
        digests = {n: states.get(n, d) if n in result.closed else d for n, d in digests.items()}
        fingerprint = self.criteria.fingerprint()
        yield Compute(partial(self.ledger.note_examined, namespace, digests, fingerprint))
