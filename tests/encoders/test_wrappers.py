"""Wrapping encoders: several as one, and one with a cache on disk."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from logic_retrievers.encoders import CachedEncoder, CombinedEncoder, Encoder, VectorSpec
from logic_retrievers.errors import ConfigurationError, StorageError


class Counting:
    """Makes vectors from the text's bytes; records the requests."""

    def __init__(self, *names: str, max_tokens: int = 64, mark: str = "f") -> None:
        self.specs = {
            name: VectorSpec(name, 4, max_tokens, f"{mark}-{name}", query_fingerprint=f"q-{name}")
            for name in names
        }
        self.asked: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []

    def encode_queries(self, texts: Sequence[str], names: Sequence[str] | None = None):
        return self._encode("query", texts, names, 1.0)

    def encode_documents(self, texts: Sequence[str], names: Sequence[str] | None = None):
        return self._encode("document", texts, names, 2.0)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return [(0, len(text))] * next(iter(self.specs.values())).max_tokens

    def _encode(self, role, texts, names, factor):
        wanted = tuple(names or self.specs)
        self.asked.append((role, tuple(texts), wanted))
        return {
            name: np.array(
                [[factor, len(text), ord(text[0]), len(name)] for text in texts], dtype=np.float32
            )
            for name in wanted
        }


def test_combined_asks_each_encoder_once_and_for_its_own_names():
    a, b = Counting("topical", "contradiction"), Counting("compatibility", max_tokens=32)
    both = CombinedEncoder([a, b])
    assert isinstance(both, Encoder)
    assert list(both.specs) == ["topical", "contradiction", "compatibility"]
    vectors = both.encode_documents(["x", "yy"], ["compatibility", "topical"])
    assert list(vectors) == ["compatibility", "topical"]
    assert vectors["topical"].tolist() == [[2, 1, 120, 7], [2, 2, 121, 7]]
    assert a.asked == [("document", ("x", "yy"), ("topical",))]
    assert b.asked == [("document", ("x", "yy"), ("compatibility",))]
    assert len(both.token_spans("x")) == 32


@pytest.mark.parametrize("encoders", [[], [Counting("topical"), Counting("topical")]])
def test_combined_refuses_what_it_cannot_tell_apart(encoders):
    """The later of two topical encoders would silently replace the first."""
    with pytest.raises(ConfigurationError):
        CombinedEncoder(encoders)


def test_combined_renames_and_takes_only_what_is_named():
    a, b = Counting("topical", "compatibility"), Counting("topical", mark="better")
    both = CombinedEncoder([(a, {"topical": "topical"}), (b, {"topical": "compatibility"})])
    assert list(both.specs) == ["topical", "compatibility"]
    spec = both.specs["compatibility"]
    assert (spec.name, spec.fingerprint) == ("compatibility", "better-topical")
    both.encode_queries(["x"])
    assert [asked for *_, asked in a.asked + b.asked] == [("topical",), ("topical",)]
    with pytest.raises(ConfigurationError, match="onion"):
        CombinedEncoder([(a, {"onion": "topical"})])


def test_an_encoder_without_a_name_is_refused():
    """An empty name was accepted and failed at the first upsert with the engine's error."""
    with pytest.raises(
        ConfigurationError, match="a vector's name must be a text that is not empty"
    ):
        CombinedEncoder([(Counting("topical"), {"topical": ""})])
    for name in ("", None, "\ud800"):
        with pytest.raises(ConfigurationError, match="name must be a text"):
            VectorSpec(name, 4, 64, "f")


def test_cache_returns_the_same_and_encodes_only_what_is_new(tmp_path):
    inner = Counting("topical", "compatibility")
    plain = Counting("topical", "compatibility")
    cached = CachedEncoder(inner, tmp_path / "vectors")
    assert isinstance(cached, Encoder)
    cached.encode_documents(["a", "b"])
    vectors = cached.encode_documents(["b", "c", "b"])
    for name, expected in plain.encode_documents(["b", "c", "b"]).items():
        np.testing.assert_array_equal(vectors[name], expected)
    assert [texts for _, texts, _ in inner.asked] == [("a", "b"), ("c",)]
    again = CachedEncoder(inner, tmp_path / "vectors")
    again.encode_documents(["a", "b", "c"], ["topical"])
    assert len(inner.asked) == 2


