"""What was decided is written down first, and then done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from qdrant_client import models

from logic_retrievers.cleaning.ledger import Entry, Ledger, examined_hash, text_hash
from logic_retrievers.cleaning.result import Cleaned, Decision
from logic_retrievers.errors import ConfigurationError, ServerError
from logic_retrievers.index.payloads import TENANT
from logic_retrievers.procedures import Procedure, Work
from logic_retrievers.types import Passage

if TYPE_CHECKING:
    from logic_retrievers.index.passages import PassageIndex


def home_of(index: PassageIndex) -> str:
    """Under what name a ledger keeps the passages of an index; no collection's has a slash."""
    return index.collection if index.tenant is None else f"{index.collection}/{index.tenant}"


def refuse_tenants(index: PassageIndex) -> Procedure[None]:
    """Refuses to clean the passages of several tenants together.

    They are nothing to each other, and can be read without a tenant but not hidden.

    Raises:
        ConfigurationError: the index has no tenant, and there are passages of one.
    """
    if index.tenant is not None:
        return
    nobody = models.IsEmptyCondition(is_empty=models.PayloadField(key=TENANT))
    try:
        found, _ = yield from index.page(models.Filter(must_not=[nobody]))
    except ServerError:  # a strict server without the index that a tenant's first passage makes
        return
    if found:
        raise ConfigurationError(
            f"collection {index.collection!r} has passages of tenants: open the index with tenant=,"
            " and clean each one's apart"
        )


def respecting(
    decisions: Sequence[Decision], passages: Mapping[str, Passage], states: Mapping[str, Entry]
) -> tuple[Decision, ...]:
    """The decisions without those against passages that a person restored, and that say the same.

    Args:
        decisions: of a cleaning.
        passages: that they name.
        states: passage -> its last entry in the ledger.
    """
    cleared = {
        name
        for name, entry in states.items()
        if entry.event == "restore" and name in passages and entry.text == text_hash(passages[name])
    }
    return tuple(
        one if not cleared & set(one.quarantined) else _without(one, cleared) for one in decisions
    )


def examined_before(
    ledger: Ledger, index: PassageIndex, passages: Sequence[Passage], settings: str
) -> set[str]:
    """Ids of the passages that were examined with these settings and have not changed since."""
    known = ledger.examined(home_of(index), [one.id for one in passages], settings)
    return {one.id for one in passages if known.get(one.id) == examined_hash(one)}


def act(
    index: PassageIndex,
    ledger: Ledger,
    cleaned: Cleaned,
    examined: Mapping[str, str],
    settings: str,
) -> Procedure[None]:
    """Writes every decision into the ledger, hides what is to be hidden, notes what was examined.

    A stored passage is hidden where it says what was decided against: one that was examined on its
    way in may have the id of an older one.

    Args:
        index: where the passages are.
        ledger: where to write.
        cleaned: what was decided.
        examined: id -> ``examined_hash`` of all that were examined.
        settings: fingerprint of the settings.

    Raises:
        StorageError: the ledger cannot be written; nothing was hidden.
        CollectionError, ServerError: Qdrant refused or failed; what is missing is made up for by
            the next cleaning, or by ``verify``.
    """
    home = home_of(index)
    stored = yield from index.by_id(cleaned.quarantined)
    same = [one.id for one in stored if one.text == cleaned.passages[one.id].text]
    points = yield from index.fingerprints(same)
    entries = [entry for one in cleaned.decisions for entry in _entries(cleaned, one, points)]
    yield Work(partial(ledger.add, home, entries))
    if same:
        yield from index.hide(same)
    yield Work(partial(ledger.note_examined, home, examined, settings))


def _without(decision: Decision, cleared: set[str]) -> Decision:
    left = tuple(name for name in decision.quarantined if name not in cleared)
    back = ", ".join(repr(name) for name in decision.quarantined if name in cleared)
    reason = f"{decision.reason}; but {back} was restored by hand, and stays"
    return replace(
        decision, action="quarantined" if left else "kept", quarantined=left, reason=reason
    )


def _entries(cleaned: Cleaned, decision: Decision, points: Mapping[str, str]) -> list[Entry]:
    """One for every passage that is hidden for a finding; else one for the finding."""
    finding = decision.finding
    told = finding.to_dict()
    entries = []
    for name in decision.quarantined or (finding.one,):
        opponent = finding.other if name == finding.one else finding.one
        entries.append(
            Entry(
                "quarantine" if decision.quarantined else "found",
                name,
                text=text_hash(cleaned.passages[name]),
                point=points.get(name),
                opponent=opponent,
                opponent_text=text_hash(cleaned.passages[opponent]),
                kind=finding.kind.value,
                probability=finding.probability,
                own_probability=finding.own_probability,
                score=finding.score,
                cosine=finding.cosine,
                differences=told["differences"],
                policy=cleaned.policy,
                reason=f"{finding.reason}: {decision.reason}",
            )
        )
    return entries
