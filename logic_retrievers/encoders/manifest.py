"""Read and validate the ``manifest.json`` of a bundle.

A bundle is a folder with ONNX graphs, a tokenizer and this file. Each *head* makes one named
vector. A head has a query side and a document side. Each side names a graph's output and, if heads
share their lowest layers, the *trunk*: the graphs that run before it. Sides with the same prefix
and max_tokens share one run of each graph that their trunks begin with. Sides that also name the
same graph share its run too.
"""

from __future__ import annotations

import math
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, TypeAlias, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    TypeAdapter,
    ValidationError,
    field_validator,
    model_validator,
)

from logic_retrievers.encoders.base import Role, VectorSpec, fingerprint
from logic_retrievers.errors import BundleError

MANIFEST_NAME = "manifest.json"
# input of a graph that reads the output of another; a trunk has one output
HIDDEN = "hidden"

ROLES: tuple[Role, ...] = ("query", "document")
Pooling: TypeAlias = Literal["in_graph", "mean", "cls"]
Name: TypeAlias = Annotated[str, StringConstraints(min_length=1, max_length=255)]
Sha256: TypeAlias = Annotated[str, StringConstraints(pattern="^[0-9a-f]{64}$")]
Length: TypeAlias = Annotated[int, Field(ge=3, le=2**20)]


