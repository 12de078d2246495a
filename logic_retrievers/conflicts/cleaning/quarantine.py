"""``Quarantine``: lists, restores, purges and verifies the hidden passages of a collection."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal, TypeAlias

from logic_retrievers.conflicts.cleaning.ledger import (
    Entry,
    Event,
    Ledger,
    changed_field,
    check_ledger,
    examined_hash,
    field_change,
    is_hidden,
    ledger_namespace,
    note_ledger,
    text_hash,
    write_entries,
)
from logic_retrievers.effects import Compute, Operation
from logic_retrievers.errors import ConfigurationError, InputError
from logic_retrievers.index.client_calls import client_call
from logic_retrievers.index.opening import has_tenants
from logic_retrievers.index.passage_index import PassageIndex
from logic_retrievers.types import Passage, plain_fields
from logic_retrievers.validation import check_ids, check_parts

# Which passages to unhide. "none": no passage, since an opponent may yet be stored. "direct":
# passages whose opponent is gone or has changed. "all": also those whose opponent is hidden itself.
Release: TypeAlias = Literal["none", "direct", "all"]


@dataclass(frozen=True, slots=True)
class QuarantinedPassage:
    """A hidden passage, and its last ledger entry; None if the ledger lacks the passage."""

    passage: Passage
    entry: Entry | None


@dataclass(frozen=True, slots=True)
class Restored:
    """The result of :meth:`Quarantine.restore`.

    Args:
        restored: ids that are active again, or whose validity no longer ends.
        changed: restored ids whose payload or vectors have changed since they were hidden, or whose
            end has changed since it was set; it stays.
        missing: requested ids that are neither in quarantine nor closed.
    """

    restored: tuple[str, ...]
    changed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verified:
    """Differences between the ledger and the collection, now repaired.

    Args:
        hidden: ids that a crash had left active; they are hidden now.
        shown: restored ids that a crash had left hidden; they are active now.
        purged: purged ids that a crash had left stored; they are deleted now.
        adopted: ids of hidden passages that the ledger lacked.
        released: ids that are active again because their opponent is gone or has changed, or
            because they have changed themselves. The next cleaning examines them.
        replaced: ids that are active because they have changed since they were hidden.
        gone: ids that are no longer stored.
        closed: ids whose validity a crash had left without the end that was decided.
        reopened: restored ids whose validity a crash had left with an end.
        lapsed: ids whose validity no longer ends, because the newer passage is gone, has changed or
            is hidden.
    """

    hidden: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    purged: tuple[str, ...] = ()
    adopted: tuple[str, ...] = ()
    released: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    closed: tuple[str, ...] = ()
    reopened: tuple[str, ...] = ()
    lapsed: tuple[str, ...] = ()

    @property
    def agreed(self) -> bool:
        return not any(self.to_dict().values())

    def to_dict(self) -> dict[str, Any]:
        return plain_fields(self)


class Quarantine:
    """The hidden passages of a collection.

    Args:
        index: the collection.
        ledger: log of the decisions.

    Raises:
        StorageError, ServerError: the ledger or Qdrant failed in any method; call it again.
    """

    def __init__(self, index: PassageIndex, ledger: Ledger | str | os.PathLike[str]) -> None:
        check_parts(index=index, needs_index=True)
        self._index = index
        self._ledger = ledger if isinstance(ledger, Ledger) else Ledger(ledger)
        self._namespace = ledger_namespace(index)

    def passages(self) -> list[QuarantinedPassage]:
        """Return all hidden passages, in the order of their points."""
        self._index.run(self._check_readable())
        states = self._ledger.states(self._namespace)
        flagged = self._index.run(self._flagged())
        return [QuarantinedPassage(passage, states.get(passage.id)) for passage in flagged]

    def closed(self) -> list[QuarantinedPassage]:
        """Return the superseded passages whose validity the cleaner has ended."""
        self._index.run(self._check_readable())
        return [QuarantinedPassage(p, e) for p, e in self._index.run(self._closed())]

    def stored(self, passage: str) -> Passage | None:
        """Return a passage of the collection, hidden or not; None if it is not stored."""
        return next(iter(self._index.run(self._index.get_passages([passage]))), None)

    def history(self, passage: str) -> list[Entry]:
        """Return all ledger entries about a passage, oldest first."""
        check_ids([passage])
        self._index.run(self._check_readable())
        return self._ledger.entries(self._namespace, passage)

    def restore(self, ids: Sequence[str]) -> Restored:
        """Unhide passages, with the payload and vectors that they had; undo the end of others.

        No later cleaning hides or closes them again unless their text changes.

        Raises:
            InputError: ids is not a list of ids.
        """
        return self._index.run(self._restore(ids))

    def purge(self, ids: Sequence[str]) -> int:
        """Delete hidden passages for good, and return how many.

        Raises:
            InputError: an id is not in quarantine; nothing was deleted.
        """
        return self._index.run(self._purge(ids))

    def verify(self, *, accept_ledger: bool = False) -> Verified:
        """Compare ledger and collection, and complete changes that a crash interrupted.

        Args:
            accept_ledger: accept this ledger even if it lacks entries that the collection counted.
                Passages whose restoration is lost with them may be hidden again.
        """
        return self._index.run(self.verify_operation(accept_ledger))

    def verify_operation(
        self, accept_ledger: bool = False, release: Release = "direct"
    ) -> Operation[Verified]:
        yield from refuse_mixed_tenants(self._index)
        yield from (note_ledger if accept_ledger else check_ledger)(self._index, self._ledger)
        ended = yield from self._verify_closings(release)
        states = yield Compute(partial(self._ledger.states, self._namespace))
        flagged = {passage.id: passage for passage in (yield from self._flagged())}
        hidden = {name: entry for name, entry in states.items() if is_hidden(entry)}
        active = yield from self._index.get_passages(
            [name for name in hidden if name not in flagged]
        )
        stored = {passage.id: passage for passage in active}
        lost = yield from self._lost_reasons(hidden, {**flagged, **stored}, release)
        unchanged = [n for n, p in stored.items() if n not in lost and _is_as_hidden(hidden[n], p)]
        # a passage flagged before it was stored has no point in its entry, and may yet be stored
        gone = [n for n in hidden if n not in flagged and n not in stored and hidden[n].point]
        unexpected = {name: states.get(name) for name in flagged if name not in hidden}
        # if the text has changed since the entry, the passage was hidden without this ledger
        undone = {n: e for n, e in unexpected.items() if e and e.text == text_hash(flagged[n])}
        shown = [name for name, e in undone.items() if e.event in ("restore", "released")]
        purged = [name for name, entry in undone.items() if entry.event == "purge"]
        verified = Verified(
            hidden=tuple(unchanged),
            shown=tuple(shown),
            purged=tuple(purged),
            adopted=tuple(name for name in unexpected if name not in {*shown, *purged}),
            released=tuple(lost),
            replaced=tuple(name for name in stored if name not in {*unchanged, *lost}),
            gone=tuple(gone),
            **ended,
        )
        if lost:  # opponents too: one may have been examined before it was stored
            again = [*lost, *(name for n in lost if (name := hidden[n].opponent))]
            yield Compute(partial(self._ledger.forget_examined, self._namespace, again))
        entries = _entries(verified, {**stored, **flagged}, lost)
        yield from write_entries(self._index, self._ledger, entries)
        if unchanged:
            yield from self._index.hide(unchanged)
        if shown or lost:
            yield from self._index.unhide([*shown, *lost])
        if purged:
            yield from self._index.delete_passages(purged)
        return verified

    def _verify_closings(self, release: Release) -> Operation[dict[str, tuple[str, ...]]]:
        """Write fields that a crash left unwritten; take back ends without a newer passage."""
        closings = yield Compute(partial(self._ledger.closings, self._namespace))
        passages = yield from self._index.get_passages(list(closings))
        unwritten = [
            p.id
            for p in passages
            if closings[p.id].state == examined_hash(p) and not _is_as_written(p, closings[p.id])
        ]
        mended = [Entry("mended", n, reason="its validity had been left") for n in unwritten]
        yield from write_entries(self._index, self._ledger, mended)
        yield from self._write([closings[name] for name in unwritten])
        lapsed = yield from self._lapsed(release)
        yield from write_entries(self._index, self._ledger, lapsed)
        yield from self._write(lapsed)
        return {
            "closed": tuple(n for n in unwritten if closings[n].event == "close"),
            "reopened": tuple(n for n in unwritten if closings[n].event != "close"),
            "lapsed": tuple(entry.passage for entry in lapsed),
        }

    def _closed(self) -> Operation[list[tuple[Passage, Entry]]]:
        """Return stored passages whose field holds the end that a cleaning decided."""
        closings = yield Compute(partial(self._ledger.closings, self._namespace))
        names = [name for name, entry in closings.items() if entry.event == "close"]
        passages = yield from self._index.get_passages(names)
        return [(p, closings[p.id]) for p in passages if _is_as_written(p, closings[p.id])]

    def _lapsed(self, release: Release) -> Operation[list[Entry]]:
        if release == "none":
            return []
        closed = [(p, entry) for p, entry in (yield from self._closed()) if entry.opponent_state]
        newer = {
            p.id: p
            for p in (yield from self._index.get_passages([str(e.opponent) for _, e in closed]))
            if not (p.quarantined and release == "all")
        }
        return [
            _reopening(
                "lapsed",
                passage,
                entry,
                f"{entry.opponent!r}, the newer one, is gone or has changed",
            )
            for passage, entry in closed
            if (by := newer.get(str(entry.opponent))) is None
            or text_hash(by) != entry.opponent_text
        ]

    def _write(self, entries: Sequence[Entry]) -> Operation[None]:
        for entry in entries:
            key, wanted = changed_field(entry, "after")
            yield from self._index.write_field(key, {entry.passage: wanted})

    def lost_reasons(self, release: Release) -> Operation[dict[str, str]]:
        """Return id of each passage that :meth:`verify_operation` unhides -> reason."""
        yield from refuse_mixed_tenants(self._index)
        yield from self._check_readable()
        if release == "none":
            return {}
        hidden = yield Compute(partial(self._ledger.hidden, self._namespace))
        stored = yield from self._index.get_passages(list(hidden))
        by_id = {passage.id: passage for passage in stored}
        return (yield from self._lost_reasons(hidden, by_id, release))

    def _lost_reasons(
        self, hidden: Mapping[str, Entry], stored: Mapping[str, Passage], release: Release
    ) -> Operation[dict[str, str]]:
        """Read the opponents of hidden passages; ``stored`` has the hidden passages."""
        if release == "none":
            return {}
        opponents = {e.opponent for e in hidden.values() if e.opponent} - stored.keys()
        others = yield from self._index.get_passages(sorted(opponents))
        known = {**stored, **{passage.id: passage for passage in others}}
        unknown = [n for n, passage in known.items() if passage.quarantined and n not in hidden]
        hidden = {**hidden, **{name: Entry("adopted", name) for name in unknown}}
        find = _lost_reason if release == "all" else _lost_directly
        reasons = {name: find(name, hidden, known) for name in hidden.keys() & stored.keys()}
        return {name: reason for name, reason in sorted(reasons.items()) if reason}

    def _check_readable(self) -> Operation[None]:
        if not self._ledger.in_memory:  # reading is allowed without a ledger file
            yield from check_ledger(self._index, self._ledger)

    def _flagged(self) -> Operation[list[Passage]]:
        passages: list[Passage] = []
        offset = None
        while True:
            page, offset = yield from self._index.quarantined_page(offset)
            passages += page
            if offset is None:
                return passages

    def _restore(self, ids: Sequence[str]) -> Operation[Restored]:
        check_ids(ids)
        yield from refuse_mixed_tenants(self._index)
        yield from check_ledger(self._index, self._ledger)
        states = yield Compute(partial(self._ledger.states, self._namespace))
        passages = {
            passage.id: passage
            for passage in (yield from self._index.get_passages(ids))
            if passage.quarantined  # or still active, but due to be hidden at the next verification
            or (is_hidden(entry := states.get(passage.id)) and entry.text == text_hash(passage))
        }
        entries = [
            Entry("restore", name, text=text_hash(passage), reason="restored by hand")
            for name, passage in passages.items()
        ]
        closings = yield Compute(partial(self._ledger.closings, self._namespace))
        ended = {
            passage.id: passage
            for passage in (yield from self._index.get_passages(ids))
            if (entry := closings.get(passage.id))
            and entry.event == "close"
            and entry.text == text_hash(passage)
        }
        reopened = [
            _reopening("reopen", passage, closings[name], "restored by hand")
            for name, passage in ended.items()
        ]
        yield from write_entries(self._index, self._ledger, [*entries, *reopened])
        yield from self._write(reopened)
        yield from self._index.unhide(list(passages))
        now = yield from self._index.fingerprints(list(passages))
        before = {name: states[name].point for name in passages if name in states}
        changed = [name for name, point in before.items() if point and point != now.get(name)]
        changed += [n for n, p in ended.items() if not _is_known(p, closings[n])]
        restored = dict.fromkeys([*passages, *ended])
        return Restored(
            tuple(restored),
            tuple(dict.fromkeys(changed)),
            tuple(name for name in dict.fromkeys(ids) if name not in restored),
        )

    def _purge(self, ids: Sequence[str]) -> Operation[int]:
        check_ids(ids)
        yield from refuse_mixed_tenants(self._index)
        yield from check_ledger(self._index, self._ledger)
        passages = {passage.id: passage for passage in (yield from self._index.get_passages(ids))}
        if wrong := [n for n in ids if n not in passages or not passages[n].quarantined]:
            raise InputError(
                f"{wrong[0]!r} is not in quarantine, and only hidden passages can be purged."
                " Nothing was deleted."
            )
        entries = [
            Entry("purge", name, text=text_hash(passage), reason="purged by hand")
            for name, passage in passages.items()
        ]
        yield from write_entries(self._index, self._ledger, entries)
        return (yield from self._index.delete_passages(list(passages)))


def _is_as_written(passage: Passage, entry: Entry) -> bool:
    """Whether a passage's field is what the entry wrote."""
    key, wanted = changed_field(entry, "after")
    return {name: value for name, value in passage.metadata.items() if name == key} == wanted


