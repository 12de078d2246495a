"""``Quarantine``: the hidden passages of a collection, shown, restored, purged and verified."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from logic_retrievers.cleaning.acting import home_of
from logic_retrievers.cleaning.ledger import Entry, Ledger, is_hidden, text_hash
from logic_retrievers.errors import InputError
from logic_retrievers.index.validation import check_ids
from logic_retrievers.procedures import Procedure, Work
from logic_retrievers.types import Passage

if TYPE_CHECKING:
    from logic_retrievers.index.passages import PassageIndex


@dataclass(frozen=True, slots=True)
class Held:
    """A hidden passage, and the last entry about it; None where the ledger does not know it."""

    passage: Passage
    entry: Entry | None


@dataclass(frozen=True, slots=True)
class Restored:
    """What became of passages that were to be shown again.

    Args:
        restored: ids of those that are active again.
        changed: ids of those among them whose payload or vectors are no longer what they were when
            they were hidden: somebody else has written to them since.
        missing: ids of those that are not in quarantine.
    """

    restored: tuple[str, ...]
    changed: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Verified:
    """What was not as the ledger has it, and was mended.

    Args:
        hidden: ids that a crash had left active, and are hidden now.
        shown: ids that a crash had left hidden though they had been restored.
        purged: ids that a crash had left stored though they had been purged.
        adopted: ids that are hidden and that the ledger did not know of.
        replaced: ids that say something else than when they were hidden, and so are active.
        gone: ids that are no longer stored.
    """

    hidden: tuple[str, ...] = ()
    shown: tuple[str, ...] = ()
    purged: tuple[str, ...] = ()
    adopted: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    @property
    def agreed(self) -> bool:
        """Whether ledger and collection told the same before."""
        return not any(self.to_dict().values())

    def to_dict(self) -> dict[str, Any]:
        """A plain dictionary, ready for JSON."""
        return {name: list(ids) for name, ids in asdict(self).items()}


class Quarantine:
    """The hidden passages of a collection.

    Each method has an asynchronous twin (``aheld`` of ``held``).

    Args:
        index: the collection.
        ledger: where decisions are written down.
    """

    def __init__(self, index: PassageIndex, ledger: Ledger) -> None:
        self._index = index
        self._ledger = ledger
        self._home = home_of(index)

    def held(self) -> list[Held]:
        """All hidden passages, in the order of their points."""
        return self._index.run(self._held())

    async def aheld(self) -> list[Held]:
        """The asynchronous twin of :meth:`held`."""
        return await self._index.arun(self._held())

    def stored(self, passage: str) -> Passage | None:
        """A passage of the collection, hidden or not; None where it is not there."""
        return next(iter(self._index.run(self._index.by_id([passage]))), None)

    def history(self, passage: str) -> list[Entry]:
        """All that the ledger knows about a passage, the oldest first."""
        return self._ledger.entries(self._home, passage)

    def restore(self, ids: Sequence[str]) -> Restored:
        """Shows passages again, with the payload and the vectors that they had.

        A later cleaning leaves them alone as long as they say the same.

        Raises:
            InputError: ids is no list of ids.
            StorageError, ServerError: the ledger or Qdrant failed; run it again.
        """
        return self._index.run(self._restore(ids))

    async def arestore(self, ids: Sequence[str]) -> Restored:
        """The asynchronous twin of :meth:`restore`."""
        return await self._index.arun(self._restore(ids))

    def purge(self, ids: Sequence[str]) -> int:
        """Deletes hidden passages for good; how many there were.

        Raises:
            InputError: one of them is not in quarantine; nothing is deleted then.
            StorageError, ServerError: the ledger or Qdrant failed; run it again.
        """
        return self._index.run(self._purge(ids))

    async def apurge(self, ids: Sequence[str]) -> int:
        """The asynchronous twin of :meth:`purge`."""
        return await self._index.arun(self._purge(ids))

    def verify(self) -> Verified:
        """Compares ledger and collection, and carries out what a crash left undone."""
        return self._index.run(self.verifying())

    async def averify(self) -> Verified:
        """The asynchronous twin of :meth:`verify`."""
        return await self._index.arun(self.verifying())

    def verifying(self) -> Procedure[Verified]:
        """Procedure: see :meth:`verify`."""
        states = yield Work(partial(self._ledger.states, self._home))
        flagged = {one.id: one for one in (yield from self._flagged())}
        wanted = {name: entry for name, entry in states.items() if is_hidden(entry)}
        active = yield from self._index.by_id([name for name in wanted if name not in flagged])
        there = {one.id: one for one in active}
        same = [n for n, one in there.items() if wanted[n].text in (None, text_hash(one))]
        # what was flagged on its way in has no point yet, and may be stored later
        gone = [n for n in wanted if n not in flagged and n not in there and wanted[n].point]
        strange = {name: states.get(name) for name in flagged if name not in wanted}
        # one that says something else by now was hidden by somebody else
        undone = {n: e for n, e in strange.items() if e and e.text == text_hash(flagged[n])}
        shown = [n for n, entry in undone.items() if entry.event == "restore"]
        purged = [n for n, entry in undone.items() if entry.event == "purge"]
        found = Verified(
            hidden=tuple(same),
            shown=tuple(shown),
            purged=tuple(purged),
            adopted=tuple(name for name in strange if name not in {*shown, *purged}),
            replaced=tuple(name for name in there if name not in same),
            gone=tuple(gone),
        )
        yield Work(partial(self._ledger.add, self._home, _entries(found, {**there, **flagged})))
        if same:
            yield from self._index.hide(same)
        if shown:
            yield from self._index.unhide(shown)
        if purged:
            yield from self._index.deletion(purged)
        return found

    def _held(self) -> Procedure[list[Held]]:
        states = yield Work(partial(self._ledger.states, self._home))
        return [Held(one, states.get(one.id)) for one in (yield from self._flagged())]

    def _flagged(self) -> Procedure[list[Passage]]:
        found: list[Passage] = []
        offset = None
        while True:
            page, offset = yield from self._index.quarantined(offset)
            found += page
            if offset is None:
                return found

    def _restore(self, ids: Sequence[str]) -> Procedure[Restored]:
        check_ids(ids)
        states = yield Work(partial(self._ledger.states, self._home))
        found = {
            one.id: one
            for one in (yield from self._index.by_id(ids))
            if one.quarantined or _is_due(one, states.get(one.id))
        }
        entries = [
            Entry("restore", name, text=text_hash(one), reason="restored by hand")
            for name, one in found.items()
        ]
        yield Work(partial(self._ledger.add, self._home, entries))
        yield from self._index.unhide(list(found))
        now = yield from self._index.fingerprints(list(found))
        before = {name: states[name].point for name in found if name in states}
        return Restored(
            tuple(found),
            tuple(name for name, point in before.items() if point and point != now.get(name)),
            tuple(name for name in dict.fromkeys(ids) if name not in found),
        )

    def _purge(self, ids: Sequence[str]) -> Procedure[int]:
        check_ids(ids)
        found = {one.id: one for one in (yield from self._index.by_id(ids))}
        if wrong := [n for n in ids if n not in found or not found[n].quarantined]:
            raise InputError(
                f"{wrong[0]!r} is not in quarantine, and only hidden passages can be purged."
                " Nothing was deleted."
            )
        entries = [
            Entry("purge", name, text=text_hash(one), reason="purged by hand")
            for name, one in found.items()
        ]
        yield Work(partial(self._ledger.add, self._home, entries))
        return (yield from self._index.deletion(list(found)))


def _is_due(passage: Passage, entry: Entry | None) -> bool:
    """Whether an active passage would be hidden by the next verification."""
    return entry is not None and is_hidden(entry) and entry.text == text_hash(passage)


def _entries(found: Verified, passages: dict[str, Passage]) -> list[Entry]:
    """What a verification adds to the ledger."""
    mended = {
        "it had been left active": found.hidden,
        "it had been left hidden": found.shown,
        "it had been left stored": found.purged,
    }
    entries = [Entry("mended", name, reason=why) for why, ids in mended.items() for name in ids]
    for event, ids, why in (
        ("adopted", found.adopted, "hidden without this ledger"),
        ("replaced", found.replaced, "its text has changed since it was hidden"),
        ("gone", found.gone, "it is no longer stored"),
    ):
        for name in ids:
            text = text_hash(passages[name]) if name in passages else None
            entries.append(Entry(event, name, text=text, reason=why))  # type: ignore[arg-type]
    return entries
