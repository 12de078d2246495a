"""Get embeddings from an OpenAI-compatible ``/embeddings`` endpoint."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import BaseModel

from logic_retrievers.checks import check_count
from logic_retrievers.encoders.functions import FunctionEncoder
from logic_retrievers.errors import ServerError
from logic_retrievers.http import ModelEndpoint


class EndpointEncoder(FunctionEncoder):
    """Gets one named vector from an ``/embeddings`` endpoint, scaled to length 1.

        EndpointEncoder("http://127.0.0.1:8000/v1", "BAAI/bge-m3")

    A :class:`~logic_retrievers.CombinedEncoder` adds other vectors. An index remembers the model's
    name, the document prefix and the dimension, but not the address, so the endpoint may move. A
    cache of vectors also distinguishes query prefixes.

    Args:
        base_url: address without ``/embeddings``.
        model: name of the model at the endpoint.
        name: name of the vector.
        query_prefix, document_prefix: put before every text of that role ("query: ").
        dimension: dimension to request from models that offer several; None uses the model's own.
        max_tokens: number of words and punctuation marks read per text; for splitting.
        batch_size: texts per request.
        endpoint: ``api_key`` or ``api_key_variable``, ``timeout`` and ``retries`` of
            :class:`~logic_retrievers.http.ModelEndpoint`.

    Raises:
        ConfigurationError: an address, key or number is invalid.
        ServerError: the endpoint refuses or does not answer, now or later; subclasses tell which.
        EncoderError: the endpoint returns vectors that are not finite or have a wrong dimension.
    """

    def __init__(
        self,
        base_url: str,
        model: str,
        name: str = "topical",
        *,
        query_prefix: str = "",
        document_prefix: str = "",
        dimension: int | None = None,
        max_tokens: int = 512,
        batch_size: int = 64,
        **endpoint: Any,
    ) -> None:
        check_count("batch_size", batch_size)
        self._client = _Client(dimension, batch_size, base_url=base_url, model=model, **endpoint)
        super().__init__(
            partial(self._client.embed, document_prefix),
            partial(self._client.embed, query_prefix),
            identity=f"{model}\n{document_prefix}" if document_prefix else model,
            query_identity=query_prefix,
            name=name,
            dimension=dimension,
            max_tokens=max_tokens,
        )
        self._spec = replace(self._spec, query_prefix=query_prefix, document_prefix=document_prefix)

    def __repr__(self) -> str:
        return f"EndpointEncoder({self._client.url!r}, {self._client.model!r})"


class _Client(ModelEndpoint):
    """Sends texts, each with a prefix. Pickling keeps only the settings."""

    _path = "/embeddings"

    def __init__(self, dimension: int | None, batch_size: int, **settings: Any) -> None:
        super().__init__(**settings)
        self._dimension, self._batch_size = dimension, batch_size
        # the key must not lie in the plain settings; ModelEndpoint keeps it as a secret
        self._has_key = settings.pop("api_key", None) is not None
        self._settings = settings

    def __reduce__(self) -> Any:
        if self._has_key:
            raise TypeError(
                "an EndpointEncoder with api_key= is not pickled: name the key's environment"
                " variable as api_key_variable="
            )
        return partial(_Client, self._dimension, self._batch_size, **self._settings), ()

    def embed(self, prefix: str, texts: list[str]) -> list[list[float]]:
        """Return one vector for each text, in the order of the texts."""
        vectors: list[list[float]] = []
        for start in range(0, len(texts), self._batch_size):
            batch = [prefix + text for text in texts[start : start + self._batch_size]]
            body: dict[str, Any] = {"input": batch, "encoding_format": "float"}
            if self._dimension is not None:
                body["dimensions"] = self._dimension
            rows = sorted(self._ask(body, _Answer).data, key=lambda row: row.index)
            if [row.index for row in rows] != list(range(len(batch))):
                raise ServerError(
                    f"{self.url} gave {len(rows)} vectors for {len(batch)} texts, or not one for"
                    " each. Is the model one of embeddings?"
                )
            vectors += [row.embedding for row in rows]
        return vectors


class _Row(BaseModel):
    index: int
    embedding: list[float]


class _Answer(BaseModel):
    data: list[_Row]
