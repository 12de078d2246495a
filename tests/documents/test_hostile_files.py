"""Files made to cost time, memory or the process: each is an error for that file only."""

from __future__ import annotations

import gzip
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from multiprocessing.spawn import get_executable
from pathlib import Path

import pytest
from written_files import hide_package, read, write

from logic_retrievers.documents import converter, files, read_documents

FONT = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"


def pdf(contents: str, *objects: str, pages: str = "<</Type/Pages/Kids[3 0 R]/Count 1>>") -> bytes:
    """A page whose resources are the fifth object."""
    page = "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R/Resources 5 0 R>>"
    all_objects = ("<</Type/Catalog/Pages 2 0 R>>", pages, page, drawn(contents), *objects)
    out, places = "%PDF-1.4\n", []
    for number, content in enumerate(all_objects, start=1):
        places.append(f"{len(out):010} 00000 n \n")
        out += f"{number} 0 obj\n{content}\nendobj\n"
    table = f"xref\n0 {len(places) + 1}\n0000000000 65535 f \n{''.join(places)}"
    end = f"trailer<</Size {len(places) + 1}/Root 1 0 R>>\nstartxref\n{len(out)}\n%%EOF"
    return (out + table + end).encode()


def drawn(content: str, entries: str = "") -> str:
    return f"<<{entries}/Length {len(content)}>>stream\n{content}\nendstream"


def form(content: str) -> str:
    return drawn(content, "/Type/XObject/Subtype/Form/BBox[0 0 99 99]/Resources 5 0 R")


ENDLESS = {
    "tree.pdf": pdf(
        "/A Do",
        "<</XObject<<" + "".join(f"/{chr(65 + n)} {6 + n} 0 R" for n in range(9)) + ">>>>",
        *(form(f"/{chr(66 + n)} Do " * 20) for n in range(8)),
        form("0 0 m 1 1 l S"),
    ),
}
PAGES = [f"<</Type/Pages/Count {10**n}/Kids[{f'{11 - n} 0 R ' * 10}]>>" for n in (4, 3, 2, 1)]
# 10,000 pages that are one: a page tree with ten equal branches at every level
SAME_PAGE = pdf(
    "BT /F 9 Tf (" + "Text of a page. " * 60 + ") Tj ET",
    "<</Font<</F 6 0 R>>>>",
    FONT,
    *PAGES[1:],
    "<</Type/Page/Parent 9 0 R/MediaBox[0 0 9999 99]/Contents 4 0 R/Resources 5 0 R>>",
    pages=PAGES[0],
)


def test_what_never_ends_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of 600 bytes must not stop a folder's ingestion without an exception."""
    monkeypatch.setattr(converter, "SECONDS", 5.0)
    for name, content in ENDLESS.items():
        write(tmp_path / name, content)
    write(tmp_path / "a.html", "<p>First.")
    write(tmp_path / "z.html", "<p>Last.")
    passages, reading = read(tmp_path)
    assert [passage.text for passage in passages] == ["First.", "Last."]
    assert {Path(error.file).name for error in reading.errors} == ENDLESS.keys()
    assert all("more than" in str(error) for error in reading.errors)  # seconds, or memory
    assert reading.incomplete == ENDLESS.keys()


def test_a_small_file_does_not_become_a_large_corpus(tmp_path: Path) -> None:
    """2 kB that expand to millions of characters cost hours of encoding."""
    rows = [b'{"text": "one and the same row"}'] * 400_000
    write(tmp_path / "a.jsonl.gz", gzip.compress(b"\n".join(rows)))
    packed = gzip.compress(json.dumps({"text": "é" * 900_000}, ensure_ascii=False).encode())
    write(tmp_path / "a1.jsonl.gz", packed)  # 1.8 MB, but fewer than 2**20 characters
    write(tmp_path / "a2.jsonl.gz", gzip.compress(b" " * 10_000_000))
    write(tmp_path / "b.pdf", SAME_PAGE)
    write(tmp_path / "c.txt", "good")
    passages, reading = read(tmp_path)
    assert passages[-1].text == "good"
    assert "a1.jsonl.gz" in {passage.source for passage in passages}
    assert sum(len(passage.text) for passage in passages) < 8e6
    *unpacked, converted = map(str, reading.errors)
    assert len(unpacked) == 2
    assert all("unpacks to more than 100 times its size" in said for said in unpacked)
    assert "more than 1,048,576 bytes of text" in converted


