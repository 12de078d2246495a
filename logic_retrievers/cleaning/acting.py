"""What was decided is written down first, and then done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from logic_retrievers.cleaning.ledger import Entry, Ledger, text_hash
from logic_retrievers.cleaning.result import Cleaned, Decision
from logic_retrievers.procedures import Procedure, Work
from logic_retrievers.types import Passage

if TYPE_CHECKING:
    from logic_retrievers.index.passages import PassageIndex


def home_of(index: PassageIndex) -> str:
    """Under what name a ledger keeps the passages of an index."""
    return index.collection if index.tenant is None else f"{index.collection} ({index.tenant})"


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
    texts = ledger.examined(home_of(index), [one.id for one in passages], settings)
    return {one.id for one in passages if texts.get(one.id) == text_hash(one)}


def act(
    index: PassageIndex,
    ledger: Ledger,
    cleaned: Cleaned,
    texts: Mapping[str, str],
    settings: str,
) -> Procedure[None]:
    """Writes every decision into the ledger, hides what is to be hidden, notes what was examined.

    Args:
        index: where the passages are.
        ledger: where to write.
        cleaned: what was decided.
        texts: id -> sha256 of the text, of all that were examined.
        settings: fingerprint of the settings.

    Raises:
        StorageError: the ledger cannot be written; nothing was hidden.
        CollectionError, ServerError: Qdrant refused or failed; what is missing is made up for by
            the next cleaning, or by ``verify``.
    """
    home = home_of(index)
    points = yield from index.fingerprints(cleaned.quarantined)
    entries = [entry for one in cleaned.decisions for entry in _entries(cleaned, one, points)]
    yield Work(partial(ledger.add, home, entries))
    if cleaned.quarantined:
        yield from index.hide(cleaned.quarantined)
    yield Work(partial(ledger.note_examined, home, texts, settings))


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
