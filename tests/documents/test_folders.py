"""Folders of files, and the report of what was left out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from written_files import read, write

from logic_retrievers.documents import read_documents
from logic_retrievers.errors import ConfigurationError, ReadError


class TestFolders:
    def test_order_hidden_files_and_unknown_extensions(self, tmp_path: Path) -> None:
        """The order decides which of two rows with one id counts, so the disk must not set it."""
        for name in ["b.txt", "a/z.md", "a/b/c.txt", "B.txt", ".git/x.txt", "a/.y.txt"]:
            write(tmp_path / name, name)
        for name in ["x.odt", "a/y.ODT", "Makefile"]:
            write(tmp_path / name, b"\x00")
        passages, reading = read(tmp_path)
        assert [p.id for p in passages] == ["B.txt", "a/b/c.txt", "a/z.md", "b.txt"]
        assert reading.skipped == {".odt": 2, "": 1}
        assert not reading.errors

    def test_links_are_followed_once(self, tmp_path: Path) -> None:
        """For a naive walk a link to a parent folder makes an endless tree."""
        write(tmp_path / "root" / "a.txt", "a")
        write(tmp_path / "elsewhere" / "b.txt", "b")
        (tmp_path / "root" / "loop").symlink_to(tmp_path / "root")
        (tmp_path / "root" / "other").symlink_to(tmp_path / "elsewhere")
        (tmp_path / "root" / "self.txt").symlink_to("self.txt")
        (tmp_path / "root" / "dead.txt").symlink_to("nowhere.txt")
        reading = read_documents(tmp_path / "root", follow_links=True)
        assert [p.id for p in reading] == ["a.txt", "other/b.txt"]
        assert sorted(reading.incomplete) == ["dead.txt", "self.txt"]
        assert all("a link to nothing" in str(error) for error in reading.errors)

    def test_links_out_of_the_folder_are_refused(self, tmp_path: Path) -> None:
        """A user who can write there must not get the reader's other files stored."""
        inside, outside = tmp_path / "root", tmp_path / "elsewhere"
        write(inside / "a" / "fine.txt", "fine")
        for name in ("secret.txt", "secret.md", "secret.jsonl", "secret.html", "root2/b.txt"):
            write(outside / name, '{"text": "secret"}')
        (inside / "inner.txt").symlink_to("a/fine.txt")
        (inside / "within").symlink_to(inside / "a")
        out = {
            "absolute.txt": outside / "secret.txt",
            "a/relative.md": "../../elsewhere/secret.md",
            "page.html": outside / "secret.html",
            "rows.jsonl": outside / "secret.jsonl",
            "chain.txt": "absolute.txt",
            "env.txt": "/proc/self/environ",
            "folder": outside,
            "same_prefix": tmp_path / "root2",
        }
        (tmp_path / "root2").symlink_to(outside / "root2")
        for name, target in out.items():
            (inside / name).symlink_to(target)
        passages, reading = read(inside)
        assert [p.id for p in passages] == ["a/fine.txt", "inner.txt"]
        refused = {Path(e.file).relative_to(inside).as_posix(): str(e) for e in reading.errors}
        assert refused.keys() == out.keys()
        assert all("follow_links" in said for said in refused.values())
        (named,), _ = read(inside / "absolute.txt")  # the user's own words
        assert "secret" in named.text
        (tmp_path / "link").symlink_to(inside / "a")
        assert [p.id for p in read(tmp_path / "link")[0]] == ["fine.txt"]

    @pytest.mark.parametrize("name", ["a.txt", "a.html"])
    def test_a_file_that_becomes_a_link_before_it_is_opened(self, tmp_path, name) -> None:
        """A fast attacker passes a check of the path alone."""
        write(tmp_path / "root" / name, "fine")
        write(tmp_path / "root" / "b.txt", "fine")
        reading = read_documents(tmp_path / "root")
        (tmp_path / "root" / name).unlink()
        (tmp_path / "root" / name).symlink_to(write(tmp_path / "secret", "secret"))
        assert [p.id for p in reading] == ["b.txt"]
        assert "follow_links" in str(reading.errors[0])

    def test_a_pipe_does_not_block(self, tmp_path: Path) -> None:
        """Opening a pipe waits for a writer that never comes."""
        write(tmp_path / "a.txt", "a")
        os.mkfifo(tmp_path / "pipe.txt")
        passages, reading = read(tmp_path)
        assert len(passages) == 1
        assert "not a regular file" in str(reading.errors[0])

    @pytest.mark.skipif(sys.platform == "win32", reason="names are Unicode there")
    @pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
    def test_names_are_the_same_in_every_locale(self, tmp_path: Path, locale: str) -> None:
        """A source name that depends on the locale is stored twice."""
        for name in ("é.txt", "日本.html", "sub ü/ж.jsonl"):
            write(tmp_path / "root" / name, '{"text": "fine"}')
        program = (
            "import sys; from logic_retrievers import read_documents; r = read_documents(sys.argv[1"
            "]); print(ascii([p.source for p in r]), [ascii(str(e)) for e in r.errors])"
        )
        done = subprocess.run(
            [sys.executable, "-c", program, tmp_path / "root"],
            env={**os.environ, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "LC_ALL": locale},
            capture_output=True,
            check=True,
        )
        expected = ascii(["sub ü/ж.jsonl", "é.txt", "日本.html"])
        assert done.stdout.decode().strip() == f"{expected} []"

    def test_one_id_in_two_files(self, tmp_path: Path) -> None:
        """In a collection the second would silently replace the first."""
        write(tmp_path / "a.jsonl", '{"_id": "1", "text": "a"}')
        write(tmp_path / "b.jsonl", '{"_id": "1", "text": "b"}')
        passages, reading = read(tmp_path)
        assert [p.text for p in passages] == ["a"]
        assert [error.line for error in reading.errors] == [1]

    def test_root(self, tmp_path: Path) -> None:
        """Files of the same name in two folders must stay apart in one collection."""
        write(tmp_path / "one" / "README.md", "one")
        (passage,) = read_documents(tmp_path / "one", root=tmp_path)
        assert passage.source == "one/README.md"
        (passage,) = read_documents(tmp_path / "one" / "README.md")
        assert passage.source == "README.md"
        with pytest.raises(ConfigurationError, match="not inside"):
            read_documents(tmp_path / "one", root=tmp_path / "two")

    def test_nothing_to_read(self, tmp_path: Path) -> None:
        """A misspelt path is not an empty corpus."""
        write(tmp_path / "a.odt", b"")
        for path in [tmp_path / "nowhere", tmp_path, tmp_path / "a.odt"]:
            with pytest.raises(ReadError, match=path.name):
                read_documents(path)

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_a_folder_that_may_not_be_listed(self, tmp_path: Path) -> None:
        """Missing rights hide files, and the user must learn it."""
        write(tmp_path / "a.txt", "a")
        (tmp_path / "locked").mkdir(mode=0)
        passages, reading = read(tmp_path)
        assert len(passages) == 1
        assert "cannot list" in str(reading.errors[0])


