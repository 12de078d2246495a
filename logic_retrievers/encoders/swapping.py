"""Another query encoder for an encoder that is in use, however it is wrapped."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from logic_retrievers.encoders.base import Encoder
from logic_retrievers.encoders.query_encoder import QueryEncoderSource
from logic_retrievers.errors import ConfigurationError


@runtime_checkable
class SwapsQueries(Protocol):
    """An encoder that can be had with another query side: the package's own but the adapters."""

    def with_query_encoder(
        self, source: QueryEncoderSource | None, head: str | None = None
    ) -> Encoder:
        """Another encoder of the same documents; this one stays as it is."""


def with_query_encoder(
    encoder: Encoder, source: QueryEncoderSource | None, head: str | None = None
) -> Encoder:
    """An encoder of the same documents that reads queries with another file.

    Args:
        encoder: stays as it is, and in use.
        source: the file; None for the encoder's own query side again.
        head: see :meth:`Bundle.with_query_encoder`.

    Raises:
        QueryEncoderError: the file is missing, damaged, or for other documents.
        ConfigurationError: an encoder that reads queries in a way of its own.
    """
    if isinstance(encoder, SwapsQueries):
        return encoder.with_query_encoder(source, head)
    if source is None:
        return encoder
    raise ConfigurationError(
        f"{type(encoder).__name__} takes no query encoder from a file; OnnxEncoder does, also "
        "inside CachedEncoder, RecentEncoder and CombinedEncoder."
    )
