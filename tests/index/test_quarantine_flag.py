"""The flag that hides a passage: honoured by every search and removed without a trace."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fault_injection import WireDouble
from vector_queries import stored_points

from logic_retrievers.index import EncodedVectorQuery, PassageIndex
from logic_retrievers.index.lexical import NAME, term_vector
from logic_retrievers.index.point_format import point_id
from logic_retrievers.types import Passage

QUERY = "a quiet hotel by the river 7"
DENSE = ("topical", "compatibility")


def vector_queries(encoder, names=DENSE, limit=100, query=QUERY):
    encoded = {**encoder.encode_queries([query]), NAME: [term_vector(query, query=True)]}
    return [EncodedVectorQuery(name, name, encoded[name][0], limit) for name in names]


def search_ids(index, *, names=DENSE, condition=None, limit=100, query=QUERY):
    """Ids of the pool's passages."""
    searches = vector_queries(index.encoder, names, limit, query)
    [pool] = index.run(index.find_candidates([searches], condition))
    return {passage.id for passage in index.run(index.fetch_passages(pool.ids)).values()}


def hide(index, *ids):
    return index.run(index.hide(ids))


def unhide(index, *ids):
    return index.run(index.unhide(ids))


def test_hidden_passages_come_back_from_no_search(opened, encoder, make_passages):
    """A passage found to be wrong must not be returned."""
    index = opened(lexical=True)
    index.add(make_passages(24))
    everything = {f"p{n}" for n in range(24)}
    some = ["p2", "p7", "p11"]
    assert sorted(hide(index, *some, "p7", "nobody")) == sorted(some)
    assert hide(index, *some) == [], "they are hidden already"
    for names in (*((name,) for name in DENSE), (NAME,), DENSE, (*DENSE, NAME)):
        for limit in (5, 100):
            assert not search_ids(index, names=names, limit=limit) & {*some}
    assert len(search_ids(index, names=["topical"], limit=5)) == 5
    assert search_ids(index) == everything - {*some}
    assert search_ids(index, condition={"parity": "odd"}) == {
        f"p{n}" for n in range(1, 24, 2) if n not in (7, 11)
    }
    assert search_ids(opened(lexical=True, show_quarantined=True)) == everything
    assert index.count() == 24, "they are counted"
    assert [one.quarantined for one in index.get(["p1", *some])] == [False, True, True, True]
    assert {one.id for one in index.scroll() if one.quarantined} == {*some}
    page, following = index.run(index.quarantined_page())
    assert ({one.id for one in page}, following) == ({*some}, None)
    assert sorted(unhide(index, *some, "p1", "nobody")) == sorted(some)
    assert search_ids(index) == everything


def test_shown_again_a_point_is_what_it_was(opened, make_passages):
    """Undoing a mistaken hiding must restore the point byte for byte."""
    index = opened(lexical=True)
    index.add([*make_passages(4), Passage("bare", "a text and nothing else", extra={"k": [1]})])
    before = stored_points(index.client)
    hide(index, "p1", "bare")
    assert (
        sum(before[point] != values for point, values in stored_points(index.client).items()) == 2
    )
    unhide(index, "p1", "bare")
    assert stored_points(index.client) == before


def test_a_tenant_hides_its_own(opened, make_passages):
    """One tenant's cleaning must not hide another tenant's passages."""
    one, other = opened(tenant="one"), opened(tenant="two")
    one.add(make_passages(3))
    other.add(make_passages(3))
    assert hide(one, "p1") == ["p1"]
    assert (search_ids(one), search_ids(other)) == ({"p0", "p2"}, {"p0", "p1", "p2"})
    assert [p.id for p in one.run(one.quarantined_page())[0]] == ["p1"]
    assert other.run(other.quarantined_page())[0] == []
    assert unhide(other, "p1") == []
    assert unhide(one, "p1") == ["p1"]


def test_stored_again_the_flag_goes_by_the_text(index, make_passages):
    """Nightly ingestion must not show a hidden text, nor hide a corrected one."""
    passages = make_passages(4)
    index.add(passages)
    hide(index, "p0", "p1", "p2")
    moved = replace(passages[1], metadata={"number": 77})
    corrected = replace(passages[2], text="noisy hostel")
    report = index.add([passages[0], moved, corrected, passages[3]])
    assert (report.unchanged, report.updated) == (2, 2)
    assert [one.quarantined for one in index.get(["p0", "p1", "p2", "p3"])] == [
        True, True, False, False,
    ]  # fmt: skip
    assert index.get(["p1"])[0].metadata == {"number": 77}
    assert search_ids(index) == {"p2", "p3"}


