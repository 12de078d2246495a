"""Checks of passages, ids and filter values, with the limits that every store and reader keeps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from logic_retrievers.errors import EmptyTextError, InputError
from logic_retrievers.types import Passage

MAX_ID = 4096
"""Characters of an id or a source."""
MAX_DEPTH = 24
"""Levels of metadata, of ``extra`` and of filters; gRPC messages of 30 or so are refused."""
MAX_INTEGER = 2**63 - 1
"""Largest integer in metadata, and with a minus sign the smallest: those of the engine."""


def check_types(passage: Passage) -> None:
    """Checks the types of a passage's fields.

    Raises:
        InputError: not a passage, an id or text that is not a string, or metadata that is not a
            mapping.
    """
    if not isinstance(passage, Passage):
        raise InputError(f"A Passage is needed, not {type(passage).__name__}.")
    if not isinstance(passage.id, str):
        raise InputError(f"A passage's id must be a string, not {type(passage.id).__name__}.")
    name = f"Passage {passage.id[:80]!r}"
    for field, text in (("text", passage.text), ("embed_text", passage.text_to_embed)):
        if not isinstance(text, str):
            raise InputError(f"{name}: its {field} is {type(text).__name__}.")
    for field, values in (("metadata", passage.metadata), ("extra", passage.extra)):
        if not isinstance(values, Mapping):
            raise InputError(f"{name}: its {field} is no mapping.")
    if not isinstance(passage.source, str | None) or not isinstance(passage.quarantined, bool):
        raise InputError(f"{name}: its source must be a string or None, quarantined a bool.")
    span = (0, 0) if passage.span is None else passage.span
    if not (
        isinstance(span, list | tuple)
        and len(span) == 2
        and all(type(place) is int and 0 <= place <= MAX_INTEGER for place in span)
    ):
        raise InputError(f"{name}: its span must be two whole numbers of at least 0, or None.")


def check_stream(passages: Any) -> None:
    """Checks that there are passages to be read one after the other.

    Raises:
        InputError: a single passage, a text, or nothing that can be iterated over.
    """
    if isinstance(passages, str | Passage) or not isinstance(passages, Iterable):
        raise InputError(f"Passages come in a list or stream, not as {type(passages).__name__}.")


def check_passages(passages: Any) -> tuple[Passage, ...]:
    """The passages as a tuple: whoever reads a generator twice finds nothing the second time.

    Raises:
        InputError: as :func:`check_stream` and :func:`check_types`.
    """
    check_stream(passages)
    checked = tuple(passages)
    for passage in checked:
        check_types(passage)
    return checked


def distinct(passages: Iterable[Passage]) -> list[Passage]:
    """The passages, each once: with id, text and metadata of an earlier one it is that one.

    Passages of one id that differ all stay, since parts of a document may carry the document's id.
    """
    by_content: dict[tuple[str, ...], Passage] = {}
    for passage in passages:
        # repr: metadata may hold what has no hash, and arrays, which do not compare to one bool
        metadata = repr(sorted(passage.metadata.items(), key=repr))
        key = (passage.id, passage.text, passage.text_to_embed, metadata)
        by_content.setdefault(key, passage)
    return list(by_content.values())


def check_passage(passage: Passage) -> None:
    """Checks that a passage can be stored and read back.

    Raises:
        EmptyTextError: a text with nothing but white space.
        InputError: as :func:`check_storable`.
    """
    check_storable(passage)
    if not passage.text_to_embed.strip():
        raise EmptyTextError(
            f"Passage {passage.id[:80]!r} has no text. Leave it out, or give it some."
        )


def check_storable(passage: Passage) -> None:
    """Checks all that a passage has, but for the text's being empty.

    Raises:
        InputError: as :func:`check_types`, an id or source that is too long, or a text or metadata
            that JSON or the engine cannot hold.
    """
    check_types(passage)
    if not passage.id:
        raise InputError("A passage's id must be a string that is not empty, not ''.")
    name = f"Passage {passage.id[:80]!r}"
    if max(len(passage.id), len(passage.source or "")) > MAX_ID:
        raise InputError(f"{name}: its id and source may have {MAX_ID:,} characters at most.")
    texts = (passage.id, passage.text, passage.text_to_embed, passage.source or "")
    if not all(map(is_encodable, texts)):
        raise InputError(
            f"{name} holds half a character (a lone surrogate)."
            " Decode its file with errors='replace'."
        )
    for field, values in (("metadata", passage.metadata), ("extra", passage.extra)):
        if problem := json_problem(dict(values), field):
            raise InputError(
                f"{name}: {problem}. Values must be JSON-like: write a date as text (isoformat()),"
                " a set as a list, a larger number as text."
            )


def json_problem(value: Any, path: str, depth: int = 1) -> str | None:
    """What keeps a value from being stored as JSON and read back the same, or None.

    Args:
        value: anything.
        path: its name, for the message.
        depth: the level that it is on.
    """
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int):
        return f"{path} is an integer beyond 64 bits" if abs(value) > MAX_INTEGER else None
    if isinstance(value, str):
        return None if is_encodable(value) else f"{path} holds half a character (a lone surrogate)"
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{path} is {value}"
    if not isinstance(value, dict | list | tuple):
        return f"{path} is a {type(value).__name__}"
    if depth > MAX_DEPTH:
        return f"{path[:80]}... has more than {MAX_DEPTH} levels"
    if isinstance(value, list | tuple):
        inner = ((f"{path}[{index}]", item) for index, item in enumerate(value))
    else:
        for key in value:
            if not isinstance(key, str):
                return f"{path} has a key of type {type(key).__name__}"
            if not is_encodable(key):
                return f"{path} has a key with half a character (a lone surrogate)"
        inner = ((f"{path}.{key}", item) for key, item in value.items())
    problems = (json_problem(item, name, depth + 1) for name, item in inner)
    return next((problem for problem in problems if problem), None)


def is_encodable(text: str) -> bool:
    """Whether UTF-8 can hold a text: it has no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_ids(ids: Sequence[str]) -> None:
    """Checks a list of passage ids.

    Raises:
        InputError: a bare string, or an entry that is not a passage id.
    """
    if (
        not isinstance(ids, Sequence)
        or isinstance(ids, str)
        or not all(isinstance(one, str) and one and is_encodable(one) for one in ids)
    ):
        raise InputError("ids is a list of passage ids, each a string that is not empty.")
