"""Query encoders: files that encode a head's queries and leave its document vectors unchanged.

The file is an ONNX graph whose metadata holds a description. The description comes last, so the
graph's bytes are contiguous; one checksum covers both. No graph is run here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import Field, model_validator

from logic_retrievers.encoders.base import Encoder, VectorSpec
from logic_retrievers.encoders.graph_files import METADATA, check_graph, fields
from logic_retrievers.encoders.manifest import (
    Description,
    Length,
    Name,
    Pooling,
    Sha256,
    TrainingData,
    UnitVector,
    parse_description,
    read_file,
)
from logic_retrievers.errors import ConfigurationError, QueryEncoderError, shown

SUFFIX = ".query.onnx"
# keys in the graph's metadata: the card as JSON, and the SHA-256 of graph and card
CARD_KEY = "logic_retrievers.query_encoder"
CHECKSUM_KEY = "logic_retrievers.checksum"


class QueryEncoderCard(Description):
    """The description of a query encoder.

    For the other fields see :class:`Head` and :class:`Side`.

    Args:
        document_fingerprint: fingerprint of the document side used in training.
        tokenizer: SHA-256 of the bundle's tokenizer file.
        trunk: SHA-256 of the graph of the bundle's trunk whose output this graph reads; None if
            this graph reads tokens.
        origin: the model or run that the encoder was made from.
        ships: whether the licences of the training data allow distribution.
        texts, vectors: some queries without prefix, and the original model's vector for each.
        graph_bytes: length of the file without this description.
    """

    format_version: Literal[1] = 1
    head: Name
    document_fingerprint: Name
    tokenizer: Sha256
    trunk: Sha256 | None = None
    output: Name
    dimension: int = Field(ge=1, le=65_536)
    pooling: Pooling = "in_graph"
    normalise: bool = False
    prefix: str = ""
    max_tokens: Length
    origin: Name
    training: tuple[TrainingData, ...] = ()
    ships: bool = True
    texts: tuple[str, ...] = Field(min_length=1)
    vectors: tuple[UnitVector, ...]
    min_cosine: float = Field(gt=0, le=1)
    graph_bytes: int = Field(ge=1)

    @model_validator(mode="after")
    def _check_shape(self) -> QueryEncoderCard:
        if [len(row) for row in self.vectors] != [self.dimension] * len(self.texts):
            raise ValueError("each text needs one vector of the dimension")
        return self


@dataclass(frozen=True, slots=True)
class QueryEncoder:
    """A query encoder that was read and checked; pickling includes the content.

    ``sha256`` covers the whole file. ``source`` is the file's path, for messages.
    """

    card: QueryEncoderCard
    content: bytes
    sha256: str
    source: str

    @property
    def file(self) -> str:
        """Return its key among a bundle's graphs: unique per content, never a file's name."""
        return f"query encoder:{self.sha256}"

    def find_head(self, specs: Mapping[str, VectorSpec], head: str | None = None) -> str:
        """Return the name of the vector in ``specs`` whose queries this encoder encodes.

        The vector must have the encoder's document fingerprint. If ``head`` is None, the vector
        named ``card.head`` comes first among several.
        """
        card = self.card
        matching = [n for n, s in specs.items() if s.fingerprint == card.document_fingerprint]
        wanted = [card.head, *matching] if head is None else [head]
        found = next((name for name in wanted if name in matching), None)
        if found is None:
            have = ", ".join(f"{name!r} has {s.fingerprint}" for name, s in specs.items())
            raise QueryEncoderError(
                f"The query encoder {self.source!r} is for documents of the fingerprint "
                f"{card.document_fingerprint} ({card.head!r}, {card.origin}), not for "
                f"{head or 'any vector'!r} here: {have}. Take the bundle that it was made for, or "
                "export it for this one: logic-export export-query-encoder."
            )
        return found


QueryEncoderSource: TypeAlias = str | Path | QueryEncoder


def read_query_encoder(path: QueryEncoderSource) -> QueryEncoder:
    """Read a query encoder's file and check it against its own description.

    Raises:
        QueryEncoderError: the file is missing, damaged, not a query encoder, or in a format that
            this version does not read.
    """
    if isinstance(path, QueryEncoder):
        return path
    source = str(path) if isinstance(path, str | Path) else shown(path)
    try:
        content = read_file(path)
    except (OSError, TypeError, ValueError) as error:  # a null byte raises ValueError
        raise QueryEncoderError(
            f"The query encoder {source!r} cannot be read ({error}). Check the path; it is one "
            f"file, NAME{SUFFIX}."
        ) from error
    try:
        metadata = check_graph(content)
        if (text := metadata.get(CARD_KEY)) is None:
            raise ValueError(
                "it is an ONNX graph without the description of a query encoder. Make one of a "
                "run: logic-export export-query-encoder RUN OUT --bundle DIR."
            )
        card = parse_description(QueryEncoderCard, text)
        behind_graph = {number for number, *_ in fields(content, card.graph_bytes)}
        digest = checksum(content[: card.graph_bytes], text)
        if behind_graph != {METADATA} or metadata.get(CHECKSUM_KEY) != digest:
            raise ValueError(
                "its content does not have the checksum that it notes. Copy or export it again."
            )
    except ValueError as error:
        raise QueryEncoderError(f"The query encoder {source!r} cannot be used: {error}") from error
    return QueryEncoder(card, content, hashlib.sha256(content).hexdigest(), source)


def with_query_encoder(
    encoder: Encoder, source: QueryEncoderSource | None, head: str | None = None
) -> Encoder:
    """Return an encoder with the same document side, but queries encoded by a different file.

    The given encoder stays usable. Refuses an encoder whose query side cannot be replaced. For the
    rest see :meth:`Bundle.with_query_encoder`.
    """
    replace: Callable[..., Encoder] | None = getattr(encoder, "with_query_encoder", None)
    if replace is not None:
        return replace(source, head)
    if source is None:
        return encoder
    raise ConfigurationError(
        f"{type(encoder).__name__} takes no query encoder from a file; OnnxEncoder does, also "
        "inside CachedEncoder, RecentEncoder and CombinedEncoder."
    )


def checksum(graph: bytes, card: str) -> str:
    """Return the SHA-256 of graph and card, which :data:`CHECKSUM_KEY` stores."""
    return hashlib.sha256(graph + card.encode()).hexdigest()
