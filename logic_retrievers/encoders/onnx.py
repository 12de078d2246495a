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

from logic_retrievers.encoders.base import Vectors, VectorSpec, check_names
from logic_retrievers.encoders.batches import pad, split_uneven, token_batches
from logic_retrievers.encoders.bundle import Bundle, load_bundle
from logic_retrievers.encoders.manifest import HIDDEN, ROLES, Head, Pooling, Role, Side
from logic_retrievers.encoders.pooling import pool
from logic_retrievers.encoders.query_encoder import QueryEncoder, QueryEncoderSource
from logic_retrievers.encoders.query_sides import specs_of
from logic_retrievers.encoders.sessions import CPU, Graphs, Provider, Run
from logic_retrievers.encoders.texts import check_texts, warn_about_long_texts
from logic_retrievers.encoders.tokens import SharedTokenizer
from logic_retrievers.errors import BundleError, ConfigurationError

_Rows: TypeAlias = npt.NDArray[np.intp]

_WINDOW = 1024
"""Texts that are tokenized and sorted together; bounds the memory that waiting tokens take."""

_FEW = 48
"""Texts of a search, at most: the parts of a query, for which somebody waits. A Boolean query has
up to 32, and phrases of several, which are so much longer that padding costs three times the work.
"""


@dataclass(frozen=True, slots=True)
class _Reading:
    """How a text becomes tokens."""

    prefix: str
    max_tokens: int


@dataclass(frozen=True, slots=True)
class _Product:
    """What one array depends on besides the texts."""

    reading: _Reading
    trunk: str | None
    graph: str
    output: str
    pooling: Pooling
    normalise: bool


