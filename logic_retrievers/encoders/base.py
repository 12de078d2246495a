"""What the rest of the package asks of an encoder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
import numpy.typing as npt

from logic_retrievers.errors import ConfigurationError

Vectors: TypeAlias = npt.NDArray[np.float32]
"""Shape (texts, dimension); rows have Euclidean length 1."""


@dataclass(frozen=True, slots=True)
class VectorSpec:
    """One named vector that an encoder makes.

    Args:
        name: ``topical``, ``compatibility``, ``contradiction`` or a name of the user's.
        dimension: number of coordinates.
        max_tokens: longest text, in tokens with the special ones, that is read whole.
        fingerprint: changes whenever a stored vector of this name would change (weights, pooling,
            prefixes, length); what an index compares at opening. It describes the *document* side,
            so a better query encoder does not orphan an index.
        trained: False for a head that only repeats another one until a trained one takes its place.
        query_prefix, document_prefix: put before every text of that side.
        query_fingerprint: the same for the query side; what a cache of query vectors goes by.
            Empty: the query side changes with the document side alone.
        exclusion: constants of the exclusion policy for the scores of this vector, by name; None
            where nobody has found them.
        contradiction: constants by which the sparsity of differences of this vector becomes a score
            and a probability (``contradiction.ContradictionSettings``); None likewise.
    """

    name: str
    dimension: int
    max_tokens: int
    fingerprint: str
    trained: bool = True
    query_prefix: str = ""
    document_prefix: str = ""
    query_fingerprint: str = ""
    exclusion: Mapping[str, float] | None = None
    contradiction: Mapping[str, float] | None = None

    def side(self, role: Literal["query", "document"]) -> str:
        """The fingerprint of the side that encodes texts of a role."""
        return (self.query_fingerprint if role == "query" else "") or self.fingerprint


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into named vectors, all names in one pass.

    Implementations are safe to call from several threads.
    """

    @property
    def specs(self) -> Mapping[str, VectorSpec]:
        """The named vectors that this encoder makes."""

    def encode_queries(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Vectors of queries: one array a name (all names by default), one row a text."""

    def encode_documents(
        self, texts: Sequence[str], names: Sequence[str] | None = None
    ) -> dict[str, Vectors]:
        """Vectors of documents; the same form as :meth:`encode_queries`."""

    def token_spans(self, text: str) -> list[tuple[int, int]]:
        """Character span (start, end) of each token of a text, special tokens left out.

        Used to count tokens and to split long texts; never truncated.
        """


def check_names(names: Sequence[str] | None, specs: Mapping[str, VectorSpec]) -> tuple[str, ...]:
    """The names asked for, all of them where None.

    Raises:
        ConfigurationError: a name that the encoder does not make.
    """
    if names is None:
        return tuple(specs)
    if isinstance(names, str):
        raise ConfigurationError(f"names must be a list of names: [{names!r}]")
    if unknown := [name for name in names if name not in specs]:
        raise ConfigurationError(
            f"This encoder makes no vector {', '.join(map(repr, unknown))}; it makes "
            f"{', '.join(map(repr, specs))}."
        )
    return tuple(names)
