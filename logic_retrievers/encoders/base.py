"""The encoder protocol, and the checks that all encoders share.

To add an encoder, subclass a base below and list it in ``__init__.py`` and ``.pyi``, both here and
one level up.
"""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, wraps
from threading import Lock
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import (
    ConfigurationError,
    EmptyTextError,
    InputError,
    LongTextWarning,
    shown,
    warn,
)
from logic_retrievers.text import is_blank, visible_text

# shape (texts, dimension); rows have Euclidean length 1
Vectors: TypeAlias = npt.NDArray[np.float32]

Role: TypeAlias = Literal["query", "document"]
Precision: TypeAlias = Literal["float32", "int8"]

T = TypeVar("T")

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class VectorSpec:
    """One named vector that an encoder makes.

    Args:
        name: ``topical``, ``compatibility``, ``contradiction`` or a custom name.
        dimension: number of coordinates.
        max_tokens: number of tokens read per text, special tokens included.
        fingerprint: changes whenever document vectors change (weights, pooling, prefixes, length).
            An index compares the fingerprint on opening. A better query encoder does not change
            it, so the index stays valid.
        trained: False for a placeholder head that repeats a different head's vectors.
        query_prefix, document_prefix: put before every text of that role.
        query_fingerprint: fingerprint of the query side, part of the keys of cached query vectors.
            Empty if the query side changes only with the document side.
        exclusion: constants of ``ConstraintPolicy`` for this vector's scores, by name; None if not
            calibrated.
        precision: in what the vectors are computed. An index takes vectors of both, which differ
            little, so it is no part of the fingerprint.
        contradiction: constants that turn the sparsity of vector differences into a score and a
            probability (``conflicts.ContradictionSettings``); None if not calibrated.

    Raises:
        ConfigurationError: the name is empty.
    """

    name: str
    dimension: int
    max_tokens: int
    fingerprint: str
    trained: bool = True
    query_prefix: str = ""
    document_prefix: str = ""
    query_fingerprint: str = ""
    exclusion: Mapping[str, float] | None = None
    contradiction: Mapping[str, float] | None = None
    precision: Precision = "float32"

    def __post_init__(self) -> None:
        check_name("a vector's name", self.name)

    def fingerprint_for(self, role: Role) -> str:
        return (self.query_fingerprint if role == "query" else "") or self.fingerprint


def fingerprint(*parts: Any) -> str:
    """Hash JSON values into 32 characters."""
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into named vectors, all names in one pass.

    Implementations must be safe to call from several threads.
    """

    @property
    def specs(self) -> Mapping[str, VectorSpec]:
        """The named vectors that this encoder makes."""

    def encode_queries(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Return vectors of queries, one read-only array (texts, dimension) per name.

        Makes all vectors by default. Reads only the beginning of a text that is too long, with one
        :class:`LongTextWarning` per call if the encoder can tell. Lone surrogates count as U+FFFD.

        Raises:
            EmptyTextError: a text holds nothing to read.
            InputError: ``texts`` is not a sequence of strings.
            ConfigurationError: the encoder does not make a requested vector.
        """

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Return vectors of documents, otherwise like :meth:`encode_queries`."""

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Return the character span (start, end) of each token, without special tokens.

        The text is never truncated, because splitters use the spans.
        """


class RoleEncoder(ABC):
    """Base of encoders that encode queries and documents with one method."""

    def encode_queries(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        return self._encode("query", texts, names)

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        return self._encode("document", texts, names)

    @abstractmethod
    def _encode(
        self, role: Role, texts: Sequence[str], names: Sequence[str] | None
    ) -> dict[str, Vectors]: ...


class SingleVectorEncoder(RoleEncoder):
    """Base of encoders that make one named vector."""

    _spec: VectorSpec

    @property
    def specs(self) -> Mapping[str, VectorSpec]:
        return MappingProxyType({self._spec.name: self._spec})

    def _encode(
        self, role: Role, texts: Sequence[str], names: Sequence[str] | None
    ) -> dict[str, Vectors]:
        texts = clean_texts(texts)
        wanted = check_names(names, self.specs)
        if not texts or not wanted:
            return {name: np.empty((0, self._spec.dimension), np.float32) for name in wanted}
        return dict.fromkeys(wanted, self._vectors_of(role, texts))

    @abstractmethod
    def _vectors_of(self, role: Role, texts: list[str]) -> Vectors:
        """Return read-only vectors; ``texts`` is not empty."""


def encode(
    encoder: Encoder, role: Role, texts: Sequence[str], names: Sequence[str] | None
) -> dict[str, Vectors]:
    """Encode texts in a role."""
    method = encoder.encode_queries if role == "query" else encoder.encode_documents
    return method(texts, names)


def check_names(names: Sequence[str] | None, specs: Mapping[str, VectorSpec]) -> tuple[str, ...]:
    """Return the requested names; None requests all."""
    if names is None:
        return tuple(specs)
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise ConfigurationError(f"names must be a list of names, not {shown(names)}")
    names = list(names)
    if unknown := [name for name in names if not isinstance(name, str) or name not in specs]:
        raise ConfigurationError(
            f"This encoder makes no vector {', '.join(map(shown, unknown))}; it makes "
            f"{', '.join(map(repr, specs))}."
        )
    return tuple(names)


def check_name(setting: str, name: Any) -> None:
    """Refuse a name that is empty, or that UTF-8 cannot hold."""
    if not isinstance(name, str) or not name or name != clean_text(name):
        raise ConfigurationError(f"{setting} must be a text that is not empty, not {shown(name)}")


def clean_texts(texts: Sequence[str]) -> list[str]:
    """Replace lone surrogates (see :func:`clean_text`) and remove invisible characters."""
    if isinstance(texts, (str, bytes)) or not isinstance(texts, Sequence):
        raise InputError(
            f"Texts must be a list of strings, not {type(texts).__name__}. For one text: [text]."
        )
    cleaned = []
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputError(
                f"Text {index} is {type(text).__name__}, not a string. Convert it, or leave it out."
            )
        cleaned.append(visible_text(clean_text(text)))
        if is_blank(text):
            raise EmptyTextError(f"Text {index} is empty. Leave empty texts out.")
    return cleaned


def clean_text(text: str) -> str:
    """Replace every lone surrogate by U+FFFD, which keeps all character offsets.

    A lone surrogate is half a character, from a broken JSON escape or file name. UTF-8 cannot
    encode one.
    """
    return _LONE_SURROGATE.sub("\ufffd", text)


def one_per_process(make: Callable[[], T]) -> Callable[[], T]:
    """Call ``make`` once and keep the result; other threads wait for it."""
    cached, lock = cache(make), Lock()

    @wraps(make)
    def locked() -> T:
        with lock:  # `cache` alone lets several threads call `make`
            return cached()

    return locked


def warn_about_long_texts(count: int, total: int, max_tokens: int) -> None:
    """Warn that the ends of some texts were not read."""
    warn(
        LongTextWarning,
        f"{count} of {total} texts are longer than the {max_tokens} tokens that this encoder "
        "reads; what follows is not in their vectors. Split them first by this encoder's own "
        "tokens, not by words or characters: logic_retrievers.Splitter.for_encoder(encoder), whose "
        "max_tokens and token_spans also set up a framework's splitter.",
    )
