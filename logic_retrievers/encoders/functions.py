"""An adapter for embeddings that an API, a framework or any other function computes."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from logic_retrievers.checks import check_count, check_type
from logic_retrievers.encoders.base import (
    Role,
    SingleVectorEncoder,
    Vectors,
    VectorSpec,
    check_name,
    fingerprint,
)
from logic_retrievers.errors import ConfigurationError, EncoderError

# texts -> one vector per text: anything that numpy reads as an array (texts, dimension)
Embed: TypeAlias = Callable[[list[str]], Any]

_IDENTIFYING_ATTRIBUTES = (
    *("model", "model_name", "model_id", "model_path", "repo_id", "deployment"),
    *("deployment_name", "azure_deployment", "task_type", "text_instruction", "embed_instruction"),
)
_QUERY_ATTRIBUTES = ("query_instruction", "query_encode_kwargs")
_NO_NAME = ("", "unknown")  # LlamaIndex calls a model without a name "unknown"


class FunctionEncoder(SingleVectorEncoder):
    """Makes one named vector with two functions, scaled to length 1.

        FunctionEncoder(client.embed, identity="my-model, version 3")

    Args:
        documents: embeds passages.
        queries: embeds queries; None uses ``documents``.
        identity: names the model. An index stores the identity and refuses a different one, so
            change it whenever the same text gets a different vector.
        query_identity: names settings that change only query vectors, such as an instruction before
            the query. A cache compares it; an index does not, since it stores no query vectors.
        name: the vector's name.
        dimension: number of coordinates; None embeds one text to find out.
        max_tokens: number of words and punctuation marks read per text; for splitting.

    Raises:
        ConfigurationError: name or identity is empty, or dimension or ``max_tokens`` is under 1.
        EncoderError: the function does not return finite numbers of shape (texts, dimension).
    """

    def __init__(
        self,
        documents: Embed,
        queries: Embed | None = None,
        *,
        identity: str,
        query_identity: str = "",
        name: str = "topical",
        dimension: int | None = None,
        max_tokens: int = 512,
    ) -> None:
        check_name("name", name)  # before the first call, which may cost money
        check_name("identity", identity)
        check_type("query_identity", query_identity, str)
        check_count("max_tokens", max_tokens)
        check_count("dimension", 1 if dimension is None else dimension)
        queries = documents if queries is None else queries
        self._embed: dict[Role, Embed] = {"query": queries, "document": documents}
        for function in self._embed.values():
            check_type("documents and queries", function, Callable)
        if dimension is None:
            dimension = _to_array(queries(["length"]), 1, None).shape[1]
        stored = hashlib.sha256(f"{identity}\0{dimension}".encode()).hexdigest()[:32]
        asked = fingerprint(stored, query_identity) if query_identity else ""
        self._spec = VectorSpec(name, dimension, max_tokens, stored, query_fingerprint=asked)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        # words and punctuation marks, because the function's own tokens are unknown
        return [match.span() for match in re.finditer(r"\w+|[^\w\s]", text)]

    def _vectors_of(self, role: Role, texts: list[str]) -> Vectors:
        return _to_array(self._embed[role](texts), len(texts), self._spec.dimension)


def identity_of(model: object) -> str:
    """Return an embedding model's identity: its class and its identifying attributes.

    Raises:
        ConfigurationError: the model has no identifying attribute.
    """
    class_name = type(model).__qualname__
    values = {name: getattr(model, name, None) for name in _IDENTIFYING_ATTRIBUTES}
    names = [f"{n}={v}" for n, v in values.items() if isinstance(v, str) and v not in _NO_NAME]
    if not names:
        raise ConfigurationError(
            f"{class_name} does not say which model it runs, and an index must know. Pass "
            "identity=, a text that changes whenever the same text would get another vector."
        )
    return " ".join([class_name, *names])  # no module, because classes move between modules


def query_identity_of(model: object) -> str:
    """Return an embedding model's query settings as a text; empty if there are none."""
    values = {name: getattr(model, name, None) for name in _QUERY_ATTRIBUTES}
    return " ".join(f"{n}={v}" for n, v in values.items() if v and isinstance(v, str | dict))


def _to_array(embedded: Any, rows: int, dimension: int | None) -> Vectors:
    try:
        array = np.array(embedded, dtype=np.float32)
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
