"""Hidden passages: shown, restored, purged; and repairs of what a crash left half done."""

from __future__ import annotations

from dataclasses import replace

import pytest
from inn_corpus import (
    COPPER,
    CORPUS,
    HIDDEN,
    NEW,
    OLD,
    PAID,
    TAX,
    KilledError,
    active,
    cleaner,
    kept,
    killed_at,
    stored,
)
from placed import passages

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.conflicts import CorpusCleaner, Ledger, Restored, Verified
from logic_retrievers.errors import InputError

EVERYBODY = {one.id for one in CORPUS}


def cleaned(index, **settings):
    made = cleaner(index, **settings)
    made.clean()
    return made, made.quarantine


def events(quarantine, name):
    return [one.event for one in quarantine.history(name)]


def test_held():
    """Lists hidden passages and the reasons."""
    with stored() as index:
        _, quarantine = cleaned(index)
        held = {one.passage.id: one for one in quarantine.passages()}
        assert held.keys() == {*HIDDEN}
        assert held[OLD].passage.quarantined
        assert (held[OLD].entry.event, held[OLD].entry.opponent) == ("quarantine", NEW)
        index.run(index.hide([COPPER]))
        assert {one.passage.id: one.entry for one in quarantine.passages()}[COPPER] is None
        assert quarantine.history(COPPER) == []


def test_restored_a_passage_is_what_it_was():
    """Payload and vectors are the same byte for byte, and searches find the passage."""
    with stored() as index:
        before = kept(index)
        _, quarantine = cleaned(index)
        assert quarantine.restore([OLD, "nobody", OLD, COPPER]) == Restored(
            (OLD,), missing=("nobody", COPPER)
        )
        assert active(index) == {OLD, NEW, TAX, COPPER}
        assert kept(index) == before
        assert events(quarantine, OLD) == ["quarantine", "restore"]
        assert quarantine.verify().agreed
        assert quarantine.restore([PAID]).restored == (PAID,)
        with pytest.raises(InputError):
            quarantine.restore(OLD)


def test_restored_by_hand_it_stays():
    """A nightly cleaning must not undo a user's decision."""
    with stored() as index:
        made, quarantine = cleaned(index)
        quarantine.restore([OLD])
        again = made.clean(again=True)
        assert OLD in active(index)
        decision = next(one for one in again.decisions if OLD in one.finding.to_dict().values())
        assert (decision.action, decision.quarantined) == ("kept", ())
        assert "restored by hand" in decision.reason
        index.add([replace(CORPUS[0], text="inn | never | a")])
        assert made.clean().quarantined == (OLD,), "it says something else by now"


def test_what_somebody_has_written_to_in_the_meantime_is_told():
    """A passage that was changed while hidden must not come back without notice."""
    with stored() as index:
        _, quarantine = cleaned(index)
        index.add([replace(CORPUS[0], metadata={"date": 1999})])
        assert OLD not in active(index), "the same text stays hidden"
        restored = quarantine.restore([*HIDDEN])
        assert set(restored.restored) == {*HIDDEN}
        assert restored.changed == (OLD,)


def test_purged_for_good():
    """Purges hidden passages only; with an active one in the list, nothing is deleted."""
    with stored() as index:
        _, quarantine = cleaned(index)
        for wrong in ([OLD, COPPER], [OLD, "nobody"]):
            with pytest.raises(InputError, match="Nothing was deleted"):
                quarantine.purge(wrong)
        assert index.count() == 5
        assert quarantine.purge([]) == 0
        assert quarantine.purge([OLD, OLD]) == 1
        assert quarantine.purge([PAID]) == 1
        assert {one.id for one in index.scroll()} == {NEW, TAX, COPPER}
        assert events(quarantine, OLD) == ["quarantine", "purge"]
        assert quarantine.verify().agreed
        with pytest.raises(InputError):
            quarantine.purge(OLD)


def test_verify_tells_what_happened_without_the_ledger():
    """Passages hidden, rewritten or deleted elsewhere are reported once; then both agree."""
    with stored(*passages("salt | yes | a")) as index:
        _, quarantine = cleaned(index)
        index.run(index.hide(["salt | yes | a"]))
        index.add([replace(CORPUS[0], text="inn | maybe | a")])
        index.delete([PAID])
        found = quarantine.verify()
        assert found == Verified(adopted=("salt | yes | a",), replaced=(OLD,), gone=(PAID,))
        assert not found.agreed
        assert found.to_dict()["gone"] == [PAID]
        assert quarantine.verify().agreed
        assert events(quarantine, OLD) == ["quarantine", "replaced"]
        assert OLD in active(index)
        assert quarantine.restore(["salt | yes | a"]).restored == ("salt | yes | a",)


def test_what_is_active_by_mistake_is_hidden_again():
    """A restored backup may predate the cleaning."""
    with stored() as index:
        _, quarantine = cleaned(index)
        index.run(index.unhide([OLD]))
        assert quarantine.verify() == Verified(hidden=(OLD,))
        assert OLD not in active(index)
        assert events(quarantine, OLD) == ["quarantine", "mended"]
        index.run(index.unhide([OLD]))
        assert quarantine.restore([OLD]).restored == (OLD,), "it would have been hidden again"
        assert quarantine.verify().agreed


