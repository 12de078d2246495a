"""A judge from a folder with an exported cross-encoder, on ONNX Runtime and without PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel
from tokenizers import Encoding

from logic_retrievers.checks import check_count, check_type
from logic_retrievers.encoders.manifest import parse_description, read_model_file
from logic_retrievers.encoders.onnx import MAX_THREADS
from logic_retrievers.encoders.sessions import CPU, Graph, Provider, count_workers, shared_threads
from logic_retrievers.encoders.tokenization import SharedTokenizer
from logic_retrievers.errors import BundleError, BundleNotFoundError
from logic_retrievers.files import is_file, is_folder
from logic_retrievers.judging.judge import TextPair
from logic_retrievers.judging.labels import CrossEncoderBase, Logits, check_labels, read_labels

T = TypeVar("T")

_GRAPHS = ("model.onnx", "onnx/model.onnx")
# read by a model that sets no limit
_MAX_TOKENS = 512
# some models (RoBERTa, MPNet) count positions from 2, and their configuration does not say so
_FIRST_POSITION = 2


class _Config(BaseModel):
    id2label: Mapping[int, str] = {}
    max_position_embeddings: float | None = None


class _TokenizerConfig(BaseModel):
    model_max_length: float | None = None  # 1e30 means no limit


class OnnxJudge(CrossEncoderBase):
    """Asks an exported cross-encoder: an NLI model, or a reranker with one score.

    It gives the answers of a :class:`CrossEncoderJudge` for the same model. Each pair is read alone
    on one core, so its answer does not depend on the other pairs.

    Args:
        folder: holds ``model.onnx`` (or ``onnx/model.onnx``) with all weights inside,
            ``tokenizer.json``, ``config.json``, and perhaps ``tokenizer_config.json``.
        providers: see :class:`logic_retrievers.encoders.OnnxEncoder`.
        threads: number of cores; None uses all.
        labels: meanings of three logits, in their order; None reads ``config.json``.

    Raises:
        BundleError: a file is missing or damaged, or the graph is no cross-encoder.
        ConfigurationError: the meaning of the model's labels cannot be told.
        ProviderError: a provider is not available or did not load.

    Examples:
        >>> judge = OnnxJudge("exported/nli-deberta-v3-base")      # doctest: +SKIP
        >>> ContradictionFilter(judge=judge)                       # doctest: +SKIP
    """

    def __init__(
        self,
        folder: str | Path,
        *,
        providers: Sequence[Provider] | None = None,
        threads: int | None = None,
        labels: Sequence[str] | None = None,
    ) -> None:
        check_type("folder", folder, str, Path)
        check_type("providers", providers, list, tuple, type(None))
        check_count("threads", 1 if threads is None else threads, MAX_THREADS)
        given = check_labels(labels)
        self._arguments = {
            "folder": str(folder),
            "providers": None if providers is None else list(providers),
            "threads": threads,
            "labels": None if given is None else list(given),
        }
        # JSON has no tuples
        used = [tuple(p) if isinstance(p, list) else p for p in providers or [CPU]]
        place = Path(folder)
        if not is_folder(place):
            raise BundleNotFoundError(
                f"There is no folder {str(place)!r}. Export a cross-encoder into it; docs/judges.md"
                " shows how."
            )
        config = _parsed(_Config, place, "config.json")
        self._tokenizer = SharedTokenizer(_read(place, "tokenizer.json"))
        self._max_tokens = _max_tokens(place, config)
        name = next((name for name in _GRAPHS if is_file(place / name)), None)
        if name is None:
            raise BundleError(
                f"{str(place)!r} has no {_GRAPHS[0]}. CrossEncoderJudge opens a folder of"
                " sentence-transformers; docs/judges.md shows how to export it."
            )
        self._graph = Graph(_read(place, name), name, used, threads=1)
        self._workers = count_workers(used, threads)
        try:
            count = self._row(self._encoded([("a", "b")])[0]).shape[0]
        except Exception as error:
            raise BundleError(f"{str(place / name)!r} does not run: {error}") from error
        self._use(read_labels(given, config.id2label, count), self._max_tokens)

    def __repr__(self) -> str:
        return f"OnnxJudge({self._arguments['folder']!r})"

    def _logits(self, pairs: Sequence[TextPair], purpose: str) -> Logits:
        pool = shared_threads(self._workers, purpose)
        return np.stack(list(pool.map(self._row, self._encoded(pairs))))

    def _encoded(self, pairs: Sequence[TextPair]) -> list[Encoding]:
        return self._tokenizer.pair_encodings(pairs, self._max_tokens)

    def _row(self, encoding: Encoding) -> npt.NDArray[np.float64]:
        """Return the logits of one pair, shape (labels,)."""
        ids = np.array([encoding.ids], dtype=np.int64)
        feed = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.array([encoding.type_ids], dtype=np.int64),
        }
        logits = self._graph.run(None, feed)[0]
        if np.ndim(logits) != 2 or len(logits) != 1:
            raise BundleError(
                f"its first output has the shape {np.shape(logits)}, not (1, labels). Export the"
                " model for sequence classification."
            )
        return np.asarray(logits[0], dtype=np.float64)


def _max_tokens(folder: Path, config: _Config) -> int:
    """Return how many tokens of a pair the model reads, special tokens included."""
    positions, limit = config.max_position_embeddings, None
    if is_file(folder / "tokenizer_config.json"):
        limit = _parsed(_TokenizerConfig, folder, "tokenizer_config.json").model_max_length
    if limit is None and positions is not None:
        positions -= _FIRST_POSITION
    return max(1, int(min((n for n in (limit, positions) if n is not None), default=_MAX_TOKENS)))


def _read(folder: Path, name: str) -> bytes:
    return read_model_file(folder, name, "exported model", "Export it again.")


def _parsed(kind: type[T], folder: Path, name: str) -> T:
    try:
        return parse_description(kind, _read(folder, name))
    except ValueError as error:
        raise BundleError(f"{folder / name}: {error}") from error
