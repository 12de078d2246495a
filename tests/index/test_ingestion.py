"""Ingestion: the stored passages after a good call and after a bad one."""

from __future__ import annotations

import dataclasses
import math

import pytest
from qdrant_client import models
from suites import HashedEncoder

from logic_retrievers.errors import (
    BlankTextWarning,
    CollectionError,
    ConfigurationError,
    EncoderError,
    FingerprintMismatchError,
    InputError,
)
from logic_retrievers.index import IngestReport, PassageIndex
from logic_retrievers.index.point_format import point_id
from logic_retrievers.types import Passage


@pytest.mark.parametrize(
    "change",
    [
        *({"text": "other"}, {"metadata": {"a": 2}}, {"source": "s"}, {"span": (0, 1)}),
        *({"embed_text": "title"}, {"extra": {"node": 1}}),
    ],
)
def test_every_field_counts_as_a_change(index, change):
    """A field that the hash ignores would stay stale for ever."""
    first = Passage("a", "text", {"a": 1})
    second = dataclasses.replace(first, **change)
    index.add([first])
    assert index.add([second]).updated == 1
    assert index.get(["a"]) == [second]


def test_reingesting_a_source_removes_its_stale_passages(index):
    """A search must not find a sentence that an author deleted."""

    def cut(source, count):
        return [Passage(f"{source}-{i}", f"{source} {i}", source=source) for i in range(count)]

    index.add([*cut("a", 5), *cut("b", 5), Passage("alone", "x")])
    # a source's new passages are spread over batches: none may count as stale
    report = index.add(
        [*cut("a", 1), *cut("c", 3), Passage("a-new", "new", source="a")],
        replace_sources=True,
        batch_size=1,
    )
    assert report == IngestReport(added=4, unchanged=1, removed=4)
    assert {p.id for p in index.scroll()} == {
        *("a-0", "a-new", "alone"),
        *(f"b-{i}" for i in range(5)),
        *(f"c-{i}" for i in range(3)),
    }


def test_a_source_comes_in_several_calls(index):
    """A call must not delete what the previous call stored."""
    chunks = [Passage(str(n), f"chunk {n}", source="s") for n in range(6)]
    for start in (0, 2, 4):
        assert index.add(chunks[start : start + 2]).removed == 0
    assert index.count() == 6
    with pytest.raises(ConfigurationError, match="replace_sources"):
        index.add(chunks, keep_sources={"s"})


@pytest.mark.parametrize("end", ["of the stream", "by a passage that is refused"])
def test_a_call_that_ends_early_deletes_nothing(index, make_passages, end):
    """A failed call must not remove a file's old chunks before its new ones are stored."""

    def stream():
        yield Passage("new", "new", source="s")
        if end == "of the stream":
            raise OSError("cut off")
        yield Passage("bad", "bad", {"file": object()}, source="t")

    index.add(make_passages(3, source="s"))
    with pytest.raises((OSError, InputError)):
        index.add(stream(), replace_sources=True, batch_size=1)
    assert index.count() == 4


def nested(levels):
    value = "leaf"
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("passage", "error", "message"),
    [
        (Passage("", "text"), InputError, "not empty"),
        (Passage("bad", "a \ud800 b"), InputError, "surrogate"),
        (Passage("bad", "t", {"a": [{"b": object()}]}), InputError, r"'bad': metadata.a\[0\].b"),
        (Passage("bad", "t", {"file_name": "x.pdf", "a": b"\xff"}), InputError, "'x.pdf'"),
        (Passage("bad", "t", {"a": {1: 2, "1": 3}}), InputError, "metadata.a has two keys"),
        (Passage("bad", "t", extra={"n": nested(24)}), InputError, "has more than 24 levels"),
        ("text", InputError, "not str"),
    ],
)
def test_a_bad_passage_is_named_and_takes_no_good_one_with_it(index, passage, error, message):
    """A framework has already deleted the old passages: one bad document must not lose the rest."""
    good = [Passage(f"g{i}", f"text {i}") for i in range(4)]
    with pytest.raises(error, match=message) as caught:
        index.add([*good[:2], passage, *good[2:]], batch_size=3)
    assert "4 passages of this call were stored" in str(caught.value)
    assert index.count() == 4


