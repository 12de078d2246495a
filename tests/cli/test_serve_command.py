"""``serve`` as a process, and what it refuses. What it answers is in tests/serving."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from program import invoke

from logic_retrievers import Passage, PassageIndex

KEY = "LOGIC_RETRIEVERS_API_KEY"


@pytest.fixture(scope="module")
def location(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("served")
    with PassageIndex.open(location=str(folder)) as index:
        index.add([Passage("inn", "A calm inn by the harbour."), Passage("bar", "A loud bar.")])
    return folder


def test_it_serves_until_it_is_stopped(location):
    """SIGTERM is how a container is stopped: the folder must be closed, and open to the next."""
    main = "from logic_retrievers.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", main, "serve", "--port", "0", "--location", str(location)],
        env=os.environ | {KEY: "a-key"},
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        address = next(
            found[0] for line in process.stderr if (found := re.search(r"http://\S+", line))
        )
        headers = {"Authorization": "Bearer a-key"}
        asked = {"query": "somewhere calm to sleep", "k": 1}
        assert httpx.post(f"{address}/search", json=asked).status_code == 401
        answer = httpx.post(f"{address}/search", json=asked, headers=headers)
        assert answer.json()["passages"][0]["id"] == "inn"
        assert "server" not in answer.headers
        chunks = iter([json.dumps(asked).encode()])
        assert httpx.post(f"{address}/search", content=chunks, headers=headers).status_code == 411
        process.send_signal(signal.SIGTERM)
        errors = process.stderr.read()
    assert process.returncode == 0, errors
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("arguments", "key", "code", "message"),
    [
        (["--host", "0.0.0.0"], None, 2, KEY),
        ([], "", 2, f"{KEY} is empty"),
        ([], "with a blank", 2, "white space"),
        (["-c", "nothere"], None, 1, "nothere"),
        (["--port", "70000"], None, 2, "65535"),
    ],
)
def test_what_cannot_be_served_is_said_at_once(
    location, monkeypatch, arguments, key, code, message
):
    """An open service on every interface would be found by strangers before its owner."""
    monkeypatch.delenv(KEY, raising=False)
    if key is not None:
        monkeypatch.setenv(KEY, key)
    command = ["serve", "--location", str(location), *arguments]
    result = invoke(*command, code=code)
    assert message in " ".join(result.stderr.split())
    assert key is None or not key or key not in result.stderr


@pytest.mark.parametrize(
    ("arguments", "package", "extra"),
    [(["--mcp"], "mcp", "mcp"), ([], "fastapi", "rest"), ([], "uvicorn", "rest")],
)
def test_a_missing_extra_is_named(location, arguments, package, extra):
    hidden = f"import sys; sys.modules[{package!r}] = None\n"
    program = f"{hidden}from logic_retrievers.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", program, "serve", *arguments, "--location", str(location)],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 1
    assert f"pip install 'logic-retrievers[{extra}]'" in done.stderr
    assert "Traceback" not in done.stderr