@pytest.mark.parametrize("event", ["restore", "purge"])
def test_a_flag_on_another_text_is_not_undone(event):
    """A flagged passage with a new text must be neither shown nor deleted."""
    with stored() as index:
        _, quarantine = cleaned(index)
        getattr(quarantine, event)([OLD])
        index.add([replace(CORPUS[0], text="inn | maybe | a", quarantined=True)])
        assert quarantine.verify() == Verified(adopted=(OLD,))
        assert OLD not in active(index)
        assert index.count() == 5


def counted(work, path):
    """Count the effects of an operation: the moments at which it can be cut off."""
    with stored() as index:
        made = prepared(index, work, path)
        seen, undo = killed_at(index, -1)
        work(made)
        undo()
        return seen[0]


def prepared(index, work, path):
    made = cleaner(index, Ledger(path))
    if work is not clean:
        made.clean()
    return made


def clean(made):
    made.clean()


def restore(made):
    made.quarantine.restore([*HIDDEN])


def purge(made):
    made.quarantine.purge([*HIDDEN])


@pytest.mark.parametrize("work", [clean, restore, purge])
@pytest.mark.parametrize("done", [False, True])
def test_killed_at_every_moment_and_run_again(work, done, tmp_path):
    """No passage is lost, nothing is hidden without an entry, and the next run finishes it."""
    with stored() as index:
        whole = kept(index)
    for number in range(1, counted(work, tmp_path / "0") + 1):
        with stored() as index:
            made = prepared(index, work, tmp_path / f"{number}")
            _, undo = killed_at(index, number, done=done)
            with pytest.raises(KilledError):
                work(made)
            undo()
            hidden = EVERYBODY - active(index)
            states = made.ledger.states("inns")
            assert hidden <= states.keys(), "nothing happens without an entry"
            made.quarantine.verify()
            assert made.quarantine.verify().agreed
            said = made.ledger.hidden("inns").keys()
            assert EVERYBODY - active(index) - said == EVERYBODY - {
                one.id for one in index.scroll()
            }, "the ledger and the collection tell the same"
            if work is purge:
                assert {one.id for one in index.scroll()} in (EVERYBODY, {NEW, TAX, COPPER})
                assert active(index) == {NEW, TAX, COPPER}
                continue
            if work is restore:
                work(made)
                assert active(index) == EVERYBODY
            else:
                work(made)
                assert active(index) == {NEW, TAX, COPPER}
                assert made.quarantine.verify().agreed
                assert set(made.quarantine.restore([*HIDDEN]).restored) == {*HIDDEN}
            assert kept(index) == whole
            assert active(index) == EVERYBODY


def test_the_ledger_of_another_process(tmp_path):
    """One process cleans by night, a different one restores by day."""
    place, path = tmp_path / "qdrant", tmp_path / "ledger.sqlite"
    with stored(location=place) as index:
        before = kept(index)
        cleaner(index, Ledger(path)).clean()
    with stored(location=place) as index:
        assert active(index) == {NEW, TAX, COPPER}, "ingested again they stay hidden"
        again = CorpusCleaner(index, ledger=path, resolution="prefer_newest")
        assert again.clean().examined == 0
        assert set(again.quarantine.restore([*HIDDEN]).restored) == {*HIDDEN}
        assert kept(index) == before
    with stored(location=place) as index:
        assert active(index) == EVERYBODY
        assert cleaner(index).quarantine.passages() == []


def test_a_tenant_has_a_quarantine_of_its_own():
    """Restoring one tenant's passage must not show another tenant's."""
    with stored(tenant="one") as index:
        encoder, client = index.encoder, index.client
        with PassageIndex.open("inns", encoder, client=client, tenant="two") as second:
            second.add([*CORPUS, Passage("own", "salt | yes | a")])
            ledger = Ledger()
            mine, theirs = cleaner(index, ledger), cleaner(second, ledger)
            mine.clean()
            assert theirs.quarantine.verify().agreed
            assert theirs.quarantine.passages() == []
            theirs.clean()
            assert mine.quarantine.restore([OLD]).restored == (OLD,)
            assert OLD in active(index)
            assert OLD not in active(second)
            assert theirs.quarantine.verify().agreed


def test_of_two_that_were_hidden_one_is_restored():
    """The decision against the other passage stays."""
    with stored() as index:
        made, quarantine = cleaned(index, resolution="quarantine_all")
        quarantine.restore([OLD, NEW, TAX])
        again = made.clean(again=True)
        assert set(again.quarantined) == set()
        assert active(index) == {OLD, NEW, TAX, COPPER}
        quarantine.restore([PAID])
        index.add([replace(CORPUS[3], text="tax | never | a")])
        assert made.clean(again=True).quarantined == (PAID,)
        assert TAX in active(index)