def _is_known(passage: Passage, entry: Entry) -> bool:
    """Whether a passage's field is what the entry wrote, or was to write."""
    return _is_as_written(passage, entry) or entry.state == examined_hash(passage)


def _reopening(event: Event, passage: Passage, closed: Entry, reason: str) -> Entry:
    """Return the entry that takes back the end of a passage; an end set since then stays."""
    key, before = changed_field(closed, "before")
    if not _is_as_written(passage, closed):
        before = {key: passage.metadata[key]} if key in passage.metadata else {}
    return Entry(
        event,
        passage.id,
        text=text_hash(passage),
        state=examined_hash(passage),
        differences=[field_change(key, passage.metadata, before)],
        reason=reason,
    )


def _is_as_hidden(entry: Entry, passage: Passage) -> bool:
    """Whether a passage has not changed since it was hidden."""
    if entry.state is not None:
        return entry.state == examined_hash(passage)
    return entry.text in (None, text_hash(passage))


def _lost_reason(name: str, hidden: Mapping[str, Entry], stored: Mapping[str, Passage]) -> str:
    """Return why a hidden passage's opponent counts no longer; empty if it still does.

    An opponent that is hidden for a third passage does not count, unless it is to be released too.
    """
    chain = [name]
    while True:
        opponent = hidden[chain[-1]].opponent
        reason = _lost_directly(chain[-1], hidden, stored)
        if reason or opponent is None or opponent not in hidden:
            break
        if hidden[opponent].opponent in chain:  # for example two passages that hid each other
            break
        chain.append(opponent)
    is_lost = bool(reason) == bool(len(chain) % 2)  # each link of the chain flips the answer
    if len(chain) == 1 or not is_lost:
        return reason if is_lost else ""
    return f"{chain[1]!r}, for which it was hidden, is hidden itself"


