"""Adapt encoders to LangChain's embeddings and back, and chat models to the probe's readers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.runnables import Runnable
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr

from logic_retrievers import encoders
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import (
    CombinedEncoder,
    Encoder,
    FunctionEncoder,
    default_encoder,
    identity_of,
    with_compatibility,
)
from logic_retrievers.encoders.base import check_names
from logic_retrievers.encoders.combined import Part
from logic_retrievers.encoders.functions import query_identity_of
from logic_retrievers.probe import Prompt

TOPICAL = "topical"


class LogicEmbeddings(BaseModel, Embeddings):
    """One named vector of an encoder, as LangChain's embeddings.

    Args:
        vector: name of the vector.
        bundle: folder of an encoder bundle; by default the package's own.
        encoder: a ready encoder in place of a bundle.

    Raises:
        ConfigurationError: the encoder makes no vector of that name (inside pydantic's
            ``ValidationError``).
        BundleError: the bundle is missing, damaged or inconsistent.

    Examples:
        >>> len(LogicEmbeddings().embed_query("a quiet inn"))
        384
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, frozen=True, extra="forbid")

    vector: str = TOPICAL
    bundle: str | None = None
    encoder: Encoder | None = Field(default=None, exclude=True, repr=False)
    _source: Encoder = PrivateAttr()

    def model_post_init(self, _context: Any, /) -> None:
        if self.encoder is not None:
            self._source = self.encoder
        else:
            # imported here, because users with their own encoder need not load ONNX Runtime
            made = default_encoder() if self.bundle is None else encoders.OnnxEncoder(self.bundle)
            self._source = made
        check_names([self.vector], self._source.specs)

    @property
    def source(self) -> Encoder:
        return self._source

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        rows = self._source.encode_documents(texts, [self.vector])[self.vector]
        return [[float(value) for value in row] for row in rows]

    def embed_query(self, text: str) -> list[float]:
        row = self._source.encode_queries([text], [self.vector])[self.vector][0]
        return [float(value) for value in row]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        return await encoder_threads.submit(partial(self.embed_documents, texts))

    async def aembed_query(self, text: str) -> list[float]:
        return await encoder_threads.submit(partial(self.embed_query, text))


def encoder_of(
    embeddings: Embeddings, *, name: str = TOPICAL, identity: str | None = None
) -> Encoder:
    """Make an encoder of one named vector from LangChain's embeddings.

    Args:
        embeddings: any embeddings; for :class:`LogicEmbeddings`, their own encoder is returned.
        name: the vector's name.
        identity: name of the model; by default the embeddings' class and model name. An index
            records the name and refuses a different model.

    Raises:
        ConfigurationError: the model has no name and no identity was given.
        EncoderError: the embeddings return no vectors for a test text.
    """
    part = _encoder_part(embeddings, name, identity)
    return CombinedEncoder([part]) if isinstance(part, tuple) else part


def encoder_with_compatibility(embeddings: Embeddings, identity: str | None = None) -> Encoder:
    """Make an encoder: topical vectors by the embeddings, compatibility vectors by the package."""
    return with_compatibility(_encoder_part(embeddings, TOPICAL, identity))


def encoder_for_store(embedding: Embeddings | None, identity: str | None) -> Encoder | None:
    """Return the encoder for a store. None means the package's own encoder."""
    if embedding is None:
        return None
    if isinstance(embedding, LogicEmbeddings):
        return embedding.source
    return encoder_with_compatibility(embedding, identity)


class ChatModelReader:
    """Answers the RAG probe's prompts with a chat model.

    Args:
        model: any chat model, with its own settings and seed.
        name: names the model and its settings; answers are cached under it. Models do not report
            both reliably themselves.

    Examples:
        >>> ChatModelReader(model, name="small, temperature 0")  # doctest: +SKIP
    """

    def __init__(self, model: BaseChatModel, *, name: str) -> None:
        self._model = model
        self.name = name

    def answer(self, prompt: Prompt) -> str:
        return chat(self._model, prompt.turns)


def chat(model: Runnable[Any, Any], turns: Sequence[tuple[str, str]]) -> str:
    """Return a chat model's answer to turns (role, text)."""
    message = model.invoke(list(turns))
    return str(getattr(message, "text", message)).strip()  # models for completion return texts


def _encoder_part(embeddings: Embeddings, name: str, identity: str | None) -> Part:
    if isinstance(embeddings, LogicEmbeddings):
        return embeddings.source, {embeddings.vector: name}
    return FunctionEncoder(
        embeddings.embed_documents,
        partial(_embed_queries, embeddings),
        identity=identity or identity_of(embeddings),
        query_identity=query_identity_of(embeddings),
        name=name,
    )


def _embed_queries(embeddings: Embeddings, texts: list[str]) -> list[list[float]]:
    return [embeddings.embed_query(text) for text in texts]