BROKEN_CONVERTER = """
import ctypes, os, sys, types

images = types.SimpleNamespace(img_element=lambda convert: convert)
converted = []

def convert_to_html(stream, **settings):
    kind = stream.read().rpartition(b"#")[2]
    converted.append(kind)
    if kind == b"fragile" and len(converted) > 1:  # as memory that the files before have taken
        os._exit(3)
    if kind == b"segfault":
        ctypes.string_at(0)
    if kind == b"holds":
        ctypes.PyDLL(None).sleep(60)  # as native code that keeps the interpreter's lock
    if kind == b"exit":
        os._exit(3)
    if kind == b"memory":
        bytearray(2**33)
    if kind == b"raises":
        raise SystemError("\\ud800 lone")
    print("not an answer")
    os.write(1, b"nor this")
    return types.SimpleNamespace(value="<p>Good.")
"""


EMPTY_ARCHIVE = b"PK\x05\x06" + b"\0" * 18


def word_file(kind: str) -> bytes:
    """An empty archive whose comment tells the broken converter what to do."""
    comment = f"#{kind}".encode()
    return EMPTY_ARCHIVE[:-2] + bytes([len(comment), 0]) + comment


@pytest.mark.skipif(sys.platform != "linux", reason="others do not limit a process's memory")
def test_a_converter_that_crashes_costs_one_file(tmp_path, monkeypatch) -> None:
    """Native code that crashes must not end the application or lose other files."""
    hide_package("mammoth", tmp_path / ".hiding", monkeypatch)
    write(tmp_path / ".hiding" / "mammoth.py", BROKEN_CONVERTER)
    kinds = ("good", "segfault", "good", "memory", "exit", "raises", "fragile")
    for number, kind in enumerate(kinds):
        write(tmp_path / f"{number}.docx", word_file(kind))
    passages, reading = read(tmp_path)
    assert [passage.source for passage in passages] == ["0.docx", "2.docx", "6.docx"]
    said = {Path(error.file).name: str(error) for error in reading.errors}
    assert sorted(said) == ["1.docx", "3.docx", "4.docx", "5.docx"]
    assert "memory" in said["3.docx"]
    assert "SystemError" in said["5.docx"]


BROKEN_PAGE = """
import os

class PdfDocument:
    def __init__(self, stream): pass
    def __len__(self): return 3
    def get_metadata_dict(self): return {}
    def __getitem__(self, index): return os._exit(3) if index == 2 else self
    def get_textpage(self): return self
    def get_text_range(self): return "Text."
    get_text_bounded = get_text_range
    def close(self): pass
"""


def test_pages_before_a_crash_are_kept(tmp_path, monkeypatch) -> None:
    hide_package("pypdfium2", tmp_path / ".hiding", monkeypatch)
    write(tmp_path / ".hiding" / "pypdfium2.py", BROKEN_PAGE)
    write(tmp_path / "a.pdf", "%PDF")
    write(tmp_path / "b.html", "<p>Good.")
    passages, reading = read(tmp_path)
    assert [passage.id for passage in passages] == ["a.pdf#page=1", "a.pdf#page=2", "b.html"]
    assert ["ends its converter" in str(error) for error in reading.errors] == [True]


@pytest.mark.parametrize(
    ("package", "name", "content"),
    [
        ("pypdfium2", "a.pdf", b"%PDF"),
        ("mammoth", "a.docx", EMPTY_ARCHIVE),
        *((package, "a.html", "<p>Text") for package in ("markdownify", "bs4", "lxml")),
    ],
)
def test_without_the_extra_the_error_says_what_to_run(
    tmp_path, monkeypatch, package, name, content
):
    """Other files of the folder are read, and this file's stored passages stay."""
    write(tmp_path / "b.txt", "good")
    path = write(tmp_path / name, content)
    hide_package(package, tmp_path / ".hiding", monkeypatch)
    passages, reading = read(tmp_path)
    assert [p.id for p in passages] == ["b.txt"]
    said = str(reading.errors[0])
    assert said.startswith(f"{path}: '{package.replace('bs4', 'beautifulsoup4')}' is not installed")
    assert said.endswith("Run: pip install 'logic-retrievers[files]'")
    assert reading.incomplete == {name}


