"""The MCP server: queried by the official client in memory, and as the installed command."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from mcp import Client, MCPError
from serving_examples import EITHER, STATEMENT, WITHOUT_POOL

from logic_retrievers import PassageIndex
from logic_retrievers.serving.mcp_server import build_mcp_server
from logic_retrievers.serving.service import REQUESTS, SearchRequest, SearchService

CALLS = [
    ("search", {"query": WITHOUT_POOL, "k": 2}, "sea"),
    ("search_expression", {"expression": EITHER, "k": 2}, "sea"),
    ("contradictions", {"text": STATEMENT, "k": 1}, "inn"),
]


def ids(result) -> list[str]:
    assert not result.is_error, result
    assert json.loads(result.content[0].text) == result.structured_content
    return [passage["id"] for passage in result.structured_content["passages"]]


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_an_assistant_finds_the_tools_and_uses_them(service, mode):
    """With the newest protocol and an older one."""
    async with Client(build_mcp_server(service), mode=mode) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert [*tools] == [*(name for name, _, _ in CALLS), "check_conflicts"]
        for tool in tools.values():
            assert tool.description == service.describe(REQUESTS[tool.name])
            assert tool.annotations.read_only_hint
        for name, arguments, first in CALLS:
            assert tools[name].input_schema["properties"]["k"]["maximum"] == 100
            assert ids(await client.call_tool(name, arguments))[0] == first
        result = await client.call_tool("check_conflicts", {"texts": [STATEMENT], "ids": ["inn"]})
        (conflict,) = result.structured_content["conflicts"]
        assert conflict["other"] == {"id": "inn", "sentence": "The Anchor is far from the sea."}
        answered = await service.answer(SearchRequest(query=WITHOUT_POOL, k=2))
        (said,) = (await client.call_tool("search", {"query": WITHOUT_POOL, "k": 2})).content
        assert json.loads(said.text) == answered.model_dump(exclude_none=True)


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("search", {}, "query"),
        ("search", {"query": "secret" * 2000}, "10000"),
        ("search_expression", {"expression": "NOT x"}, "wanted"),
        ("contradictions", {"passage_id": "nobody"}, "nobody"),
        ("check_conflicts", {"texts": ["x"], "ids": ["nobody"]}, "nobody"),
    ],
)
async def test_an_assistant_reads_what_it_did_wrong(service, name, arguments, words):
    """Errors are results, which the model sees, not protocol errors, which it does not."""
    async with Client(build_mcp_server(service)) as client:
        result = await client.call_tool(name, arguments)
        assert result.is_error
        assert words in result.content[0].text
        assert "secret" not in result.content[0].text
        with pytest.raises(MCPError, match="there is no tool 'index'"):
            await client.call_tool("index", {})


async def test_an_assistant_reads_which_command_makes_a_vector():
    with PassageIndex.open() as index:
        async with Client(build_mcp_server(SearchService(index))) as client:
            result = await client.call_tool("contradictions", {"text": "x"})
    assert result.is_error
    assert "`logic-retrievers backfill contradiction` once" in result.content[0].text
    assert "index.backfill" not in result.content[0].text


def test_standard_output_carries_the_protocol_alone(folder):
    """One stray line, such as a warning, makes an assistant disconnect."""
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "0"},
        },
    }
    ready = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    asked = {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "search", "arguments": {"query": "hotel", "exclude": ["a"] * 3}},
    }
    loud = (
        "import logic_retrievers.search as s, warnings\n"
        "plain = s.Engine.asearch\n"
        "async def loud(*a, **b):\n"
        "    print('printed'); warnings.warn('warned'); return await plain(*a, **b)\n"
        "s.Engine.asearch = loud\n"
    )
    main = loud + "from logic_retrievers.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", main, "serve", "--mcp", "--location", str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with process:
        for message in (hello, ready, asked):
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
        answers = [json.loads(process.stdout.readline()) for _ in range(2)]
        rest, errors = process.communicate(timeout=60)
    assert [answer["id"] for answer in answers] == [1, 2]
    assert rest == ""
    assert "printed" in errors
    assert "warning: warned" in errors
    assert process.returncode == 0