class TestReport:
    def test_raise(self, tmp_path: Path) -> None:
        """A strict reading raises the first error, after the good passages before it."""
        path = write(tmp_path / "a.jsonl", '{"text": "a"}\n{}\n')
        passages = iter(read_documents(path, on_error="raise"))
        assert next(passages).text == "a"
        with pytest.raises(ReadError, match=r"a\.jsonl:2: no text"):
            next(passages)
        with pytest.raises(ConfigurationError, match="ignore"):
            read_documents(path, on_error="ignore")  # type: ignore[arg-type]

    def test_reading_again_begins_anew(self, tmp_path: Path) -> None:
        """A second pass must not report every id as duplicate, nor errors twice."""
        reading = read_documents(write(tmp_path / "a.jsonl", '{"text": "a"}\n{}\n'))
        incomplete = reading.incomplete
        assert list(reading) == list(reading)
        assert len(reading.errors) == 1
        assert incomplete == {"a.jsonl"}, "who was handed the set before must see it fill"

    @given(st.lists(st.binary(max_size=40), max_size=20), st.sampled_from(["jsonl", "csv"]))
    def test_any_bytes_are_read_or_reported(
        self, tmp_path_factory: pytest.TempPathFactory, rows: list[bytes], kind: str
    ) -> None:
        """Any input ends in passages or errors."""
        good = {"jsonl": b'{"_id": "good", "text": "x"}', "csv": b"good,x"}[kind]
        head = {"jsonl": b"", "csv": b"id,text\n"}[kind]
        path = tmp_path_factory.mktemp("any") / f"a.{kind}"
        path.write_bytes(head + good + b"\n" + b"\n".join(rows))
        passages, _ = read(path)
        assert passages[0].id == "good"
