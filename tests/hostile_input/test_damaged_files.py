"""Files with bad rows or changed bytes: intact parts are read, damage is an error."""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hostile import (
    ODD_TEXTS,
    examples,
    few_examples,
    inns,
    json_values,
    mutations,
    refused_or_right,
)
from hypothesis import given
from hypothesis import strategies as st
from query_files import write_noisy
from suites.hashed_encoder import HashedEncoder
from tiny_bundles import rewrite_manifest, write_tiny_bundle

from logic_retrievers.conflicts import CorpusCleaner, Ledger, Quarantine
from logic_retrievers.documents import read_documents
from logic_retrievers.encoders import CachedEncoder, OnnxEncoder, verify_bundle
from logic_retrievers.index import PassageIndex
from logic_retrievers.types import Passage

BAD_ROWS = (
    *(b'{"text": 1e400}', b'{"id": "n", "text": "t", "price": 1e400}', b'{"text": "t", "x": NaN}'),
    *(b'{"id": ' + b"9" * 5000 + b', "text": "t"}', b'{"id": "' + b"i" * 5000 + b'", "text": "t"}'),
    *(b"[" * 960, b'{"a":' * 960 + b"1" + b"}" * 960, b"\xfd\xff\xfe", b"\0", b"{", b"null", b'""'),
    *(b'{"text": "t", "d": ' + b"[" * n + b"]" * n + b"}" for n in (60, 100, 900, 100_000)),
    *(b'{"text": "\\ud800", "id": "s"}', b'{"text": "a\\u0000b"}', b'{"text": "t", "text": "u"}'),
    *(b'{"id": true, "text": "t"}', b'{"id": 1.5, "text": "t"}', b'{"text": ""}', b'{"text": []}'),
    *(b'{"text": "t", "n": 99999999999999999999}', b'{"text": "t", "metadata": [1]}'),
    *(b'{"text": "t", "id": "\\udc80"}', b'{"text": "t", "\\ud800": 1}', b'{"_id": {}}'),
)
lines = st.lists(
    st.sampled_from(BAD_ROWS)
    | st.fixed_dictionaries({"city": json_values, "title!": json_values}).map(json.dumps),
    min_size=1,
    max_size=6,
)


@given(
    lines, st.sampled_from((b"\n", b"\r\n", b"\n\n")), st.sampled_from((b"", b"\xef\xbb\xbf")),
    st.booleans(),
)  # fmt: skip
@examples
def test_a_bad_row_takes_no_good_one_with_it(
    index: PassageIndex, rows: list[Any], ending: bytes, begin: bytes, packed: bool
):
    written, good = [], []
    for number, row in enumerate(rows):
        if isinstance(row, str):
            good.append(f"inn number {number}")
            row = json.dumps({**json.loads(row), "id": f"r{number}", "text": good[-1]}).encode()
        written.append(row)
    content = begin + ending.join(written)
    _fresh_folder().joinpath("rows.jsonl.gz" if packed else "rows.jsonl").write_bytes(
        gzip.compress(content) if packed else content
    )
    documents = read_documents("documents")
    passages = list(documents)
    assert set(good) <= {passage.text for passage in passages}
    assert all(error.file and str(error) for error in documents.errors)
    kept = [passage for passage in passages if passage.text.strip()]
    assert index.add(kept).added == len(kept)  # passages from a reader can be stored
    index.delete([passage.id for passage in kept])


def _fresh_folder() -> Path:
    shutil.rmtree("documents", ignore_errors=True)
    Path("documents").mkdir()
    return Path("documents")


class Database:
    """An SQLite file that tests change and restore."""

    def __init__(self, path: Path, table: str) -> None:
        with closing(sqlite3.connect(path)) as database:
            database.execute("PRAGMA journal_mode=DELETE")
            self.columns = [row[1] for row in database.execute(f"PRAGMA table_info({table})")]
        self.path, self.table, self.content = path, table, path.read_bytes()

    def write(self, content: bytes) -> None:
        for old in self.path.parent.glob(f"{self.path.name}*"):
            old.unlink()
        self.path.write_bytes(content)

    def damage(self, draw: Callable[..., Any]) -> None:
        """Change bytes, the schema or a value."""
        kind = draw(st.sampled_from(("bytes", "statement", "value")))
        self.write(draw(mutations(self.content)) if kind == "bytes" else self.content)
        if kind == "bytes":
            return
        column = draw(st.sampled_from(self.columns))
        value = draw(st.sampled_from((None, 5, 1.5, "", "[", "null", b"\xff", *ODD_TEXTS[:4])))
        statements = (
            *("DROP TABLE {t}", "DELETE FROM {t}", "ALTER TABLE {t} ADD COLUMN extra TEXT"),
            *("ALTER TABLE {t} RENAME TO other", "DROP TABLE {t}; CREATE TABLE {t} (a, b)"),
            *("ALTER TABLE {t} DROP COLUMN {c}", "PRAGMA user_version=99", "VACUUM"),
        )
        with closing(sqlite3.connect(self.path)) as database, database:
            for trigger in ("no_update", "no_delete", "no_replace"):
                database.execute(f"DROP TRIGGER IF EXISTS {trigger}")
            try:
                if kind == "statement":
                    chosen = draw(st.sampled_from(statements))
                    database.executescript(chosen.format(t=self.table, c=column))
                else:
                    database.execute(f"UPDATE {self.table} SET {column} = ?", [value])
            except (sqlite3.Error, UnicodeEncodeError):  # the database itself refuses it
                return


