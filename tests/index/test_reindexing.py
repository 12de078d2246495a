"""Reindexing while others read and write: no passage is lost, doubled or resurrected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from suites import HashedEncoder

from logic_retrievers import Engine
from logic_retrievers.errors import BlankTextWarning, CollectionError, ConfigurationError
from logic_retrievers.index import PassageIndex, reindexing
from logic_retrievers.index.point_format import point_id
from logic_retrievers.types import Passage

NEWER = HashedEncoder(version="2", dimension=48)


def everything(index: PassageIndex) -> dict[str, Passage]:
    return {passage.id: passage for passage in index.scroll()}


def hide(index: PassageIndex, *ids: str) -> None:
    index.run(index.hide(ids))


def unhide(index: PassageIndex, *ids: str) -> None:
    index.run(index.unhide(ids))


def test_all_passages_are_in_the_second_collection(opened, make_passages):
    """The encoder or word language changes; ids, fields, flags and sources stay."""
    index = opened(lexical=True)
    passages = make_passages(600)
    passages[3] = replace(passages[3], source="s", span=(1, 2), embed_text="title", extra={"n": 1})
    index.add(passages)
    hide(index, "p5")
    shares: list[float | None] = []
    settings: dict[str, Any] = {"lexical": "german", "progress": lambda p: shares.append(p.share)}
    report = index.reindex("lr-test-2", NEWER, **settings)
    assert (report.collection, report.passages, report.written, report.removed) == (
        *("lr-test-2", 600, 600, 0),
    )
    assert shares[-1] == 1
    assert shares == sorted(shares)
    second = opened(collection="lr-test-2", encoder=NEWER, lexical="german")
    assert everything(second) == everything(index)
    assert second.language == "german"
    assert [hit.passage.id for hit in Engine(second).search(passages[7].text, k=1)] == ["p7"]
    assert "p5" not in [hit.passage.id for hit in Engine(second).search(passages[5].text, k=9)]
    again = index.reindex("lr-test-2", NEWER, lexical="german")
    assert (again.passages, again.written, again.removed) == (600, 0, 0)
    assert second.add(passages[:9]).unchanged == 9


def test_passages_of_tenants_stay_theirs(opened):
    """Two tenants may use one id."""
    for tenant in ("one", "two"):
        opened(tenant=tenant).add([Passage("a", f"text of {tenant}")])
    whole = opened(all_tenants=True)
    assert whole.reindex("lr-test-2").passages == 2
    for tenant in ("one", "two"):
        second = opened(collection="lr-test-2", tenant=tenant)
        assert second.get(["a"]) == [Passage("a", f"text of {tenant}")]


def test_what_happens_meanwhile_happens_there_too(opened, make_passages, monkeypatch):
    """Passages added, changed, deleted, hidden or shown behind the reading position are copied."""
    index = opened()
    index.add(make_passages(700))
    hide(index, "p1", "p2")
    read: list[int] = []

    def writing(progress) -> None:
        if not read:
            index.add([Passage("new", "a new text"), replace(make_passages(1)[0], text="changed")])
            index.delete(ids=[f"p{n}" for n in range(100, 400)])
            hide(index, "p3")
            unhide(index, "p1")
        read.append(progress.done)

    monkeypatch.setattr(reindexing, "FEW", 0)
    report = index.reindex("lr-test-2", NEWER, progress=writing)
    second = opened(collection="lr-test-2", encoder=NEWER)
    assert everything(second) == everything(index)
    assert report.passages == 401
    hidden = {passage.id for passage in everything(second).values() if passage.quarantined}
    assert hidden == {"p2", "p3"}


def test_an_interrupted_call_goes_on(opened, make_passages):
    """Stored passages are not encoded again; changes between the calls are caught up."""
    index = opened()
    index.add(make_passages(600))
    some = [f"p{n}" for n in range(30)]  # stored in id order: a part of the passages
    hide(index, *some)

    def stop(progress) -> None:
        if progress.done >= 256:
            raise KeyboardInterrupt

    encoder = HashedEncoder(version="2", dimension=48)
    with pytest.raises(KeyboardInterrupt):
        index.reindex("lr-test-2", encoder, progress=stop)
    unhide(index, *some)
    index.delete(ids=["p2"])
    assert index.reindex("lr-test-2", encoder).passages == 599
    assert len(set(encoder.encoded)) == len(encoder.encoded) >= 599
    second = opened(collection="lr-test-2", encoder=encoder)
    assert everything(second) == everything(index)
    assert not any(passage.quarantined for passage in second.get(some))


@pytest.fixture
def on_server(wire_settings, encoder, make_passages):
    """An index that programs open by an alias."""
    with PassageIndex.open("p-1", encoder, **wire_settings) as first:
        first.add(make_passages(30))
        first.reindex("p-2", alias="p")
    with PassageIndex.open("p", encoder, **wire_settings) as index:
        yield index


def test_an_alias_is_switched(on_server, wire_settings, encoder, make_passages):
    """Programs that opened the alias read and write the second collection from then on."""
    index = on_server
    assert {alias.alias_name for alias in index.client.get_aliases().aliases} == {"p"}
    report = index.reindex("p-3", alias="p", lexical="german")
    assert (report.alias, report.passages) == ("p", 30)
    index.add([Passage("later", "a later text")])
    assert index.count() == 31
    with PassageIndex.open("p-3", encoder, **wire_settings) as third:
        assert everything(third) == everything(index)
    with PassageIndex.open("p-2", encoder, **wire_settings) as second:
        assert second.count() == 30


def test_what_is_written_around_the_switch(on_server, wire_settings, encoder, monkeypatch):
    """Writes go to the old collection just before the switch and to the new one just after."""
    index = on_server
    switch = reindexing.switch_alias
    with PassageIndex.open("p-2", encoder, **wire_settings) as old:

        def surrounded(alias: str, into: str):
            old.add([Passage("before", "just before"), Passage("both", "just before")])
            old.add([replace(old.get(["p1"])[0], text="changed before")])
            old.delete(ids=["p2", "p3"])
            yield from switch(alias, into)
            index.add([Passage("after", "just after"), Passage("both", "just after")])
            index.add([Passage("p3", "again after")])

        monkeypatch.setattr(reindexing, "switch_alias", surrounded)
        index.reindex("p-3", alias="p")
    found = {name: passage.text for name, passage in everything(index).items()}
    assert found["before"] == "just before"
    assert found["after"] == found["both"] == "just after"
    assert found["p1"] == "changed before"
    assert "p2" not in found
    assert found["p3"] == "again after"
    assert len(found) == 32


def test_cut_off_after_the_switch(on_server, wire_settings, encoder, monkeypatch):
    """Programs already write to the second collection: passages missing in the first must stay."""
    index = on_server
    switch = reindexing.switch_alias
    with PassageIndex.open("p-2", encoder, **wire_settings) as old:

        def cut_off(alias: str, into: str):
            old.add([Passage("before", "just before")])
            yield from switch(alias, into)
            index.add([Passage("after", "just after"), Passage("p1", "changed after")])
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(reindexing, "switch_alias", cut_off)
            with pytest.raises(KeyboardInterrupt):
                index.reindex("p-3", alias="p")
        assert old.reindex("p-3", alias="p").written == 1
        found = {name: passage.text for name, passage in everything(index).items()}
        assert found["before"] == "just before"
        assert found["after"] == "just after"
        assert found["p1"] == "changed after"
        assert len(found) == 32
        with pytest.raises(ConfigurationError, match="'p-3' is in use: the alias 'p'"):
            old.reindex("p-3")


def test_an_estimate_writes_nothing(opened, make_passages):
    index = opened()
    assert index.reindex("lr-test-2", NEWER, dry_run=True).passages == 0
    index.add(make_passages(300))
    report = index.reindex("lr-test-2", NEWER, dry_run=True)
    assert (report.passages, report.written) == (300, 300)
    assert report.seconds > 0
    assert 300 * 2 * 48 * 4 < report.bytes < 300 * (2 * 48 * 4 + 1000)
    with pytest.raises(CollectionError):
        opened(collection="lr-test-2", create=False)


Call = Callable[[PassageIndex], Any]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda index: index.reindex("p"), "other than 'p-2'"),
        (lambda index: index.reindex("p-2"), "other than 'p-2'"),
        (lambda index: index.reindex("q", alias="q"), "other than 'p-2'"),
        (lambda index: index.reindex("q", alias="p-1"), "a collection's own name"),
        (lambda index: index.reindex("q", alias=""), "not empty"),
        (lambda index: index.reindex("q", tenant="t"), "tenant="),
        (lambda index: index.reindex("q", "an encoder"), "second argument is an encoder"),
        (lambda index: index.reindex("q", vectors=["mine"]), "makes no vector"),
    ],
)
def test_bad_input(on_server, call: Call, words: str):
    """Bad input is refused before anything is created."""
    with pytest.raises(ConfigurationError, match=words):
        call(on_server)
    names = {found.name for found in on_server.client.get_collections().collections}
    assert names == {"p-1", "p-2"}


def test_one_tenant_alone_or_an_alias_in_a_folder(encoder, tmp_path):
    with (
        PassageIndex.open("p", encoder, tenant="t", location=tmp_path) as index,
        pytest.raises(ConfigurationError, match="all_tenants=True"),
    ):
        index.reindex("q")
    with (
        PassageIndex.open("p", encoder, all_tenants=True, location=tmp_path) as index,
        pytest.raises(ConfigurationError, match="for a server"),
    ):
        index.reindex("q", alias="r")


def test_a_collection_of_other_passages_is_left_alone(opened, make_passages):
    """Reindexing would delete everything there that the original lacks."""
    index, other = opened(), opened(collection="lr-test-2")
    index.add(make_passages(3))
    assert index.reindex("lr-test-2").passages == 3
    third = opened(collection="lr-test-3")
    third.add([Passage("mine", "a text of another collection")])
    with pytest.raises(CollectionError, match="exists already"):
        index.reindex("lr-test-3")
    with pytest.raises(CollectionError, match="exists already"):
        third.reindex("lr-test-2")
    assert (third.count(), other.count()) == (1, 3)


def test_another_program_writes_to_the_second_collection(opened, make_passages, monkeypatch):
    """Its passages look like passages that the first collection has lost."""
    index = opened()
    index.add(make_passages(3))
    index.reindex("lr-test-2")
    second = opened(collection="lr-test-2")
    delete = reindexing.delete_others

    def deleting(target, seen):
        removed = yield from delete(target, seen)
        second.add([Passage("other", "another program's")])
        return removed

    monkeypatch.setattr(reindexing, "delete_others", deleting)
    with pytest.raises(CollectionError, match="another program"):
        index.reindex("lr-test-2")


@pytest.mark.parametrize("blank", ["\u200b", "\ufffd"], ids=["unseen", "for the encoder"])
def test_blank_passages_are_left_out(blank):
    """A different store wrote blank passages, and the call blamed another writer."""
    with PassageIndex.open("q") as index:
        index.add([Passage(f"p{n}", f"An inn of {n} rooms.") for n in range(9)])
        assert index.reindex("r").passages == 9
        blanked = [point_id("p3"), point_id("p4")]
        index.client.set_payload(index.collection, {"page_content": blank}, blanked)
        assert index.reindex("s", dry_run=True).passages == 9
        for name in ("r", "s"):
            with pytest.warns(BlankTextWarning, match="2 of 9"):
                report = index.reindex(name)
            assert (report.passages, report.removed) == (7, 2 if name == "r" else 0)
