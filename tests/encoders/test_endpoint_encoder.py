"""Embeddings from a local endpoint: the requests sent and how answers are read."""

from __future__ import annotations

import json
import pickle
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from chat_endpoint import Endpoint, Handler, running_endpoint

from logic_retrievers import Passage, PassageIndex
from logic_retrievers.encoders import (
    CachedEncoder,
    CombinedEncoder,
    EndpointEncoder,
)
from logic_retrievers.errors import (
    AuthenticationError,
    ConfigurationError,
    EncoderError,
    ServerError,
)


def letters(text: str) -> list[float]:
    return [1 + 3 * text.lower().count(chr(97 + n)) for n in range(26)]


def embeddings(texts: list[str]) -> dict[str, Any]:
    """A response with the last text first: only ``index`` tells which is which."""
    rows = [{"index": n, "embedding": letters(text)} for n, text in enumerate(texts)]
    return {"object": "list", "data": rows[::-1], "model": "letters", "usage": {}}


@pytest.fixture
def endpoint(monkeypatch) -> Iterator[Endpoint]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with running_endpoint() as server:
        yield server


@pytest.fixture
def living(endpoint, monkeypatch) -> Endpoint:
    """Embeds the texts of a request."""
    lock = threading.Lock()
    prepared = Handler.do_POST

    def do_post(handler: Handler) -> None:
        with lock:
            endpoint.replies.clear()
            read = handler.rfile.read
            raw = read(int(handler.headers["Content-Length"]))
            handler.rfile.read = lambda _: raw  # type: ignore[method-assign]
            endpoint.will(200, embeddings(json.loads(raw)["input"]))
            prepared(handler)

    monkeypatch.setattr(Handler, "do_POST", do_post)
    return endpoint


def encoder_of(endpoint: Endpoint, **settings: Any) -> EndpointEncoder:
    return EndpointEncoder(endpoint.url, "letters", **{"retries": 0, "timeout": 2, **settings})


def test_every_text_gets_its_own_vector(living):
    """A provider may answer in any order and in batches."""
    encoder = encoder_of(living, batch_size=2, api_key="secret")
    texts = ["apple", "bee", "cat", "dog", "egg"]
    made = encoder.encode_documents(texts)["topical"]
    wanted = np.array([letters(text) for text in texts], dtype=np.float32)
    wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
    np.testing.assert_allclose(made, wanted, atol=1e-6)
    paths, headers, bodies = zip(*living.requests, strict=True)
    assert set(paths) == {"/v1/embeddings"}
    assert [len(body["input"]) for body in bodies] == [1, 2, 2, 1]  # the first: the dimension
    assert {one["Authorization"] for one in headers} == {"Bearer secret"}
    assert all(body["model"] == "letters" and "dimensions" not in body for body in bodies)


def test_prefixes_go_before_their_role(living):
    """A model trained with prefixes finds next to nothing without them."""
    encoder = encoder_of(living, query_prefix="query: ", document_prefix="passage: ", dimension=26)
    encoder.encode_queries(["apple"])
    encoder.encode_documents(["apple"])
    assert [body["input"] for _, _, body in living.requests] == [
        ["query: apple"],
        ["passage: apple"],
    ]
    assert [body["dimensions"] for _, _, body in living.requests] == [26, 26]


def test_an_index_refuses_another_model_and_not_another_address(living):
    same = [encoder_of(living).specs["topical"].fingerprint for _ in range(2)]
    other = EndpointEncoder(living.url, "other", dimension=26).specs["topical"].fingerprint
    prefixed = encoder_of(living, document_prefix="p: ").specs["topical"].fingerprint
    assert same[0] == same[1]
    assert len({same[0], other, prefixed}) == 3


def test_a_query_prefix_counts_in_a_cache_and_not_in_an_index(living, tmp_path):
    """A cache returned a different prefix's vectors; stored vectors depend on no query prefix."""
    made = [encoder_of(living, query_prefix=prefix) for prefix in ("", "q: ", "q:")]
    cached = [CachedEncoder(CombinedEncoder([one]), tmp_path / "vectors") for one in made]
    found = [one.encode_queries(["apple"])["topical"][0] for one in cached]
    expected = [one.encode_queries(["apple"])["topical"][0] for one in made]
    np.testing.assert_array_equal(found, expected)
    assert len({one.specs["topical"].fingerprint for one in cached}) == 1
    with PassageIndex.open("fruit", made[0], location=tmp_path / "index") as index:
        index.add([Passage("a", "apple")])
    with PassageIndex.open("fruit", made[1], location=tmp_path / "index") as index:
        assert index.count() == 1


def test_another_process_makes_it_anew_without_a_key(living, monkeypatch):
    """Pool workers get pickled encoders, and users share pickle files."""
    monkeypatch.setenv("LETTERS_KEY", "secret")
    made = encoder_of(living, query_prefix="q: ", api_key_variable="LETTERS_KEY")
    content = pickle.dumps(made)
    assert b"secret" not in content
    again = pickle.loads(content)
    assert again.specs == made.specs
    for encoder in (made, again):
        assert encoder.encode_queries(["apple"])["topical"].shape == (1, 26)
    assert living.requests[-1][1:] == living.requests[-2][1:]
    keyed = encoder_of(living, api_key="letter-key")
    assert "letter-key" not in repr(vars(keyed._client))  # also seen by debuggers
    with pytest.raises(TypeError, match="api_key_variable="):
        pickle.dumps(keyed)


@pytest.mark.parametrize(
    ("status", "body", "error", "words"),
    [
        (401, {"error": {"code": "no_key"}}, AuthenticationError, "no_key"),
        (200, b"<html>", ServerError, "not as /embeddings does"),
        (200, {"data": []}, ServerError, "0 vectors for 1 texts"),
        (200, {"data": [{"index": 1, "embedding": [1.0]}]}, ServerError, "not one for each"),
        (200, {"data": [{"index": 0, "embedding": [1.0]}]}, EncoderError, "not (1, 26)"),
    ],
)
def test_what_a_server_does_wrong_is_named(endpoint, status, body, error, words):
    encoder = encoder_of(endpoint, dimension=26, timeout=0.3, api_key="secret")
    endpoint.will(status, body)
    with pytest.raises(error) as caught:
        encoder.encode_queries(["a private question"])
    assert words in str(caught.value)
    assert "private question" not in str(caught.value)
    assert "secret" not in f"{caught.value!s} {encoder!r}"


@pytest.mark.parametrize("settings", [{"batch_size": 0}, {"dimension": 0}, {"api_key": "a b"}])
def test_bad_settings_are_refused_before_anything_is_sent(endpoint, settings):
    with pytest.raises(ConfigurationError):
        encoder_of(endpoint, **settings)
    assert endpoint.requests == []
