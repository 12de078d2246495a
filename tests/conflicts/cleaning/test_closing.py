"""Superseded passages that are closed: they stay, and end where the newer one begins."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inn_corpus import KilledError, kept, killed_at
from placed import PlacedEncoder

from logic_retrievers import ContradictionFilter, CorpusCleaner, Engine, Passage, PassageIndex
from logic_retrievers.conflicts import Kind, Ledger
from logic_retrievers.conflicts.cleaning.closing import Closing, close_superseded
from logic_retrievers.conflicts.cleaning.result import Decision, Finding
from logic_retrievers.conflicts.settings import VECTORS
from logic_retrievers.errors import ConfigurationError

VALIDITY = ("since", "until")
FIRST, SECOND, THIRD = "inn | yes | a", "inn | no | a", "inn | maybe | a"
BLOG, LAW = "tax | yes | a", "tax | no | a"
DATES = {FIRST: "2020-01-01", SECOND: "2022-01-01T10:00:00+02:00", THIRD: "2024-01-01"}


def memories():
    versions = [
        Passage(text, text, {"since": date, "document": "inn", "n": at})
        for at, (text, date) in enumerate(DATES.items())
    ]
    tax = [Passage(BLOG, BLOG, {"date": "2021-01-01"}), Passage(LAW, LAW, {"date": "2023-01-01"})]
    return [*versions, *tax]


@pytest.fixture
def location(request):
    """Embedded, or over the wire where a test asks for it."""
    if not hasattr(request, "param"):
        return {}
    return request.getfixturevalue("wire_double").place(prefer_grpc=request.param == "grpc")


@pytest.fixture
def index(location):
    with PassageIndex.open("inns", PlacedEncoder(), vectors=VECTORS, **location) as index:
        index.add(memories())
        yield index


def closing(index, ledger=None, **settings):
    settings = {"supersede": "close", "validity": VALIDITY, "document_key": "document"} | settings
    ledger = Ledger() if ledger is None else ledger
    return CorpusCleaner(index, ledger=ledger, date_key="since", **settings)


def ends(index):
    return {p.id: p.metadata["until"] for p in index.scroll() if "until" in p.metadata}


def test_a_version_ends_where_the_next_begins(index):
    """Hidden, it would be missing from what was true then; open, from what is true now."""
    result = closing(index).clean()
    assert result.closed == ends(index) == {FIRST: DATES[SECOND], SECOND: DATES[THIRD]}
    assert not result.quarantined
    engine = Engine(index, "topical", validity=VALIDITY)
    for as_of, current in (("2021", FIRST), ("2022-01-01T08:00Z", SECOND), (None, THIRD)):
        found = {hit.passage.id for hit in engine.search(FIRST, as_of=as_of)}
        assert found - {BLOG, LAW} == {current}
    assert closing(index).clean().closed == {}


def test_contradictions_are_decided_as_before(index):
    """Nothing says which of two contradicting passages was ever right."""
    result = closing(index, resolution=lambda one, other: one if one.id == LAW else other).clean()
    assert result.quarantined == (BLOG,)
    assert result.closed == {FIRST: DATES[SECOND], SECOND: DATES[THIRD]}


@pytest.mark.parametrize("location", ["rest", "grpc"], indirect=True)
def test_over_the_wire(index, tmp_path):
    """A server has the same calls."""
    test_restored_a_passage_is_what_it_was(index, tmp_path)


def test_restored_a_passage_is_what_it_was(index, tmp_path):
    """An end taken back by hand must leave no trace, and must not come again."""
    ledger = Ledger(tmp_path / "ledger")
    before, cleaner = kept(index), closing(index, ledger)
    cleaner.clean()
    assert kept(index) != before
    quarantine = cleaner.quarantine
    assert {held.passage.id for held in quarantine.closed()} == {FIRST, SECOND}
    restored = quarantine.restore([FIRST, SECOND, THIRD])
    assert (restored.restored, restored.changed) == ((FIRST, SECOND), ())
    assert restored.missing == (THIRD,)
    assert kept(index) == before
    assert quarantine.verify().agreed
    assert [entry.event for entry in quarantine.history(FIRST)][-2:] == ["close", "reopen"]
    assert closing(index, ledger).clean(again=True).closed == {}
    assert kept(index) == before


def test_an_end_that_was_there_comes_back(index):
    """The ledger must hold the field's own value, of whatever type."""
    own = [replace(p, metadata={**p.metadata, "until": [None, 2099]}) for p in memories()[:1]]
    index.add(own)
    before, cleaner = kept(index), closing(index)
    assert FIRST in cleaner.clean().closed
    cleaner.quarantine.restore([FIRST])
    assert {n: f for n, f in kept(index).items() if n == FIRST} == {FIRST: before[FIRST]}


def test_an_end_set_by_hand_stays(index):
    """Restoring must not overwrite what a user wrote meanwhile."""
    cleaner = closing(index)
    cleaner.clean()
    index.run(index.write_field("until", {FIRST: {"until": "2021-06-01"}}))
    assert cleaner.quarantine.restore([FIRST]).changed == (FIRST,)
    assert ends(index)[FIRST] == "2021-06-01"


def test_without_its_newer_version_a_passage_is_open_again(index):
    """What ended for another passage's sake must not stay ended when that is deleted."""
    cleaner = closing(index)
    cleaner.clean()
    index.delete([THIRD])
    assert cleaner.quarantine.verify().lapsed == (SECOND,)
    assert ends(index) == {FIRST: DATES[SECOND]}
    index.add(memories())
    assert cleaner.clean().closed == {SECOND: DATES[THIRD]}


