"""What a batch costs is what is new: cleaning since a time, and screening beside a full ledger."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest
from inn_corpus import (
    CORPUS,
    HIDDEN,
    NEW,
    OLD,
    TAX,
    KilledError,
    active,
    cleaner,
    stored,
)
from placed import passages

from logic_retrievers.conflicts import Ledger
from logic_retrievers.conflicts.cleaning import ledger as ledger_module
from logic_retrievers.effects import ClientCall
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.index.point_format import point_id

FRESH = passages("inn | never | b", "tax | maybe | a", date=[2030, 2030])
OFTEN = 40
"""Batches of a test of growth."""


def findings(cleaned):
    """The findings without the order of the two passages."""
    return {
        (frozenset((d.finding.one, d.finding.other)), d.finding.kind, d.finding.probability,
         d.action, d.quarantined)
        for d in cleaned.decisions
    }  # fmt: skip


def test_only_what_is_new_is_read_and_decided_as_by_a_whole_cleaning():
    """A nightly cleaning of new passages must not read the whole corpus, nor miss a conflict."""
    with stored() as index:
        made = cleaner(index)
        made.clean()
        since = datetime.now(UTC)
        index.add([*CORPUS, *FRESH])  # of these the corpus is unchanged, and so not new
        whole = cleaner(index).clean(dry_run=True, again=True)
        new = {passage.id for passage in FRESH}
        about_new = {found for found in findings(whole) if new & found[0]}
        pages = []
        read_page = index.read_page
        index.read_page = lambda *asked: _noting(read_page(*asked), pages)
        cleaned = made.clean(since=since)
        assert {passage.id for page in pages for passage in page} == new
        assert cleaned.examined == len(new)
        assert findings(cleaned) == about_new != set()
        assert {NEW, TAX} <= set(cleaned.quarantined)
        assert made.clean(since=since).examined == 0, "they have been examined"


def _noting(operation, pages):
    page, offset = yield from operation
    pages.append(page)
    return page, offset


def test_changed_counts_as_new_and_a_decision_does_not():
    """What the cleaner itself writes must not be new to the next run."""
    with stored() as index:
        since = datetime.now(UTC)
        made = cleaner(index)
        assert set(made.clean().quarantined) == {*HIDDEN}
        made.quarantine.restore([OLD])
        assert made.clean(since=since, again=True).examined == 0
        index.add([replace(CORPUS[1], text="inn | never | b")])
        assert set(made.clean(since=since, again=True).passages) <= {NEW, OLD}
        assert made.clean(since=since, again=True).examined == 1


@pytest.mark.parametrize(
    "form",
    [
        lambda moment: moment,
        lambda moment: moment.astimezone(timezone(timedelta(hours=5))),
        lambda moment: moment.replace(tzinfo=None),
        lambda moment: moment.isoformat(),
        lambda moment: (moment - timedelta(days=1)).date(),
    ],
    ids=["aware", "zone", "naive is UTC", "text", "day"],
)
async def test_since_in_any_form_and_asynchronously(form):
    """A time in local hours would leave hours of passages unexamined."""
    begun = datetime.now(UTC)
    with stored() as index:
        late = datetime.now(UTC) + timedelta(minutes=1)
        made = cleaner(index)
        assert (await made.aclean(since=form(begun), dry_run=True)).examined == len(CORPUS)
        if type(form(late)) is not type(late.date()):
            assert (await made.aclean(since=form(late), dry_run=True)).examined == 0


@pytest.mark.parametrize("since", [7, "soon", b"2024", "2024-13-01"])
def test_what_is_no_time_is_refused(since):
    with stored() as index, pytest.raises(ConfigurationError, match="ISO 8601"):
        cleaner(index).clean(since=since)


def test_since_and_passages_exclude_each_other():
    """The passages would be examined whatever the time."""
    with stored() as index, pytest.raises(ConfigurationError, match="leave"):
        cleaner(index).clean(FRESH, since="2024")


def test_points_without_a_time_are_left_to_a_whole_cleaning():
    """Another store's points cannot be new, and must not be read at every run."""
    with stored() as index:
        where = {"keys": ["logic.written"], "points": [point_id(NEW)]}
        index.client.delete_payload("inns", **where)
        assert cleaner(index).clean(since="1970-01-02", dry_run=True).examined == 4
        assert cleaner(index).clean(dry_run=True).examined == 5


