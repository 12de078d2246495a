"""Passages hidden for another are shown again once that one no longer counts."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from inn_corpus import (
    CORPUS,
    HIDDEN,
    NEW,
    OLD,
    PAID,
    KilledError,
    active,
    cleaner,
    killed_at,
    stored,
)
from placed import PlacedEncoder, passages

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.conflicts import Ledger
from logic_retrievers.conflicts.settings import VECTORS

NAMES = ("a", "b", "c", "d")
CLAIMS = ("yes", "no")
STEPS = st.one_of(
    st.tuples(
        st.just("add"), st.sampled_from(NAMES), st.sampled_from(CLAIMS), st.integers(2020, 2023)
    ),
    st.tuples(st.just("delete"), st.sampled_from(NAMES)),
    st.tuples(st.just("restore"), st.sampled_from(NAMES)),
    st.tuples(st.just("clean")),
    st.tuples(st.just("verify")),
)


def claim(passage: Passage) -> str:
    return passage.text.split(" | ")[1]


@settings(max_examples=60, deadline=None)
@given(st.lists(STEPS, max_size=14))
def test_no_passage_stays_hidden_without_a_living_reason(steps):
    """A contradicted older passage must not stay active either, unless a user wants it."""
    with PassageIndex.open("inns", PlacedEncoder(), vectors=VECTORS) as index:
        made = cleaner(index)
        restored: dict[str, Passage] = {}
        for step, *given_to in steps:
            if step == "add":
                name, said, year = given_to
                index.add([Passage(name, f"inn | {said} | {name}", {"date": str(year)})])
            elif step == "delete":
                index.delete([given_to[0]])
            elif step == "restore":
                if made.quarantine.restore(given_to).restored:
                    restored[given_to[0]] = made.quarantine.stored(given_to[0])
            elif step == "clean":
                made.clean()
            else:
                made.quarantine.verify()
        before = {one.id: one.quarantined for one in index.scroll()}
        foretold = made.clean(dry_run=True)
        assert {one.id: one.quarantined for one in index.scroll()} == before
        assert set(made.clean().quarantined) == set(foretold.quarantined)
        there = {one.id: one for one in index.scroll()}
        shown = {name: one for name, one in there.items() if not one.quarantined}
        for name, passage in there.items():
            against = [
                other
                for other in shown.values()
                if claim(other) != claim(passage)
                and other.metadata["date"] > passage.metadata["date"]
            ]
            stays = name in restored and restored[name].text == passage.text
            if passage.quarantined:
                assert against, f"{name} is hidden for nothing"
            elif against:
                assert stays, f"{name} is contradicted"
        assert made.quarantine.verify().agreed


@pytest.mark.parametrize("how", ["deleted", "rewritten", "redated", "hidden"])
def test_what_was_hidden_comes_back_when_the_winner_goes(how, tmp_path):
    with stored() as index:
        made = cleaner(index, Ledger(tmp_path / "l"))
        made.clean()
        assert active(index).isdisjoint(HIDDEN)
        winner = CORPUS[1]
        if how == "deleted":
            index.delete([NEW])
        elif how == "rewritten":
            index.add([replace(winner, text="bread | yes | a")])
        elif how == "redated":
            index.add([replace(winner, metadata={"date": 2010})])
        else:
            index.run(index.hide([NEW]))
        if how != "hidden":
            verified = made.quarantine.verify()
            assert verified.released == (OLD,)
            assert made.quarantine.history(OLD)[-1].event == "released"
            assert repr(NEW) in made.quarantine.history(OLD)[-1].reason
        again = cleaner(index, Ledger(tmp_path / "l")).clean()
        assert OLD in active(index)
        assert PAID not in active(index)
        assert (NEW in again.quarantined) is (how == "redated")


def test_what_was_edited_while_it_was_hidden_is_examined_again():
    """No decision covers the new text."""
    with PassageIndex.open("inns", PlacedEncoder(), vectors=VECTORS) as index:
        index.add(
            [
                Passage(n, f"inn | {n} | a", {"date": d})
                for n, d in (("yes", "2020"), ("no", "2022"))
            ]
        )
        made = cleaner(index)
        assert made.clean().quarantined == ("yes",)
        hidden = made.quarantine.stored("yes")
        index.add([replace(hidden, metadata={"date": "2023"})])
        assert made.quarantine.verify().released == ("yes",)
        assert made.clean().quarantined == ("no",)


def test_a_trusted_passage_from_elsewhere_keeps_its_reason():
    """It is in no collection, so absence must not count as deletion."""
    with stored() as index:
        trusted = passages("copper | no | z")
        made = cleaner(index, trusted=trusted)
        hidden = set(made.clean().quarantined)
        assert "copper | yes | a" in hidden
        assert made.quarantine.verify().agreed
        assert not made.clean().quarantined


def test_a_trusted_passage_that_is_stored_with_metadata_keeps_its_reason():
    """The user's object lacks the metadata but is the same passage."""
    with stored() as index:
        trusted = passages("copper | no | z")
        index.add([replace(trusted[0], metadata={"date": "2020"}, source="rules.md")])
        made = cleaner(index, trusted=trusted)
        assert "copper | yes | a" in made.clean().quarantined
        assert made.quarantine.verify().agreed
        assert not made.clean().quarantined


@pytest.mark.parametrize("done", [False, True])
def test_killed_while_passages_are_shown_again(done, tmp_path):
    """A released passage must neither stay hidden nor become active without an examination."""
    middle = passages("inn | never | a", date=[2022])
    for number in range(1, 20):
        with stored(*middle) as index:
            made = cleaner(index, Ledger(tmp_path / f"{number}"))
            assert {OLD, middle[0].id} < set(made.clean().quarantined)
            index.delete([NEW])
            seen, mend = killed_at(index, number, done=done)
            with suppress(KilledError):
                made.quarantine.verify()
            mend()
            cleaner(index, Ledger(tmp_path / f"{number}")).clean()
            assert middle[0].id in active(index), number
            assert OLD not in active(index), number
        if seen[0] < number:
            return
    pytest.fail("it never came to an end")
