"""An adapter for any sentence-transformers model (extra ``sentence-transformers``, PyTorch)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from logic_retrievers.checks import check_count
from logic_retrievers.encoders.base import (
    Role,
    SingleVectorEncoder,
    Vectors,
    VectorSpec,
    clean_text,
    fingerprint,
    warn_about_long_texts,
)
from logic_retrievers.errors import EncoderError, MissingExtraError
from logic_retrievers.files import is_folder

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


class SentenceTransformerEncoder(SingleVectorEncoder):
    """Makes one named vector with a sentence-transformers model, scaled to length 1.

    A model's own code is never run, and its weights must be safetensors. Calls from several threads
    take turns, because the tokenizers of transformers are not thread-safe.

    Args:
        model: a loaded model, a folder, or a hub name (which sentence-transformers downloads).
        name: the vector's name.
        query_prefix: put before every query; None uses the model's own ``query`` prompt.
        document_prefix: put before every document; None uses the model's ``document`` prompt.
        device: PyTorch's name of the device; None lets sentence-transformers choose.
        batch_size: texts per batch.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        EncoderError: the model cannot be loaded, or has no tokenizer with offsets.
    """

    def __init__(
        self,
        model: SentenceTransformer | str | Path,
        name: str = "topical",
        *,
        query_prefix: str | None = None,
        document_prefix: str | None = None,
        device: str | None = None,
        batch_size: int = 32,
    ) -> None:
        check_count("batch_size", batch_size)
        self._model = (
            load_model("SentenceTransformer", str(model), device)
            if isinstance(model, (str, Path))
            else model
        )
        self._batch_size = batch_size
        self._lock = Lock()
        if not getattr(self._model.tokenizer, "is_fast", False):
            raise EncoderError(
                "The model has no fast tokenizer, so texts cannot be split by tokens."
            )
        prompts = self._model.prompts or {}
        query = prompts.get("query") or "" if query_prefix is None else query_prefix
        document = prompts.get("document") or "" if document_prefix is None else document_prefix
        self._prefixes: dict[Role, str] = {"query": query, "document": document}
        content = _content_hash(self._model)
        self._spec = VectorSpec(
            name=name,
            dimension=self._vectors("query", ["length"]).shape[1],
            max_tokens=int(self._model.max_seq_length or self._model.tokenizer.model_max_length),
            fingerprint=fingerprint(content, document),
            query_fingerprint=fingerprint(content, query),
            query_prefix=query,
            document_prefix=document,
        )

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        with self._lock:
            encoding = self._model.tokenizer(
                clean_text(text),
                add_special_tokens=False,
                return_offsets_mapping=True,
                truncation=False,
                verbose=False,
            )
        return [(int(start), int(end)) for start, end in encoding["offset_mapping"]]

    def _vectors_of(self, role: Role, texts: list[str]) -> Vectors:
        limit = self._spec.max_tokens - self._model.tokenizer.num_special_tokens_to_add()
        prefix = self._prefixes[role]
        # a token has at least one byte, so a text with few bytes cannot be too long
        candidates = [prefix + text for text in texts if len((prefix + text).encode()) > limit]
        if truncated := sum(len(self.token_spans(text)) > limit for text in candidates):
            warn_about_long_texts(truncated, len(texts), self._spec.max_tokens)
        vectors = self._vectors(role, texts)
        vectors.setflags(write=False)
        return vectors

    def _vectors(self, role: Role, texts: list[str]) -> Vectors:
        encode: Callable[..., Any] = (
            self._model.encode_query if role == "query" else self._model.encode_document
        )
        with self._lock:
            vectors = encode(
                texts,
                prompt=self._prefixes[role],
                batch_size=self._batch_size,
                normalize_embeddings=True,
                show_progress_bar=False,
            )
        return np.array(vectors, dtype=np.float32)


def load_model(
    kind: Literal["SentenceTransformer", "CrossEncoder"], name_or_path: str, device: str | None
) -> Any:
    """Load a model of sentence-transformers, never running code of its own.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        EncoderError: the model cannot be loaded.
    """
    try:
        import sentence_transformers
    except ModuleNotFoundError as error:
        raise MissingExtraError("sentence-transformers", "sentence-transformers") from error
    try:
        return getattr(sentence_transformers, kind)(
            name_or_path, device=device, model_kwargs={"use_safetensors": True}
        )
    except Exception as error:  # a missing folder, an unreachable hub, weights of a wrong class
        raise EncoderError(
            f"{'' if is_folder(name_or_path) else 'There is no such folder, and '}"
            f"sentence-transformers cannot load {name_or_path!r}: {error}. Give a model's folder, "
            "or a hub name while the hub can be reached."
        ) from error


def _content_hash(model: SentenceTransformer) -> str:
    """Hash weights, modules and tokenizer: everything that changes a vector except the prefix."""
    import torch

    digest = hashlib.sha256()
    for name, tensor in sorted(model.state_dict().items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        digest.update(tensor.detach().cpu().contiguous().flatten().view(torch.uint8).numpy())
    # the model's repr names pooling, normalisation and the dimension of every module
    digest.update(f"{model!r} {model.max_seq_length} {model.truncate_dim}".encode())
    backend = json.loads(model.tokenizer.backend_tokenizer.to_str())
    # leave out truncation and padding, which remain from the tokenizer's last use
    digest.update(json.dumps({**backend, "truncation": None, "padding": None}).encode())
    return digest.hexdigest()
