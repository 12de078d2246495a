"""Several encoders as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeAlias

from logic_retrievers.encoders import default_encoder
from logic_retrievers.encoders.base import (
    Encoder,
    Role,
    RoleEncoder,
    Vectors,
    VectorSpec,
    check_names,
    encode,
)
from logic_retrievers.encoders.query_encoder import (
    QueryEncoderSource,
    read_query_encoder,
    with_query_encoder,
)
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.settings import check_type

COMPATIBILITY = "compatibility"

Part: TypeAlias = Encoder | tuple[Encoder, Mapping[str, str]]
"""An encoder with all its vectors, or with some of them: its name for a vector -> the new name."""


class CombinedEncoder(RoleEncoder):
    """One encoder that makes the vectors of several.

        CombinedEncoder(
            [
                SentenceTransformerEncoder("my-model", name="topical"),
                (OnnxEncoder(), {"compatibility": "compatibility"}),
            ]
        )

    Args:
        parts: encoders whose names differ, or pairs of an encoder and the new names of those of its
            vectors that are wanted. Their maximum text lengths may differ.

    Raises:
        ConfigurationError: no part, a name that occurs twice, or one that an encoder does not have.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        check_type("parts", parts, list, tuple)
        self._parts = tuple(parts)
        self._sources: dict[str, tuple[Encoder, str]] = {}
        specs: dict[str, VectorSpec] = {}
        for part in parts:
            encoder, new_names = _split_part(part)
            for name in check_names(list(new_names), encoder.specs):
                new_name = new_names[name]
                if new_name in specs:
                    raise ConfigurationError(
                        f"Two parts make the vector {new_name!r}. Rename one: (encoder, "
                        f"{{{name!r}: 'another name'}}), or leave it out."
                    )
                self._sources[new_name] = (encoder, name)
                specs[new_name] = replace(encoder.specs[name], name=new_name)
        if not specs:
            raise ConfigurationError("CombinedEncoder needs at least one encoder with a vector.")
        self._specs = MappingProxyType(specs)

    @property
    def specs(self) -> Mapping[str, VectorSpec]:
        """All named vectors, under their new names."""
        return self._specs

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Tokens of the encoder whose maximum length the text fills most.

        A window that fits the smallest ``max_tokens`` of all vectors in these tokens fits the other
        encoders too, as far as their tokens are spread alike over the text.
        """
        candidates = {
            id(encoder): (encoder.token_spans(text), encoder.specs[name].max_tokens)
            for encoder, name in self._sources.values()
        }
        spans, _ = max(candidates.values(), key=lambda pair: (len(pair[0]) / pair[1], -pair[1]))
        return spans

    def with_query_encoder(
        self, source: QueryEncoderSource | None, head: str | None = None
    ) -> CombinedEncoder:
        """The same parts; the one that makes the vector ``head`` gets another query side.

        Args:
            source: the file; None for the parts' own query sides again.
            head: under its new name. With a file: the vector of the documents that it was made
                for, by default. With None: all vectors, by default.

        Raises:
            QueryEncoderError: the file is missing, damaged, or for other documents.
            ConfigurationError: the query side of the part cannot be replaced, or there is no such
                vector.
        """
        if source is not None:
            source = read_query_encoder(source)
            head = source.find_head(self._specs, head)
        if head is not None:
            check_names([head], self._specs)
        wanted, name = (None, None) if head is None else self._sources[head]
        replaced = {
            id(encoder): with_query_encoder(encoder, source, name)
            for encoder, _ in self._sources.values()
            if wanted is None or encoder is wanted
        }
        parts = map(_split_part, self._parts)
        return CombinedEncoder([(replaced.get(id(part), part), names) for part, names in parts])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the parts."""
        return CombinedEncoder, (self._parts,)

    def _encode(
        self, role: Role, texts: Sequence[str], names: Sequence[str] | None
    ) -> dict[str, Vectors]:
        wanted = check_names(names, self._specs)
        vectors: dict[str, Vectors] = {}
        for new_name in wanted:
            if new_name in vectors:
                continue
            encoder, _ = self._sources[new_name]
            sources = {
                other: self._sources[other][1]
                for other in wanted
                if self._sources[other][0] is encoder
            }
            encoded = encode(encoder, role, texts, list(dict.fromkeys(sources.values())))
            vectors |= {other: encoded[name] for other, name in sources.items()}
        return {name: vectors[name] for name in wanted}


def with_compatibility(part: Part) -> Encoder:
    """An encoder of topical vectors, with compatibility vectors added.

    Args:
        part: makes the topical ones. If its encoder makes compatibility vectors too, those are
            taken; else those of the bundle that comes with the package.
    """
    encoder, names = _split_part(part)
    if COMPATIBILITY in names.values():
        return CombinedEncoder([part])
    source = encoder if COMPATIBILITY in encoder.specs else default_encoder()
    return CombinedEncoder([part, (source, {COMPATIBILITY: COMPATIBILITY})])


def _split_part(part: Part) -> tuple[Encoder, Mapping[str, str]]:
    """The encoder of a part, and its name for each wanted vector -> the new name."""
    if isinstance(part, tuple):
        if len(part) != 2 or not isinstance(part[1], Mapping):
            raise ConfigurationError("a part is an encoder, or (encoder, {its name: new name})")
        check_type("the encoder of a part", part[0], Encoder)
        return part
    check_type("a part", part, Encoder)
    return part, {name: name for name in part.specs}
