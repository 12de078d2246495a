"""Checks of docker/compose.yml that need no container engine."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib.metadata import version

import pytest
import yaml
from live_server import COMPOSE, image
from raw_server import http_reply, raw_server

SERVICE = yaml.safe_load(COMPOSE.read_text())["services"]["qdrant"]
CLUSTER = yaml.safe_load(COMPOSE.with_name("cluster.compose.yml").read_text())
NODES = CLUSTER["services"]


def test_the_image_is_pinned_and_of_the_clients_version():
    """With `latest` the data format could change under a running application.

    qdrant-client warns if the versions are more than one minor version apart.
    """
    assert re.fullmatch(r"qdrant/qdrant:v\d+\.\d+\.\d+", image())
    assert {node["image"] for node in NODES.values()} == {SERVICE["image"]}
    major, minor, _ = map(int, image().partition(":v")[2].split("."))
    own = [int(part) for part in version("qdrant-client").split(".")[:2]]
    assert own[0] == major
    assert abs(own[1] - minor) <= 1


def test_the_nodes_of_a_cluster_find_each_other_and_keep_their_data():
    """Each node has its own volume, ports and address; all but the first join the first."""
    assert len(NODES) == len({*map(str, (node["volumes"] for node in NODES.values()))}) == 3
    assert {volume.partition(":")[0] for n in NODES.values() for volume in n["volumes"]} == (
        CLUSTER["volumes"].keys()
    )
    ports = [port.rpartition(":")[0] for node in NODES.values() for port in node["ports"]]
    assert len({*ports}) == 6
    assert all(port.startswith("127.0.0.1:") for port in ports)
    for name, node in NODES.items():
        assert node["environment"]["QDRANT__SERVICE__API_KEY"].startswith("${QDRANT_API_KEY:?")
        assert node["environment"]["QDRANT__CLUSTER__ENABLED"] == "true"
        assert node["environment"]["QDRANT__TELEMETRY_DISABLED"] == "true"
        assert node["healthcheck"]["test"] == SERVICE["healthcheck"]["test"]
        assert node["command"][-2:] == ["--uri", f"http://{name}:6335"]
        assert ("--bootstrap" in node["command"]) == ("depends_on" in node) == (name != "node1")


def test_no_key_no_start_this_machine_only_and_the_data_outlive_the_container():
    """The database must not be open on every interface, nor lose its storage with the container."""
    assert SERVICE["volumes"] == ["passages:/qdrant/storage"]
    assert SERVICE["environment"]["QDRANT__SERVICE__API_KEY"].startswith("${QDRANT_API_KEY:?")
    assert all(port.startswith("127.0.0.1:") for port in SERVICE["ports"])
    example = COMPOSE.with_name(".env.example").read_text()
    assert re.search(r"^QDRANT_API_KEY=$", example, re.MULTILINE)


@pytest.mark.skipif(shutil.which("bash") is None, reason="the health check is a bash command")
@pytest.mark.parametrize("status", [200, 503])
def test_the_health_check_reads_the_status(status):
    """A check that always succeeds would start the application before the database is ready."""
    head, shell, script = SERVICE["healthcheck"]["test"][1:]
    reply = [http_reply(b"", status)]
    with raw_server(lambda asked: reply if b" /readyz " in asked else []) as url:
        script = script.replace("$$", "$").replace("/6333", f"/{url.rpartition(':')[2]}")
        assert (subprocess.run([head, shell, script]).returncode == 0) == (status == 200)
