"""File systems that tests mount; without permission the test is skipped."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def read_only(folder: Path, place: Path) -> Iterator[Path]:
    """Mount a folder again, read-only."""
    with _mounted(place, ["--bind", str(folder)], ["-o", "remount,bind,ro"]):
        yield place


@contextmanager
def tmpfs(place: Path, size: int) -> Iterator[Path]:
    """An in-memory file system of so many MiB."""
    with _mounted(place, ["-t", "tmpfs", "-o", f"size={size}m", "tmpfs"]):
        yield place


@contextmanager
def _mounted(place: Path, *mounts: list[str]) -> Iterator[None]:
    if shutil.which("mount") is None or os.name == "nt":
        pytest.skip("there is no command mount")
    place.mkdir()
    done = 0
    try:
        for arguments in mounts:
            mount = ["mount", *arguments, str(place)]
            mounted = subprocess.run(mount, capture_output=True, text=True)
            if mounted.returncode != 0:
                pytest.skip(f"nothing can be mounted here: {mounted.stderr.strip()[:100]}")
            done += 1
        yield
    finally:
        if done:
            subprocess.run(["umount", str(place)], check=True)