def _lost_directly(name: str, hidden: Mapping[str, Entry], stored: Mapping[str, Passage]) -> str:
    """Return that a hidden passage changed, or that its opponent changed or is gone; else empty."""
    entry, own = hidden[name], stored.get(name)
    if own is not None and own.quarantined and not _is_as_hidden(entry, own):
        return "it has changed since it was hidden"
    if entry.opponent is None or entry.opponent_state is None:
        return ""
    passage = stored.get(entry.opponent)
    if passage is not None and examined_hash(passage) == entry.opponent_state:
        return ""
    fate = "is no longer stored" if passage is None else "has changed"
    return f"{entry.opponent!r}, for which it was hidden, {fate}"


def _entries(
    verified: Verified, passages: Mapping[str, Passage], lost: Mapping[str, str]
) -> list[Entry]:
    entries = [
        Entry("released", name, text=text_hash(passages[name]), reason=reason)
        for name, reason in lost.items()
    ]
    changes: tuple[tuple[Event, tuple[str, ...], str], ...] = (
        ("mended", verified.hidden, "it had been left active"),
        ("mended", verified.shown, "it had been left hidden"),
        ("mended", verified.purged, "it had been left stored"),
        ("adopted", verified.adopted, "hidden without this ledger"),
        ("replaced", verified.replaced, "it has changed since it was hidden"),
        ("gone", verified.gone, "it is no longer stored"),
    )
    for event, ids, reason in changes:
        for name in ids:
            is_known = event != "mended" and name in passages
            text = text_hash(passages[name]) if is_known else None
            entries.append(Entry(event, name, text=text, reason=reason))
    return entries


def refuse_mixed_tenants(index: PassageIndex) -> Operation[None]:
    """Refuse to clean the passages of several tenants together.

    An index without a tenant can read a tenant's passages but not hide them.

    Raises:
        ConfigurationError: the index has no tenant, and the collection has passages of tenants.
    """
    if index.tenant is not None:
        return
    info = yield client_call("get_collection", index.collection)
    if (yield from has_tenants(index.collection, info, index.connection.local_mode)):
        raise ConfigurationError(
            f"Collection {index.collection!r} has passages of tenants, each to be cleaned apart.",
            "Open the index with tenant=.",
            names=["tenant"],
        )
