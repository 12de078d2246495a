"""``CorpusCleaner`` end to end: what is examined, decided, recorded and hidden."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace

import numpy as np
import pytest
from fault_injection import WireDouble
from inn_corpus import COPPER, CORPUS, HIDDEN, NEW, OLD, PAID, TAX, active, cleaner, state, stored
from placed import PlacedEncoder, passages

from logic_retrievers import OnnxEncoder, Passage, PassageIndex
from logic_retrievers.conflicts import CorpusCleaner, Kind, Ledger, Quarantine
from logic_retrievers.conflicts.settings import VECTORS
from logic_retrievers.errors import (
    AuthenticationError,
    ConfigurationError,
    InputError,
    LedgerWarning,
    PairJudgeWarning,
    StorageError,
)


def pairs(cleaned):
    return {frozenset((one.finding.one, one.finding.other)) for one in cleaned.decisions}


def plain(cleaned):
    """The part of a result that does not depend on the clock."""
    told = cleaned.to_dict()
    return {key: told[key] for key in told if key not in ("begun", "seconds")}


def test_dates_are_read_as_they_are_stored():
    """A loader's date must mean the same on its way in and in the next cleaning."""
    days = ("2023-05-01", "2024-05-01")
    given = [(day, passage) for day, passage in zip(days, CORPUS[:2], strict=True)]
    results = [
        plain(
            CorpusCleaner(encoder=PlacedEncoder(), resolution="prefer_newest").clean(
                [replace(passage, metadata={"date": kind(day)}) for day, passage in given]
            )
        )
        for kind in (str, np.datetime64)
    ]
    assert results[0] == results[1]
    assert results[0]["decisions"]


def test_clean_hides_what_the_policy_decides_against():
    """One complete cleaning."""
    with stored() as index:
        made = cleaner(index)
        seen = []
        cleaned = made.clean(progress=seen.append)
        assert {*cleaned.quarantined} == {*HIDDEN}
        assert active(index) == {NEW, TAX, COPPER}
        assert (cleaned.examined, cleaned.resolution, cleaned.dry_run) == (
            5,
            "prefer_newest",
            False,
        )
        assert cleaned.compared > 0
        assert [progress.done for progress in seen] == [5]
        assert {one.finding.kind for one in cleaned.decisions} == {Kind.CONTRADICTION}
        assert cleaned.passages.keys() == {OLD, NEW, TAX, PAID}
        entries = made.ledger.entries("inns")
        assert {(one.event, one.passage, one.opponent) for one in entries} == {
            ("quarantine", OLD, NEW), ("quarantine", PAID, TAX),
        }  # fmt: skip
        assert all(
            one.point and one.resolution == "prefer_newest" and one.reason for one in entries
        )
        assert index.count() == 5, "nothing is deleted"


def test_annotate_hides_nobody():
    """The default must not hide a passage unless the user asked for it."""
    with stored() as index:
        made = CorpusCleaner(index)
        cleaned = made.clean()
        assert cleaned.quarantined == ()
        assert {one.action for one in cleaned.decisions} == {"annotated"}
        assert active(index) == {one.id for one in CORPUS}
        assert {one.event for one in made.ledger.entries("inns")} == {"found"}


@pytest.mark.parametrize("what", [None, passages("inn | never | a")])
def test_a_dry_run_writes_nothing_anywhere(tmp_path, what):
    """A dry run must have no effect."""
    with stored() as index:
        made = cleaner(index, Ledger(tmp_path / "l"))
        made.clean()
        index.add(passages("tax | maybe | a", date=[2030]))
        index.run(index.hide([COPPER]))  # which a verification would record
        before, file = state(index, made), (tmp_path / "l").read_bytes()
        index.client.set_payload = index.client.upsert = None  # no one calls them
        cleaned = made.clean(what, dry_run=True)
        assert cleaned.dry_run
        assert cleaned.decisions
        again = made.clean(what, dry_run=True)
        assert plain(again) == plain(cleaned), "nothing is known from before"
        del index.client.set_payload, index.client.upsert
        assert state(index, made) == before
        assert (tmp_path / "l").read_bytes() == file


def test_what_has_not_changed_is_not_examined_again(tmp_path):
    """A nightly cleaning must not cost as much as the first."""
    with stored() as index:
        cleaner(index, Ledger(tmp_path / "l")).clean()
        again = cleaner(index, Ledger(tmp_path / "l")).clean()
        assert (again.examined, again.compared, again.decisions) == (0, 0, ())
        index.add([replace(CORPUS[1], text="inn | never | b"), *passages("tax | maybe | a")])
        third = cleaner(index, Ledger(tmp_path / "l")).clean()
        assert third.examined == 3, "with what was hidden for the one that has changed"
        assert pairs(third) == {frozenset((TAX, "tax | maybe | a")), frozenset((OLD, NEW))}
        assert cleaner(index, Ledger(tmp_path / "l")).clean().examined == 0
        everything = cleaner(index, Ledger(tmp_path / "l")).clean(again=True)
        assert everything.examined == 4


