"""Run a bundle in ONNX Runtime, and compare its vectors with the original model's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from logic_retrievers.checks import check_choice, check_count, check_type
from logic_retrievers.encoders.base import (
    Precision,
    Role,
    RoleEncoder,
    Vectors,
    VectorSpec,
    check_names,
    clean_texts,
    warn_about_long_texts,
)
from logic_retrievers.encoders.bundle import Bundle, load_bundle
from logic_retrievers.encoders.int8 import quantise_graph, require_int8
from logic_retrievers.encoders.manifest import HIDDEN, ROLES, Pooling, Side
from logic_retrievers.encoders.query_encoder import (
    QueryEncoder,
    QueryEncoderSource,
    read_query_encoder,
)
from logic_retrievers.encoders.sessions import CPU, Graph, Provider, count_workers, open_graph
from logic_retrievers.encoders.tokenization import SharedTokenizer, pad, split_uneven, token_batches
from logic_retrievers.errors import (
    BundleError,
    EncoderError,
    LogicRetrieversError,
    QueryEncoderError,
)

_Rows: TypeAlias = npt.NDArray[np.intp]
# files of graphs that run one after the other
_Graphs: TypeAlias = tuple[str, ...]

# Number of texts tokenized and sorted at a time; bounds the memory of waiting tokens.
_WINDOW = 1024

# Up to this many texts count as the parts of one query (a Boolean query has up to 32), for which a
# user waits. Such batches are split by length, because padding could triple the work.
_MAX_TEXTS_OF_A_SEARCH = 48


class _VectorSource(NamedTuple):
    """Says how texts become the vectors of a head and a role."""

    side: Side
    pooling: Pooling
    normalise: bool


# minimum cosine of an int8 vector to the original model's
INT8_COSINE = 0.98
MAX_THREADS = 1024  # ONNX Runtime has no limit and can freeze the machine


class OnnxEncoder(RoleEncoder):
    """Makes the named vectors of a bundle, on ONNX Runtime.

    The default bundle computes in float32, so a text's vector does not depend on the rest of the
    batch (up to 1e-6). Heads that read the same output of the same graph share one run and one
    array, so arrays are read-only. Safe to call from several threads.

    Args:
        bundle: a bundle or its folder; None means the bundle that comes with the package.
        providers: ONNX Runtime's execution providers in order of preference, with their options if
            needed; None means the CPU. All of them must load.
        threads: number of cores; None uses all. A single batch runs on all these cores. Several
            batches run on one core each, with a second copy of the weights in memory.
        batch_size: maximum texts per batch.
        batch_tokens: maximum tokens per batch, padding included. Small batches stay in the
            processor's cache. A GPU needs more (65,536), and a larger ``batch_size``.
        precision: ``int8`` multiplies in int8, which is about twice as fast on the processors that
            have instructions for it and gives slightly different vectors. An index takes passages
            of both. It reads one text at a time. The int8 graphs are made at the first use (extra
            ``int8``) and kept in the user's cache folder.

    Raises:
        BundleError: the bundle is missing, damaged or inconsistent (see :func:`load_bundle`).
        ProviderError: a provider is not available or did not load.
        ConfigurationError: a setting is below 1, or this processor cannot compute in int8.
        MissingExtraError: the int8 graphs are not made yet, and the extra ``int8`` is missing.

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
        precision: Precision = "float32",
    ) -> None:
        check_count("batch_size", batch_size)
        check_count("batch_tokens", batch_tokens)
        check_count("threads", 1 if threads is None else threads, MAX_THREADS)
        check_type("bundle", bundle, Bundle, str, Path, type(None))
        check_type("providers", providers, list, tuple, type(None))
        check_choice("precision", precision, get_args(Precision))
        if precision == "int8":
            require_int8(providers)
            batch_size = 1
        self._settings: dict[str, Any] = {
            "providers": providers,
            "threads": threads,
            "batch_size": batch_size,
            "batch_tokens": batch_tokens,
            "precision": precision,
        }
        if not isinstance(bundle, Bundle):
            bundle = load_bundle(bundle)
        self._tokenizer = SharedTokenizer(bundle.read(bundle.manifest.tokenizer))
        self._graphs: dict[str, Graph] = {}
        self._use_bundle(bundle)

    def _use_bundle(self, bundle: Bundle) -> None:
        """Open graphs that are not open yet, and encode a short text with every head.

        So a graph that differs from the manifest fails now, not after hours of ingestion.
        """
        self.bundle = bundle
        heads, opened = bundle.manifest.heads, self._graphs
        precision: Precision = self._settings["precision"]
        specs = bundle.manifest.vector_specs()
        self.specs: Mapping[str, VectorSpec] = MappingProxyType(
            {name: replace(spec, precision=precision) for name, spec in specs.items()}
        )
        self._sources = {
            (name, role): _VectorSource(head.side(role), head.pooling, head.normalise)
            for name, head in heads.items()
            for role in ROLES
        }
        files = dict.fromkeys(name for s in self._sources.values() for name in s.side.graphs)
        tables = {file for s in self._sources.values() for file in s.side.trunk[:1]}

        def read(file: str) -> bytes:
            content = bundle.read(file)
            is_exact = precision == "float32" or file in tables
            return content if is_exact else quantise_graph(content, file)

        providers, threads = self._settings["providers"] or [CPU], self._settings["threads"]
        # equal names mean equal contents: a query encoder's name contains its checksum
        self._graphs = {
            name: opened.get(name) or open_graph(read(name), name, providers, threads)
            for name in files
        }
        self._workers = count_workers(providers, threads)
        for role in ROLES:
            try:
                vectors = self._encode(role, ["a b"], None, warn_if_truncated=False)
            except Exception as error:
                raise BundleError(
                    f"{bundle.path}: its graphs do not make the {role} vectors of the manifest: "
                    f"{error}"
                ) from error
            for name, vector in vectors.items():
                if not abs(float(np.linalg.norm(vector)) - 1) < 1e-3:
                    raise BundleError(
                        f"{bundle.path}: {role} vectors of the head {name!r} do not have length 1. "
                        "Set 'normalise' in the manifest."
                    )

    def with_query_encoder(
        self, source: QueryEncoderSource | None, head: str | None = None
    ) -> OnnxEncoder:
        """Return an encoder of the same documents that encodes queries with a different file.

        The new encoder shares open graphs with this one, which stays usable. The file's reference
        texts are encoded and compared with the file's reference vectors. So a file that computes
        different vectors on this machine is refused. For arguments and errors see
        :meth:`Bundle.with_query_encoder`.
        """
        new = None if source is None else read_query_encoder(source)
        bundle = self.bundle.with_query_encoder(new, head)
        encoder = object.__new__(type(self))  # `copy` calls __reduce__, which opens graphs again
        encoder.__dict__.update(self.__dict__)
        try:
            encoder._use_bundle(bundle)
            for name, used in bundle.query_encoders.items():
                if used is new:
                    card = used.card
                    cosines = _cosines(encoder, "query", name, card.texts, card.vectors)
                    is_int8 = self._settings["precision"] == "int8"
                    _check_cosine(min(cosines), INT8_COSINE if is_int8 else card.min_cosine)
        except LogicRetrieversError as error:
            place = self.bundle.path if new is None else new.source
            raise QueryEncoderError(f"The query encoder {str(place)!r} fails: {error}") from error
        return encoder

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        return self._tokenizer.spans(text)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the folder's path, but whole query encoders, whose files may be replaced."""
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
        sources = {name: self._sources[name, role] for name in check_names(names, self.specs)}
        vectors = {
            source: np.empty((len(texts), self.specs[name].dimension), dtype=np.float32)
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
    ) -> Iterator[tuple[_Rows, list[Vectors]]]:
        """Yield each batch: indices of its texts, and their vectors for each source."""
        outputs: dict[_Graphs, dict[str, None]] = {}
        for side in (source.side for source in wanted):
            outputs.setdefault(side.graphs, {})[side.output] = None

        def encode(rows: _Rows, *, single_core: bool = False) -> tuple[_Rows, list[Vectors]]:
            batch, mask = pad([ids[row] for row in rows], self._tokenizer.pad_id)
            tokens = {
                "input_ids": batch,
                "attention_mask": mask,
                "token_type_ids": np.zeros_like(batch),
            }
            feeds: dict[_Graphs, dict[str, npt.NDArray[Any]]] = {(): tokens}
            arrays: dict[_Graphs, dict[str, npt.NDArray[Any]]] = {}
            for graphs, names in outputs.items():
                for end, file in enumerate(graphs[:-1], 1):
                    if graphs[:end] not in feeds:
                        below = feeds[graphs[: end - 1]]
                        (hidden,) = self._graphs[file].run(None, below, single_core=single_core)
                        feeds[graphs[:end]] = {**tokens, HIDDEN: hidden}
                graph, feed = self._graphs[graphs[-1]], feeds[graphs[:-1]]
                found = graph.run([*names], feed, single_core=single_core)
                arrays[graphs] = dict(zip(names, found, strict=True))
            return rows, [
                _pool(arrays[side.graphs][side.output], mask, pooling, normalise)
                for side, pooling, normalise in wanted
            ]

        lengths = [len(row) for row in ids]
        limits = self._settings["batch_size"], self._settings["batch_tokens"]
        batches = list(token_batches(lengths, *limits))
        if len(ids) <= _MAX_TEXTS_OF_A_SEARCH:
            yield from (encode(part) for rows in batches for part in split_uneven(lengths, rows))
        elif len(batches) < 2 or self._workers < 2:
            yield from map(encode, batches)
        else:
            with ThreadPoolExecutor(min(self._workers, len(batches))) as pool:
                yield from pool.map(partial(encode, single_core=True), batches)


