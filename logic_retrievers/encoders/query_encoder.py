"""A query encoder in one file: another query side for a head whose documents stay as they are.

The file is an ONNX graph with its description in the model's metadata. The description comes last
in the file, so that one checksum covers graph and description, and reading takes ONNX Runtime
alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeAlias

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from logic_retrievers.encoders.base import Vectors, VectorSpec
from logic_retrievers.encoders.manifest import Name, Pooling, Sha256, TrainingData
from logic_retrievers.errors import QueryEncoderError

FORMAT_VERSION = 1
SUFFIX = ".query.onnx"
CARD_KEY = "logic_retrievers.query_encoder"
"""Under which the graph's metadata hold the card, as JSON."""
CHECKSUM_KEY = "logic_retrievers.checksum"
"""Under which they hold the SHA-256 of the graph's bytes and the card's."""

_GET_IT_AGAIN = "Copy it again, or export it anew; nothing was changed."


class QueryEncoderCard(BaseModel):
    """What a query encoder says of itself.

    Args:
        format_version: of this description; other versions are refused.
        head: the named vector whose queries it encodes.
        document_fingerprint: of that head's document side, beside which it was trained.
        tokenizer: SHA-256 of the bundle's tokenizer file.
        trunk: SHA-256 of the bundle's graph that runs first; None: this graph reads tokens.
        output: the graph's output to read.
        dimension, pooling, normalise: as of the head, see :class:`Head`.
        prefix, max_tokens: as of a head's side, see :class:`Side`.
        origin: the model or run that it was made from.
        training: the sets that it was trained on, with their licences.
        ships: whether these licences let it be handed on.
        texts, vectors: what the original model makes of some queries, without prefix, one row a
            text.
        min_cosine: the least cosine between a vector of this file and its reference.
        graph_bytes: how long the file is without this description.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

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
    max_tokens: int = Field(ge=3)
    origin: Name
    training: tuple[TrainingData, ...] = ()
    ships: bool = True
    texts: tuple[str, ...] = Field(min_length=1)
    vectors: tuple[tuple[float, ...], ...]
    min_cosine: float = Field(gt=0, le=1)
    graph_bytes: int = Field(ge=1)

    @model_validator(mode="after")
    def _one_row_a_text(self) -> QueryEncoderCard:
        if [len(row) for row in self.vectors] != [self.dimension] * len(self.texts):
            raise ValueError("each text needs one vector of the dimension")
        return self


@dataclass(frozen=True, slots=True)
class QueryEncoder:
    """A query encoder that was read and found whole; travels to other processes with its content.

    Args:
        card: its description.
        content: the whole file.
        sha256: of the content.
        source: where it was read, for messages.
    """

    card: QueryEncoderCard
    content: bytes
    sha256: str
    source: str

    @property
    def file(self) -> str:
        """Its name among a bundle's graphs: one for one content, and none that a file can have."""
        return f"query encoder:{self.sha256}"

    def head_among(self, specs: Mapping[str, VectorSpec], head: str | None = None) -> str:
        """The vector whose queries it encodes, under the name that it has there.

        Args:
            specs: the named vectors of an encoder.
            head: which one; found by the documents' fingerprint where None.

        Raises:
            QueryEncoderError: none of them has the documents that it was trained beside.
        """
        ours = self.card.document_fingerprint
        fitting = [name for name, spec in specs.items() if spec.fingerprint == ours]
        wanted = self.card.head if head is None and self.card.head in fitting else head
        if wanted is None and fitting:
            return fitting[0]
        if wanted in fitting:
            return wanted
        raise QueryEncoderError(
            f"The query encoder {self.source!r} is for documents of the fingerprint {ours} "
            f"({self.card.head!r}, {self.card.origin}); {_there(specs, head)}. Take the bundle "
            "that it was made for, or export it for this one: logic-retrievers "
            "export-query-encoder."
        )

    def check_vectors(self, vectors: Vectors) -> None:
        """Compares what this machine makes of the reference texts with the original's vectors.

        Raises:
            QueryEncoderError: one of them strays.
        """
        wanted = np.asarray(self.card.vectors, dtype=np.float32)
        wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
        lowest = float(np.einsum("ij,ij->i", vectors, wanted).min())
        if not lowest >= self.card.min_cosine:
            raise QueryEncoderError(
                f"The query encoder {self.source!r} has cosine {lowest:.6f} to the original "
                f"model's vectors, below {self.card.min_cosine}. This ONNX Runtime computes "
                "something else: update onnxruntime, or export again."
            )


