"""Decide which superseded passages end, and when: they keep their time. Pure functions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from logic_retrievers.conflicts.cleaning.result import Decision, Finding, Kind
from logic_retrievers.types import Passage, metadata_value
from logic_retrievers.validity import Validity, are_apart, as_bound, bounds, read_bound


@dataclass(frozen=True, slots=True)
class Closing:
    """How a passage that is superseded ends.

    Args:
        validity: metadata keys of the dates from which and up to which a passage is valid.
        date_key: metadata key of the date, for newer passages without a first one.
        now: end where the newer passage has no date.
        kept: ids of passages that do not end: trusted ones, and those restored by hand.
    """

    validity: Validity
    date_key: str
    now: datetime
    kept: Collection[str] = ()

    def end(self, newer: Passage) -> str:
        """Return when a passage ends that ``newer`` supersedes, as it is written."""
        for key in (self.validity[0], self.date_key):
            if (text := as_bound(metadata_value(newer.metadata, key))) is not None:
                return text
        return self.now.isoformat(timespec="seconds")

    def ended(self, passage: Passage, until: str | None) -> Mapping[str, Any]:
        """Return the metadata of a passage that ends."""
        return {**passage.metadata, self.validity[1]: until} if until else passage.metadata


def close_superseded(
    passages: Mapping[str, Passage],
    findings: Sequence[Finding],
    closing: Closing,
    resolve: Callable[[Sequence[Finding]], Sequence[Decision]],
) -> tuple[Decision, ...]:
    """Decide every finding: older versions end, and ``resolve`` decides about everything else.

    Passages that are no longer valid together do not contradict each other. A passage that is
    hidden ends no other, and does not end itself.
    """
    decided: dict[int, Decision] = {}
    ends: dict[int, tuple[str, str]] = {}  # number of the finding -> older passage, its end
    for number, finding in enumerate(findings):
        if finding.kind is not Kind.SUPERSEDED or finding.newer is None:
            continue
        older = finding.other if finding.newer == finding.one else finding.one
        until = closing.end(passages[finding.newer])
        start, _ = bounds(passages[older].metadata, closing.validity)
        if older in closing.kept:
            reason = f"{older!r} is trusted, or was restored by hand, and stays as it is"
            decided[number] = Decision(finding, "kept", reason)
        elif start >= _moment(until):
            reason = f"{older!r} is valid only from a later time on than {finding.newer!r}"
            decided[number] = Decision(finding, "abstained", reason)
        else:
            ends[number] = older, until
    while True:
        first = _first_ends(ends)
        until_of = {ends[number][0]: ends[number][1] for number in first}
        apart = {
            number
            for number, finding in enumerate(findings)
            if finding.kind is Kind.CONTRADICTION
            and _end_apart(finding, passages, closing, until_of)
        }
        rest = [n for n in range(len(findings)) if n not in decided and n not in {*ends, *apart}]
        resolved = dict(zip(rest, resolve([findings[n] for n in rest]), strict=True))
        hidden = {name for decision in resolved.values() for name in decision.quarantined}
        void = [n for n in ends if not hidden.isdisjoint((findings[n].one, findings[n].other))]
        if not void:
            break
        for number in void:
            reason = "one of the two is hidden for another conflict"
            decided[number] = Decision(findings[number], "settled", reason)
            del ends[number]
    for number in apart:
        reason = "they are no longer valid at the same time"
        decided[number] = Decision(findings[number], "settled", reason)
    for number, (older, until) in ends.items():
        finding = findings[number]
        if number in first:
            reason = f"{finding.newer!r} is the newer version; {older!r} ends at {until}"
            decided[number] = Decision(finding, "closed", reason, closed=(older,), until=until)
        else:
            reason = f"{older!r} ends earlier, at {until_of[older]}"
            decided[number] = Decision(finding, "settled", reason)
    decided |= resolved
    return tuple(decided[number] for number in range(len(findings)))


def _first_ends(ends: Mapping[int, tuple[str, str]]) -> set[int]:
    """Return for each passage the number of the finding that ends it first."""
    first: dict[str, int] = {}
    for number, (older, until) in ends.items():
        if older not in first or _moment(until) < _moment(ends[first[older]][1]):
            first[older] = number
    return set(first.values())


def _end_apart(
    finding: Finding,
    passages: Mapping[str, Passage],
    closing: Closing,
    until_of: Mapping[str, str],
) -> bool:
    names = finding.one, finding.other
    if until_of.keys().isdisjoint(names):
        return False
    one, other = (closing.ended(passages[name], until_of.get(name)) for name in names)
    return are_apart(one, other, closing.validity)


def _moment(until: str) -> datetime:
    moment = read_bound(until)
    assert moment is not None  # Closing.end writes what is read
    return moment
