"""Embeddings of an endpoint: a provider's, or a server of your own that answers as OpenAI does."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import BaseModel

from logic_retrievers.encoders.functions import FunctionEncoder
from logic_retrievers.errors import ServerError
from logic_retrievers.model_endpoint import ModelEndpoint
from logic_retrievers.settings import check_count


class EndpointEncoder(FunctionEncoder):
    """One named vector from an ``/embeddings`` endpoint of the OpenAI form, scaled to length 1.

        EndpointEncoder("http://127.0.0.1:8000/v1", "BAAI/bge-m3")

    Other vectors come from other encoders, in a :class:`~logic_retrievers.CombinedEncoder`. An
    index remembers the model's name, the prefix of documents and the dimension, and not the
    address, so that a model may move. A cache of vectors tells the prefixes of queries apart too.

    Args:
        base_url: address without ``/embeddings``.
        model: its name at the endpoint.
        name: of the vector.
        query_prefix, document_prefix: put before every text of that role ("query: ").
        dimension: asked for, where the model has several; None: the model's own.
        max_tokens: length of the longest text that is read whole, in words and punctuation marks;
            for splitting.
        batch_size: texts in one request.
        endpoint: ``api_key`` or ``api_key_variable``, ``timeout`` and ``retries`` of
            :class:`~logic_retrievers.model_endpoint.ModelEndpoint`.

    Raises:
        ConfigurationError: an invalid address, key or number.
        ServerError: the endpoint refuses, or gives no answer; encoding raises the same, of the
            classes that say which.
        EncoderError: it gives no finite vectors of one dimension.
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
        client = EmbeddingEndpoint(base_url, model, **endpoint)
        embed = partial(client.embed, dimension=dimension, batch_size=batch_size)
        super().__init__(
            lambda texts: embed([document_prefix + text for text in texts]),
            lambda texts: embed([query_prefix + text for text in texts]),
            identity=f"{model}\n{document_prefix}" if document_prefix else model,
            query_identity=query_prefix,
            name=name,
            dimension=dimension,
            max_tokens=max_tokens,
        )
        prefixes: dict[str, Any] = {
            "query_prefix": query_prefix,
            "document_prefix": document_prefix,
        }
        self._spec = replace(self._spec, **prefixes)
        self._client = client
        settings: dict[str, Any] = {
            **{"name": name, **prefixes, "dimension": dimension},
            **{"max_tokens": max_tokens, "batch_size": batch_size},
        }
        self._make = partial(EndpointEncoder, base_url, model, **settings, **endpoint)

    def __reduce__(self) -> tuple[Any, ...]:
        """Another process makes it anew.

        Raises:
            TypeError: it holds a key, which is written down nowhere.
        """
        if self._make.keywords.get("api_key") is not None:
            raise TypeError(
                "an EndpointEncoder with api_key= is not pickled: name the key's environment"
                " variable as api_key_variable="
            )
        return self._make, ()

    def __repr__(self) -> str:
        return f"EndpointEncoder({self._client.url!r}, {self._client.model!r})"


class EmbeddingEndpoint(ModelEndpoint):
    """A client of an embedding model; the arguments are those of its base."""

    _path = "/embeddings"

    def embed(
        self, texts: list[str], *, dimension: int | None = None, batch_size: int = 64
    ) -> list[list[float]]:
        """One vector for each text, in their order.

        Raises:
            AuthenticationError: a missing or refused key.
            ServerUnavailableError: no answer after all retries.
            ServerTimeoutError: no answer in time.
            ServerError: a refusal, or an answer of another form or length.
        """
        vectors: list[list[float]] = []
        for start in range(0, len(texts), batch_size):
            batch = texts[start : start + batch_size]
            body: dict[str, Any] = {"input": batch, "encoding_format": "float"}
            if dimension is not None:
                body["dimensions"] = dimension
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