@pytest.mark.parametrize("text", ["", " \n\u3000", "\u200b \x00"])
def test_a_blank_text_is_left_out_and_named(index, text):
    """A blank page must not block a book, and a text made blank must not be found."""
    index.add([Passage(f"p{i}", f"page {i}", {"file_name": "book.pdf"}, "book") for i in range(4)])
    passages = [
        Passage("p0", "page 0, changed", source="book"),
        Passage("p1", text, {"file_name": "book.pdf"}, "book"),
        Passage("p2", "page 2, changed", source="book"),
        Passage("other", text, source="a file that could not be read"),
    ]
    with pytest.warns(BlankTextWarning, match="2 of 4.*'p1' of 'book.pdf', 'other' of") as caught:
        report = index.add(passages, replace_sources=True)
    assert len(caught) == 1
    assert report == IngestReport(updated=2, removed=2, blank=2)
    assert {p.id: p.text for p in index.scroll()} == {
        "p0": "page 0, changed",
        "p2": "page 2, changed",
    }


@pytest.mark.parametrize("blank", [" ", "\ufffd"], ids=["white space", "for the encoder"])
@pytest.mark.parametrize("count", [1, 3])
def test_a_source_of_blank_passages_alone_keeps_what_is_stored(blank, count):
    """A badly read scan must not empty the document.

    The shipped encoder refuses a text without tokens, and every text of the same call.
    """
    with PassageIndex.open() as index:
        index.add([Passage(f"p{i}", f"page {i}", source="book") for i in range(3)])
        read = [Passage(f"p{i}", blank, source="book") for i in range(count)]
        with pytest.warns(BlankTextWarning, match=f"{count} of {count + 2}"):
            report = index.add(
                [Passage("x", "an inn"), *read, Passage("y", "a bar")], replace_sources=True
            )
        assert report == IngestReport(added=2, blank=count)
        assert index.count() == 5


def test_what_is_just_within_the_limits_is_stored_and_removable(index):
    """An accepted passage must be readable and deletable."""
    passage = Passage("7" * 4096, "t", {"n": -(2**63) + 1, "deep": nested(23)}, "s" * 4096, (0, 1))
    index.add([passage])
    assert index.get([passage.id]) == [passage]
    assert index.get(["7" * 5000]) == []
    assert index.delete(["7" * 5000, passage.id]) == 1


def test_passages_are_read_as_a_stream(index):
    """A corpus larger than memory must be ingestible."""
    most = 0
    open_now = 0

    def stream():
        nonlocal most, open_now
        for i in range(50):
            open_now += 1
            most = max(most, open_now)
            yield Passage(str(i), f"text {i}")

    def seen(progress):
        nonlocal open_now
        open_now = 0
        counts.append(progress.done)

    counts = []
    index.add(stream(), batch_size=10, progress=seen)
    assert most == 10
    assert counts == [10, 20, 30, 40, 50]


def test_some_are_stored_and_told_before_a_whole_batch_is_encoded(index, make_passages):
    """On two busy cores a batch takes half a minute: progress must show earlier."""
    stored, told = [], []

    def seen(progress):
        stored.append(index.count())
        told.append(progress)

    index.add(make_passages(300), progress=seen)
    assert stored == [progress.done for progress in told]
    assert stored[0] == 16
    assert [p.share for p in told] == [p.done / 300 for p in told]
    assert told[1].read == 272
    assert (told[-1].done, told[-1].seconds_left) == (300, 0)
    index.add(iter(make_passages(300)), progress=told.append)
    assert (told[-1].done, told[-1].share, told[-1].seconds_left) == (300, None, None)


