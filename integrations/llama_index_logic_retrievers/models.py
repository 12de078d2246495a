"""Encoders as LlamaIndex's embedding models, its models as encoders, LLMs as readers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.llms.types import ChatMessage, MessageRole
from llama_index.core.llms import LLM
from pydantic import Field

from llama_index_logic_retrievers.settings import refuse_unknown
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
    """One named vector of an encoder.

        LogicEmbeddings().get_query_embedding("a quiet inn")

    Asynchronous calls encode in a thread. The object travels to another process (an ingestion
    pipeline with ``num_workers``) where its encoder does; the package's own do.

    Args:
        vector: name of the vector.
        bundle: folder of the bundle that makes it; the one that comes with the package where None.
        encoder: makes the vectors, instead of a bundle's.
        embed_batch_size: texts that are embedded together (256).

    Raises:
        ConfigurationError: the encoder makes no such vector.
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
                f"These embeddings were {model_name}; this encoder makes {name}. Pass encoder= or"
                " bundle= with the encoder that made them."
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
        """The name that serialised settings carry."""
        return "LogicEmbeddings"

    def __reduce__(self) -> tuple[Any, ...]:
        """For another process.

        LlamaIndex's own way leaves out what cannot be pickled: another process would go on with the
        default encoder, and nobody would know.
        """
        names = {"embed_batch_size", "num_workers", "embeddings_cache", "model_name"}
        settings = {name: getattr(self, name) for name in names}
        return partial(type(self), self.vector, self.bundle, self.encoder, **settings), ()

    def _get_query_embedding(self, query: str) -> list[float]:
        rows: list[list[float]] = self.encoder.encode_queries([query], [self.vector])[
            self.vector
        ].tolist()
        return rows[0]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return await encoder_threads.submit(partial(self._get_query_embedding, query))

    def _get_text_embedding(self, text: str) -> list[float]:
        rows: list[list[float]] = self.encoder.encode_documents([text], [self.vector])[
            self.vector
        ].tolist()
        return rows[0]

    async def _aget_text_embedding(self, text: str) -> list[float]:
        return await encoder_threads.submit(partial(self._get_text_embedding, text))

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        """Embeds a batch; zeros, with a warning, for a text that cannot be read.

        LlamaIndex has deleted the old nodes of changed documents by now, and an error would keep
        the new ones from being stored. The store leaves out or refuses the unreadable one alone.
        """
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
    """An embedding model of LlamaIndex as an encoder of one named vector.

    Args:
        embeddings: any of LlamaIndex's models; :class:`LogicEmbeddings` gives its own encoder.
        name: of the vector.
        identity: says which model it is: an index remembers it and refuses another one. Taken from
            the model's class and name where it has a name.

    Raises:
        ConfigurationError: no embedding model, or one without a name and no identity.
        EncoderError: the model gives no vectors.
    """
    part = encoder_part(embeddings, name=name, identity=identity)
    return CombinedEncoder([part]) if isinstance(part, tuple) else part


def encoder_part(embeddings: BaseEmbedding, *, name: str, identity: str | None) -> Part:
    """:func:`encoder_of` as a part of a :class:`CombinedEncoder`, which runs one encoder once."""
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
    """Reads the RAG probe's prompts with an LLM, under the settings that it was made with.

    Args:
        llm: any LLM; its seed is its own.
        name: says which model and settings these are; cached answers are kept under it. No model
            says that of itself reliably.

    Examples:
        >>> LLMReader(llm, name="small, temperature 0")  # doctest: +SKIP
    """

    def __init__(self, llm: LLM, *, name: str) -> None:
        self._llm = llm
        self.name = name

    def answer(self, prompt: Prompt) -> str:
        """The text of the LLM's answer; its errors are passed on."""
        messages = [
            ChatMessage(role=MessageRole(role), content=content) for role, content in prompt.turns
        ]
        return (self._llm.chat(messages).message.content or "").strip()


def _query_embeddings(embeddings: BaseEmbedding, texts: Sequence[str]) -> list[list[float]]:
    return [embeddings.get_query_embedding(text) for text in texts]


def _model_name(encoder: Encoder, vector: str) -> str:
    check_names([vector], encoder.specs)
    spec = encoder.specs[vector]
    fingerprints = dict.fromkeys(filter(None, (spec.fingerprint, spec.query_fingerprint)))
    return ":".join(["logic-retrievers", vector, *fingerprints])
