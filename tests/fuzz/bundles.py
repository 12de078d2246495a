"""Bundles and query encoders whose files were changed: refused, or they make finite vectors."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from logic_retrievers.encoders import OnnxEncoder

from .harness import Target, expect
from .values import TEXTS, changed_tree, hostile_json, mutated, nested
from .workplace import rewrite_manifest, write_noisy, write_tiny_bundle

FILES = ("model.onnx", "tokenizer.json", "NOTICE", "parity.json", "manifest.json")


@dataclass(frozen=True, slots=True)
class Change:
    """What is done to a bundle.

    Args:
        kind: ``manifest`` (its fields), ``bytes`` (of a file, other checksum), ``resigned`` (the
            same, with its new checksum in the manifest) or ``place`` (no regular file).
        file: which one.
        content: its new content, or what is in its place.
    """

    kind: str
    file: str
    content: bytes | str


class Bundles(Target):
    """``OnnxEncoder`` of a changed bundle."""

    name = "bundles"
    share = 8
    native = True

    def __init__(self) -> None:
        self._whole = _tiny_bundle()
        self._contents = {name: (self._whole / name).read_bytes() for name in FILES}
        self._manifest = json.loads(self._contents["manifest.json"])

    def generate(self, random: Random) -> Change:
        """One change."""
        kind = random.choice(("manifest", "manifest", "bytes", "resigned", "resigned", "place"))
        if kind == "manifest":
            return Change(kind, "manifest.json", _manifest(random, self._manifest))
        file = random.choice(FILES[:4] if kind == "resigned" else FILES)
        if kind == "place":
            return Change(
                kind,
                file,
                random.choice(("missing", "folder", "fifo", "dead link", "link", "empty")),
            )
        content = self._contents[file]
        if file.endswith(".json") and random.random() < 0.6:
            changed = changed_tree(random, json.loads(content))
            return Change(kind, file, json.dumps(changed).encode())
        return Change(kind, file, mutated(random, content))

    def run(self, value: Change) -> None:
        """Opens the bundle; a file with another checksum is refused, any other runs."""
        folder = Path("changed")
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self._whole, folder)
        _apply(value, folder)
        encoder = OnnxEncoder(folder)
        listed = value.kind == "bytes" and value.file != "manifest.json"
        expect(not listed or value.content == self._contents[value.file], "another checksum")
        _check(encoder)  # one that refuses every text does no harm


class QueryEncoders(Target):
    """``use_query_encoder`` with a changed file."""

    name = "query-encoders"
    share = 1
    native = True

    def __init__(self) -> None:
        self._encoder = OnnxEncoder(_tiny_bundle())
        whole = Path("whole.query.onnx")
        if not whole.exists():
            write_noisy(whole, Path("whole"))
        self._content = whole.read_bytes()

    def generate(self, random: Random) -> bytes:
        """The file's new content."""
        if random.random() < 0.1:
            return random.choice(
                (self._content, b"", random.choice(TEXTS).encode(errors="replace"))
            )
        return mutated(random, self._content)

    def run(self, value: bytes) -> None:
        """Opens it; one bit that differs is seen."""
        path = Path("changed.query.onnx")
        path.write_bytes(value)
        encoder = self._encoder.with_query_encoder(path)
        expect(value == self._content, "opened a file that was changed")
        _check(encoder)


def _tiny_bundle() -> Path:
    """The bundle in the folder of the run, written once for all processes."""
    folder = Path("whole")
    return folder if folder.exists() else write_tiny_bundle(folder)


def _whole() -> Path:
    folder = Path("whole")
    return folder if folder.exists() else write_tiny_bundle(folder)


def _check(encoder: OnnxEncoder) -> None:
    for vectors in (encoder.encode_documents(["a b", "c" * 100]), encoder.encode_queries(["a"])):
        for name, rows in vectors.items():
            expect(rows.shape[1] == encoder.specs[name].dimension, "vectors of another shape")
            expect(np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-3), "vectors of no length")
    encoder.token_spans("a b")


def _apply(change: Change, folder: Path) -> None:
    path = folder / change.file
    if isinstance(change.content, bytes):
        path.write_bytes(change.content)
        if change.kind == "resigned":
            rewrite_manifest(folder)
        return
    path.unlink()
    if change.content == "folder":
        path.mkdir()
    elif change.content == "fifo":
        os.mkfifo(path)
    elif change.content == "dead link":
        path.symlink_to("nothing")
    elif change.content == "link":
        path.symlink_to("/dev/zero")
    elif change.content == "empty":
        path.touch()


def _manifest(random: Random, manifest: dict[str, Any]) -> bytes:
    kind = random.random()
    if kind < 0.1:
        return mutated(random, json.dumps(manifest).encode())
    if kind < 0.2:
        deep = json.dumps(nested(random.choice((5, 900)))).encode()
        return random.choice(
            (b"[" * 100_000, deep, b"{}", b"null", b"\xff", b'{"format_version": 1}')
        )
    changed = manifest
    for _ in range(random.choice((1, 1, 2))):
        changed = changed_tree(random, changed)
    if kind > 0.9:
        name = random.choice(("../whole/model.onnx", "/dev/zero", "a/b", "", "\0", ".", "NOTICE"))
        changed = {**manifest, "files": {**manifest["files"], name: "0" * 64}}
    try:
        return json.dumps(changed).encode()
    except ValueError:
        return json.dumps({**manifest, "parity": str(hostile_json)}).encode()