async def test_asynchronously_the_same():
    """The synchronous and asynchronous paths must not drift apart."""
    found = []
    for road in ("clean", "aclean"):
        with stored() as index:
            made = cleaner(index, judge=lambda asked: [0.9] * len(asked))
            if road == "clean":
                cleaned = await asyncio.to_thread(made.clean)
                screened = await asyncio.to_thread(made.screen, passages("copper | no | a"))
            else:
                cleaned = await made.aclean()
                screened = await made.ascreen(passages("copper | no | a"))
                await index.aclose()
            told = [{**entry.to_dict(), "time": ""} for entry in made.ledger.entries("inns")]
            found.append((plain(cleaned), screened.passages, plain(screened.cleaned), told))
    assert found[0] == found[1]


def test_without_an_index():
    """A list of passages is compared with itself; nothing is written."""
    encoder = PlacedEncoder()
    made = CorpusCleaner(encoder=encoder, resolution="prefer_newest")
    cleaned = made.clean(iter(CORPUS))
    assert {*cleaned.quarantined} == {*HIDDEN}
    assert cleaned.collection is None
    with pytest.raises(ConfigurationError, match="without an index"):
        _ = made.quarantine
    assert made.ledger.entries("") == []
    with pytest.raises(ConfigurationError, match="nothing to clean"):
        made.clean()
    with pytest.raises(InputError):
        made.clean(["text"])


def test_screened_passages_come_back_with_the_flag():
    """A passage known to be wrong must not be found until the next night."""
    with stored() as index:
        made = cleaner(index)
        given = passages("inn | never | a", "copper | no | a", date=[2001, 2030])
        screened = made.screen([*given, *passages("salt | yes | a")])
        assert [one.quarantined for one in screened.passages] == [True, False, False]
        assert active(index) >= {OLD, COPPER}, "undated, and older than nobody"
        index.add(screened.passages)
        assert "inn | never | a" not in active(index)
        assert made.quarantine.verify().agreed
        assert made.clean().examined == 5, "the others were examined on their way in"


def test_a_stored_passage_that_a_newer_one_contradicts_is_hidden_when_it_comes():
    """A search must not find both until the next night."""
    with stored() as index:
        screened = cleaner(index).screen(passages("tax | maybe | a", date=[2030]))
        assert set(screened.cleaned.quarantined) == {TAX, PAID}
        assert active(index) == {OLD, NEW, COPPER}


def test_the_stored_version_of_a_screened_passage_is_not_hidden_for_it():
    """The stored text may be right, and the new one may never be stored."""
    with stored(Passage("page", "salt | yes | a")) as index:
        made = cleaner(index)
        screened = made.screen([Passage("page", "inn | never | a", {"date": 2001})])
        assert screened.passages[0].quarantined
        assert "page" in active(index)
        index.add(screened.passages)
        assert "page" not in active(index)


def test_a_screened_passage_that_was_never_stored_is_judged_anew():
    """A passage that is long gone must not hide another at the next screening."""
    with stored() as index:
        made = cleaner(index)
        (late,) = passages("inn | never | a", date=[2001])
        assert made.screen([late]).passages[0].quarantined
        index.delete([OLD, NEW])
        (again,) = made.screen([late]).passages
        index.add([again])
        made.screen(passages("salt | yes | a"))
        assert late.id in active(index)
        assert made.quarantine.verify().agreed


def test_tenants_are_cleaned_apart():
    """Without a tenant all are read but none hidden, which the ledger must not claim."""
    with stored(tenant="one") as index:
        assert {*cleaner(index).clean().quarantined} == {*HIDDEN}
        everybody = PassageIndex.open("inns", index.encoder, client=index.client, all_tenants=True)
        for dry_run in (False, True):
            with pytest.raises(ConfigurationError, match="tenant="):
                cleaner(everybody).clean(dry_run=dry_run)
        for act in (Quarantine.restore, Quarantine.purge):
            with pytest.raises(ConfigurationError, match="tenant="):
                act(Quarantine(everybody, Ledger()), [*HIDDEN])
        with pytest.raises(ConfigurationError, match="tenant="):
            Quarantine(everybody, Ledger()).verify()
        with PassageIndex.open("inns", index.encoder, client=index.client, tenant="b") as other:
            assert cleaner(other).clean().examined == 0


class Opinion:
    """Gives the same answer to every question and records the questions."""

    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def __call__(self, asked):
        self.asked.append(list(asked))
        return [self.answer] * len(asked)


