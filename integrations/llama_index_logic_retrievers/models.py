"""Adapt encoders to LlamaIndex's embedding models and back, and LLMs to the probe's readers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.base import BaseLLM
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.llms import LLM
from pydantic import Field

from logic_retrievers.adapters.settings import refuse_unknown
from logic_retrievers.effects import encoder_threads
from logic_retrievers.encoders import (
    CombinedEncoder,
    Encoder,
    FunctionEncoder,
    OnnxEncoder,
    default_encoder,
    identity_of,
)
from logic_retrievers.encoders.base import check_names
from logic_retrievers.encoders.combined import Part
from logic_retrievers.encoders.functions import query_identity_of
from logic_retrievers.errors import BlankTextWarning, ConfigurationError, InputError, shown, warn
from logic_retrievers.probe import Prompt
from logic_retrievers.validation import check_parts


class LogicEmbeddings(BaseEmbedding):
    """One named vector of an encoder, as LlamaIndex's embedding model.

        LogicEmbeddings().get_query_embedding("a quiet inn")

    Asynchronous calls encode in a thread. An ingestion pipeline with ``num_workers`` can pickle the
    object if its encoder can be pickled, as the package's own encoders can.

    Args:
        vector: name of the vector.
        bundle: folder of an encoder bundle; by default the package's own.
        encoder: a ready encoder in place of a bundle.
        embed_batch_size: number of texts embedded together.

    Raises:
        ConfigurationError: the encoder makes no vector of that name.
        BundleError: the bundle is missing, damaged or inconsistent.
    """

    vector: str = "topical"
    bundle: str | None = None
    encoder: Any = Field(default=None, exclude=True, repr=False)

    def __init__(
        self,
        vector: str = "topical",
        bundle: str | Path | None = None,
        encoder: Encoder | None = None,
        *,
        embed_batch_size: int = 256,
        model_name: str | None = None,
        **settings: Any,
    ) -> None:
        if encoder is None:
            encoder = default_encoder() if bundle is None else OnnxEncoder(bundle)
        refuse_unknown("LogicEmbeddings", settings, BaseEmbedding.model_fields.keys())
        check_parts(encoder=encoder)
        name = _model_name(encoder, vector)
        if model_name not in (None, name):
            raise ConfigurationError(
                f"These embeddings were made by {model_name}, and this encoder is {name}. Pass the"
                " original as encoder= or bundle=."
            )
        settings |= {
            "vector": vector,
            "bundle": None if bundle is None else str(bundle),
            "encoder": encoder,
            "embed_batch_size": embed_batch_size,
            "model_name": name,
        }
        super().__init__(**settings)

    @classmethod
    def class_name(cls) -> str:
        return "LogicEmbeddings"

    def __reduce__(self) -> tuple[Any, ...]:
        # by default LlamaIndex leaves out fields that cannot be pickled, so a worker process
        # silently uses the default encoder
        names = {"embed_batch_size", "num_workers", "embeddings_cache", "model_name"}
        settings = {name: getattr(self, name) for name in names}
        return partial(type(self), self.vector, self.bundle, self.encoder, **settings), ()

    def _get_query_embedding(self, query: str) -> list[float]:
        rows = self.encoder.encode_queries([query], [self.vector])[self.vector]
        return [float(value) for value in rows[0]]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await encoder_threads.submit(partial(self._get_query_embedding, query))

    def _get_text_embedding(self, text: str) -> list[float]:
        rows = self.encoder.encode_documents([text], [self.vector])[self.vector]
        return [float(value) for value in rows[0]]

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return await encoder_threads.submit(partial(self._get_text_embedding, text))

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        """Embed a batch. A text that cannot be read gets a vector of zeros and a warning."""
        # an error here stops LlamaIndex from storing the new nodes of changed documents after
        # deleting the old ones; the store leaves out or refuses only the unreadable node
        try:
            encoded = self.encoder.encode_documents(texts, [self.vector])
        except InputError:
            if len(texts) == 1:
                warn(
                    BlankTextWarning,
                    f"The encoder reads nothing in {shown(texts[0])}: its vector is all zeros.",
                )
                return [[0.0] * self.encoder.specs[self.vector].dimension]
            middle = len(texts) // 2
            return [
                *self._get_text_embeddings(texts[:middle]),
                *self._get_text_embeddings(texts[middle:]),
            ]
        rows: list[list[float]] = encoded[self.vector].tolist()
        return rows

    async def _aget_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return await encoder_threads.submit(partial(self._get_text_embeddings, list(texts)))


def encoder_of(
    embeddings: BaseEmbedding, *, name: str = "topical", identity: str | None = None
) -> Encoder:
    """Make an encoder of one named vector from LlamaIndex's embedding model.

    Args:
        embeddings: any embedding model; for a :class:`LogicEmbeddings`, its own encoder is
            returned.
        name: the vector's name.
        identity: name of the model; by default its class and name. An index records the name and
            refuses a different model.

    Raises:
        ConfigurationError: not an embedding model, or neither the model's name nor an identity is
            known.
        EncoderError: the model returns no vector for a test text.
    """
    part = encoder_part(embeddings, name=name, identity=identity)
    return CombinedEncoder([part]) if isinstance(part, tuple) else part


def encoder_part(embeddings: BaseEmbedding, *, name: str, identity: str | None) -> Part:
    """Return :func:`encoder_of` as a part of a :class:`CombinedEncoder`."""
    if isinstance(embeddings, LogicEmbeddings):
        return embeddings.encoder, {embeddings.vector: name}
    if not isinstance(embeddings, BaseEmbedding):
        raise ConfigurationError(
            f"An embedding model of LlamaIndex is needed, not {type(embeddings).__name__}."
        )
    return FunctionEncoder(
        embeddings.get_text_embedding_batch,
        partial(_query_embeddings, embeddings),
        identity=identity or identity_of(embeddings),
        query_identity=query_identity_of(embeddings),
        name=name,
    )


class LLMReader:
    """Answers the RAG probe's prompts with an LLM.

    Args:
        llm: any LLM, with its own settings and seed.
        name: names the model and its settings; answers are cached under it. Models do not report
            both reliably themselves.

    Examples:
        >>> LLMReader(llm, name="small, temperature 0")  # doctest: +SKIP
    """

    def __init__(self, llm: LLM, *, name: str) -> None:
        self._llm = llm
        self.name = name

    def answer(self, prompt: Prompt) -> str:
        return chat(self._llm, prompt.turns)


def chat(llm: BaseLLM, turns: Sequence[tuple[str, str]]) -> str:
    """Return an LLM's answer to turns (role, text)."""
    messages = [ChatMessage(role=MessageRole(role), content=text) for role, text in turns]
    return (llm.chat(messages).message.content or "").strip()


def _query_embeddings(embeddings: BaseEmbedding, texts: Sequence[str]) -> list[list[float]]:
    return [embeddings.get_query_embedding(text) for text in texts]


def _model_name(encoder: Encoder, vector: str) -> str:
    check_names([vector], encoder.specs)
    spec = encoder.specs[vector]
    fingerprints = dict.fromkeys(filter(None, (spec.fingerprint, spec.query_fingerprint)))
    return ":".join(["logic-retrievers", vector, *fingerprints])
