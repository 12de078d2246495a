"""Combine several encoders into one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any, TypeAlias

from logic_retrievers.checks import check_type
from logic_retrievers.encoders.base import (
    Encoder,
    Role,
    RoleEncoder,
    Vectors,
    VectorSpec,
    check_names,
    encode,
    one_per_process,
)
from logic_retrievers.encoders.query_encoder import (
    QueryEncoderSource,
    read_query_encoder,
    with_query_encoder,
)
from logic_retrievers.errors import ConfigurationError

COMPATIBILITY = "compatibility"

# an encoder with all its vectors, or (encoder, {old vector name: new name}) for some of them
Part: TypeAlias = Encoder | tuple[Encoder, Mapping[str, str]]


class CombinedEncoder(RoleEncoder):
    """One encoder that makes the vectors of several encoders.

        CombinedEncoder(
            [
                SentenceTransformerEncoder("my-model", name="topical"),
                (OnnxEncoder(), {"compatibility": "compatibility"}),
            ]
        )

    Args:
        parts: encoders, or pairs (encoder, {old vector name: new name}) that select and rename
            vectors. All new names must differ; maximum text lengths may differ.

    Raises:
        ConfigurationError: there is no part, a name occurs twice, or an encoder lacks a vector.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        check_type("parts", parts, list, tuple)
        self._parts = [_split_part(part) for part in parts]
        self._sources: dict[str, tuple[Encoder, str]] = {}
        specs: dict[str, VectorSpec] = {}
        for encoder, new_names in self._parts:
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
        self.specs: Mapping[str, VectorSpec] = MappingProxyType(specs)

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Return the token spans of the encoder whose ``max_tokens`` the text fills most.

        A window that fits this encoder also fits the others if their tokens spread over the text in
        the same way.
        """
        limits = {id(e): (e, e.specs[name].max_tokens) for e, name in self._sources.values()}
        spans = [(encoder.token_spans(text), limit) for encoder, limit in limits.values()]
        return max(spans, key=lambda pair: (len(pair[0]) / pair[1], -pair[1]))[0]

    def with_query_encoder(
        self, source: QueryEncoderSource | None, head: str | None = None
    ) -> CombinedEncoder:
        """Return the same parts, with a different query side for the vector named ``head`` here.

        Refuses a part whose query side cannot be replaced. For the rest see
        :meth:`Bundle.with_query_encoder`.
        """
        if source is not None:
            source = read_query_encoder(source)
            head = source.find_head(self.specs, head)
        if head is not None:
            check_names([head], self.specs)
        wanted, name = (None, None) if head is None else self._sources[head]
        replaced = {
            id(encoder): with_query_encoder(encoder, source, name)
            for encoder, _ in self._sources.values()
            if wanted is None or encoder is wanted
        }
        return CombinedEncoder([(replaced.get(id(part), part), own) for part, own in self._parts])

    def __reduce__(self) -> tuple[Any, ...]:
        return CombinedEncoder, (self._parts,)

    def _encode(
        self, role: Role, texts: Sequence[str], names: Sequence[str] | None
    ) -> dict[str, Vectors]:
        wanted = {new: self._sources[new] for new in check_names(names, self.specs)}
        encoded: dict[int, dict[str, Vectors]] = {}
        for encoder, _ in wanted.values():
            if id(encoder) not in encoded:
                own = dict.fromkeys(name for each, name in wanted.values() if each is encoder)
                encoded[id(encoder)] = encode(encoder, role, texts, [*own])
        return {new: encoded[id(encoder)][name] for new, (encoder, name) in wanted.items()}


@one_per_process
def default_encoder() -> Encoder:
    """Return the shipped bundle's encoder; one object per process."""
    from logic_retrievers.encoders.onnx import OnnxEncoder  # loads ONNX Runtime

    return OnnxEncoder()


def with_compatibility(part: Part) -> Encoder:
    """Add compatibility vectors to an encoder of topical vectors.

    Args:
        part: makes the topical vectors. Its encoder also makes the compatibility vectors if it can;
            otherwise the shipped bundle does.
    """
    encoder, names = _split_part(part)
    if COMPATIBILITY in names.values():
        return CombinedEncoder([part])
    source = encoder if COMPATIBILITY in encoder.specs else default_encoder()
    return CombinedEncoder([part, (source, {COMPATIBILITY: COMPATIBILITY})])


def _split_part(part: Part) -> tuple[Encoder, Mapping[str, str]]:
    if isinstance(part, tuple):
        if len(part) != 2 or not isinstance(part[1], Mapping):
            raise ConfigurationError("a part is an encoder, or (encoder, {its name: new name})")
        check_type("the encoder of a part", part[0], Encoder)
        return part
    check_type("a part", part, Encoder)
    return part, {name: name for name in part.specs}
