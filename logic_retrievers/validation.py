"""Checks of passages, ids and components, and limits that all stores and readers share."""

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

# maximum characters of an id or a source
MAX_ID = 4096
# maximum levels of metadata, ``extra`` and filters; gRPC refuses messages of about 30 levels
MAX_DEPTH = 24
# the engine's limit for integers in metadata, positive and negative
MAX_INTEGER = 2**63 - 1
# metadata keys under which loaders of LangChain, LlamaIndex and Haystack keep the file or page
_PLACES = ("file_path", "file_name", "source", "url")
# pandas' classes for missing values that are not numbers
_MISSING = ("NaTType", "NAType")


def check_parts(*, encoder: Any = None, index: Any = None, needs_index: bool = False) -> None:
    """Refuse a constructor's argument that is not an encoder, or not an opened index."""
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
    """Check the types of a passage's fields."""
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
    """Check that passages come in an iterable."""
    if isinstance(passages, str | Passage) or not isinstance(passages, Iterable):
        raise InputError(f"Passages come in a list or stream, not as {type(passages).__name__}.")


def check_passages(passages: Any) -> tuple[Passage, ...]:
    """Check passages and return them as a tuple, since a generator can be read only once."""
    check_stream(passages)
    checked = tuple(passages)
    for passage in checked:
        check_types(passage)
    return checked


def distinct(passages: Iterable[Passage]) -> list[Passage]:
    """Drop each passage with the same id, texts and metadata as an earlier one.

    Different passages with the same id stay, because parts of a document may carry its id.
    """
    by_content: dict[tuple[str, ...], Passage] = {}
    for passage in passages:
        # repr, because metadata values may have no hash, and comparing arrays gives no single bool
        metadata = repr(sorted(passage.metadata.items(), key=repr))
        key = (passage.id, passage.text, passage.text_to_embed, metadata)
        by_content.setdefault(key, passage)
    return list(by_content.values())


def storable(passage: Passage) -> Passage:
    """Convert a passage to its stored form, with metadata and ``extra`` in JSON types."""
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
    """Return :func:`storable` of a passage, or the passage itself if it cannot be stored."""
    try:
        return storable(passage)
    except InputError:
        return passage


def name_of(passage: Passage) -> str:
    """Return a passage's id, with its file or page, for a message."""
    known = (passage.metadata.get(key) for key in _PLACES)
    place = next((text for text in known if isinstance(text, str) and text), passage.source)
    name = repr(passage.id[:80])
    return name if place in (None, passage.id) else f"{name} of {str(place)[:80]!r}"


def plain_value(value: Any, path: str, depth: int = 1) -> Any:
    """Convert a value of metadata to JSON types.

    Numpy's numbers become Python's. Arrays, tuples and sets (sorted) become lists. Dates become
    ISO text; UUIDs, paths and ``Decimal`` become text. An ``Enum`` becomes its value; bytes are
    decoded from UTF-8. NaN and infinity become None, as in pydantic. Keys that are not text become
    JSON text.

    Args:
        value: any object.
        path: name of the value, for the message.
        depth: level of the value.
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
    # sorted, because a set's order differs between processes and must not count as a change
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
    """Convert an object of any other class to Python's own types."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Real):  # numpy registers its numbers as Real
        return int(value) if isinstance(value, Integral) else float(value)
    dtype = getattr(getattr(value, "dtype", None), "str", "")
    if type(value).__module__ == "numpy" and dtype.endswith("s]"):
        value = value.astype(f"{dtype[:3]}[us]")  # ``tolist`` turns nanoseconds into integers
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
    """Whether UTF-8 can hold a text, that is, whether it has no lone surrogate."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def check_ids(ids: Sequence[str]) -> None:
    """Check a list of passage ids."""
    is_list = isinstance(ids, Sequence) and not isinstance(ids, str)
    if not is_list or not all(isinstance(one, str) and one and is_encodable(one) for one in ids):
        raise InputError("ids is a list of passage ids, each a string that is not empty.")
