"""Files of rows and of text: a bad row is an error with its line, and all others are read."""

from __future__ import annotations

import csv
import gzip
import io
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from logic_retrievers.documents import Splitter, read_documents

from .harness import Target, accepted, expect
from .passages import plain, same
from .values import TEXTS, hostile_json, mutated, nested, sentence, text, tree
from .workplace import open_index, small_encoder

BAD_ROWS = (
    *(b'{"text": 1e400}', b'{"id": "n", "text": "t", "price": 1e400}', b'{"text": "t", "x": NaN}'),
    *(b'{"id": ' + b"9" * 5000 + b', "text": "t"}', b'{"id": "' + b"i" * 5000 + b'", "text": "t"}'),
    *(
        b"[" * 960,
        b'{"a":' * 960 + b"1" + b"}" * 960,
        b'{"text": "t", "d": ' + b"[" * 500 + b"]" * 500,
    ),
    *(b'{"text": "t", "d": ' + b"[" * n + b"]" * n + b"}" for n in (60, 70, 100, 900, 100_000)),
    *(
        b'{"text": "\\ud800", "id": "s"}',
        b'{"text": "a\\u0000b"}',
        b"\xfd\xff\xfe",
        b"\0",
        b"{",
        b"null",
    ),
    *(
        b'{"text": "t", "text": "u"}',
        b'{"id": true, "text": "t"}',
        b'{"id": 1.5, "text": "t"}',
        b'""',
    ),
    *(b'{"id": -0, "text": "t"}', b'{"id": 1e2, "text": "t"}', b'{"text": ""}', b'{"text": ["t"]}'),
    *(
        b'{"text": "t", "n": 99999999999999999999}',
        b'{"text": "t", "metadata": [1]}',
        b"\xef\xbb\xbf{}",
    ),
    *(
        b'{"text": "t", "id": "\\udc80"}',
        b'{"text": "t", "\\ud800": 1}',
        b'{"_id": {}, "text": "t"}',
    ),
)
SUFFIXES = ("jsonl", "jsonl", "jsonl", "csv", "md", "txt")


@dataclass(frozen=True, slots=True)
class File:
    """A file, and the texts that must be read from it whatever stands beside them."""

    name: str
    content: bytes
    texts: tuple[str, ...] = ()


class Rows(Target):
    """``read_documents``, ``Splitter.split`` and ``PassageIndex.add`` of a file."""

    name = "rows"
    share = 25

    def __init__(self) -> None:
        self._index = open_index()
        self._splitter = Splitter.for_encoder(small_encoder())

    def generate(self, random: Random) -> File:
        """A file of a format that is read, with bad rows, bad bytes, or packed."""
        suffix = random.choice(SUFFIXES)
        makers = {"jsonl": _jsonl, "csv": _csv}
        file = makers.get(suffix, _text_file)(random, suffix)
        kind = random.random()
        if kind < 0.2:
            file = File(file.name, mutated(random, file.content))
        if kind > 0.85:
            packed = gzip.compress(file.content, mtime=0)
            damaged = random.random() < 0.5
            content = mutated(random, packed) if damaged else packed
            file = File(f"{file.name}.gz", content, () if damaged else file.texts)
        return file

    def run(self, value: File) -> None:
        """Reads, splits and stores it; every passage that a reader gives can be stored."""
        folder = Path("documents")
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        folder.joinpath(value.name).write_bytes(value.content)
        documents = read_documents(folder)
        passages = list(documents)
        with accepted("read"):
            for error in documents.errors:
                expect(error.file and str(error), "an error without its file")
            missing = set(value.texts) - {passage.text for passage in passages}
            taken = any("was used before" in str(error) for error in documents.errors)
            expect(taken or not missing, "a good row is not read because of another one")
            kept = [passage for passage in passages if passage.text.strip()]
            self._index.add(kept)
            for passage in kept:
                (back,) = self._index.get([passage.id])
                expect(same(plain(back), plain(passage)), "stored otherwise than it was read")
            expect(self._index.delete(source=value.name) == len(kept), "not removed by its source")
            chunks = list(self._splitter.split(read_documents(folder)))
            expect(self._index.add(chunks).added == len(chunks), "chunks are lost")
            self._index.delete(source=value.name)
            expect(not self._index.count(), "a chunk is not removed by its source")

    def close(self) -> None:
        """Closes the index."""
        self._index.close()


def _row(random: Random, number: int) -> dict[str, Any]:
    row: dict[str, Any] = {"text": f"{sentence(random)} {number}"}
    if random.random() < 0.7:
        row[random.choice(("id", "_id"))] = random.choice((number, f"row {number}"))
    if random.random() < 0.5:
        row[random.choice(("city", "metadata", "title!"))] = tree(random, odd=0)
    return row


def _jsonl(random: Random, suffix: str) -> File:
    lines, texts = [], []
    for number in range(random.randint(1, 8)):
        row = _row(random, number)
        if random.random() < 0.3:
            line = random.choice((random.choice(BAD_ROWS), _odd_row(random, row)))
            lines.append(line.replace(b"\n", b" ").replace(b"\r", b" "))
        else:
            lines.append(json.dumps(row, ensure_ascii=random.random() < 0.5).encode())
            texts.append(row["text"])
    ending = random.choice((b"\n", b"\n", b"\r\n", b"\n\n"))
    begin = random.choice((b"", b"", b"\xef\xbb\xbf"))
    return File(f"rows.{suffix}", begin + ending.join(lines), tuple(texts))


def _odd_row(random: Random, row: dict[str, Any]) -> bytes:
    changed = {**row, random.choice((*row, "id", "text", "title", "x")): hostile_json(random)}
    if random.random() < 0.3:
        changed = {**row, "metadata": nested(random.choice((63, 64, 65, 400)), "dict")}
    try:
        return json.dumps(changed).encode()
    except ValueError:  # 10**5000
        return b"{}"


def _csv(random: Random, suffix: str) -> File:
    out = io.StringIO()
    writer = csv.writer(out)
    names = ["id", "text", random.choice(("city", "title", "", "text", "id", random.choice(TEXTS)))]
    writer.writerow(random.sample(names, k=random.choice((2, 3, 3))))
    for number in range(random.randint(0, 6)):
        cells = [f"r{number}", sentence(random), random.choice(TEXTS)]
        cells = [c.replace("\0", "") for c in cells[: random.choice((1, 2, 3, 3))]]
        writer.writerow(cells + ["more"] * random.choice((0, 0, 0, 1, 200)))
    return File(f"table.{suffix}", out.getvalue().encode(errors="surrogatepass"))


def _text_file(random: Random, suffix: str) -> File:
    parts = [text(random) for _ in range(random.randint(0, 6))]
    marks = random.choice(("\n\n", "\n# ", "\n---\n", "", "\r\n"))
    name = random.choice(("notes", "with space", "é", "\x1b[2J", "-x", "a" * 200, "\u202e"))
    content = marks.join(parts).encode(errors=random.choice(("replace", "surrogatepass")))
    return File(f"{name}.{suffix}", content)
