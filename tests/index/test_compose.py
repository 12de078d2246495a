"""docker/compose.yml, as far as it can be tested without a container engine."""

from __future__ import annotations

import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import yaml
from live_server import COMPOSE, image

SERVICE = yaml.safe_load(COMPOSE.read_text())["services"]["qdrant"]


def test_the_image_is_pinned():
    """`latest` changes the format of the data under a running application."""
    assert re.fullmatch(r"qdrant/qdrant:v\d+\.\d+\.\d+", image())


def test_the_data_outlive_the_container():
    """Storage inside the container goes with it."""
    assert SERVICE["volumes"] == ["passages:/qdrant/storage"]


def test_no_key_no_start_and_this_machine_only():
    """An open database on every interface."""
    assert SERVICE["environment"]["QDRANT__SERVICE__API_KEY"].startswith("${QDRANT_API_KEY:?")
    assert all(port.startswith("127.0.0.1:") for port in SERVICE["ports"])
    example = COMPOSE.with_name(".env.example").read_text()
    assert re.search(r"^QDRANT_API_KEY=$", example, re.MULTILINE)


@pytest.fixture(params=[200, 503])
def answering(request: pytest.FixtureRequest) -> Iterator[tuple[int, int]]:
    """A server that answers /readyz with one status: (status, port)."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(request.param if self.path == "/readyz" else 404)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield request.param, server.server_port
        server.shutdown()
        thread.join()


@pytest.mark.skipif(shutil.which("bash") is None, reason="the health check is a bash command")
def test_the_health_check_reads_the_status(answering):
    """A check that always succeeds starts the application before the database is ready."""
    status, port = answering
    head, shell, script = SERVICE["healthcheck"]["test"][1:]
    script = script.replace("$$", "$").replace("/6333", f"/{port}")
    assert (subprocess.run([head, shell, script]).returncode == 0) == (status == 200)