def batch(number):
    """Two passages, of which the second contradicts the first, which is hidden for it."""
    return passages(f"t{number} | yes | a", f"t{number} | no | a", date=[2000, 2001])


def costs(tmp_path, monkeypatch, work):
    """Calls of the client, points and ledger rows read, for each of many batches."""
    rows = []
    for name in ("_entry", "repr"):
        own = getattr(ledger_module, name, repr)
        monkeypatch.setattr(
            ledger_module, name, lambda row, own=own: rows.append(row) or own(row), raising=False
        )
    with stored(location=str(tmp_path / "index")) as index:
        made = cleaner(index, Ledger(tmp_path / "ledger"))
        handle, seen = index.connection.handle, []
        counted = Counter()

        def counting(effect):
            result = handle(effect)
            if isinstance(effect, ClientCall):
                counted[effect.method] += 1
                if effect.method in ("retrieve", "scroll"):
                    records = result[0] if effect.method == "scroll" else result
                    counted["points"] += len(records)
            return result

        index.connection.handle = counting
        for number in range(OFTEN):
            counted.clear()
            rows.clear()
            work(index, made, batch(number))
            seen.append({**counted, "rows": len(rows)})
        assert made.ledger.count("inns") >= OFTEN
        assert len(made.ledger.hidden("inns")) >= OFTEN
        return seen


def screen(index, made, new):
    index.add(made.screen(new).passages)


def clean_since(index, made, new):
    since = datetime.now(UTC)
    index.add(new)
    assert made.clean(since=since).examined == len(new)


@pytest.mark.parametrize("work", [screen, clean_since])
def test_the_last_batch_costs_what_the_second_did(work, tmp_path, monkeypatch):
    """A hook that reads all hidden passages or the whole ledger is slower with every batch."""
    seen = costs(tmp_path, monkeypatch, work)
    assert seen[-1]["rows"] > 0
    assert seen[-1] == seen[1]


def test_after_a_failure_the_next_batch_completes_it():
    """Only the first batch verifies, so a failed one must make the next verify again."""
    with stored() as index:
        made = cleaner(index)
        made.screen([])
        index.hide = lambda ids: killed()
        with pytest.raises(KilledError):
            made.screen(FRESH)
        del index.hide
        assert {NEW, TAX} <= active(index)
        made.screen([])
        assert not {NEW, TAX} & active(index)


def killed():
    raise KilledError


def test_a_ledger_that_was_exchanged_in_a_run_is_noticed(tmp_path):
    """The hash goes on from where it ended, and must not vouch for another file."""
    with stored(location=str(tmp_path / "index")) as index:
        path = tmp_path / "ledger"
        made = cleaner(index, Ledger(path))
        made.clean()
        whole = path.read_bytes()
        path.unlink()
        Ledger(path).add("inns", made.ledger.entries("inns")[:1] * 9)
        for _ in range(2):
            with pytest.raises(Exception, match="accept_ledger"):
                made.screen(FRESH)
        path.write_bytes(whole)
        asyncio.run(made.ascreen(FRESH))


def test_only_a_whole_cleaning_shows_what_was_hidden_for_a_passage_that_is_gone():
    """Looking up every hidden passage's opponent costs what is hidden, not what is new."""
    with stored() as index:
        made = cleaner(index)
        since = datetime.now(UTC)
        made.clean()
        index.delete([NEW])
        for each in (made, cleaner(index, made.ledger)):
            each.clean(since=since)
            assert OLD not in active(index)
        made.clean()
        assert OLD in active(index)
