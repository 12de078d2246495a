"""Checks of parts, passages, ids and filters, with the limits that every store and reader keeps."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from decimal import Decimal
from enum import Enum
from numbers import Integral, Real
from typing import Any

from logic_retrievers.encoders.base import Encoder
from logic_retrievers.errors import ConfigurationError, InputError, shown
from logic_retrievers.types import Passage

MAX_ID = 4096
"""Characters of an id or a source."""
MAX_DEPTH = 24
"""Levels of metadata, of ``extra`` and of filters; gRPC messages of 30 or so are refused."""
MAX_INTEGER = 2**63 - 1
"""Largest integer in metadata, and with a minus sign the smallest: those of the engine."""
_PLACES = ("file_path", "file_name", "source", "url")
"""Keys under which loaders of LangChain, LlamaIndex and Haystack note where a text comes from."""
_MISSING = ("NaTType", "NAType")
"""What pandas calls missing values that are no numbers."""


def check_parts(*, encoder: Any = None, index: Any = None, needs_index: bool = False) -> None:
    """Refuses what is handed to a constructor in place of an encoder or of an opened index.

    Raises:
        ConfigurationError: neither that nor, where it may be left out, None.
    """
    if encoder is not None and not isinstance(encoder, Encoder):
        raise ConfigurationError(
            f"encoder= is an Encoder such as OnnxEncoder, not {shown(encoder)}"
        )
    if (needs_index or index is not None) and not hasattr(index, "find_candidates"):
        raise ConfigurationError(
            f"index= is what PassageIndex.open gives, not {shown(index)}; a place is"
            " PassageIndex.open(location=...)"
        )


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


def storable(passage: Passage) -> Passage:
    """The passage as it is stored: metadata and ``extra`` in the types of JSON.

    Raises:
        InputError: as :func:`check_types`, an id or source that is too long, or a text or metadata
            that JSON or the engine cannot hold.
    """
    check_types(passage)
    if not passage.id:
        raise InputError("A passage's id must be a string that is not empty, not ''.")
    name = f"Passage {name_of(passage)}"
    if max(len(passage.id), len(passage.source or "")) > MAX_ID:
        raise InputError(f"{name}: its id and source may have {MAX_ID:,} characters at most.")
    texts = (passage.id, passage.text, passage.text_to_embed, passage.source or "")
    if not all(map(is_encodable, texts)):
        raise InputError(
            f"{name} holds half a character (a lone surrogate)."
            " Decode its file with errors='replace'."
        )
    try:
        metadata = plain_value(passage.metadata, "metadata")
        extra = plain_value(passage.extra, "extra")
    except InputError as error:
        raise InputError(
            f"{name}: {error}, which cannot be stored. Leave it out, or write it as text."
        ) from None
    return replace(passage, metadata=metadata, extra=extra)


def as_stored(passage: Passage) -> Passage:
    """:func:`storable`, or the passage itself where it cannot be stored."""
    try:
        return storable(passage)
    except InputError:
        return passage


def name_of(passage: Passage) -> str:
    """A passage's id, and the file or page that it comes from, for a message."""
    known = (passage.metadata.get(key) for key in _PLACES)
    place = next((text for text in known if isinstance(text, str) and text), passage.source)
    name = repr(passage.id[:80])
    return name if place in (None, passage.id) else f"{name} of {str(place)[:80]!r}"


def plain_value(value: Any, path: str, depth: int = 1) -> Any:
    """A value of metadata in the types of JSON, as it is stored and read back.

    A number of numpy becomes Python's, an array, a tuple and a set (in order) a list, a date ISO
    text, a UUID, path or ``Decimal`` text, an ``Enum`` its value, bytes the text that they hold in
    UTF-8. JSON has neither NaN nor infinity: they become None, as in pydantic. A key that is no
    text is written as JSON writes it.

    Args:
        value: anything.
        path: its name, for the message.
        depth: the level that it is on.

    Raises:
        InputError: what none of these rules covers; the message names the path.
    """
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is str:
        if not is_encodable(value):
            raise InputError(f"{path} holds half a character (a lone surrogate)")
        return value
    if kind is int:
        if abs(value) > MAX_INTEGER:
            raise InputError(f"{path} is an integer beyond 64 bits")
        return value
    if kind is float:
        return value if math.isfinite(value) else None
    if depth > MAX_DEPTH:
        raise InputError(f"{path[:80]}... has more than {MAX_DEPTH} levels")
    if not isinstance(value, dict | list | tuple | Mapping | Set):
        return plain_value(_plain_object(value, path), path, depth + 1)
    if isinstance(value, Mapping):
        return _plain_mapping(value, path, depth)
    items = [plain_value(item, f"{path}[{n}]", depth + 1) for n, item in enumerate(value)]
    # a set has another order in each process, and a passage would seem to have changed
    return sorted(items, key=json.dumps) if isinstance(value, Set) else items


def _plain_mapping(value: Mapping[Any, Any], path: str, depth: int) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for key, item in value.items():
        name = plain_value(key, f"a key of {path}")
        if isinstance(name, list | dict):
            raise InputError(f"{path} has a key of type {type(key).__name__}")
        name = name if isinstance(name, str) else json.dumps(name)
        if name in plain:
            raise InputError(f"{path} has two keys {name!r}")
        plain[name] = plain_value(item, f"{path}.{name}", depth + 1)
    return plain


def _plain_object(value: Any, path: str) -> Any:
    """A number, a text or a container of Python's own in place of any other object."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Real):  # numpy's numbers are registered
        return int(value) if isinstance(value, Integral) else float(value)
    dtype = getattr(getattr(value, "dtype", None), "str", "")
    if type(value).__module__ == "numpy" and dtype.endswith("s]"):
        value = value.astype(f"{dtype[:3]}[us]")  # nanoseconds would become integers
    if hasattr(value, "tolist") and not isinstance(value, type):
        return value.tolist()
    is_number = isinstance(value, Decimal) and not value.is_finite()
    if is_number or type(value).__name__ in _MISSING:
        return None
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    try:
        return to_jsonable_python(value)
    except (PydanticSerializationError, ValueError, TypeError, RecursionError):
        raise InputError(f"{path} is of type {type(value).__name__}") from None


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
