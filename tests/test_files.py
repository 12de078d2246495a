"""Files written completely or not at all."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from logic_retrievers.errors import StorageError
from logic_retrievers.files import write_text


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    """A failed write must leave the old file and no part of the new one."""
    with pytest.raises(StorageError, match="cannot write"):
        write_text(tmp_path / "no such folder" / "figures.csv", "x")
    old = tmp_path / "run"
    old.write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, limits[1]))
    try:
        with pytest.raises(StorageError, match="nothing was changed"):
            write_text(old, "x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert old.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    (tmp_path / "still open").hardlink_to(old)
    write_text(old, "new")
    assert (tmp_path / "still open").read_text() == "old"


def test_half_a_character_is_escaped(tmp_path: Path) -> None:
    """A lone surrogate in one answer must not cost the user the whole file."""
    write_text(tmp_path / "run", "a\ud800é")
    assert (tmp_path / "run").read_text("utf-8") == "a\\ud800é"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk() -> None:
    """The error must say that the device is full, and a device file must stay one."""
    with pytest.raises(StorageError, match="No space left"):
        write_text("/dev/full", "x")
    assert not Path("/dev/full").is_file()