@pytest.fixture
def ledger(inn_index: PassageIndex) -> Database:
    inn_index.add(Passage(passage.id, passage.text) for passage in inns())  # without dates
    path = Path("ledger.sqlite")
    CorpusCleaner(inn_index, ledger=path, resolution="quarantine_all", threshold=0.1).clean()
    assert any(passage.quarantined for passage in inn_index.scroll())
    return Database(path, "entries")


@given(st.data())
@examples
def test_a_damaged_ledger_never_lies(inn_index: PassageIndex, ledger: Database, data: Any):
    """It lists hidden passages or reports the damage."""
    hidden = {passage.id for passage in inn_index.scroll() if passage.quarantined}
    released: set[str] = set()
    ledger.damage(data.draw)
    # the collection knows its ledger and would refuse nearly every change at once
    inn_index.run(inn_index.note(f"ledger/{inn_index.collection}", None))
    with refused_or_right():
        quarantine = Quarantine(inn_index, Ledger(ledger.path))
        assert {entry.passage.id for entry in quarantine.passages()} == hidden
        quarantine.history("inn-0")
        # it adopts hidden passages missing in the ledger, and shows those whose reason is gone
        released |= set(quarantine.verify().released)
        assert quarantine.verify().agreed
    shown = hidden - {passage.id for passage in inn_index.scroll() if passage.quarantined}
    inn_index.run(inn_index.hide(sorted(shown)))  # for the next example
    assert shown == released


@given(st.data())
@examples
def test_a_damaged_cache_never_gives_another_vector(workplace: Path, data: Any):
    encoder, path = HashedEncoder(("topical",), dimension=8), Path("cache.sqlite")
    known = ["a quiet inn", "a noisy inn"]
    path.unlink(missing_ok=True)
    CachedEncoder(encoder, path).encode_documents(known)
    Database(path, "vectors").damage(data.draw)
    expected = encoder.encode_documents([*known, "new"])["topical"]
    with refused_or_right():
        for _ in range(2):
            vectors = CachedEncoder(encoder, path).encode_documents([*known, "new"])["topical"]
            assert np.array_equal(vectors, expected)


@given(st.data())
@examples
def test_a_changed_bundle_is_refused_or_makes_unit_vectors(workplace: Path, data: Any):
    whole = Path("whole")
    if not whole.exists():
        write_tiny_bundle(whole)
    folder = Path("changed")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(whole, folder)
    name = data.draw(st.sampled_from(sorted(path.name for path in whole.iterdir())))
    content = (whole / name).read_bytes()
    changed = data.draw(mutations(content))
    if name == "manifest.json" and data.draw(st.booleans()):
        manifest = json.loads(content)
        manifest[data.draw(st.sampled_from(sorted(manifest)))] = data.draw(json_values)
        changed = json.dumps(manifest).encode()
    (folder / name).write_bytes(changed)
    has_new_checksum = name != "manifest.json" and data.draw(st.booleans())
    if has_new_checksum:
        rewrite_manifest(folder)
    with refused_or_right():
        vectors = OnnxEncoder(folder).encode_documents(["a b", "c" * 100])
        verify_bundle(folder)
        if has_new_checksum:
            return
        assert name == "manifest.json" or changed == content
        for rows in vectors.values():
            assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3)


@given(st.data())
@few_examples
def test_a_changed_query_encoder_is_refused(workplace: Path, data: Any):
    if not Path("whole").exists():
        write_tiny_bundle(Path("whole"))
        write_noisy(Path("whole.query.onnx"), Path("whole"))
    content = Path("whole.query.onnx").read_bytes()
    changed = data.draw(mutations(content))
    Path("changed.query.onnx").write_bytes(changed)
    with refused_or_right():
        OnnxEncoder(Path("whole")).with_query_encoder("changed.query.onnx")
        assert changed == content
