"""The MCP server over streamable HTTP: the official client against the installed command."""

from __future__ import annotations

import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import httpx2
import pytest
from mcp import Client, MCPError
from mcp.client.streamable_http import streamable_http_client
from served_process import Served, serving
from serving_examples import STATEMENT, WITHOUT_POOL

from logic_retrievers.serving.guard import MAX_BODY

KEY = "a-key-for-tests"
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "0"},
    },
}
ACCEPT = {"Accept": "application/json, text/event-stream"}


@asynccontextmanager
async def client_with(served: Served, key: str | None, mode: str = "auto") -> AsyncIterator[Client]:
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(headers=headers) as http:
        transport = streamable_http_client(served.url("/mcp"), http_client=http)
        async with Client(transport, mode=mode) as client:
            yield client


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_assistant_with_the_key_uses_the_tools_until_sigterm(folder, mode):
    """With the newest protocol and an older one, which begins by a handshake."""
    declared = ("--field", "stars:number::star", "--validity", "since,until")
    with serving(folder, "--mcp", "--http", *declared, key=KEY) as served:
        async with client_with(served, KEY, mode) as client:
            tools = {tool.name: tool.description for tool in (await client.list_tools()).tools}
            assert tools.keys() >= {"search", "check_conflicts"}
            assert "stars: number" in tools["search"]
            assert "'since'" in tools["search"]
            result = await client.call_tool("search", {"query": WITHOUT_POOL, "k": 1})
            assert result.structured_content["passages"][0]["id"] == "sea"
            given = {"texts": [STATEMENT], "ids": ["inn"]}
            result = await client.call_tool("check_conflicts", given)
            (conflict,) = result.structured_content["conflicts"]
            assert (conflict["one"]["text"], conflict["other"]["id"]) == (0, "inn")
            assert conflict["relation"] == "contradiction"
            begun = time.monotonic()
            served.process.send_signal(signal.SIGTERM)
            assert served.process.wait(timeout=15) == 0
            assert time.monotonic() - begun < 10
        assert "Traceback" not in served.process.stderr.read()


async def test_strangers_get_no_answer(folder):
    """The guard stands before MCP as it stands before the searches."""
    with serving(folder, "--mcp", "--http", key=KEY) as served:
        for key in (None, "wrong"):
            with pytest.RaisesGroup(MCPError, flatten_subgroups=True, allow_unwrapped=True):
                async with client_with(served, key) as client:
                    await client.list_tools()
            headers = ACCEPT | ({} if key is None else {"Authorization": f"Bearer {key}"})
            for path in ("/mcp", "/nowhere"):
                answer = httpx.post(served.url(path), json=HELLO, headers=headers)
                assert (answer.status_code, answer.json()["error"]) == (401, "Unauthorized")
        health = httpx.get(served.url("/health"))
        assert health.json()["passages"] == 4
        headers = {"Authorization": f"Bearer {KEY}"}
        large = httpx.post(served.url("/mcp"), content=b"x" * (MAX_BODY + 1), headers=headers)
        assert large.status_code == 413


def test_without_a_key_it_answers_to_this_machine_alone(folder):
    """A page in a browser must not reach it, under a name of its own or from its own origin."""
    with serving(folder, "--mcp", "--http", key=None) as served:

        def status(**headers: str) -> int:
            return httpx.post(served.url("/mcp"), json=HELLO, headers=ACCEPT | headers).status_code

        assert status() == 200
        assert status(Origin="http://localhost:3000") == 200
        assert status(Host="evil.example") == 400
        assert status(Origin="http://evil.example") == 403
        # a stream that carries nothing would take one of the places for requests
        assert httpx.get(served.url("/mcp"), headers=ACCEPT).status_code == 405