@pytest.mark.parametrize("done", [False, True])
@pytest.mark.parametrize("work", ["clean", "restore"])
def test_killed_at_every_moment(work, done, tmp_path):
    """No end without an entry, and no entry whose end never comes."""
    number, finished = 0, False
    while not finished:
        number += 1
        with PassageIndex.open("inns", PlacedEncoder(), vectors=VECTORS) as index:
            index.add(memories())
            before, cleaner = kept(index), closing(index, Ledger(tmp_path / f"{number}"))
            if work == "restore":
                cleaner.clean()

            def run(cleaner=cleaner):
                if work == "restore":
                    cleaner.quarantine.restore([FIRST, SECOND])
                else:
                    cleaner.clean()

            _, undo = killed_at(index, number, done=done)
            try:
                run()
                finished = True
            except KilledError:
                pass
            undo()
            said = cleaner.ledger.closings("inns")
            assert ends(index).keys() <= said.keys()
            cleaner.quarantine.verify()
            assert cleaner.quarantine.verify().agreed
            closed = {n for n, e in cleaner.ledger.closings("inns").items() if e.event == "close"}
            assert ends(index).keys() == closed
            run()
            assert ends(index).keys() == (set() if work == "restore" else {FIRST, SECOND})
            if work == "restore":
                assert kept(index) == before
    assert number > 3


def test_new_passages_are_closed_before_they_are_stored(index):
    """Stored open, an outdated passage would be found until the next cleaning."""
    index.delete([FIRST])
    first = memories()[0]
    screened = closing(index).screen([first])
    assert screened.passages[0].metadata["until"] == DATES[SECOND]
    dry = closing(index).screen([first], dry_run=True)
    assert dry.passages == (first,)
    assert dry.cleaned.closed == {FIRST: DATES[SECOND]}
    assert ends(index) == {}


def test_what_is_closed_needs_a_field():
    """A cleaning with nothing to write to would silently hide nothing."""
    for wrong in ({"validity": None}, {"validity": ("since", "a.b")}, {"supersede": "drop"}):
        with pytest.raises(ConfigurationError):
            closing(None, encoder=PlacedEncoder(), **wrong)


# -- pure parts --


def superseded(older, newer):
    return Finding(older, newer, Kind.SUPERSEDED, "r", 0.9, 1.0, 0.9, 0.9, newer=newer)


years = st.one_of(st.none(), st.integers(2000, 2005))


@given(
    st.lists(st.tuples(years, years), min_size=2, max_size=6),
    st.sets(st.tuples(st.integers(0, 5), st.integers(0, 5))),
    st.sets(st.integers(0, 5)),
)
def test_the_earliest_newer_version_ends_a_passage(spans, pairs, hidden):
    """Two newer versions must not leave a gap, nor a hidden one end anything."""

    def passage(at, since, until):
        dates = {"since": since and f"{since}-01-01", "until": until and f"{until}-01-01"}
        return Passage(f"p{at}", f"text {at}", dates)

    passages = {p.id: p for p in (passage(at, *span) for at, span in enumerate(spans))}
    pairs = sorted({(a, b) for a, b in pairs if a != b and max(a, b) < len(spans)})
    findings = [superseded(f"p{a}", f"p{b}") for a, b in pairs]
    gone = [f"p{at}" for at in hidden]
    findings.append(Finding("p0", "p1", Kind.CONTRADICTION, "r", 0.9, 1.0, 0.9, 0.9))

    def resolve(rest):
        return [Decision(f, "quarantined", "r", quarantined=tuple(gone)) for f in rest]

    now = datetime(2006, 1, 1, tzinfo=UTC)
    decisions = close_superseded(passages, findings, Closing(VALIDITY, "date", now), resolve)
    assert [d.finding for d in decisions] == findings
    closed = {n: d.until for d in decisions for n in d.closed}
    hides = any(d.quarantined for d in decisions)
    wanted = {}
    for a, b in pairs:
        start, end = spans[a][0] or 0, spans[b][0] or 2006
        if start < end and not (hides and hidden & {a, b}):
            wanted[f"p{a}"] = min(end, wanted.get(f"p{a}", 9999))
    assert {n: int(until[:4]) for n, until in closed.items()} == wanted


def test_passages_of_different_times_do_not_contradict():
    """What was true before and what is true now are both right."""
    texts = [FIRST, SECOND]
    apart = [
        Passage(text, text, dict(zip(VALIDITY, span, strict=True)))
        for text, span in zip(texts, [("2020", "2022-01-01"), ("2022-01-01", None)], strict=True)
    ]
    together = [apart[0], replace(apart[1], metadata={"since": "2021-12-31"})]
    options = {"resolution": "prefer_newest", "date_key": "since", "judge": None}
    dropping = ContradictionFilter(PlacedEncoder(), validity=VALIDITY, **options)
    assert not dropping.filter(apart).conflicts
    assert dropping.filter(together).conflicts
    assert ContradictionFilter(PlacedEncoder(), **options).filter(apart).conflicts
    for passages, kind in ((apart, Kind.SCOPE), (together, Kind.CONTRADICTION)):
        cleaner = CorpusCleaner(encoder=PlacedEncoder(), validity=VALIDITY, judge=None)
        assert [d.finding.kind for d in cleaner.clean(passages).decisions] == [kind]
