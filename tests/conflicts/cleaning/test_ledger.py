"""The ledger: append-only, on disk at once, with a clear error when it cannot be written."""

from __future__ import annotations

import json
import os
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logic_retrievers.conflicts import Entry, Ledger
from logic_retrievers.conflicts.cleaning.ledger import examined_hash, text_hash
from logic_retrievers.errors import StorageError
from logic_retrievers.types import Passage

EVENTS = ("found", "quarantine", "restore", "purge", "adopted", "replaced", "gone", "mended")
WHOLE = Entry(
    "quarantine",
    "a",
    text="t",
    point="p",
    opponent="b",
    opponent_text="u",
    kind="contradiction",
    probability=0.9,
    own_probability=0.8,
    score=2.5,
    cosine=0.7,
    differences=({"type": "number", "one": [1, 2], "other": [3, 4]},),
    resolution="prefer_newest",
    reason="it is older",
)


@pytest.fixture(params=["memory", "file"])
def ledger(request, tmp_path):
    return Ledger() if request.param == "memory" else Ledger(tmp_path / "deep" / "l.sqlite")


def test_what_is_written_is_read(ledger):
    """A decision must be explainable later."""
    ledger.add("c", [WHOLE, Entry("restore", "a"), Entry("found", "ä b\n'\"")])
    ledger.add("other", [Entry("found", "a")])
    first, second, third = ledger.entries("c")
    assert first == Entry(
        **{**{one: getattr(WHOLE, one) for one in WHOLE.__slots__},
           "time": first.time, "collection": "c", "number": 1}
    )  # fmt: skip
    assert first.time.endswith("+00:00")
    assert (second.event, second.text, second.number) == ("restore", None, 2)
    assert ledger.entries("c", "ä b\n'\"") == [third]
    assert [one.passage for one in ledger.entries("other")] == ["a"]
    assert ledger.entries("nobody") == []
    assert json.loads(json.dumps(first.to_dict()))["differences"] == [*WHOLE.differences]


def test_it_refuses_changes_and_deletions(tmp_path):
    """A history that can be rewritten proves nothing."""
    path = tmp_path / "l"
    Ledger(path).add("c", [WHOLE])
    with sqlite3.connect(path) as connection:
        for wrong in (
            "UPDATE entries SET reason = 'another'",
            "DELETE FROM entries",
            "DELETE FROM entries WHERE passage = 'a'",
            "INSERT OR REPLACE INTO entries SELECT * FROM entries",
        ):
            with pytest.raises(sqlite3.IntegrityError, match="only grows"):
                connection.execute(wrong)
            connection.rollback()
    connection.close()
    assert [one.reason for one in Ledger(path).entries("c")] == ["it is older"]
    assert path.stat().st_mode & 0o077 == 0 or os.name == "nt"


events = st.lists(st.tuples(st.sampled_from(EVENTS), st.sampled_from("abc")), max_size=12)


@settings(max_examples=60, deadline=None)
@given(events)
def test_the_last_word_on_a_passage_is_its_state(told):
    """An entry mended after a restoring must not hide the passage again at verification."""
    ledger = Ledger()
    ledger.add("c", [Entry(event, passage) for event, passage in told])
    last = {passage: event for event, passage in told if event not in ("found", "mended")}
    assert {one: entry.event for one, entry in ledger.states("c").items()} == last
    assert ledger.hidden("c").keys() == {
        one for one, event in last.items() if event in ("quarantine", "adopted")
    }
    assert ledger.states("other") == {}


def test_what_was_examined_is_known_by_text_and_settings(ledger):
    """A forgotten examination costs an hour; an invented one hides a conflict."""
    ledger.note_examined("c", {f"p{n}": f"t{n}" for n in range(1000)}, "s1")
    ledger.note_examined("c", {"p1": "changed", "p2": "t2"}, "s2")
    names = [f"p{n}" for n in range(1001)]
    known = ledger.examined("c", names, "s1")
    assert len(known) == 998
    assert known["p0"] == "t0"
    assert ledger.examined("c", names, "s2") == {"p1": "changed", "p2": "t2"}
    assert ledger.examined("d", names, "s1") == {}
    assert ledger.examined("c", [], "s1") == {}
    ledger.note_examined("c", {"a\x00b": "t"}, "s1")
    assert ledger.examined("c", ["a\x00b"], "s1") == {"a\x00b": "t"}


