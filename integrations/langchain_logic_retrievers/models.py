"""Encoders as LangChain's embeddings, its embeddings as encoders, chat models as readers."""

from __future__ import annotations

from functools import partial
from typing import Any

from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
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
    """One named vector of an encoder.

    Args:
        vector: its name.
        bundle: a folder with an encoder bundle; the one that comes with the package where None.
        encoder: a ready encoder instead.

    Raises:
        ConfigurationError: the encoder makes no vector of that name (inside pydantic's
            ``ValidationError``).
        BundleError: the bundle is missing, damaged or inconsistent.
    """

    model_config = ConfigDict(arbitrary_types_allowed=True, frozen=True, extra="forbid")

    vector: str = TOPICAL
    bundle: str | None = None
    encoder: Encoder | None = Field(default=None, exclude=True, repr=False)
    _source: Encoder = PrivateAttr()

    def model_post_init(self, _context: Any, /) -> None:
        """Loads the encoder, so that a wrong setting is refused now."""
        if self.encoder is not None:
            self._source = self.encoder
        else:
            self._source = _encoder_of_bundle(self.bundle)
        check_names([self.vector], self._source.specs)

    @property
    def source(self) -> Encoder:
        """The encoder that makes the vectors."""
        return self._source

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Vectors of documents.

        Raises:
            EmptyTextError: a text with nothing but white space.
        """
        rows = self._source.encode_documents(texts, [self.vector])[self.vector]
        return [[float(value) for value in row] for row in rows]

    def embed_query(self, text: str) -> list[float]:
        """The vector of a query.

        Raises:
            EmptyTextError: a text with nothing but white space.
        """
        row = self._source.encode_queries([text], [self.vector])[self.vector][0]
        return [float(value) for value in row]

    async def aembed_documents(self, texts: list[str]) -> list[list[float]]:
        """:meth:`embed_documents` without blocking the event loop."""
        return await encoder_threads.submit(partial(self.embed_documents, texts))

    async def aembed_query(self, text: str) -> list[float]:
        """:meth:`embed_query` without blocking the event loop."""
        return await encoder_threads.submit(partial(self.embed_query, text))


def encoder_of(
    embeddings: Embeddings, *, name: str = TOPICAL, identity: str | None = None
) -> Encoder:
    """An encoder of one named vector, made by LangChain's embeddings.

    Args:
        embeddings: any; of :class:`LogicEmbeddings` the encoder behind is taken.
        name: of the vector.
        identity: says which model it is. An index remembers it and refuses another one. By default
            the class and its model's name.

    Raises:
        ConfigurationError: nothing tells which model it is.
        EncoderError: the embeddings give no vectors; one text is tried.
    """
    part = _encoder_part(embeddings, name, identity)
    return CombinedEncoder([part]) if isinstance(part, tuple) else part


def encoder_with_compatibility(embeddings: Embeddings, identity: str | None = None) -> Encoder:
    """Their vectors as the topical ones, with compatibility vectors beside them."""
    return with_compatibility(_encoder_part(embeddings, TOPICAL, identity))


def encoder_for_store(embedding: Embeddings | None, identity: str | None) -> Encoder | None:
    """The encoder that a store gets; None for that of the bundle that comes with the package.

    Args:
        embedding: :class:`LogicEmbeddings` give their encoder with all its vectors; any others make
            the topical vectors, beside compatibility vectors of the package's bundle.
        identity: says which model the others are.
    """
    if embedding is None:
        return None
    if isinstance(embedding, LogicEmbeddings):
        return embedding.source
    return encoder_with_compatibility(embedding, identity)


class ChatModelReader:
    """Reads the RAG probe's prompts with a chat model, under the settings that it was made with.

    Args:
        model: any chat model; its seed is its own.
        name: says which model and settings these are; cached answers are kept under it. No model
            says that of itself reliably.

    Examples:
        >>> ChatModelReader(model, name="small, temperature 0")  # doctest: +SKIP
    """

    def __init__(self, model: BaseChatModel, *, name: str) -> None:
        self._model = model
        self.name = name

    def answer(self, prompt: Prompt) -> str:
        """The text of the model's answer; its errors are passed on."""
        message = self._model.invoke(list(prompt.turns))
        return str(message.text).strip()


def _encoder_of_bundle(bundle: str | None) -> Encoder:
    # not imported by name: that would load ONNX Runtime for those who bring their own encoder
    return default_encoder() if bundle is None else encoders.OnnxEncoder(bundle)


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