def test_a_file_that_goes_before_its_converter_opens_it(tmp_path, monkeypatch) -> None:
    """It ended the process and was reported as damaged."""
    path = write(tmp_path / "a.html", "<p>Text.")

    def longest_output(size: int) -> int:
        path.unlink()  # the reader has opened the file
        return size + 2**20

    monkeypatch.setattr(converter, "longest_output", longest_output)
    passages, reading = read(path)
    assert not passages
    assert "a link to nothing" in str(reading.errors[0])


def test_a_file_that_cannot_be_opened_costs_itself(tmp_path, monkeypatch) -> None:
    write(tmp_path / "a.txt", "secret")
    write(tmp_path / "b.txt", "good")
    really = os.open

    def refuse(path: str, *arguments: int, **settings: int) -> int:
        if Path(path).name == "a.txt":
            raise PermissionError(13, "Permission denied")
        return really(path, *arguments, **settings)

    monkeypatch.setattr(files.os, "open", refuse)
    passages, reading = read(tmp_path)
    assert [passage.text for passage in passages] == ["good"]
    assert str(reading.errors[0]).endswith("a.txt: cannot be read: Permission denied")


@pytest.mark.parametrize(
    "program",
    [
        "print(len(list(read_documents(path))))",
        "import threading; threading.Thread(target=lambda: print(len(list(read_documents(path))))"
        ").start()",
        "sys.stdin.close(); print(len(list(read_documents(path))))",
        "os.chdir('/'); print(len(list(read_documents(path))))",
        "import multiprocessing as m; m.set_start_method('fork'); r = iter(read_documents(path)); "
        "next(r); p = m.Process(target=lambda: print(len(list(read_documents(path)))), daemon=True)"
        "; p.start(); p.join()",
    ],
)
@pytest.mark.skipif(sys.platform == "win32", reason="it has no fork")
def test_wherever_it_is_called(tmp_path: Path, program: str) -> None:
    """From a script without a main guard, a thread, a daemon and a server's worker."""
    for name in ("a.html", "b.html", "c.html"):
        write(tmp_path / name, "<p>Text.")
    # The current folder may hold anyone's files, so nothing is imported from it.
    write(tmp_path / "json.py", "raise SystemExit('imported')")
    head = "import os, sys; from logic_retrievers import read_documents; path = sys.argv[1]; "
    done = subprocess.run(
        [sys.executable, "-P", "-c", head + program, tmp_path],
        cwd=tmp_path,
        capture_output=True,
        timeout=60,
        check=True,
    )
    assert (done.stdout.decode().split(), done.stderr) == (["3"], b"")


def test_a_frozen_application_is_not_started_again(tmp_path, monkeypatch) -> None:
    """Its executable is not Python: it would open a window for each file."""
    write(tmp_path / "a.html", "<p>Text.")
    write(tmp_path / "b.txt", "good")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    passages, reading = read(tmp_path)
    assert [passage.text for passage in passages] == ["good"]
    assert "set_executable" in str(reading.errors[0])


@pytest.fixture
def no_python(tmp_path: Path) -> Iterator[Path]:
    """A silent program in place of Python; it records that it was started."""
    program = write(
        tmp_path / ".bin" / "program", f"#!/bin/sh\n>{tmp_path}/.started\nexec sleep 99"
    )
    program.chmod(0o755)
    before = get_executable()
    multiprocessing.set_executable(program)
    yield program
    multiprocessing.set_executable(before)


@pytest.mark.skipif(sys.platform == "win32", reason="it has no scripts of sh")
@pytest.mark.parametrize("embeds", [True, False], ids=["embeds Python", "named"])
def test_a_program_that_never_answers_is_not_waited_for(tmp_path, monkeypatch, no_python, embeds):
    """A server with embedded Python started itself and waited for ever."""
    write(tmp_path / "a.html", "<p>Text.")
    write(tmp_path / "b.txt", "good")
    if embeds:
        monkeypatch.setattr(sys, "executable", str(no_python))
    monkeypatch.setattr(converter, "START_SECONDS", 1.0, raising=False)
    passages, reading = read(tmp_path)
    assert [passage.text for passage in passages] == ["good"]
    assert "set_executable" in str(reading.errors[0])
    assert (tmp_path / ".started").exists() != embeds