def test_what_an_examination_depends_on():
    """A corrected date must cause a new examination."""
    plain = Passage("a", "text", {"date": 2020, "by": {"x": 1, "y": 2}}, "book")
    same = Passage("b", "text", {"by": {"y": 2, "x": 1}, "date": 2020}, "book", span=(1, 2))
    seen = Passage("a", "text", {**plain.metadata, "logic": {"rank": 1}}, "book")  # evidence
    assert examined_hash(plain) == examined_hash(same) == examined_hash(seen)
    for other in (
        Passage("a", "texts", plain.metadata, "book"),
        Passage("a", "text", {**plain.metadata, "date": 2021}, "book"),
        Passage("a", "text", plain.metadata, "page"),
        Passage("a", "text", plain.metadata),
        Passage("a", "text", plain.metadata, "book", embed_text="texts"),
    ):
        assert examined_hash(other) != examined_hash(plain)
    circular: dict[str, object] = {}
    circular["self"] = circular
    for metadata in ({3: object, "k": 1}, circular):
        assert examined_hash(Passage("a", "\ud800", metadata))
    assert text_hash(plain) == text_hash(same) != text_hash(Passage("a", "\ud800"))


def test_threads_do_not_end_each_others_entries(ledger):
    """One thread's failure must not leave half of a different thread's entries."""

    def add(number):
        ledger.add("c", [Entry("found", f"{number}", reason=f"{n}") for n in range(20)])
        ledger.note_examined("c", {f"{number}": "t"}, "s")
        return len(ledger.entries("c", f"{number}"))

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(add, range(40))) == {20}
    found = ledger.entries("c")
    assert [one.number for one in found] == list(range(1, 801))
    for start in range(0, 800, 20):
        assert len({one.passage for one in found[start : start + 20]}) == 1, "they lie together"


@pytest.mark.parametrize("content", [b"this is no database, and long enough to be seen" * 40, None])
def test_a_damaged_file(tmp_path, content):
    """A damaged file is reported, neither overwritten nor taken for an empty one."""
    path = tmp_path / "l"
    Ledger(path).add("c", [WHOLE] * 200)
    whole = path.read_bytes()
    damaged = content or whole[:4096] + b"\xff" * (len(whole) - 4096)
    path.write_bytes(damaged)
    with pytest.raises(StorageError, match="cannot be opened, read or written"):
        Ledger(path).entries("c")
    assert path.read_bytes() == damaged


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written(tmp_path):
    """The reason must not be an SQLite line inside a traceback."""
    tmp_path.chmod(stat.S_IRUSR | stat.S_IXUSR)
    with pytest.raises(StorageError, match="Nothing was hidden"):
        Ledger(tmp_path / "l")


def test_a_disk_that_is_full(tmp_path, monkeypatch):
    """Nothing of the failed call is stored; everything of earlier calls is."""
    ledger = Ledger(tmp_path / "l")
    ledger.add("c", [WHOLE])
    connect = sqlite3.connect

    def full(path, **more):
        connection = connect(path, **more)
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    with monkeypatch.context() as patch:
        patch.setattr(sqlite3, "connect", full)
        with pytest.raises(StorageError, match="full"):
            ledger.add("c", [WHOLE] * 500)
        assert len(ledger.entries("c")) == 1
    ledger.add("c", [WHOLE] * 500)
    assert len(ledger.entries("c")) == 501


def test_what_is_only_read_is_not_written(tmp_path):
    """Writing must fail: the entry vanished with the process; the collection remembered it."""
    ledger = Ledger(tmp_path / "none.sqlite", create=False)
    assert ledger.entries("c") == []
    with pytest.raises(StorageError, match="create=True"):
        ledger.add("c", [Entry("restore", "a")])
    assert not [*tmp_path.iterdir()]


def test_half_a_character_is_no_reason_to_fail(ledger):
    """A reason may quote a text from a broken file."""
    ledger.add("c", [Entry("found", "a\ud800", reason='the one says "\udfff"')])
    ledger.note_examined("c", {"a\ud800": "t"}, "s")
    assert len(ledger.entries("c")) == 1
    assert ledger.examined("c", ["a\ud800"], "s") == {"a\ud800": "t"}