class Description(BaseModel):
    """Base of models read from JSON; refuses unknown fields and infinite numbers."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Side(Description):
    """Says how texts of one role become vectors.

    Args:
        graph: file name of the ONNX graph.
        output: the graph's output to read: shape (batch, dimension) for pooling ``in_graph``,
            (batch, tokens, dimension) otherwise.
        prefix: put before every text.
        max_tokens: tokens kept per text, special tokens and prefix included; the rest is cut.
        trunk: file names of graphs that run first. The first one reads tokens; each later one, and
            then ``graph``, reads the previous one's output as ``hidden`` (batch, tokens, width).
    """

    graph: Name
    output: Name
    prefix: str = ""
    max_tokens: Length
    trunk: tuple[Name, ...] = ()

    @field_validator("trunk", mode="before")
    @classmethod
    def _read_one_name(cls, trunk: object) -> object:
        """Accept the form of older bundles: one name, or null."""
        if trunk is None:
            return ()
        return (trunk,) if isinstance(trunk, str) else trunk

    @property
    def graphs(self) -> tuple[str, ...]:
        """Graphs in execution order."""
        return (*self.trunk, self.graph)


class Calibration(Description):
    """Constants calibrated on the scores of a head; ``origin`` names data and method."""

    constants: dict[Name, float]
    origin: Name


class TrainingData(Description):
    """One data set that a head was trained on, and the licence of its texts."""

    name: Name
    licence: Name
    rows: int = Field(ge=1)


class Head(Description):
    """One named vector.

    Args:
        trained: False for a placeholder head that repeats a different head's vectors.
        pooling: ``in_graph``, or by the encoder: ``mean`` of the tokens or ``cls``, the first one.
        normalise: whether the encoder scales vectors to length 1; False if the graph does.
        exclusion, contradiction: constants of ``ConstraintPolicy`` and of the contradiction score.
        training: the head's training data sets, in addition to those in the manifest's ``origin``.
    """

    dimension: int = Field(ge=1, le=65_536)
    trained: bool = True
    pooling: Pooling = "in_graph"
    normalise: bool = False
    query: Side
    document: Side
    exclusion: Calibration | None = None
    contradiction: Calibration | None = None
    training: tuple[TrainingData, ...] = ()

    def side(self, role: Role) -> Side:
        return self.query if role == "query" else self.document


class CrossEncoder(Description):
    """A model that reads two texts together, or one alone, over the heads' shared trunk.

    Args:
        graphs: file names in execution order. The first graph reads tokens. Each later graph reads
            the previous graph's output as ``hidden`` (batch, tokens, width).
        changes: an ``npz`` file of weight changes, passed to the last graph as optional inputs.
            With these changes, the stored graph serves as a different cross-encoder.
        output: output of the last graph: logits of shape (batch, labels). Labels of judge and NLI:
            entailment, neutral, contradiction. Labels of relation:
            ``logic_retrievers.judging.RELATIONS``. The constraint question has logits for each
            token (see :class:`Manifest`).
        max_tokens: longest input in tokens, special tokens included; the longer text is cut.
        temperature: divides the logits.
        constants: For a judge: weights of its verdict in a ranking. For relation: ``threshold``,
            the least probability of a conflict, and ``hide_above``, the least probability at which
            a cleaner hides a passage. For NLI: ``threshold`` and the weights that combine NLI's
            probabilities with the vectors' score (``judging.relation``).
        origin: how temperature and constants were found.
        training: the training data sets.
    """

    graphs: tuple[Name, ...] = Field(min_length=2)
    changes: Name | None = None
    output: Name
    max_tokens: int = Field(ge=8, le=2**20)
    temperature: float = Field(ge=1e-6)
    constants: dict[Name, float] = Field(default_factory=dict)
    origin: Name
    training: tuple[TrainingData, ...] = ()


class Parity(Description):
    """Names a JSON file of :class:`ReferenceVectors` and the smallest allowed cosine to them."""

    file: Name
    min_cosine: float = Field(gt=0, le=1)


def _check_unit(vector: tuple[float, ...]) -> tuple[float, ...]:
    if not abs(math.hypot(*vector) - 1) < 0.01:
        raise ValueError("a vector must have length 1")
    return vector


UnitVector: TypeAlias = Annotated[tuple[float, ...], AfterValidator(_check_unit)]


class ReferenceVectors(Description):
    """Vectors of some texts, computed by the original model.

    Args:
        heads, roles: heads and roles whose vectors are compared with these.
        texts: texts without prefix.
        vectors: one row per text.
    """

    heads: tuple[Name, ...] = Field(min_length=1)
    roles: tuple[Role, ...] = Field(min_length=1)
    texts: tuple[str, ...] = Field(min_length=1)
    vectors: tuple[UnitVector, ...]

    @model_validator(mode="after")
    def _check_shape(self) -> ReferenceVectors:
        if len(self.texts) != len(self.vectors) or len({len(row) for row in self.vectors}) > 1:
            raise ValueError("each text needs one vector, all of one dimension")
        return self


class Manifest(Description):
    """Content of a ``manifest.json``.

    Args:
        licence: licence of the weights, as an SPDX expression.
        notice: file that names authors and changes, as the licence requires.
        files: file name -> SHA-256, for every file of the bundle except the manifest.
        tokenizer: file name of the ``tokenizers`` description; a padding section, if present,
            gives the padding token's id.
        judge: reads a passage and a query; optional, like the next four.
        verdict: replaces the judge; its weights are stored as changes to the judge's.
        relation: reads two passages of a corpus.
        nli: reads two texts and tells whether both can be true of one thing.
        constraint: reads a query alone and tells what the query rules out. The output has a row per
            token: two logits (ruled out; leaves the wanted part), then the logits of
            ``logic_retrievers.judging.constraint.CONSTRAINTS``, which count at the first token.
    """

    format_version: Literal[1]
    name: Name
    licence: Name
    origin: Name
    notice: Name
    files: dict[Name, Sha256]
    tokenizer: Name = "tokenizer.json"
    heads: dict[Name, Head] = Field(min_length=1)
    parity: Parity
    judge: CrossEncoder | None = None
    verdict: CrossEncoder | None = None
    relation: CrossEncoder | None = None
    nli: CrossEncoder | None = None
    constraint: CrossEncoder | None = None

    @field_validator("files")
    @classmethod
    def _check_paths(cls, files: dict[str, str]) -> dict[str, str]:
        for name in files:
            path = PurePosixPath(name)
            if path.is_absolute() or ".." in path.parts or "\\" in name or ":" in name:
                raise ValueError(f"the path {name!r} leads out of the bundle")
        return files

    @model_validator(mode="after")
    def _check_checksums(self) -> Manifest:
        used = {self.notice, self.tokenizer, self.parity.file} | self.graphs
        used.update(entry.changes for entry in self.cross_encoders if entry.changes)
        if missing := sorted(used - self.files.keys()):
            raise ValueError(f"no checksum under 'files' for {', '.join(missing)}")
        return self

    @property
    def graphs(self) -> set[str]:
        names = {g for h in self.heads.values() for s in (h.query, h.document) for g in s.graphs}
        return names.union(*(entry.graphs for entry in self.cross_encoders))

    @property
    def cross_encoders(self) -> list[CrossEncoder]:
        entries = (self.judge, self.verdict, self.relation, self.nli, self.constraint)
        return [entry for entry in entries if entry is not None]

    def fingerprint(self, name: str, role: Role) -> str:
        """Hash everything that changes a vector of this head and role.

        The bundle's name, its licence and ``trained`` do not change the fingerprint.
        """
        head = self.heads[name]
        side = head.side(role)
        files = [self.files[name] for name in (*reversed(side.graphs), self.tokenizer)]
        kind = (side.output, side.prefix, side.max_tokens, head.pooling, head.normalise)
        return fingerprint(*files, *kind)

    def cross_encoder_fingerprint(self, entry: CrossEncoder) -> str:
        """Hash everything that changes a probability of this cross-encoder."""
        return fingerprint(
            *(self.files[graph] for graph in entry.graphs),
            self.files[entry.changes] if entry.changes else None,
            self.files[self.tokenizer],
            *(entry.output, entry.max_tokens, entry.temperature, entry.constants),
        )

    def vector_specs(self) -> dict[str, VectorSpec]:
        """Return the specs of the named vectors, equal to those of the bundle's encoder."""
        return {
            name: VectorSpec(
                name=name,
                dimension=head.dimension,
                max_tokens=head.document.max_tokens,
                fingerprint=self.fingerprint(name, "document"),
                query_fingerprint=self.fingerprint(name, "query"),
                trained=head.trained,
                query_prefix=head.query.prefix,
                document_prefix=head.document.prefix,
                exclusion=head.exclusion.constants if head.exclusion else None,
                contradiction=head.contradiction.constants if head.contradiction else None,
            )
            for name, head in self.heads.items()
        }


T = TypeVar("T")


def read_file(path: str | Path) -> bytes:
    """Read a regular file."""
    # opening a pipe blocks until a writer comes, and reading a device may never end
    if Path(path).exists() and not Path(path).is_file():
        raise OSError("it is no regular file")
    return Path(path).read_bytes()


def read_model_file(folder: Path, name: str, model: str, remedy: str) -> bytes:
    """Read a file of an exported model; ``model`` says of which kind.

    Raises:
        BundleError: it cannot be read; the message ends with the remedy.
    """
    try:
        return read_file(folder / name)
    except (OSError, ValueError) as error:  # a null byte raises ValueError
        raise BundleError(
            f"{name!r} of the {model} {str(folder)!r} cannot be read ({error}). {remedy}"
        ) from error


def parse_description(kind: type[T], content: str | bytes) -> T:
    """Parse a JSON file; raise ValueError with the first problem and advice."""
    try:
        return TypeAdapter(kind).validate_json(content)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(part) for part in problem["loc"])[:200] or "the file"
        advice = "Correct it, or copy or download it again."
        if where == "format_version":
            advice = "Upgrade the package, or export it with this version."
        raise ValueError(f"{where}: {problem['msg']}. {advice}") from error
