"""What a passage must be before it is stored, and a list of ids before it is used."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from logic_retrievers.errors import EmptyTextError, InputError
from logic_retrievers.types import Passage


def check_kinds(passage: Passage) -> None:
    """Refuses what cannot be looked at.

    Raises:
        InputError: no passage, an id or text that is no string, or metadata that is no mapping.
    """
    if not isinstance(passage, Passage):
        raise InputError(f"A Passage is needed, not {type(passage).__name__}.")
    if not isinstance(passage.id, str):
        raise InputError(f"A passage's id must be a string that is not empty, not {passage.id!r}.")
    for name, text in (("text", passage.text), ("embed_text", passage.embedded)):
        if not isinstance(text, str):
            raise InputError(f"Passage {passage.id!r}: its {name} is {type(text).__name__}.")
    for name, values in (("metadata", passage.metadata), ("extra", passage.extra)):
        if not isinstance(values, Mapping):
            raise InputError(f"Passage {passage.id!r}: its {name} is no mapping.")


def check_passage(passage: Passage) -> None:
    """Refuses what cannot be stored and found again.

    Raises:
        EmptyTextError: a text with nothing but white space.
        InputError: as :func:`check_kinds`, or a text or metadata that JSON cannot hold.
    """
    check_kinds(passage)
    if not passage.id:
        raise InputError("A passage's id must be a string that is not empty, not ''.")
    if not passage.embedded.strip():
        raise EmptyTextError(f"Passage {passage.id!r} has no text. Leave it out, or give it some.")
    try:
        (passage.id + passage.text + passage.embedded + (passage.source or "")).encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"Passage {passage.id!r} holds half a character (a lone surrogate, {error.reason})."
            " Decode its file with errors='replace'."
        ) from None
    for name, values in (("metadata", passage.metadata), ("extra", passage.extra)):
        problem = _problem(dict(values), name)
        if problem is not None:
            raise InputError(
                f"Passage {passage.id!r}: {problem}. Values must be JSON-like: write a date as text"
                " (isoformat()), a set as a list."
            )


def _problem(value: Any, path: str) -> str | None:
    if value is None or isinstance(value, bool | int):
        return None
    if isinstance(value, str):
        return None if _encodes(value) else f"{path} holds half a character (a lone surrogate)"
    if isinstance(value, float):
        return None if math.isfinite(value) else f"{path} is {value}"
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(key, str) or not _encodes(key):
                return f"{path} has the key {key!r}, which is no proper string"
            if found := _problem(inner, f"{path}.{key}"):
                return found
        return None
    if isinstance(value, list | tuple):
        for at, inner in enumerate(value):
            if found := _problem(inner, f"{path}[{at}]"):
                return found
        return None
    return f"{path} is a {type(value).__name__}"


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_ids(ids: Sequence[str]) -> None:
    """Refuses what is no list of passage ids.

    Raises:
        InputError: a bare string, or something in the list that is no id.
    """
    if isinstance(ids, str) or not all(isinstance(one, str) and one for one in ids):
        raise InputError("ids is a list of passage ids, each a string that is not empty.")
