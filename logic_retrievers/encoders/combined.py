"""Several encoders as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeAlias

from logic_retrievers.encoders import default_encoder
from logic_retrievers.encoders.base import Encoder, Vectors, VectorSpec, check_names
from logic_retrievers.encoders.manifest import Role
from logic_retrievers.encoders.query_encoder import QueryEncoderSource, read_query_encoder
from logic_retrievers.encoders.swapping import with_query_encoder
from logic_retrievers.errors import ConfigurationError

COMPATIBILITY = "compatibility"

Part: TypeAlias = Encoder | tuple[Encoder, Mapping[str, str]]
"""An encoder with all its vectors, or with some of them: its name for a vector -> the new name."""


class CombinedEncoder:
    """One encoder that makes the vectors of several.

        CombinedEncoder(
            [
                SentenceTransformerEncoder("my-model", name="topical"),
                (OnnxEncoder(), {"compatibility": "compatibility"}),
            ]
        )

    Args:
        parts: encoders whose names differ, or pairs of an encoder and the new names of those of its
            vectors that are wanted. Encoders that read texts of different lengths may be combined.

    Raises:
        ConfigurationError: no part, a name that comes twice, or one that an encoder has not.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._parts = tuple(parts)
        self._sources: dict[str, tuple[Encoder, str]] = {}
        specs: dict[str, VectorSpec] = {}
        for part in parts:
            encoder, names = part if isinstance(part, tuple) else (part, {n: n for n in part.specs})
            for theirs in check_names(list(names), encoder.specs):
                ours = names[theirs]
                if ours in specs:
                    raise ConfigurationError(
                        f"Two parts make the vector {ours!r}. Rename one: (encoder, "
                        f"{{{theirs!r}: 'another name'}}), or leave it out."
                    )
                self._sources[ours] = (encoder, theirs)
                specs[ours] = replace(encoder.specs[theirs], name=ours)
        if not specs:
            raise ConfigurationError("CombinedEncoder needs at least one encoder with a vector.")
        self._specs = MappingProxyType(specs)

    @property
    def specs(self) -> Mapping[str, VectorSpec]:
        """All named vectors, under their new names."""
        return self._specs

    def encode_queries(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Vectors of queries; each encoder is called once."""
        return self._encode("query", texts, names)

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Vectors of documents; each encoder is called once."""
        return self._encode("document", texts, names)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Tokens of the encoder that the text fills most.

        A window that fits the smallest ``max_tokens`` of all vectors in these tokens fits the other
        encoders too, as far as their tokens are spread alike over the text.
        """
        candidates = {
            id(encoder): (encoder.token_spans(text), encoder.specs[theirs].max_tokens)
            for encoder, theirs in self._sources.values()
        }
        return max(candidates.values(), key=lambda found: (len(found[0]) / found[1], -found[1]))[0]

    def with_query_encoder(
        self, source: QueryEncoderSource | None, head: str | None = None
    ) -> CombinedEncoder:
        """The same parts, the one that makes the vector ``head`` with another query side.

        Args:
            source: the file; None for the parts' own query sides again.
            head: under its new name. With a file: the vector of the documents that it was made
                for, by default. With None: all vectors, by default.

        Raises:
            QueryEncoderError: the file is missing, damaged, or for other documents.
            ConfigurationError: the part reads queries in a way of its own, or there is no such
                vector.
        """
        if source is not None:
            source = read_query_encoder(source)
            head = source.head_among(self._specs, head)
        if head is not None:
            check_names([head], self._specs)
        wanted, theirs = (None, None) if head is None else self._sources[head]
        swapped = {
            id(encoder): with_query_encoder(encoder, source, theirs)
            for encoder, _ in self._sources.values()
            if wanted is None or encoder is wanted
        }
        return CombinedEncoder(
            [
                (swapped.get(id(part[0]), part[0]), part[1])
                if isinstance(part, tuple)
                else swapped.get(id(part), part)
                for part in self._parts
            ]
        )

    def __reduce__(self) -> tuple[Any, ...]:
        """For another process: the parts, which must allow it too."""
        return CombinedEncoder, (self._parts,)

    def _encode(
        self, role: Role, texts: Sequence[str], names: Sequence[str] | None
    ) -> dict[str, Vectors]:
        wanted = check_names(names, self._specs)
        found: dict[str, Vectors] = {}
        for name in wanted:
            if name in found:
                continue
            encoder = self._sources[name][0]
            theirs = {n: source for n, (e, source) in self._sources.items() if e is encoder}
            together = {n: theirs[n] for n in wanted if n in theirs}
            encode = encoder.encode_queries if role == "query" else encoder.encode_documents
            vectors = encode(texts, list(dict.fromkeys(together.values())))
            found |= {n: vectors[source] for n, source in together.items()}
        return {name: found[name] for name in wanted}


def with_compatibility(part: Part) -> Encoder:
    """An encoder's topical vectors with compatibility vectors beside them.

    Args:
        part: what makes the topical ones. Where its encoder makes compatibility vectors too, those
            are taken; else those of the bundle that comes with the package.
    """
    encoder, names = part if isinstance(part, tuple) else (part, {n: n for n in part.specs})
    if COMPATIBILITY in names.values():
        return CombinedEncoder([part])
    source = encoder if COMPATIBILITY in encoder.specs else default_encoder()
    return CombinedEncoder([part, (source, {COMPATIBILITY: COMPATIBILITY})])