class OnnxEncoder:
    """Named vectors from a bundle, on ONNX Runtime.

    The default bundle computes in float32, so a text's vector does not depend on the texts beside
    it (up to 1e-6). Heads that read the same output of the same graph share one run and one array;
    arrays are read-only for that reason. Safe to call from several threads.

    Args:
        bundle: a bundle or its folder; the one that comes with the package where None.
        providers: ONNX Runtime's execution providers, most wanted first, with their options if need
            be; the CPU where None. All of them must load.
        threads: how many cores to use; all of them where None. A single batch runs on all of them,
            of many batches each runs on one, from a second copy of the weights in memory.
        batch_size: most texts of a batch.
        batch_tokens: most tokens of a batch, padding counted. Small batches stay in the processor's
            cache; a GPU wants more (65,536), and a larger ``batch_size`` with it.

    Raises:
        BundleError: the bundle is missing, damaged or inconsistent (see :func:`load_bundle`).
        ProviderError: a provider is not there or did not load.
        ConfigurationError: a setting below 1.
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
        if min(batch_size, batch_tokens, 1 if threads is None else threads) < 1:
            raise ConfigurationError(
                f"batch_size={batch_size}, batch_tokens={batch_tokens}, threads={threads}: "
                "each must be at least 1."
            )
        self._settings: dict[str, Any] = {
            "providers": providers,
            "threads": threads,
            "batch_size": batch_size,
            "batch_tokens": batch_tokens,
        }
        self._batch_size, self._batch_tokens = batch_size, batch_tokens
        opened = bundle if isinstance(bundle, Bundle) else load_bundle(bundle)
        self._tokenizer = SharedTokenizer(opened.read(opened.manifest.tokenizer))
        self._open(opened, Graphs({}, providers or [CPU], threads))

    def _open(self, bundle: Bundle, known: Graphs) -> None:
        """Takes a bundle in use, and of the graphs that are open those that it has too."""
        self.bundle = bundle
        manifest = bundle.manifest
        sides = [side for head in manifest.heads.values() for side in (head.query, head.document)]
        files = dict.fromkeys(name for side in sides for name in side.graphs)
        self._graphs = known.changed(files, bundle.read)
        tried = {
            (_product(head, head.side(role)), head.dimension): (name, role)
            for name, head in manifest.heads.items()
            for role in ROLES
        }
        for name, role in tried.values():
            self._try_out(name, role)
        self._specs = MappingProxyType(specs_of(manifest))

    def with_query_encoder(
        self, source: QueryEncoderSource | None, head: str | None = None
    ) -> OnnxEncoder:
        """An encoder of the same documents that reads queries with another file.

        It shares the graphs that both have with this one, which stays as it is and in use. What the
        file's own reference texts become here is compared with what they should.

        Args:
            source: as of :meth:`Bundle.with_query_encoder`.
            head: likewise.

        Raises:
            QueryEncoderError: the file is missing, damaged, for other documents, or computes
                something else here.
        """
        made = object.__new__(type(self))  # `copy` would make it anew, as for another process
        made.__dict__.update(self.__dict__)
        made._open(self.bundle.with_query_encoder(source, head), self._graphs)
        for name, one in made.bundle.query_encoders.items():
            if self.bundle.query_encoders.get(name) is not one:
                texts = one.card.texts  # of which some are there to be cut
                one.check_vectors(made._encode("query", texts, [name], warns=False)[name])
        return made

    @property
    def specs(self) -> Mapping[str, VectorSpec]:
        """The named vectors of the bundle."""
        return self._specs

    def encode_queries(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Vectors of queries, one read-only array (texts, dimension) a name.

        A text longer than the encoder reads is represented by its beginning, with one
        :class:`LongTextWarning` a call. Lone surrogates count as U+FFFD.

        Raises:
            EmptyTextError: a text with nothing to read.
            InputError: not a sequence of strings.
            ConfigurationError: a name that the bundle has not.
        """
        return self._encode("query", texts, names)

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Vectors of documents; otherwise as :meth:`encode_queries`."""
        return self._encode("document", texts, names)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Character span of every token, special ones left out, never cut."""
        return self._tokenizer.spans(text)

    def __reduce__(self) -> tuple[Any, ...]:
        """For another process: the bundle's folder and the settings, to be opened anew there.

        Query encoders come along whole, so that a file that was replaced since is not read there.
        """
        return partial(_opened, self.bundle.path, self.bundle.query_encoders, **self._settings), ()

    def _encode(
        self, role: Role, texts: Sequence[str], names: Sequence[str] | None, *, warns: bool = True
    ) -> dict[str, Vectors]:
        checked = check_texts(texts)
        heads = self.bundle.manifest.heads
        products = {
            name: _product(heads[name], heads[name].side(role))
            for name in check_names(names, self._specs)
        }
        vectors = {
            product: np.empty((len(checked), heads[name].dimension), dtype=np.float32)
            for name, product in products.items()
        }
        for reading in dict.fromkeys(product.reading for product in products.values()):
            wanted = [product for product in vectors if product.reading == reading]
            cut = 0
            for start in range(0, len(checked), _WINDOW):
                window = checked[start : start + _WINDOW]
                tokens = self._tokenizer.encode(window, reading.prefix, reading.max_tokens)
                cut += tokens.cut
                for rows, arrays in self._run(tokens.ids, wanted):
                    for product, array in zip(wanted, arrays, strict=True):
                        vectors[product][start + rows] = array
            if cut and warns:
                warn_about_long_texts(cut, len(checked), reading.max_tokens)
        for array in vectors.values():
            array.setflags(write=False)
        return {name: vectors[product] for name, product in products.items()}

    def _run(
        self, ids: Sequence[Sequence[int]], wanted: Sequence[_Product]
    ) -> Iterable[tuple[_Rows, list[Vectors]]]:
        """Batch by batch: which texts, and their vectors for each product wanted."""
        outputs: dict[tuple[str | None, str], list[str]] = {}
        for product in wanted:
            names = outputs.setdefault((product.trunk, product.graph), [])
            if product.output not in names:
                names.append(product.output)

        def encode(run: Run, rows: _Rows) -> tuple[_Rows, list[Vectors]]:
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
            found: dict[tuple[str | None, str, str], npt.NDArray[np.float32]] = {}
            for (trunk, graph), names in outputs.items():
                above = feed if trunk is None else {**feed, HIDDEN: hidden[trunk]}
                for name, array in zip(names, run(graph, names, above), strict=True):
                    found[trunk, graph, name] = array
            return rows, [
                pool(found[p.trunk, p.graph, p.output], mask, p.pooling, p.normalise)
                for p in wanted
            ]

        lengths = [len(row) for row in ids]
        batches = list(token_batches(lengths, self._batch_size, self._batch_tokens))
        if len(ids) <= _FEW:
            parts = [part for batch in batches for part in split_uneven(lengths, batch)]
            return self._graphs.in_turn(encode, parts)
        return self._graphs.each(encode, batches)

    def _try_out(self, name: str, role: Role) -> None:
        """Encodes one short text, so that a graph that is not what the manifest says fails here."""
        head = self.bundle.manifest.heads[name]
        side, product = head.side(role), _product(head, head.side(role))
        where = f"{self.bundle.place(name, role)}: head {name!r}, {role} side"
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
            tokens = self._tokenizer.encode(["a b"], side.prefix, side.max_tokens)
            ((_, (vector,)),) = self._run(tokens.ids, [product])
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


def _opened(path: Path, query_encoders: Mapping[str, QueryEncoder], **settings: Any) -> OnnxEncoder:
    bundle = load_bundle(path)
    for head, one in query_encoders.items():
        bundle = bundle.with_query_encoder(one, head)
    return OnnxEncoder(bundle, **settings)


def _product(head: Head, side: Side) -> _Product:
    reading = _Reading(side.prefix, side.max_tokens)
    return _Product(reading, side.trunk, side.graph, side.output, head.pooling, head.normalise)
