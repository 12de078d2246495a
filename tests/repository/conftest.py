"""A wheel of the tracked files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from commands import ROOT, call


@pytest.fixture(scope="session")
def wheel(tmp_path_factory) -> Path:
    """Built from tracked files only, so that no other file of this work tree helps."""
    source = tmp_path_factory.mktemp("source")
    files = call("git", "ls-files", "-z").split("\0")
    for name in filter(None, files):
        origin = ROOT / name
        if origin.is_file():
            target = source / name
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(origin.read_bytes())
    out = tmp_path_factory.mktemp("wheel")
    call(sys.executable, "-m", "build", "--wheel", "--outdir", out, source)
    return next(out.glob("*.whl"))
