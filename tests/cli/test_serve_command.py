"""``serve``: refusals. tests/serving covers its answers and how it stops."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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


@pytest.mark.parametrize(
    ("arguments", "key", "code", "message"),
    [
        (["--host", "0.0.0.0"], None, 2, KEY),
        (["--mcp", "--http", "--host", "0.0.0.0"], None, 2, KEY),
        ([], "with a blank", 2, "white space"),
        (["-c", "nothere"], None, 1, "nothere"),
    ],
)
def test_what_cannot_be_served_is_said_at_once(
    location, monkeypatch, arguments, key, code, message
):
    """Strangers would find a service open on every interface before its owner does."""
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