def test_cache_keeps_roles_and_encoders_apart(tmp_path):
    """A document's vector for a query, or a different model's, would look only slightly off."""
    inner = Counting("topical")
    cached = CachedEncoder(inner, tmp_path / "vectors")
    assert cached.encode_documents(["a"])["topical"][0, 0] == 2
    assert cached.encode_queries(["a"])["topical"][0, 0] == 1
    inner.specs["topical"] = replace(inner.specs["topical"], query_fingerprint="")
    assert cached.encode_queries(["a"])["topical"][0, 0] == 1
    other = Counting("topical", mark="another")
    renewed = CachedEncoder(other, tmp_path / "vectors")
    renewed.encode_documents(["a"])
    assert len(other.asked) == 1


def test_cache_serves_processes(tmp_path):
    """Two indexers on one cache must neither block each other nor lose rows."""
    code = (
        "import sys; from test_wrappers import CachedEncoder, Counting\n"
        "cached = CachedEncoder(Counting('topical'), sys.argv[1])\n"
        "for n in range(40): cached.encode_documents([f'{sys.argv[2]}{n}', f'x{n}'])"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", code, str(tmp_path / "vectors"), name], cwd=Path(__file__).parent
        )
        for name in "ab"
    ]
    assert [process.wait(timeout=120) for process in running] == [0, 0]
    inner = Counting("topical")
    texts = [f"{name}{n}" for name in "abx" for n in range(40)]
    CachedEncoder(inner, tmp_path / "vectors").encode_documents(texts)
    assert not inner.asked


def test_cache_that_cannot_be_used_says_so(tmp_path):
    (tmp_path / "text").write_text("no database at all, " * 100, encoding="utf-8")
    with pytest.raises(StorageError, match="embedding cache"):
        CachedEncoder(Counting("topical"), tmp_path / "text")
    for path in (tmp_path, tmp_path / "text" / "vectors", tmp_path / ("n" * 300), "a\0b"):
        with pytest.raises(StorageError, match="cannot make"):
            CachedEncoder(Counting("topical"), path)


def change(path: Path, *statements: str) -> None:
    """Run statements on a cache's file."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


@pytest.mark.parametrize(
    ("vector", "checksum"),
    [("NULL", "checksum"), ("'sixteen letters.'", "NULL"), ("X'00'", "'text'"), ("vector", "1.5")],
)
def test_cache_encodes_rows_of_other_types_again(tmp_path, vector, checksum):
    """SQLite keeps any type in any column, and a foreign table may have any columns."""
    inner = Counting("topical")
    cached = CachedEncoder(inner, tmp_path / "vectors")
    first = cached.encode_documents(["a"])["topical"]
    change(
        tmp_path / "vectors",
        "ALTER TABLE vectors RENAME TO old",
        "CREATE TABLE vectors (key PRIMARY KEY, vector, checksum)",
        f"INSERT INTO vectors SELECT key, {vector}, {checksum} FROM old",
    )
    np.testing.assert_array_equal(cached.encode_documents(["a"])["topical"], first)
    assert len(inner.asked) == 2


@pytest.mark.skipif(os.name != "posix", reason="modes of POSIX")
def test_cache_is_made_for_its_owner_alone(tmp_path):
    """Vectors reveal much of their texts."""
    path = tmp_path / "new" / "folder" / "vectors"
    CachedEncoder(Counting("topical"), path).encode_documents(["a"])
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT * FROM vectors").fetchall()  # the files next to it exist now
        modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    assert modes == dict.fromkeys(("vectors", "vectors-wal", "vectors-shm"), 0o600)
    assert path.parent.stat().st_mode & 0o777 == 0o700
    path.parent.chmod(0o755)
    path.chmod(0o644)
    CachedEncoder(Counting("topical"), path).encode_documents(["b"])
    assert path.stat().st_mode & 0o777 == 0o644
    assert path.parent.stat().st_mode & 0o777 == 0o755
