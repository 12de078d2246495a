"""An adapter for embeddings that come from somewhere else: an API, a framework, a function."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from logic_retrievers.encoders.base import Vectors, VectorSpec, check_names
from logic_retrievers.encoders.texts import check_texts
from logic_retrievers.errors import ConfigurationError, EncoderError

Embed: TypeAlias = Callable[[list[str]], Any]
"""Texts -> one vector a text: anything that numpy reads as an array (texts, dimension)."""

_NAMES = (
    *("model", "model_name", "model_id", "model_path", "repo_id", "deployment"),
    *("deployment_name", "azure_deployment", "task_type", "query_instruction", "text_instruction"),
)
_NAMELESS = ("", "unknown")  # the second is what LlamaIndex gives to models without a name


class FunctionEncoder:
    """One named vector from two functions, scaled to length 1.

        FunctionEncoder(client.embed, identity="my-model, version 3")

    Args:
        documents: embeds passages.
        queries: embeds queries; the same function where None.
        identity: says which model it is. An index remembers it and refuses another one, so change
            it whenever the same text would get another vector.
        name: of the vector.
        dimension: number of coordinates; where None, one text is embedded to find out.
        max_tokens: longest text, in words and punctuation marks, that is read whole; for splitting.

    Raises:
        ConfigurationError: a name, identity, dimension or length that cannot be.
        EncoderError: what comes back is no array of finite numbers of that shape.
    """

    def __init__(
        self,
        documents: Embed,
        queries: Embed | None = None,
        *,
        identity: str,
        name: str = "topical",
        dimension: int | None = None,
        max_tokens: int = 512,
    ) -> None:
        if not name or not identity or max_tokens < 1 or (dimension is not None and dimension < 1):
            raise ConfigurationError(
                f"name={name!r}, identity={identity!r}, dimension={dimension}, "
                f"max_tokens={max_tokens}: none may be empty or under 1."
            )
        self._documents, self._queries = documents, queries or documents
        if dimension is None:
            dimension = _array(self._queries(["length"]), 1, None).shape[1]
        fingerprint = hashlib.sha256(f"{identity}\0{dimension}".encode()).hexdigest()[:32]
        self._spec = VectorSpec(name, dimension, max_tokens, fingerprint)

    @property
    def specs(self) -> Mapping[str, VectorSpec]:
        """The one named vector."""
        return MappingProxyType({self._spec.name: self._spec})

    def encode_queries(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Vectors of queries, shape (texts, dimension)."""
        return self._encode(self._queries, texts, names)

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Vectors of documents, shape (texts, dimension)."""
        return self._encode(self._documents, texts, names)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Words and punctuation marks: the function's own tokens are not known."""
        return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]

    def _encode(
        self, embed: Embed, texts: Sequence[str], names: Sequence[str] | None
    ) -> dict[str, Vectors]:
        checked = check_texts(texts)
        wanted = check_names(names, self.specs)
        if not checked or not wanted:
            return {name: np.empty((0, self._spec.dimension), np.float32) for name in wanted}
        return {self._spec.name: _array(embed(checked), len(checked), self._spec.dimension)}


def identity_of(model: object) -> str:
    """Which embedding model an object runs: its class and all that it has of a model's name.

    Raises:
        ConfigurationError: nothing tells.
    """
    kind = type(model)
    values = {name: getattr(model, name, None) for name in _NAMES}
    named = [f"{n}={v}" for n, v in values.items() if isinstance(v, str) and v not in _NAMELESS]
    if not named:
        raise ConfigurationError(
            f"{kind.__qualname__} does not say which model it runs, and an index must know. Pass "
            "identity=, a text that changes whenever the same text would get another vector."
        )
    return " ".join([kind.__qualname__, *named])  # modules move from package to package


def _array(found: Any, rows: int, dimension: int | None) -> Vectors:
    try:
        array = np.array(found, dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise EncoderError(f"The embedding function gave no array of numbers: {error}.") from error
    if array.ndim != 2 or array.shape != (rows, dimension or array.shape[1]):
        raise EncoderError(
            f"The embedding function gave an array of shape {array.shape} for {rows} texts, not "
            f"({rows}, {dimension or 'dimension'})."
        )
    lengths = np.linalg.norm(array, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise EncoderError("The embedding function gave a vector that is zero or not finite.")
    array /= lengths
    array.setflags(write=False)
    return array
