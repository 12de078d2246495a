"""Checks of passages before they are stored, and of ids before they are used."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from logic_retrievers.errors import EmptyTextError, InputError
from logic_retrievers.types import Passage


def check_types(passage: Passage) -> None:
    """Checks the types of a passage's fields.

    Raises:
        InputError: not a passage, an id or text that is not a string, or metadata that is not a
            mapping.
    """
    if not isinstance(passage, Passage):
        raise InputError(f"A Passage is needed, not {type(passage).__name__}.")
    if not isinstance(passage.id, str):
        raise InputError(f"A passage's id must be a string that is not empty, not {passage.id!r}.")
    for name, text in (("text", passage.text), ("embed_text", passage.text_to_embed)):
        if not isinstance(text, str):
            raise InputError(f"Passage {passage.id!r}: its {name} is {type(text).__name__}.")
    for name, values in (("metadata", passage.metadata), ("extra", passage.extra)):
        if not isinstance(values, Mapping):
            raise InputError(f"Passage {passage.id!r}: its {name} is no mapping.")


def check_passage(passage: Passage) -> None:
    """Checks that a passage can be stored and read back.

    Raises:
        EmptyTextError: a text with nothing but white space.
        InputError: as :func:`check_types`, or a text or metadata that JSON cannot hold.
    """
    check_types(passage)
    if not passage.id:
        raise InputError("A passage's id must be a string that is not empty, not ''.")
    if not passage.text_to_embed.strip():
        raise EmptyTextError(f"Passage {passage.id!r} has no text. Leave it out, or give it some.")
    try:
        (passage.id + passage.text + passage.text_to_embed + (passage.source or "")).encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"Passage {passage.id!r} holds half a character (a lone surrogate, {error.reason})."
            " Decode its file with errors='replace'."
        ) from None
    for name, values in (("metadata", passage.metadata), ("extra", passage.extra)):
        if problem := _json_problem(dict(values), name):
            raise InputError(
                f"Passage {passage.id!r}: {problem}. Values must be JSON-like: write a date as text"
                " (isoformat()), a set as a list."
            )


def _json_problem(value: Any, path: str) -> str | None:
    """What keeps a value from being stored as JSON, or None."""
    if value is None or isinstance(value, bool | int):
        return None
    if isinstance(value, str):
        return None if _is_encodable(value) else f"{path} holds half a character (a lone surrogate)"
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{path} is {value}"
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str) or not _is_encodable(key):
                return f"{path} has the key {key!r}, which is no proper string"
            if problem := _json_problem(inner, f"{path}.{key}"):
                return problem
        return None
    if isinstance(value, list | tuple):
        for index, inner in enumerate(value):
            if problem := _json_problem(inner, f"{path}[{index}]"):
                return problem
        return None
    return f"{path} is a {type(value).__name__}"


def _is_encodable(text: str) -> bool:
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
    if isinstance(ids, str) or not all(
        isinstance(passage_id, str) and passage_id for passage_id in ids
    ):
        raise InputError("ids is a list of passage ids, each a string that is not empty.")
