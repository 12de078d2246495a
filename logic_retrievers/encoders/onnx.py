"""The encoder that runs a bundle in ONNX Runtime."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from logic_retrievers.encoders.base import (
    Role,
    RoleEncoder,
    Vectors,
    VectorSpec,
    check_names,
    clean_texts,
    warn_about_long_texts,
)
from logic_retrievers.encoders.bundle import Bundle, load_bundle
from logic_retrievers.encoders.manifest import HIDDEN, ROLES, Pooling, Side
from logic_retrievers.encoders.query_encoder import QueryEncoder, QueryEncoderSource
from logic_retrievers.encoders.sessions import CPU, Graphs, Provider, RunGraph
from logic_retrievers.encoders.tokenization import SharedTokenizer, pad, split_uneven, token_batches
from logic_retrievers.errors import (
    BundleError,
    EncoderError,
    LogicRetrieversError,
    QueryEncoderError,
)
from logic_retrievers.settings import check_count, check_type

_Rows: TypeAlias = npt.NDArray[np.intp]

# Number of texts that are tokenized and sorted together; bounds the memory of waiting tokens.
_WINDOW = 1024

# Fewer texts than this are the parts of one query that a user waits for: a Boolean query has up to
# 32, and some are so much longer than others that padding would triple the work.
_MAX_TEXTS_OF_A_SEARCH = 48


@dataclass(frozen=True, slots=True)
class _VectorSource:
    """How texts become the vectors of a head and a role."""

    side: Side
    pooling: Pooling
    normalise: bool


MAX_THREADS = 1024  # ONNX Runtime starts any number, and the machine stops


class OnnxEncoder(RoleEncoder):
    """Named vectors from a bundle, on ONNX Runtime.

    The default bundle computes in float32, so that a text's vector does not depend on the rest of
    its batch (up to 1e-6). Heads that read the same output of the same graph share one run and one
    array; therefore arrays are read-only. Safe to call from several threads.

    Args:
        bundle: a bundle or its folder; None means the one that comes with the package.
        providers: ONNX Runtime's execution providers in order of preference, with their options if
            needed; None means the CPU. All of them must load.
        threads: number of cores; None uses all. A single batch runs on all of them. Several batches
            run on one core each, with a second copy of the weights in memory.
        batch_size: most texts of a batch.
        batch_tokens: most tokens of a batch, padding included. Small batches stay in the
            processor's cache; a GPU needs more (65,536), and a larger ``batch_size`` with it.

    Raises:
        BundleError: the bundle is missing, damaged or inconsistent (see :func:`load_bundle`).
        ProviderError: a provider is not available or did not load.
        ConfigurationError: a setting below 1.

    Examples:
        >>> encoder = OnnxEncoder()
        >>> encoder.encode_queries(["a quiet hotel"], ["topical"])["topical"].shape
        (1, 384)
    """

    def __init__(
        self,
        bundle: Bundle | str | Path | None = None,
        *,
        providers: Sequence[Provider] | None = None,
        threads: int | None = None,
        batch_size: int = 32,
        batch_tokens: int = 512,
    ) -> None:
        check_count("batch_size", batch_size)
        check_count("batch_tokens", batch_tokens)
        check_count("threads", 1 if threads is None else threads, MAX_THREADS)
        check_type("bundle", bundle, Bundle, str, Path, type(None))
        check_type("providers", providers, list, tuple, type(None))
        self._settings: dict[str, Any] = {
            "providers": providers,
            "threads": threads,
            "batch_size": batch_size,
            "batch_tokens": batch_tokens,
        }
        self._batch_size, self._batch_tokens = batch_size, batch_tokens
        if not isinstance(bundle, Bundle):
            bundle = load_bundle(bundle)
        self._tokenizer = SharedTokenizer(bundle.read(bundle.manifest.tokenizer))
        self._use_bundle(bundle, Graphs({}, providers or [CPU], threads))

    def _use_bundle(self, bundle: Bundle, open_graphs: Graphs) -> None:
        """Open the graphs that are not open already, and check every head."""
        self.bundle = bundle
        heads = bundle.manifest.heads
        sides = [head.side(role) for head in heads.values() for role in ROLES]
        files = dict.fromkeys(name for side in sides for name in side.graphs)
        self._graphs = open_graphs.reopen(files, bundle.read)
        self._sources = {
            (name, role): _VectorSource(head.side(role), head.pooling, head.normalise)
            for name, head in heads.items()
            for role in ROLES
        }
        distinct = {
            (source, heads[name].dimension): (name, role)
            for (name, role), source in self._sources.items()
        }
        for name, role in distinct.values():
            self._check_head(name, role)
        self._specs = MappingProxyType(bundle.manifest.vector_specs())

    def with_query_encoder(
        self, source: QueryEncoderSource | None, head: str | None = None
    ) -> OnnxEncoder:
        """An encoder of the same documents that encodes queries with another file.

        The new encoder shares open graphs with this one, which stays usable. The file's reference
        texts are encoded and compared with the vectors that the file holds. For the arguments see
        :meth:`Bundle.with_query_encoder`.

        Raises:
            QueryEncoderError: the file is missing, damaged, for other documents, or computes
                something else on this machine.
        """
        encoder = object.__new__(type(self))  # `copy` would open it anew, by __reduce__
        encoder.__dict__.update(self.__dict__)
        encoder._use_bundle(self.bundle.with_query_encoder(source, head), self._graphs)
        for name, new in encoder.bundle.query_encoders.items():
            if self.bundle.query_encoders.get(name) is not new:
                texts = new.card.texts  # some are too long on purpose
                try:
                    vectors = encoder._encode("query", texts, [name], warn_if_truncated=False)
                except LogicRetrieversError as error:
                    raise QueryEncoderError(
                        f"The reference texts of {new.source!r} cannot be encoded: {error}"
                    ) from error
                new.check_vectors(vectors[name])
        return encoder

    @property
    def specs(self) -> Mapping[str, VectorSpec]:
        return self._specs

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return self._tokenizer.spans(text)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle folder and settings, and query encoders whole: their files may be replaced."""
        return partial(_reopen, self.bundle.path, self.bundle.query_encoders, **self._settings), ()

    def _encode(
        self,
        role: Role,
        texts: Sequence[str],
        names: Sequence[str] | None,
        *,
        warn_if_truncated: bool = True,
    ) -> dict[str, Vectors]:
        texts = clean_texts(texts)
        sources = {name: self._sources[name, role] for name in check_names(names, self._specs)}
        vectors = {
            source: np.empty((len(texts), self._specs[name].dimension), dtype=np.float32)
            for name, source in sources.items()
        }
        by_tokens: dict[tuple[str, int], list[_VectorSource]] = {}
        for source in vectors:
            by_tokens.setdefault((source.side.prefix, source.side.max_tokens), []).append(source)
        for (prefix, max_tokens), wanted in by_tokens.items():
            truncated = 0
            for start in range(0, len(texts), _WINDOW):
                window = texts[start : start + _WINDOW]
                ids, longer = self._tokenizer.encode(window, prefix, max_tokens)
                truncated += longer
                for rows, arrays in self._run(ids, wanted):
                    for source, array in zip(wanted, arrays, strict=True):
                        shape = (len(rows), vectors[source].shape[1])
                        if array.shape != shape or not np.isfinite(array).all():
                            raise EncoderError(
                                f"{source.side.graph!r} makes vectors of shape {array.shape} where "
                                f"{shape} is expected, or not of finite numbers. Get it again."
                            )
                        vectors[source][start + rows] = array
            if truncated and warn_if_truncated:
                warn_about_long_texts(truncated, len(texts), max_tokens)
        for array in vectors.values():
            array.setflags(write=False)
        return {name: vectors[source] for name, source in sources.items()}

    def _run(
        self, ids: Sequence[Sequence[int]], wanted: Sequence[_VectorSource]
    ) -> Iterable[tuple[_Rows, list[Vectors]]]:
        """Yield for each batch the indices of its texts, and their vectors for each source."""
        outputs: dict[tuple[str | None, str], dict[str, None]] = {}
        for side in (source.side for source in wanted):
            outputs.setdefault((side.trunk, side.graph), {})[side.output] = None

        def encode(run: RunGraph, rows: _Rows) -> tuple[_Rows, list[Vectors]]:
            batch, mask = pad([ids[row] for row in rows], self._tokenizer.pad_id)
            feed = {
                "input_ids": batch,
                "attention_mask": mask,
                "token_type_ids": np.zeros_like(batch),
            }
            hidden = {
                trunk: run(trunk, [HIDDEN], feed)[0]
                for trunk in dict.fromkeys(trunk for trunk, _ in outputs)
                if trunk is not None
            }
            arrays: dict[tuple[str | None, str, str], npt.NDArray[np.float32]] = {}
            for (trunk, graph), names in outputs.items():
                graph_feed = feed if trunk is None else {**feed, HIDDEN: hidden[trunk]}
                for name, array in zip(names, run(graph, list(names), graph_feed), strict=True):
                    arrays[trunk, graph, name] = array
            return rows, [
                _pool(
                    arrays[s.side.trunk, s.side.graph, s.side.output], mask, s.pooling, s.normalise
                )
                for s in wanted
            ]

        lengths = [len(row) for row in ids]
        batches = list(token_batches(lengths, self._batch_size, self._batch_tokens))
        if len(ids) <= _MAX_TEXTS_OF_A_SEARCH:
            parts = [part for batch in batches for part in split_uneven(lengths, batch)]
            return (encode(self._graphs.run, part) for part in parts)
        return self._graphs.map_batches(encode, batches)

    def _check_head(self, name: str, role: Role) -> None:
        """Encode one short text, so that a graph that differs from the manifest fails now."""
        head = self.bundle.manifest.heads[name]
        side = head.side(role)
        replaced = self.bundle.query_encoders.get(name) if role == "query" else None
        place = replaced.source if replaced else self.bundle.path
        where = f"{place}: head {name!r}, {role} side"
        for graph, output in zip(reversed(side.graphs), (side.output, HIDDEN), strict=False):
            if output not in (outputs := self._graphs.outputs(graph)):
                raise BundleError(
                    f"{where}: {graph!r} has no output {output!r}, only {', '.join(outputs)}. "
                    "Correct the manifest."
                )
        if self._graphs.reads_tokens(side.graph) != (side.trunk is None):
            raise BundleError(
                f"{where}: {side.graph!r} reads {HIDDEN!r} exactly where a trunk is named. Correct "
                "the manifest."
            )
        try:
            ids, _ = self._tokenizer.encode(["a b"], side.prefix, side.max_tokens)
            ((_, (vector,)),) = self._run(ids, [self._sources[name, role]])
        except Exception as error:
            raise BundleError(f"{where}: the graph does not run: {error}") from error
        if vector.shape != (1, head.dimension):
            raise BundleError(
                f"{where}: the graph makes vectors of shape {vector.shape[1:]}, the manifest says "
                f"{head.dimension}. Correct the manifest or export again."
            )
        if not abs(float(np.linalg.norm(vector)) - 1) < 1e-3:
            raise BundleError(
                f"{where}: vectors do not have length 1. Set 'normalise' in the manifest."
            )


def _reopen(path: Path, query_encoders: Mapping[str, QueryEncoder], **settings: Any) -> OnnxEncoder:
    bundle = load_bundle(path)
    for head, query_encoder in query_encoders.items():
        bundle = bundle.with_query_encoder(query_encoder, head)
    return OnnxEncoder(bundle, **settings)


def _pool(
    output: npt.NDArray[Any], mask: npt.NDArray[np.int64], pooling: Pooling, normalise: bool
) -> Vectors:
    """One float32 vector per text, shape (texts, dimension).

    ``output`` has shape (texts, dimension) for ``in_graph``, (texts, tokens, dimension) otherwise;
    ``mask`` (texts, tokens), 1 for tokens, 0 for padding.
    """
    values = output.astype(np.float32, copy=False)
    if pooling == "mean":
        weights = mask.astype(np.float32)
        values = np.einsum("btd,bt->bd", values, weights) / weights.sum(axis=1, keepdims=True)
    elif pooling == "cls":
        values = values[:, 0]
    if normalise:
        values = values / np.maximum(np.linalg.norm(values, axis=1, keepdims=True), 1e-12)
    return values
