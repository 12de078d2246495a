"""A judge from any sentence-transformers cross-encoder (extra ``sentence-transformers``)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from logic_retrievers.checks import check_count
from logic_retrievers.encoders.sentence_transformers import load_model
from logic_retrievers.errors import ConfigurationError, EncoderError, shown
from logic_retrievers.judging.judge import TextPair
from logic_retrievers.judging.labels import CrossEncoderBase, Logits, check_labels, read_labels
from logic_retrievers.judging.model_judge import refuse_to_describe

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

# read by a model that sets no limit
_MAX_TOKENS = 512


class CrossEncoderJudge(CrossEncoderBase):
    """Asks a sentence-transformers ``CrossEncoder``: an NLI model, or a reranker with one score.

    A model's own code is never run, and its weights must be safetensors. Calls from several threads
    take turns, because the tokenizers of transformers are not thread-safe. NLI models compare two
    passages too, for a contradiction filter or cleaner.

    Args:
        model: a loaded model, a folder, or a hub name (which sentence-transformers downloads).
        labels: meanings of three logits, in their order; None reads the model's configuration.
        device: PyTorch's name of the device; None lets sentence-transformers choose.
        batch_size: pairs per batch.

    Raises:
        MissingExtraError: sentence-transformers is not installed.
        EncoderError: the model cannot be loaded, or has no trained classification head.
        ConfigurationError: the meaning of the model's labels cannot be told.

    Examples:
        >>> judge = CrossEncoderJudge("cross-encoder/nli-deberta-v3-base")  # doctest: +SKIP
        >>> Engine(index, judge=judge)                             # doctest: +SKIP
    """

    def __init__(
        self,
        model: CrossEncoder | str | Path,
        *,
        labels: Sequence[str] | None = None,
        device: str | None = None,
        batch_size: int = 32,
    ) -> None:
        check_count("batch_size", batch_size)
        given = check_labels(labels)
        is_loaded = not isinstance(model, str | Path)
        if is_loaded and not (hasattr(model, "predict") and hasattr(model, "num_labels")):
            raise ConfigurationError(
                f"model is a CrossEncoder, a folder or a hub name, not {shown(model)}"
            )
        if is_loaded and device is not None:
            raise ConfigurationError("device= is for a folder or hub name; load the model there")
        self._arguments = {
            "model": model if is_loaded else str(model),
            "labels": None if given is None else list(given),
            "device": device,
            "batch_size": batch_size,
        }
        self._is_loaded = is_loaded
        self._model: Any = _load(str(model), device) if isinstance(model, str | Path) else model
        self._lock = Lock()
        config = getattr(self._model, "config", None)
        names = getattr(config, "id2label", None) or {}
        # before version 6 of sentence-transformers it was called max_length
        name = "max_seq_length" if hasattr(self._model, "max_seq_length") else "max_length"
        own = getattr(self._model, name, None)
        limits = (own, getattr(config, "max_position_embeddings", None))
        self._use(
            read_labels(given, names, int(self._model.num_labels)),
            int(min((limit for limit in limits if limit), default=_MAX_TOKENS)),
        )

    def describe(self) -> dict[str, Any]:
        if self._is_loaded:
            refuse_to_describe(self, "a loaded model as model", "Pass a folder or a hub name.")
        return super().describe()

    def __repr__(self) -> str:
        model = self._arguments["model"]
        return f"CrossEncoderJudge({type(model).__name__ if self._is_loaded else repr(model)})"

    def _logits(self, pairs: Sequence[TextPair], purpose: str) -> Logits:  # noqa: ARG002
        from torch.nn import Identity

        with self._lock:
            # a sigmoid would round the differences between good passages away
            read = self._model.predict(
                list(pairs),
                batch_size=self._arguments["batch_size"],
                activation_fn=Identity(),
                show_progress_bar=False,
            )
        return np.asarray(read, dtype=np.float64).reshape(len(pairs), -1)


def _load(name_or_path: str, device: str | None) -> CrossEncoder:
    model: CrossEncoder = load_model("CrossEncoder", name_or_path, device)
    classes = getattr(model.config, "architectures", None) or ()
    # sentence-transformers puts a head of random weights on a model without one
    modules = len(model) if hasattr(model, "__len__") else 1
    if modules == 1 and not any(name.endswith("ForSequenceClassification") for name in classes):
        raise EncoderError(
            f"{name_or_path!r} has no trained classification head ({', '.join(classes)}); it is no"
            " cross-encoder. Give a reranker or an NLI model."
        )
    return model