def _reopen(path: Path, query_encoders: Mapping[str, QueryEncoder], **settings: Any) -> OnnxEncoder:
    bundle = load_bundle(path)
    for head, query_encoder in query_encoders.items():
        bundle = bundle.with_query_encoder(query_encoder, head)
    return OnnxEncoder(bundle, **settings)


def _pool(
    output: npt.NDArray[Any], mask: npt.NDArray[np.int64], pooling: Pooling, normalise: bool
) -> Vectors:
    """Return one float32 vector per text, shape (texts, dimension).

    ``output`` has shape (texts, dimension) for ``in_graph``, (texts, tokens, dimension) otherwise.
    ``mask`` has shape (texts, tokens): 1 for tokens, 0 for padding.
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


def verify_bundle(path: str | Path | None = None) -> Bundle:
    """Load a bundle, encode its reference texts, and compare with the original model's vectors.

    Args:
        path: the folder; None means the default bundle.

    Raises:
        BundleError: :func:`load_bundle` fails, a graph does not load, a dimension differs from the
            manifest, or a vector is too far from its reference.
    """
    bundle = load_bundle(path)
    for head, role, text, cosine in parity_cosines(bundle):
        place = f"{bundle.path}: the {role} vector {head!r} of {text[:40]!r}: "
        _check_cosine(cosine, bundle.manifest.parity.min_cosine, place)
    return bundle


def parity_cosines(bundle: Bundle) -> list[tuple[str, str, str, float]]:
    """Return (head, role, text, cosine to the reference) for every reference vector.

    If a head has a query encoder, that encoder's file holds the references for queries.
    """
    encoder, replaced = OnnxEncoder(bundle), bundle.query_encoders
    references: list[tuple[str, Role, Sequence[str], Sequence[Sequence[float]]]] = [
        (head, role, reference.texts, reference.vectors)
        for reference in bundle.references()
        for role in reference.roles
        for head in reference.heads
        if role == "document" or head not in replaced
    ]
    references += [(h, "query", q.card.texts, q.card.vectors) for h, q in replaced.items()]
    try:
        return [
            (head, role, text, cosine)
            for head, role, texts, vectors in references
            for text, cosine in zip(
                texts, _cosines(encoder, role, head, texts, vectors), strict=True
            )
        ]
    except (LogicRetrieversError, ValueError) as error:  # ValueError: wrong dimension
        raise BundleError(
            f"{bundle.path}: its reference texts cannot be compared: {error}"
        ) from error


def _cosines(
    encoder: OnnxEncoder,
    role: Role,
    head: str,
    texts: Sequence[str],
    references: Sequence[Sequence[float]],
) -> list[float]:
    # some texts are too long on purpose
    vectors = encoder._encode(role, texts, [head], warn_if_truncated=False)[head]
    expected = np.asarray(references, dtype=np.float32)
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    cosines: list[float] = np.einsum("ij,ij->i", vectors, expected).tolist()
    return cosines


def _check_cosine(cosine: float, least: float, place: str = "") -> None:
    if not cosine >= least:
        raise BundleError(
            f"{place}cosine {cosine:.6f} to the original model's vector, below {least}. Either the "
            "file or this ONNX Runtime computes something else: update onnxruntime, or export "
            "again."
        )