def test_a_row_of_many_columns(tmp_path: Path) -> None:
    """Comparing all names with each other took minutes for a header of 100 kB."""
    names = ",".join(f"c{i}" for i in range(100_000))
    write(tmp_path / "a.csv", f"text,{names}\n{'x,' * 100_000}x\n")
    write(tmp_path / "b.csv", f"text{',x' * 100_000}\n")
    write(tmp_path / "c.csv", "text,b\n" + 'a","\n' * 30_000)
    write(tmp_path / "d.jsonl", json.dumps({f"c{i}": i for i in range(100_000)}))
    began = time.monotonic()
    passages, reading = read(tmp_path)
    assert time.monotonic() - began < 5
    assert not passages
    assert "100,001 columns; at most 1,000" in str(reading.errors[0])
    assert len(reading.errors) == 4


@pytest.mark.parametrize(
    "front",
    [
        "".join(f"key{i}: a value\n" for i in range(50_000)),
        "a: " + "[" * 900 + "]" * 900 + "\n",
        "a: " + "[" * 16_000 + "\n",
        "a: " + "{a: " * 2_000 + "}" * 2_000 + "\n",
        "a: b: " + " " * 16_000 + "x\n",
    ],
    ids=["long", "lists", "open lists", "objects", "spaces"],
)
def test_front_matter_of_a_megabyte(tmp_path: Path, front: str) -> None:
    """YAML reads 50 kB a second, and nested lists take time quadratic in depth."""
    write(tmp_path / "a.md", f"---\n{front}---\nText.")
    began = time.process_time()
    (passage,), _ = read(tmp_path)
    assert time.process_time() - began < 2
    assert passage.text.endswith("Text.")


def test_an_iteration_that_is_left_ends_its_process(tmp_path: Path) -> None:
    """A process left by each stopped search would fill the machine."""
    for name in ("a.html", "b.html"):
        write(tmp_path / name, "<p>Text.")
    children = Path("/proc/thread-self/children")
    before = children.read_text() if children.exists() else ""
    for _ in range(3):
        passages = iter(read_documents(tmp_path))
        next(passages)
        del passages
    assert before == (children.read_text() if children.exists() else "")


@pytest.mark.skipif(shutil.which("pgrep") is None, reason="needs pgrep")
def test_a_converter_ends_with_a_reader_that_is_killed(tmp_path):
    """It ran for three more minutes on a full core."""
    write(tmp_path / "slow.html", "<table>" * 100 + "<tr><td>x" * 200_000)
    code = "import sys; from logic_retrievers.documents import *; list(read_documents(sys.argv[1]))"
    reader = subprocess.Popen([sys.executable, "-c", code, tmp_path], start_new_session=True)
    wait_until(lambda: processes(reader) == 2)
    time.sleep(1)  # into the file
    reader.kill()
    reader.wait()
    wait_until(lambda: processes(reader) == 0)


@pytest.mark.skipif(shutil.which("pgrep") is None, reason="needs pgrep")
def test_a_converter_that_holds_the_lock_ends_without_its_reader(tmp_path):
    """None of its threads can run then, and the reader that would end it is gone."""
    write(tmp_path / ".hiding" / "mammoth.py", BROKEN_CONVERTER)
    write(tmp_path / "a.docx", word_file("holds"))
    code = (
        "import sys; sys.path.insert(0, sys.argv[2]); "
        "from logic_retrievers.documents import converter, read_documents; converter.SECONDS = 4; "
        "list(read_documents(sys.argv[1]))"
    )
    command = [sys.executable, "-c", code, tmp_path, tmp_path / ".hiding"]
    reader = subprocess.Popen(command, start_new_session=True)
    try:
        wait_until(lambda: processes(reader) == 2)
        time.sleep(2)  # into the file
        reader.kill()
        reader.wait()
        assert processes(reader) == 1
        wait_until(lambda: processes(reader) == 0)
    finally:
        if processes(reader):
            os.killpg(reader.pid, signal.SIGKILL)


def processes(reader: subprocess.Popen[bytes]) -> int:
    found = subprocess.run(["pgrep", "-g", f"{reader.pid}"], capture_output=True, text=True)
    return len(found.stdout.split())


def wait_until(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < end
        time.sleep(0.1)
