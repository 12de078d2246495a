"""A real Qdrant server for tests marked ``server``: at a given address or in a container."""

from __future__ import annotations

import gc
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import yaml
from tenacity import Retrying, stop_after_delay, wait_fixed

COMPOSE = Path(__file__).parents[2] / "docker" / "compose.yml"


@dataclass(frozen=True)
class Server:
    url: str
    grpc_port: int
    api_key: str | None


def image() -> str:
    """The image that the compose file pins."""
    name, _, default = yaml.safe_load(COMPOSE.read_text())["services"]["qdrant"]["image"].partition(
        "${"
    )
    return name + default.removesuffix("}").partition(":-")[2]


@contextmanager
def live_server() -> Iterator[Server]:
    """Skip, with the reason, if neither is available."""
    url = os.environ.get("QDRANT_URL")
    if url:
        port = int(os.environ.get("QDRANT_GRPC_PORT", "6334"))
        yield Server(url, port, os.environ.get("QDRANT_API_KEY"))
        return
    with _container() as server:
        yield server


@contextmanager
def _container() -> Iterator[Server]:
    if problem := _no_engine():
        pytest.skip(f"QDRANT_URL is not set, and no container engine answers: {problem}"[:150])
    from testcontainers.core.container import DockerContainer

    key = "a-key-for-tests"
    container = DockerContainer(image()).with_env("QDRANT__SERVICE__API_KEY", key)
    with container.with_exposed_ports(6333, 6334):
        host = container.get_container_host_ip()
        url = f"http://{host}:{container.get_exposed_port(6333)}"
        patient = Retrying(stop=stop_after_delay(60), wait=wait_fixed(0.2), reraise=True)
        patient(lambda: httpx.get(f"{url}/readyz").raise_for_status())
        yield Server(url, int(container.get_exposed_port(6334)), key)


def _no_engine() -> str | None:
    """Return why no container can start; None if one can."""
    try:
        import docker
    except ImportError as error:
        return str(error)
    problem = None
    with warnings.catch_warnings():
        # a docker client that finds no engine leaves its socket open
        warnings.simplefilter("ignore", ResourceWarning)
        try:
            docker.from_env(timeout=5).close()
        except docker.errors.DockerException as error:
            problem = str(error)
        gc.collect()
    return problem
