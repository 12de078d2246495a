"""What a reader makes of a row or a file, and how that becomes a passage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from logic_retrievers.documents.files import SourceFile
from logic_retrievers.errors import ReadError
from logic_retrievers.types import Passage

ID_KEYS = ("_id", "id")
TEXT_KEYS = ("text", "page_content", "contents")


@dataclass(frozen=True, slots=True)
class Record:
    """Named values.

    Args:
        values: as the file gives them.
        line: 1-based line where the row begins; ``None`` where the record is the whole file.
    """

    values: Mapping[str, Any]
    line: int | None = None


def to_passage(record: Record, file: SourceFile) -> Passage | ReadError:
    """The passage that a record describes, or what is wrong with it.

    ``_id`` or else ``id`` gives the id; where both are absent or empty, the place does:
    ``notes/a.jsonl#3`` for a row, ``notes/a.md`` for a file. ``text``, ``page_content`` or
    ``contents`` gives the text; a ``title`` is put on a line before it, unless the text begins with
    it. The entries of a ``metadata`` object become metadata, and so do the other keys (the title
    too); where both have a name, the object's entry stays.
    """
    values = dict(record.values)
    text_key = _first(TEXT_KEYS, values)
    if text_key is None:
        return file.error(
            f"no text: looked for {_listed(TEXT_KEYS)} among {_listed(values)}", record.line
        )
    text = values.pop(text_key)
    if not isinstance(text, str):
        return file.error(
            f"{text_key!r} is of type {type(text).__name__}; it must be a string", record.line
        )
    if not text.strip():
        return file.error(f"{text_key!r} is empty", record.line)
    id_key = _first(ID_KEYS, values)
    given = None if id_key is None else values.pop(id_key)
    if given is None or given == "":
        given = file.name if record.line is None else f"{file.name}#{record.line}"
    if not isinstance(given, str | int) or isinstance(given, bool):
        return file.error(
            f"{id_key!r} is of type {type(given).__name__}; it must be a string or a whole number",
            record.line,
        )
    inner = values.pop("metadata") if isinstance(values.get("metadata"), dict) else {}
    return Passage(
        id=str(given),
        text=_with_title(values.get("title"), text),
        metadata={**values, **inner},
        source=file.name,
    )


def _first(keys: tuple[str, ...], values: Mapping[str, Any]) -> str | None:
    """The first key with a value; where none has one, the first that is there."""
    present = [key for key in keys if key in values]
    return next(
        (key for key in present if values[key] not in (None, "")), next(iter(present), None)
    )


def _with_title(title: object, text: str) -> str:
    if not isinstance(title, str) or not title.strip():
        return text
    begins_with_it = text.lstrip("# \t\r\n").startswith(title.strip())
    return text if begins_with_it else f"{title.strip()}\n{text}"


def _listed(keys: Iterable[str]) -> str:
    listed = ", ".join(map(repr, keys))
    return listed if len(listed) <= 200 else listed[:200] + " ..."
