"""Keys, addresses and folders: checked before anything is sent, and hidden from output."""

from __future__ import annotations

import base64
import copy
import html
import logging
import pickle
import traceback
from urllib.parse import quote

import pytest
from pydantic import SecretStr
from qdrant_client import AsyncQdrantClient, QdrantClient
from raw_server import http_reply, raw_server

from logic_retrievers.chat import ChatEndpoint
from logic_retrievers.errors import CollectionError, ConfigurationError, ServerError, StorageError
from logic_retrievers.http import check_key, mask, shows
from logic_retrievers.index import Connection, PassageIndex
from logic_retrievers.types import Passage

# the servers are on this machine; qdrant-client warns of keys sent unencrypted
pytestmark = pytest.mark.filterwarnings("ignore:Api key is used with an insecure connection")

NOWHERE = "http://127.0.0.1:9"
CORE = "s3cr3t-9413"
WRONG_KEYS = ["", " ", f"{CORE}\r\nX-Admin: 1", f"{CORE}\t", f"{CORE}é", f"{CORE}\0", 9413]


def shown(error: BaseException) -> str:
    """All that a log or a debugger shows of an error, except its frames' variables."""
    text = "".join(traceback.format_exception(error))
    while error is not None:
        text += f"{error!r} {vars(error)} {error.__context__!r}"
        error = error.__cause__
    return text


@pytest.mark.parametrize("key", WRONG_KEYS, ids=ascii)
def test_keys_that_no_request_can_carry(key, encoder):
    """An HTTP client shows such a key in its error."""
    openings = [
        lambda: PassageIndex.open("p", encoder, location=NOWHERE, api_key=key),
        lambda: ChatEndpoint(NOWHERE, "m", api_key=key),
    ]
    if isinstance(key, str) and key:
        for given in ({"api_key": key}, {"headers": {"api-key": key}}):
            if key == " " and "headers" in given:
                continue  # a header may hold words
            try:
                one = QdrantClient(NOWHERE, check_compatibility=False, **given)
                other = AsyncQdrantClient(NOWHERE, check_compatibility=False, **given)
            except ValueError:  # httpx refuses to build the header
                continue
            openings += [
                lambda client=one: PassageIndex.open("p", encoder, client=client),
                lambda client=other: Connection.open(async_client=client),
            ]
    for opening in openings:
        with pytest.raises(ConfigurationError, match="key") as caught:
            opening()
        assert CORE not in shown(caught.value)


@pytest.mark.parametrize("key", ["k", "sk-" + "x" * 5000, "a'b\"c\\d%e&f"], ids=len)
def test_keys_that_requests_can_carry(key, encoder, wire_double):
    """A check that is too strict locks users out of their own server."""
    with PassageIndex.open("p", encoder, location=wire_double.url, api_key=key) as index:
        assert index.count() == 0
    assert check_key(key) == key
    ChatEndpoint(NOWHERE, "m", api_key=key)


FORMS = {
    "itself": lambda key: key,
    "twice repr": lambda key: repr(repr(key)),
    "bytes": lambda key: repr({"api-key": key.encode()}),
    "escaped quotes": lambda key: key.replace("'", "\\'").replace('"', '\\"'),
    "small percent": lambda key: quote(key, safe="").lower(),
    "html": html.escape,
    "base64": lambda key: base64.b64encode(key.encode()).decode(),
    "capitals": lambda key: key.upper(),
}


@pytest.mark.parametrize("key", [CORE, "a'b\"c/d+e&f=", "back\\slash\\\\two", "100%<25>"])
def test_a_key_is_masked_in_every_form(key):
    """A proxy that repeats a header uses its own language's notation."""
    secrets = [SecretStr(key)]
    for form, write in FORMS.items():
        text = write(key)
        masked = mask(f"bad header: {text}; go away", secrets)
        assert text not in masked, form
        assert masked.startswith("bad header: "), form
        assert masked.endswith("; go away"), form
        cause = RuntimeError("outer")
        cause.__context__ = ValueError(text)
        assert shows(cause, secrets), form
    assert mask("nothing of it", secrets) == "nothing of it"
    assert not shows(ValueError("inner"), secrets)
    assert mask("a b", []) == "a b"
    assert not shows(ValueError("a"), [])