def test_texts_of_like_length_are_encoded_together(index, encoder):
    """Otherwise half of the encoder's work is padding."""
    texts = [f"{n} " + "word " * (n * 7 % 50) for n in range(16 + 200)]
    index.add([Passage(str(n), text) for n, text in enumerate(texts)])
    later = [len(text) for text in encoder.encoded[16:]]
    assert later == sorted(later, reverse=True)


def test_large_passages_reach_a_server_and_its_copies(wire_double, encoder):
    """Each passage fits into a request, but a batch does not."""
    large = [Passage(str(n), f"text {n}", {"scan": "x" * 3 * 2**20}) for n in range(12)]
    with PassageIndex.open("p", encoder, location=wire_double.url) as index:
        assert index.add(large).added == 12
        assert index.copy_to("q", location=wire_double.url) == 12
        with PassageIndex.open("q", encoder, location=wire_double.url) as copy:
            assert copy.get(["11"]) == [large[11]]


def test_tenants_do_not_meet_even_with_the_same_ids(opened):
    """One customer's passage must not appear in another customer's answer."""
    one, two, none = opened(tenant="one"), opened(tenant="two"), opened()
    for index, word in ((one, "mine"), (two, "yours"), (none, "no tenant's")):
        index.add([Passage("a", f"{word} text", source="s"), Passage("b", f"{word} b")])
    assert [one.count(), two.count(), none.count()] == [2, 2, 6]
    assert one.get(["a"])[0].text == "mine text"
    # not even by the point's own id, which other stores use as the passage's id
    assert two.get([point_id("a", "one")]) == []
    assert two.delete([point_id("a", "one")]) == 0
    # the same source name without new content: only the tenant's own passage is stale
    assert none.add([Passage("c", "c", source="s")], replace_sources=True).removed == 1
    assert two.add([Passage("d", "d", source="s")], replace_sources=True).removed == 1
    assert one.delete(ids=["a"]) == 1
    assert one.delete(filter={"missing": None}) == 1
    assert [one.count(), two.count()] == [0, 2]


def test_an_encoder_that_would_lose_a_vector_may_not_write(opened):
    """An upsert replaces the whole point, so its other named vectors would vanish silently."""
    opened().add([Passage("a", "text")])
    # an index that opens fewer vectors still writes whole points
    assert opened(vectors=["topical"]).add([Passage("b", "text")]).added == 1
    assert opened().add([Passage("b", "text")]).unchanged == 1
    [record] = opened().client.retrieve("lr-test", [point_id("b")], with_vectors=True)
    assert set(record.vector) == {"topical", "compatibility"}
    poorer = opened(encoder=HashedEncoder(["topical"]))
    with pytest.raises(CollectionError, match="compatibility"):
        poorer.add([Passage("c", "text")])
    newer = opened(encoder=HashedEncoder(versions={"compatibility": "2"}), vectors=["topical"])
    with pytest.raises(FingerprintMismatchError, match="compatibility"):
        newer.add([Passage("c", "text")])
    assert poorer.count() == 2


def test_vectors_that_are_not_finite_are_refused(opened):
    """One stored NaN spoils every score computed with it."""

    class Broken(HashedEncoder):
        def encode_documents(self, texts, names=None):
            made = super().encode_documents(texts, names)
            made["topical"][-1, 0] = math.nan
            return made

    index = opened(encoder=Broken())
    with pytest.raises(EncoderError, match="topical"):
        index.add([Passage("a", "text")])
    assert index.count() == 0


@pytest.mark.parametrize(
    "what",
    [{}, {"ids": ["a"], "source": "s"}, {"filter": {}}, {"filter": models.Filter()}, {"ids": "a"}],
    ids=["none", "two", "empty", "empty of Qdrant's", "a text"],
)
def test_delete_wants_exactly_one_restriction(index, what):
    """An empty filter matches everything."""
    index.add([Passage("a", "text")])
    with pytest.raises(InputError):
        index.delete(**what)
    assert index.count() == 1
