"""Folders of the embedded engine: kept, locked, refused, and private."""

from __future__ import annotations

import os

import pytest
from qdrant_client import QdrantClient

from logic_retrievers.errors import (
    CollectionError,
    CollectionNotFoundError,
    StorageError,
)
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage


def test_what_is_stored_in_a_folder_is_there_tomorrow(encoder, tmp_path):
    """The whole point of a folder."""
    with PassageIndex.open("lr-test", encoder, location=tmp_path) as index:
        index.add([Passage("a", "text")])
    with PassageIndex.open("lr-test", encoder, location=str(tmp_path)) as index:
        assert index.get(["a"]) == [Passage("a", "text")]
        assert index.add([Passage("a", "text")]).unchanged == 1


def test_folders_that_are_none(encoder, tmp_path):
    """A file, or somebody else's JSON, must not be taken for an index or overwritten."""
    file = tmp_path / "file"
    file.write_text("hello")
    with pytest.raises(CollectionError, match="is a file"):
        PassageIndex.open("lr-test", encoder, location=file)
    (tmp_path / "lr-test").mkdir()
    (tmp_path / "lr-test" / "collection.json").write_text("not json")
    with pytest.raises(CollectionError, match=r"collection\.json is damaged"):
        PassageIndex.open("lr-test", encoder, location=tmp_path)
    assert file.read_text() == "hello"


def test_a_folder_of_local_mode(encoder, tmp_path):
    """What an older version stored is not lost, and nobody writes beside it."""
    old = QdrantClient(path=str(tmp_path / "old"))
    with PassageIndex.open("lr-test", encoder, client=old) as index:
        index.add([Passage("a", "text", {"n": 1})])
        with pytest.raises(CollectionError, match=r"local mode.*copy_to"):
            PassageIndex.open("lr-test", encoder, location=tmp_path / "old")
        assert index.copy_to(location=tmp_path / "new") == 1
    old.close()
    with PassageIndex.open("lr-test", encoder, location=tmp_path / "new") as index:
        assert index.get(["a"]) == [Passage("a", "text", {"n": 1})]
        assert index.add([Passage("a", "text", {"n": 1})]).unchanged == 1


def test_a_folder_without_the_right_to_write(encoder, monkeypatch, tmp_path):
    """A traceback of qdrant-client's does not tell what to do."""

    def refuse(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.mkdir", refuse)
    with pytest.raises(StorageError, match="Permission denied"):
        PassageIndex.open("lr-test", encoder, location=tmp_path / "new")


def test_a_folder_that_is_only_read_is_not_made(encoder, tmp_path):
    """A misspelt path becomes an empty store, which answers every search with nothing."""
    for place in (tmp_path / "typo", tmp_path / "typo" / "deep"):
        with pytest.raises(CollectionNotFoundError, match="no collection"):
            PassageIndex.open("lr-test", encoder, location=place, create=False)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_new_folder_is_its_owners_alone(encoder, tmp_path):
    """Everybody on the machine could read the passages."""
    folder = tmp_path / "new"
    PassageIndex.open("lr-test", encoder, location=folder).close()
    assert folder.stat().st_mode & 0o777 == 0o700