def test_a_passage_may_come_hidden(index, make_passages):
    """A search must never see, even briefly, what a screening rejects."""
    passages = make_passages(3)
    index.add([passages[0], replace(passages[1], quarantined=True)])
    assert search_ids(index) == {"p0"}
    assert index.add([replace(passages[0], quarantined=True)]).updated == 1
    assert search_ids(index) == set()
    assert index.add(passages).unchanged == 2, "without the flag they are what they were"
    assert search_ids(index) == {"p2"}
    bare = stored_points(index.client)
    unhide(index, "p0", "p1")
    index.delete(["p0", "p1", "p2"])
    index.add(passages)
    assert {one: values[0].keys() for one, values in stored_points(index.client).items()} == {
        one: values[0].keys() for one, values in bare.items()
    }


def test_fingerprints_are_those_of_the_stored_point(opened, encoder, make_passages):
    """A restored passage that was changed must not look unchanged."""
    index = opened(lexical=True)
    index.add(make_passages(8))
    ids = [f"p{n}" for n in range(8)]
    taken = index.run(index.fingerprints([*ids, "nobody"]))
    assert set(taken) == {*ids}
    assert len({*taken.values()}) == 8
    with PassageIndex.open("other", encoder, lexical=True) as embedded:
        embedded.add(make_passages(8))
        assert embedded.run(embedded.fingerprints(ids)) == taken, "a server or embedded mode"
    hide(index, "p3")
    assert index.run(index.fingerprints(ids)) == taken
    index.client.set_payload("lr-test", payload={"seen": 1}, points=[point_id("p4")])
    index.client.delete_vectors("lr-test", ["topical"], points=[point_id("p5")])
    now = index.run(index.fingerprints(ids))
    assert {one for one in ids if now[one] != taken[one]} == {"p4", "p5"}


def test_fingerprints_are_the_same_in_the_next_process(tmp_path, encoder, make_passages):
    """Local mode scaled vectors on loading, so every passage looked rewritten."""
    ids = [f"p{n}" for n in range(40)]
    with PassageIndex.open("p", encoder, location=tmp_path) as index:
        index.add(make_passages(40))
        taken = index.run(index.fingerprints(ids))
        hide(index, *ids[:20])
    with PassageIndex.open("p", encoder, location=tmp_path) as index:
        assert index.run(index.fingerprints(ids)) == taken
        unhide(index, *ids[:10])
    with PassageIndex.open("p", encoder, location=tmp_path) as index:
        assert index.run(index.fingerprints(ids)) == taken


@pytest.mark.parametrize("indexed", [True, False])
def test_a_strict_server(encoder, make_passages, indexed):
    """A strict server refuses filters on keys without an index, which would fail every search."""
    with WireDouble(strict=True) as double:
        with PassageIndex.open("p", encoder, location=double.url) as index:
            index.add(make_passages(6))
            if not indexed:  # as a version of this package without quarantine left the collection
                index.client.delete_payload_index("p", "logic.quarantined")
        with PassageIndex.open("p", encoder, location=double.url) as index:
            assert search_ids(index) == {f"p{n}" for n in range(6)}
            assert index.run(index.quarantined_page()) == ([], None)
            assert hide(index, "p1", "p2") == ["p1", "p2"]
            assert search_ids(index) == {"p0", "p3", "p4", "p5"}
            assert {one.id for one in index.run(index.quarantined_page())[0]} == {"p1", "p2"}
            assert unhide(index, "p1") == ["p1"]
        with PassageIndex.open("p", encoder, location=double.url, show_quarantined=True) as index:
            assert search_ids(index) == {f"p{n}" for n in range(6)}
            assert [one.id for one in index.run(index.quarantined_page())[0]] == ["p2"]


def test_a_users_own_value_of_that_name_is_no_flag(opened, encoder):
    """A user's own field named quarantined must neither hide the passage nor be lost."""
    index = opened()
    own = {"logic": {"quarantined": True, "state": "customs"}}
    index.add([Passage("a", QUERY, own), Passage("b", QUERY, own)])
    assert search_ids(index) == {"a", "b"}
    assert [passage.quarantined for passage in index.get(["a", "b"])] == [False, False]
    assert hide(index, "a") == ["a"]
    assert search_ids(index) == {"b"}
    assert [passage.id for passage in index.run(index.quarantined_page())[0]] == ["a"]
    index.add([Passage("a", QUERY, {**own, "n": 1})])  # same text: stays hidden
    assert unhide(index, "a", "b") == ["a"]
    assert index.get(["a"])[0].metadata == {**own, "n": 1}
    assert search_ids(index) == {"a", "b"}