QueryEncoderSource: TypeAlias = str | Path | QueryEncoder
"""A file, or what was read from one."""


def read_query_encoder(path: QueryEncoderSource) -> QueryEncoder:
    """Reads a query encoder's file and checks it against its own description.

    Raises:
        QueryEncoderError: no such file, none of a query encoder, a damaged one, or one of a format
            that this version does not read.
    """
    if isinstance(path, QueryEncoder):
        return path
    source = str(path)
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError) as error:  # a null byte in a path is no OSError
        raise QueryEncoderError(
            f"The query encoder {source!r} cannot be read "
            f"({getattr(error, 'strerror', error)}). Check the path; it is one file, NAME{SUFFIX}."
        ) from error
    described = _metadata(content, source)
    text = described.get(CARD_KEY)
    if text is None:
        raise QueryEncoderError(
            f"{source!r} is an ONNX graph without the description of a query encoder. Make one of "
            "a run: logic-retrievers export-query-encoder RUN OUT --bundle DIR."
        )
    card = _card(text, source)
    digest = checksum(content[: card.graph_bytes], text)
    if described.get(CHECKSUM_KEY) != digest:
        raise QueryEncoderError(
            f"The query encoder {source!r} is damaged: graph and description do not have the "
            f"checksum that it notes. {_GET_IT_AGAIN}"
        )
    return QueryEncoder(card, content, hashlib.sha256(content).hexdigest(), source)


def checksum(graph: bytes, card: str) -> str:
    """What the file notes under :data:`CHECKSUM_KEY`."""
    return hashlib.sha256(graph + card.encode()).hexdigest()


def _metadata(content: bytes, source: str) -> dict[str, str]:
    import onnxruntime  # not before a query encoder is read

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # what fails is raised as well
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    try:
        session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        return dict(session.get_modelmeta().custom_metadata_map)
    except Exception as error:  # ONNX Runtime's own classes derive from Exception, one a status
        raise QueryEncoderError(
            f"{source!r} is no query encoder, or a damaged one: ONNX Runtime "
            f"{onnxruntime.__version__} cannot load it ({str(error)[:200]}). {_GET_IT_AGAIN}"
        ) from error


def _card(text: str, source: str) -> QueryEncoderCard:
    try:
        version = json.loads(text)["format_version"]
    except (ValueError, KeyError, TypeError) as error:
        raise QueryEncoderError(
            f"The query encoder {source!r} is damaged: its description is not a JSON object with a "
            f"'format_version'. {_GET_IT_AGAIN}"
        ) from error
    if version != FORMAT_VERSION:
        raise QueryEncoderError(
            f"The query encoder {source!r} has format version {version!r}; this version of "
            f"logic-retrievers reads {FORMAT_VERSION}. Upgrade the package, or export it with this "
            "version."
        )
    try:
        return QueryEncoderCard.model_validate_json(text)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in fault["loc"]) or "the description"
        raise QueryEncoderError(
            f"The query encoder {source!r} is damaged: {where}: {fault['msg']}. {_GET_IT_AGAIN}"
        ) from error


def _there(specs: Mapping[str, VectorSpec], head: str | None) -> str:
    if head is not None and head not in specs:
        return f"there is no vector {head!r}, only {', '.join(specs)}"
    asked = specs if head is None else {head: specs[head]}
    have = ", ".join(f"{name!r} has {spec.fingerprint}" for name, spec in asked.items())
    return f"here {have}"
