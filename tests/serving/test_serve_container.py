"""Checks of docker/serve.Dockerfile and serve.compose.yml that need no container engine."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from logic_retrievers.cli.app import app
from logic_retrievers.cli.options import StoredCollection
from logic_retrievers.serving.rest import API_KEY

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "docker" / "serve.Dockerfile").read_text("utf-8")
SERVICE = yaml.safe_load((ROOT / "docker" / "serve.compose.yml").read_text("utf-8"))["services"][
    "rest"
]


def instruction(name: str) -> str:
    """The arguments of an instruction that occurs once, with continued lines."""
    (found,) = re.findall(rf"^{name} ((?:.*\\\n)*.*)$", DOCKERFILE, re.MULTILINE)
    return found


def command(name: str) -> list[str]:
    return json.loads(instruction(name)[instruction(name).index("[") :])


def test_it_is_built_from_what_is_here():
    """A renamed folder or extra would fail the build only at deployment."""
    sources = [line.split()[:-1] for line in re.findall(r"^COPY (.*)$", DOCKERFILE, re.MULTILINE)]
    assert all((ROOT / path).exists() for paths in sources for path in paths)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (extras,) = re.findall(r"\.\[([\w,-]+)\]", instruction("RUN"))
    assert (
        {"cli", "mcp", "rest"}
        == {*extras.split(",")}
        <= {*project["project"]["optional-dependencies"]}
    )
    where = project["tool"]["setuptools"]["packages"]["find"]["where"]
    assert {*where} - {"."} <= {path for paths in sources for path in paths}
    build = SERVICE["build"]
    assert (ROOT / "docker" / build["context"] / build["dockerfile"]).is_file()


def test_no_key_no_start_and_this_machine_only():
    """The network's other users must not read the collection."""
    environment = SERVICE["environment"]
    assert environment[API_KEY].startswith(f"${{{API_KEY}:?")
    assert environment["QDRANT_API_KEY"].startswith("${QDRANT_API_KEY:?")
    assert all(port.startswith("127.0.0.1:") for port in SERVICE["ports"])
    example = (ROOT / "docker" / ".env.example").read_text("utf-8")
    assert re.search(rf"^{API_KEY}=$", example, re.MULTILINE)


def test_the_command_takes_what_the_container_gives_it(monkeypatch):
    """A renamed option makes the container restart for ever."""
    opened = []

    def refuse(stored: StoredCollection, **_: object) -> None:
        opened.append(stored)
        raise SystemExit(0)

    monkeypatch.setattr(StoredCollection, "open", refuse)
    environment = {**SERVICE["environment"], "LOGIC_RETRIEVERS_COLLECTION": "stays"}
    program, *arguments = command("CMD")
    assert program == "logic-retrievers"
    result = CliRunner(env=environment).invoke(app, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.stderr
    assert [(o.location, o.collection) for o in opened] == [("http://qdrant:6333", "stays")]
    assert opened[0].api_key == environment["QDRANT_API_KEY"]
    port = arguments[arguments.index("--port") + 1]
    assert SERVICE["ports"][0].endswith(f":{port}")
    assert instruction("EXPOSE") == port


@pytest.fixture(params=[200, 503])
def answering(request: pytest.FixtureRequest) -> Iterator[tuple[int, int]]:
    """A server that answers /health with one status: (status, port)."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(request.param if self.path == "/health" else 404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield request.param, server.server_port
        server.shutdown()
        thread.join()


def test_the_health_check_reads_the_status(answering):
    """A check that always succeeds keeps a broken service running."""
    status, port = answering
    program, flag, script = command("HEALTHCHECK")
    assert program == "python"
    done = subprocess.run(
        [sys.executable, flag, script.replace(":8080/", f":{port}/")], capture_output=True
    )
    assert (done.returncode == 0) == (status == 200)