def test_a_second_opinion_is_heard():
    """The result must use the answer of a model that was paid for."""
    with stored() as index:
        clears = Opinion(0.01)
        cleaned = cleaner(index, judge=clears).clean(dry_run=True)
        assert cleaned.quarantined == ()
        assert len(clears.asked) == 1
        assert {frozenset(pair) for pair in clears.asked[0]} == {
            frozenset((OLD, NEW)), frozenset((TAX, PAID)),
        }  # fmt: skip


def test_what_a_judge_could_not_read_is_read_the_next_time():
    """One night without the service must not count as examined for good."""

    def opinion(asked):
        if is_down:
            raise OSError("no answer")
        return [0.9] * len(asked)

    with stored() as index:
        ledger, is_down = Ledger(), True
        with pytest.warns(PairJudgeWarning):
            cleaner(index, ledger, judge=opinion).clean()
        is_down = False
        assert cleaner(index, ledger, judge=opinion).clean().examined == 3
        assert cleaner(index, ledger, judge=opinion).clean().examined == 0
        assert cleaner(index, ledger, judge=Opinion(0.9)).clean().examined == 3


@pytest.mark.parametrize("count", [0, 1])
def test_hardly_any_passages(count):
    """Having nothing to compare with is not an error."""
    with PassageIndex.open("p", PlacedEncoder(), vectors=VECTORS) as index:
        index.add(CORPUS[:count])
        for made in (cleaner(index), cleaner(index, trusted=CORPUS[:1])):
            cleaned = made.clean()
            assert (cleaned.examined, cleaned.decisions) == (count, ())
            assert made.clean([]).examined == 0
            assert made.screen([]).passages == ()


def test_who_may_only_read_gets_an_error_and_hides_nothing():
    """The first process with write access completes the entry that was written first."""
    with WireDouble(api_key="all", read_only_api_key="read") as double:
        whole = {"location": double.url, "api_key": "all"}
        with stored(**whole) as index:
            ledger = Ledger()
            with PassageIndex.open("inns", index.encoder, location=double.url, api_key="read",
                                   create=False) as reader:  # fmt: skip
                assert {*cleaner(reader, ledger).clean(dry_run=True).quarantined} == {*HIDDEN}
                with pytest.raises(AuthenticationError):
                    cleaner(reader, ledger).clean()
            assert active(index) == {one.id for one in CORPUS}
            assert ledger.hidden("inns").keys() == {*HIDDEN}
            assert {*cleaner(index, ledger).quarantine.verify().hidden} == {*HIDDEN}
            assert active(index) == {NEW, TAX, COPPER}


def test_a_ledger_on_a_full_disk_hides_nothing(tmp_path, monkeypatch):
    """A passage hidden without a record is lost for good."""
    with stored() as index:
        made = cleaner(index, Ledger(tmp_path / "l"))
        connect = sqlite3.connect

        def full(path, **more):
            connection = connect(path, **more)
            connection.execute("PRAGMA query_only = 1")
            return connection

        monkeypatch.setattr(sqlite3, "connect", full)
        with pytest.raises(StorageError, match="Nothing was hidden"):
            made.clean()
        assert active(index) == {one.id for one in CORPUS}


def test_a_ledger_that_ends_with_the_process_is_told(tmp_path):
    """Without the ledger the next process hides restored passages again and knows no winners."""
    with stored(location=str(tmp_path / "inns")) as index:
        assert cleaner(index).clean(dry_run=True).quarantined
        cleaner(index, resolution="annotate").clean()
        with pytest.warns(LedgerWarning, match="ledger="):
            result = cleaner(index).clean()
    assert any("ledger=" in note for note in result.notes)


def test_with_the_bundle_that_comes_with_the_package():
    """Vectors placed by hand do not show whether the constants fit the model's."""
    corpus = [
        Passage("old", "The swimming pool of the hotel is open in winter.", {"date": "2019-01-01"}),
        Passage("new", "The swimming pool of the hotel is not open in winter.",
                {"date": "2024-01-01"}),
        Passage("free", "Breakfast is included in the price of the room.", {"date": "2023-01-01"}),
        Passage("late", "Breakfast is not included in the price of the room.",
                {"date": "2020-01-01"}),
        Passage("far", "Copper is mined in Chile and in Peru."),
    ]  # fmt: skip
    with PassageIndex.open("p", OnnxEncoder(threads=1)) as index:
        index.add(corpus)
        before = index.run(index.fingerprints([one.id for one in corpus]))
        made = CorpusCleaner(index, resolution="prefer_newest")
        cleaned = made.clean()
        assert {*cleaned.quarantined} == {"old", "late"}
        assert {one.finding.kind for one in cleaned.decisions if one.quarantined} <= {
            Kind.CONTRADICTION, Kind.SUPERSEDED,
        }  # fmt: skip
        assert made.quarantine.restore(cleaned.quarantined).changed == ()
        assert index.run(index.fingerprints([one.id for one in corpus])) == before
