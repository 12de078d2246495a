"""Markdown: the whole file is one document, headings and all; front matter becomes metadata."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from logic_retrievers.documents.files import SourceFile
from logic_retrievers.documents.readers.decoding import read_text
from logic_retrievers.documents.record import Record

_FRONT_MATTER = re.compile(r"---[ \t]*\r?\n(.*?\n)??---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_ENTRY = re.compile(r"([\w.-]+)[ \t]*:(?:[ \t]+(.*))?")
_ITEM = re.compile(r"[ \t]*-[ \t]+(.*)")


def read_markdown(file: SourceFile) -> Iterator[Record]:
    """The only record of a Markdown file."""
    values, body = split_front_matter(read_text(file))
    yield Record({**values, "text": body})


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Front matter and the rest.

    Read is the part of YAML that people write there: ``key: value``, ``key: [a, b]``, a key with
    ``- item`` lines below, and comments; values stay strings. Anything richer is left in the text
    as it stands, so that nothing gets lost.
    """
    match = _FRONT_MATTER.match(text)
    if match is None:
        return {}, text
    values: dict[str, Any] = {}
    key = ""
    for line in (match[1] or "").splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        if entry := _ENTRY.fullmatch(line):
            key = entry[1]
            values[key] = _value((entry[2] or "").strip())
        elif (item := _ITEM.fullmatch(line)) and key and isinstance(values[key] or [], list):
            values[key] = [*(values[key] or []), _unquoted(item[1])]
        else:
            return {}, text
    return values, text[match.end() :]


def _value(written: str) -> str | list[str]:
    if written.startswith("[") and written.endswith("]"):
        return [_unquoted(part) for part in written[1:-1].split(",") if part.strip()]
    return _unquoted(written)


def _unquoted(written: str) -> str:
    bare = written.strip()
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'":
        return bare[1:-1]
    return bare
