"""Commands that only read, over a folder that cannot be written."""

from __future__ import annotations

from mounts import read_only
from program import invoke


def run(*arguments: object, code: int = 0) -> str:
    return " ".join(invoke(*arguments, code=code).output.split())


def test_whoever_reads_needs_no_right_to_write(tmp_path, monkeypatch):
    """An index in an image could not be searched, nor looked at by doctor."""
    monkeypatch.chdir(tmp_path)
    stored = tmp_path / "stored"
    (tmp_path / "rows.txt").write_text("Parental leave is paid.\n\nParental leave is not paid.\n")
    run("index", "rows.txt", "-l", stored, "--contradictions")
    run("clean", "-c", "passages", "-l", stored)
    assert (stored / "ledger.sqlite").is_file()
    with read_only(stored, tmp_path / "mounted") as place:
        assert "Parental leave" in run("search", "parental leave", "-l", place)
        assert "Parental leave" in run("contradictions", "Leave is paid.", "-l", place)
        assert "examined" in run("clean", "-c", "passages", "--dry-run", "-l", place)
        assert "passages in 'passages'" in run("doctor", "-l", place)
        assert "0 hidden" in run("quarantine", "list", "-l", place)
        assert "passages" in run("reindex", "other", "--dry-run", "-l", place)
        assert "right to write" in run("index", "rows.txt", "-l", place, code=4)