@pytest.mark.parametrize("place", ["start", "edge of the cut"])
def test_a_server_that_repeats_the_key(encoder, place):
    """The key is masked before the message is cut: half a key is a hint too."""
    filler = "x" * (1 if place == "start" else 290)
    words = f'{{"status": {{"error": "{filler} {CORE}"}}}}'
    with (
        raw_server(lambda _: [http_reply(words.encode(), 400)]) as url,
        pytest.raises(ServerError, match=r"\*\*\*|x{200}") as caught,
    ):
        PassageIndex.open("p", encoder, location=url, api_key=CORE)
    assert CORE[:4] not in shown(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None


async def test_a_server_that_repeats_the_header_of_a_given_client():
    """Only a given client's own options hold its key."""
    echo = http_reply(f"401 Bearer {CORE}".encode(), 418)
    with raw_server(lambda _: [echo]) as url:
        for headers in ({"Authorization": f"Bearer {CORE}"}, {"x-api-key": CORE}):
            client = AsyncQdrantClient(url, headers=headers, check_compatibility=False)
            with pytest.raises(ServerError, match=r"\*\*\*") as caught:
                await PassageIndex.aopen("p", async_client=client)
            assert CORE not in shown(caught.value)
            await client.close()


def test_objects_do_not_show_their_key(encoder, wire_double, caplog):
    """More people read a log or a pickle than a vault."""
    caplog.set_level(logging.DEBUG)
    with PassageIndex.open("p", encoder, location=wire_double.url, api_key=CORE) as index:
        index.add([Passage("a", "text")])
        endpoint = ChatEndpoint(NOWHERE, "m", api_key=CORE)
        for thing in (index, index.connection, endpoint):
            assert CORE not in f"{thing} {thing!r} {vars(thing)}"
            with pytest.raises((TypeError, AttributeError, ConfigurationError)):
                pickle.dumps(thing)
        with pytest.raises(TypeError):
            copy.deepcopy(endpoint)
    assert CORE not in caplog.text


MALFORMED = [
    *("http://", "http://:6333", "http:///path", "http://host:99999", "http://host:0"),
    *("http://host:port", "http://ho st", "http://host/a b", "http://host\n", "http://[::1"),
    *("http://[zz]", "http://[127.0.0.1]", "http://::1", "http://host/path?x", "http://host#x"),
    *(f"http://{CORE}@host", f"http://user:{CORE}@host", f"http://host/?key={CORE}"),
    *("http://höst", "http://a..b", "http://-%", f"http://{'a' * 64}", f"http://{'a.' * 200}b"),
    *(f"http://host/{'a' * 10_000}", "http://host\0", "http://host\ud800", "http://host/{x}"),
    *(f"user:{CORE}@host:6333", "http:host:6333", "https:/host", "HTTP:", "ftp://host"),
    *("htp://host", "file:///tmp", "http+unix://x"),
]


def test_malformed_addresses(encoder, tmp_path, monkeypatch):
    """Some opened a folder of that name, some raised urllib's error, some used port 6333."""
    monkeypatch.chdir(tmp_path)
    for address in MALFORMED:
        with pytest.raises(ConfigurationError, match="location= is") as caught:
            pytest.fail(f"{PassageIndex.open('p', encoder, location=address)} {address!a}")
        assert CORE not in shown(caught.value)
        with pytest.raises(ConfigurationError, match="base_url= is") as caught:
            pytest.fail(f"{ChatEndpoint(address, 'm')} {address!a}")
        assert CORE not in shown(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "address",
    [
        *("http://127.0.0.1:6333", "https://a-b_c.example.com:443/", "http://[::1]:6333"),
        *("HTTPS://Example.com", "http://xn--hst-sna", "http://host."),
        *("https://host/~a;b=1/%20", f"http://{'a' * 63}:65535"),
    ],
)
def test_valid_addresses(address):
    """Qdrant stands behind proxies with paths, and on IPv6."""
    connection = Connection.open(address)
    assert connection.place == address
    assert repr(address) in repr(connection)
    connection.close()
    assert ChatEndpoint(address, "m").url == f"{address.rstrip('/')}/chat/completions"


def test_locations_that_are_neither_address_nor_folder(encoder, tmp_path, monkeypatch):
    """An empty location made a temporary folder; a host with a port made a folder of that name."""
    monkeypatch.chdir(tmp_path)
    for location in ("", " \t", b"folder", 5, [], "a\0b", "a\ud800b", ...):
        with pytest.raises(ConfigurationError, match="location= is"):
            PassageIndex.open("p", encoder, location=location)
    for address in ("localhost:6333", "host:1/a", "[::1]:6333", "my-host.org:80"):
        with pytest.raises(ConfigurationError, match="as a URL: http://"):
            PassageIndex.open("p", encoder, location=address)
    assert not list(tmp_path.iterdir())


def test_folders_that_cannot_be_used(encoder, tmp_path):
    """The error must not be an OSError or that of an absent server."""
    file = tmp_path / "file"
    file.write_text("hello")
    for folder in (tmp_path / ("x" * 300), tmp_path / ("x/" * 5000), file / "below"):
        with pytest.raises(StorageError, match="another"):
            PassageIndex.open("p", encoder, location=folder)


def test_clients_of_another_type(encoder):
    """A wrong type must not raise an AttributeError at the first search."""
    asynchronous = AsyncQdrantClient(":memory:")
    client = QdrantClient(":memory:")
    for wrong in (
        *({"client": "http://host"}, {"client": asynchronous}, {"client": ...}),
        *({"async_client": client}, {"async_client": NOWHERE}),
    ):
        with pytest.raises(ConfigurationError, match="client= is"):
            PassageIndex.open("p", encoder, **wrong)
    client.close()


async def test_a_closed_index_says_that_it_is_closed(encoder, wire_double, tmp_path):
    """The client's own error, about a request that it cannot send, does not mention the index."""
    grpc = {"grpc_port": wire_double.grpc_port, "prefer_grpc": True}
    places = [{}, {"location": tmp_path}, {"location": wire_double.url}]
    for place in [*places, {"location": wire_double.url, **grpc}]:
        index = PassageIndex.open("p", encoder, **place)
        index.add([Passage("a", "text")])
        await index.acount()
        await index.aclose()
        index.close()
        for call in (index.count, lambda i=index: i.get(["a"]), lambda i=index: i.add([])):
            with pytest.raises(CollectionError, match="closed"):
                call()
        with pytest.raises(CollectionError, match="closed"):
            await index.acount()
        with pytest.raises(CollectionError, match="closed"):
            await index.aadd([Passage("b", "text")])


async def test_an_index_over_a_closed_client_says_so_too(encoder, wire_double):
    """A store that closes its client closes it for the index that shares it."""
    for settings in (
        {"location": ":memory:"},
        {"url": wire_double.url},
        {"url": wire_double.url, "grpc_port": wire_double.grpc_port, "prefer_grpc": True},
    ):
        client = QdrantClient(**settings, check_compatibility=False)
        index = PassageIndex.open("p", encoder, client=client)
        client.close()
        with pytest.raises(CollectionError, match="closed"):
            index.count()
        asynchronous = AsyncQdrantClient(**settings, check_compatibility=False)
        index = await PassageIndex.aopen("p", encoder, async_client=asynchronous)
        await asynchronous.close()
        with pytest.raises(CollectionError, match="closed"):
            await index.acount()
    first = PassageIndex.open("p", encoder)
    second = PassageIndex.open("p", encoder, client=first.client)
    first.close()
    with pytest.raises(CollectionError, match="closed"):
        second.count()
