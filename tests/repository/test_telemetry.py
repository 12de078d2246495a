"""No events to the makers of ONNX Runtime: no files of its own, and no sockets."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import ROOT

ENCODE = """
import sys, time
from logic_retrievers.encoders import default_encoder
assert default_encoder().encode_queries(["a quiet room"])["topical"].shape == (1, 384)
time.sleep(float(sys.argv[1]))
"""
COUNT_PACKETS = """
print(open("/proc/self/net/snmp").read())
"""
FIRST_EVENT = 20
"""Seconds; ONNX Runtime sent its first event ten seconds after it was imported."""


def encode(home: Path, wait: float, *prefix: str, code: str = ENCODE, **variables: str) -> str:
    """Encode a text in a process with a new home directory, wait, and return its output.

    It has hardly any environment, since ONNX Runtime sends nothing on a build server.
    """
    home.mkdir()
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), **variables}
    command = [*prefix, sys.executable, "-c", code, str(wait)]
    done = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=240
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def imports_onnxruntime(path: Path) -> bool:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        if any(name.split(".")[0] == "onnxruntime" for name in names):
            return True
    return False


def test_one_module_imports_onnx_runtime():
    """An import elsewhere may come first, and then events are sent."""
    folders = ("logic_retrievers", "integrations", "export", "benchmarks")
    files = [path for folder in folders for path in sorted((ROOT / folder).rglob("*.py"))]
    importing = [path.relative_to(ROOT).as_posix() for path in files if imports_onnxruntime(path)]
    # the first and the last import its quantiser when called, after this package
    assert importing == [
        "logic_retrievers/encoders/int8.py",
        "logic_retrievers/encoders/sessions.py",
        "export/logic_export/bundles/integer_graphs.py",
    ]


@pytest.mark.parametrize(
    ("imported", "given", "expected"),
    [
        # if fastembed is installed, qdrant-client imports ONNX Runtime before an encoder does
        ("logic_retrievers", {}, "1"),
        ("logic_export.bundles.integer_graphs", {}, "1"),  # the quantiser needs no encoder
        ("logic_retrievers", {"ORT_DISABLE_TELEMETRY": "0"}, "0"),  # users may opt in
    ],
)
def test_an_import_switches_it_off_unless_the_user_has_set_it(tmp_path, imported, given, expected):
    code = f"import {imported}, os; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    assert encode(tmp_path / "home", 0, code=code, **given) == f"{expected}\n"


def test_an_encoder_leaves_no_file_in_the_home_directory(tmp_path):
    """ONNX Runtime keeps a device id and an event queue there and sends the queue later."""
    encode(tmp_path / "home", 2)
    assert [path.name for path in (tmp_path / "home").rglob("*")] == []


@pytest.mark.slow
def test_an_encoder_opens_no_socket(tmp_path):
    """Native threads send events, which a patched `socket` cannot see."""
    log = tmp_path / "log"
    trace = ["strace", "-f", "-qq", "-e", "trace=socket", "-o", str(log)]
    if shutil.which("strace") and subprocess.run([*trace, "true"], check=False).returncode == 0:
        encode(tmp_path / "home", FIRST_EVENT, *trace)
        sockets = [line for line in log.read_text().splitlines() if "socket(" in line]
        assert [line for line in sockets if "AF_UNIX" not in line] == []
        return
    isolate = ["unshare", "--user", "--map-root-user", "--net"]
    if not shutil.which("unshare") or subprocess.run([*isolate, "true"], check=False).returncode:
        pytest.skip("neither strace nor a network namespace (unshare) to watch sockets with")
    # in a namespace without a network, an attempt to send counts as a packet without a route
    printed = encode(tmp_path / "home", FIRST_EVENT, *isolate, code=ENCODE + COUNT_PACKETS)
    header, values = (line.split() for line in printed.splitlines() if line.startswith("Ip:"))
    packets = dict(zip(header, values, strict=True))
    assert (packets["OutRequests"], packets["OutNoRoutes"]) == ("0", "0")
