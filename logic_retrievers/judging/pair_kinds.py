"""Kinds of pairs of passages, and what a cross-encoder reads of a pair to tell them apart."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from logic_retrievers.encoders.manifest import CrossEncoder, Manifest
from logic_retrievers.judging.excerpt import nearest_sentences
from logic_retrievers.types import Passage

PAIR_KINDS = ("contradiction", "superseded", "scope", "paraphrase", "unrelated")
"""Both cannot be true at once; two states of one thing; both are true, of other things; the same in
other words; neither says anything of the other."""

MAX_WORDS = 45
"""What is read of each passage: the sentences nearest to the other one."""
_MAX_VALUE = 40
"""Characters of a value of the metadata; longer ones are texts and no labels."""
_MAX_KEYS = 6


@runtime_checkable
class PairKinds(Protocol):
    """What reads two passages with weights of its own: :class:`OnnxPairKinds`."""

    @property
    def manifest(self) -> Manifest:
        """Of its bundle."""

    @property
    def entry(self) -> CrossEncoder:
        """What the manifest says of it."""

    def __call__(self, pairs: Sequence[tuple[str, str]], /) -> Sequence[tuple[float, ...]]:
        """Probabilities of :data:`PAIR_KINDS`; which of the two comes first plays no part."""


def with_metadata(text: str, metadata: Mapping[str, Any]) -> str:
    """The text and, in brackets behind it, its metadata: they may be all that tells two apart."""
    words = "; ".join(f"{key}: {value}" for key, value in metadata.items())
    return f"{text} ({words})" if words else text


def pair_texts(one: Passage, other: Passage, without: Collection[str] = ()) -> tuple[str, str]:
    """What is read of two passages: sentences of each, with the short values of its metadata.

    ``without``: keys of the metadata that are not read.
    """
    first, second = pair_sentences(one.text, other.text)
    return (
        with_metadata(first, _labels(one.metadata, without)),
        with_metadata(second, _labels(other.metadata, without)),
    )


def pair_sentences(one: str, other: str) -> tuple[str, str]:
    """The sentences of each text that are nearest to the other one."""
    return nearest_sentences(one, other, MAX_WORDS), nearest_sentences(other, one, MAX_WORDS)


def _labels(metadata: Mapping[str, Any], without: Collection[str]) -> dict[str, Any]:
    """The first of its short values."""
    short = {
        key: value
        for key, value in metadata.items()
        if key not in without
        and isinstance(value, str | int | float)
        and len(str(value)) <= _MAX_VALUE
    }
    return dict(list(short.items())[:_MAX_KEYS])
