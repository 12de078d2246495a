"""Vectors of stored passages, and the two passage fields added later."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pytest
from qdrant_client import models
from suites import HashedEncoder

from logic_retrievers.index import PassageIndex, vectors
from logic_retrievers.index.point_format import content_hash, point_id
from logic_retrievers.types import Passage

BOTH = ["topical", "compatibility"]
TITLED = Passage(
    "titled",
    "Ten euros a night.",
    {"n": 1},
    embed_text="Quiet hotel\n\nTen euros a night.",
    extra={"node": {"relations": {"1": ["other", None]}, "é": 1.5}, "kind": "text"},
)


def vectors_of(index, passages, names=BOTH):
    return index.run(index.stored_vectors(passages, names))


def close_to(found, encoder, texts):
    """(name, id) -> vector, as the encoder makes it from {id: text}."""
    assert set(found) == {(name, one) for name in BOTH for one in texts}
    for name, rows in encoder.encode_documents(list(texts.values())).items():
        for one, row in zip(texts, rows, strict=True):
            assert found[name, one].dtype == np.float64
            np.testing.assert_allclose(found[name, one], row, rtol=0, atol=2e-6)


# --- stored vectors


def test_stored_vectors_are_the_encoders(index, encoder, make_passages, monkeypatch):
    """Assigning a vector to the wrong passage would reorder a list silently."""
    monkeypatch.setattr(vectors, "PASSAGES_PER_CALL", 4)
    passages = make_passages(11)
    index.add(passages)
    close_to(vectors_of(index, passages[::-1]), encoder, {p.id: p.text for p in passages})
    assert set(vectors_of(index, passages, ["topical"])) == {("topical", p.id) for p in passages}
    assert vectors_of(index, [], BOTH) == {}
    assert vectors_of(index, passages, []) == {}


def test_what_is_not_stored_or_has_changed_is_left_out(index, encoder, make_passages):
    """A vector of the previous text must not stand for the new text."""
    passages = make_passages(4)
    index.add(passages[:3])
    changed = [replace(passages[0], text="other"), *passages[1:]]
    found = vectors_of(index, changed)
    close_to(found, encoder, {p.id: p.text for p in passages[1:3]})
    other_metadata = [replace(passages[1], metadata={"new": 1})]
    close_to(vectors_of(index, other_metadata), encoder, {passages[1].id: passages[1].text})


def test_another_text_to_embed_is_another_passage(index):
    """Under a new title the stored vector is the old title's."""
    index.add([Passage("a", "text", embed_text="old title: text"), Passage("b", "text")])
    told = {
        embed_text: {one for _, one in index.run(index.stored_vectors(given, ["topical"]))}
        for embed_text in ("old title: text", "new title: text", None)
        for given in [[Passage(one, "text", embed_text=embed_text) for one in "ab"]]
    }
    assert told == {"old title: text": {"a"}, "new title: text": set(), None: {"b"}}


def test_a_vector_that_the_collection_lacks_is_left_out(opened, make_passages):
    """Requesting a missing vector from the server would fail the whole reranking."""
    passages = make_passages(3)
    opened(encoder=HashedEncoder(["topical"]), lexical=True).add(passages)
    index = opened(lexical=True)
    found = vectors_of(index, passages, [*BOTH, "lexical", "onion"])
    assert set(found) == {("topical", p.id) for p in passages}


def test_points_of_another_store_under_another_name(opened, location):
    """LlamaIndex and langchain-qdrant keep a passage's id and name one vector themselves."""
    if location.get("location") is not None:
        pytest.skip("one place is enough: only the names differ")
    encoder = HashedEncoder(["topical"])
    client = opened().client
    client.create_collection(
        "theirs", {"text": models.VectorParams(size=32, distance=models.Distance.COSINE)}
    )
    texts = {"7": "quiet hotel", "1b671a64-40d5-491e-99b0-da01ff1f3341": "warm pool"}
    rows = encoder.encode_documents(list(texts.values()))["topical"]
    client.upsert(
        "theirs",
        [
            models.PointStruct(
                id=int(one) if one.isdecimal() else one,
                vector={"text": row.tolist()},
                payload={"page_content": text, "metadata": {}},
            )
            for (one, text), row in zip(texts.items(), rows, strict=True)
        ],
    )
    index = PassageIndex.open("theirs", encoder, client=client, create=False)
    found = vectors_of(index, [Passage(one, text) for one, text in texts.items()], ["topical"])
    for row, one in zip(rows, texts, strict=True):
        np.testing.assert_allclose(found["topical", one], row, rtol=0, atol=2e-6)


# --- a text to embed, and values of the application's own


def test_the_text_to_embed_is_embedded_by_a_backfill_in_place(opened):
    """The second vector must come from the same text as the first."""
    opened(encoder=HashedEncoder(["topical"])).add([TITLED])
    encoder = HashedEncoder()
    index = opened(encoder=encoder)
    assert index.backfill().filled == 1
    assert encoder.encoded == [TITLED.embed_text]
    close_to(vectors_of(index, [TITLED]), encoder, {"titled": TITLED.embed_text})
    assert index.get(["titled"]) == [TITLED]


def test_hashes_of_passages_without_the_two_fields_are_what_they_were():
    """A hash that changes between versions has every collection encoded again."""
    passage = Passage("a", "Quiet rooms.", {"n": 1, "é": [None, True]}, "s.md", (3, 15))
    prints = [("topical", "f1"), ("compatibility", "f2")]
    # made by the version without the fields
    before = "b3098cee19073d3b4cb77955a03988539a71ce2d3f5bcd18aa7d9e9630c7b44b"
    assert content_hash(passage, prints) == before
    with_both = replace(passage, embed_text="Quiet rooms.", extra={"a": 1})
    assert len({content_hash(p, prints) for p in (passage, with_both)}) == 2


def test_the_payload_of_passages_without_the_two_fields_is_what_it_was(index):
    """Other programs, and older versions of this package, read our payloads."""
    before = datetime.now(UTC)
    index.add([Passage("a", "text", {"n": 1})])
    [record] = index.client.retrieve(index.collection, [point_id("a")], with_payload=True)
    written = datetime.fromisoformat(record.payload["logic"].pop("written"))
    assert before <= written <= datetime.now(UTC)
    assert json.loads(json.dumps(record.payload)) == {
        "page_content": "text",
        "metadata": {"n": 1},
        "logic": {"id": "a", "hash": record.payload["logic"]["hash"]},
    }
