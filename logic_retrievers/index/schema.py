"""What a collection looks like: its named vectors, their fingerprints, and their checks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qdrant_client import models

from logic_retrievers.encoders.base import VectorSpec
from logic_retrievers.encoders.query_encoder import QueryEncoder
from logic_retrievers.errors import (
    CollectionMismatchError,
    ConfigurationError,
    FingerprintMismatchError,
    MissingVectorError,
)
from logic_retrievers.index.lexical import FINGERPRINT as LEXICAL_FINGERPRINT
from logic_retrievers.index.lexical import NAME as LEXICAL
from logic_retrievers.index.payloads import (
    ID,
    LOGIC,
    METADATA,
    QUARANTINED,
    SOURCE,
    TENANT,
    USUAL,
    Keys,
)

FORMAT = 1
TOPICAL = "topical"
ON_REQUEST = frozenset({"contradiction"})
"""Vectors that are made only where they are named: each costs a third of the encoding, and only
searches for contradictions use this one."""

PAYLOAD_INDEXES: Mapping[str, models.KeywordIndexParams | models.BoolIndexParams] = {
    ID: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD),
    SOURCE: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD),
    TENANT: models.KeywordIndexParams(type=models.KeywordIndexType.KEYWORD, is_tenant=True),
    QUARANTINED: models.BoolIndexParams(type=models.BoolIndexType.BOOL),
}


@dataclass(frozen=True, slots=True)
class StoredVector:
    """One named vector of a collection.

    Args:
        name: our name of it (``topical``).
        stored: its name in the collection; "" for Qdrant's unnamed vector.
        dimension: None for a sparse vector.
        fingerprint: of the encoder that made it; None: unknown, another store made it.
        filling: a back-fill began and did not end; not to be searched yet.
    """

    name: str
    stored: str
    dimension: int | None
    fingerprint: str | None
    filling: bool = False

    @property
    def sparse(self) -> bool:
        """Whether this is the lexical one."""
        return self.dimension is None


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection as it was found at opening: all that the procedures need to know about it.

    Args:
        name: of the collection.
        vectors: our name -> stored vector, for those that we can read.
        readable: our names of the vectors that may be searched.
        tenant: whose passages are read and written; None: all are read, those of nobody written.
        embedded: no server, so no index, no quantisation and no strict mode.
        allows_exact: False where strict mode is known to forbid exact searches.
        prefixes: where metadata lies in the payload.
        keys: where our layout has text and metadata.
        ours: whether the collection carries our metadata.
        missing_indexes: payload indexes to make before the first write.
        flags: payload keys under which a flag may hide a passage.
        findable: those of the flags that can be filtered by; strict mode wants an index for each.
        shows_quarantined: the user wants to see them all.
    """

    name: str
    vectors: Mapping[str, StoredVector]
    readable: tuple[str, ...]
    tenant: str | None = None
    embedded: bool = False
    allows_exact: bool = True
    prefixes: tuple[str, ...] = (METADATA,)
    keys: Keys = USUAL
    ours: bool = True
    missing_indexes: tuple[str, ...] = field(default=())
    flags: tuple[str, ...] = (QUARANTINED,)
    findable: tuple[str, ...] = (QUARANTINED,)
    shows_quarantined: bool = False

    @property
    def hidden(self) -> tuple[str, ...]:
        """Payload keys that hide a passage from retrieval where they are true."""
        return () if self.shows_quarantined else self.findable

    def vector(self, name: str) -> StoredVector:
        """The stored vector of that name.

        Raises:
            MissingVectorError: it is not there, or a back-fill of it has not ended.
        """
        if name in self.readable:
            return self.vectors[name]
        have = ", ".join(self.readable) or "none"
        why = "is still being back-filled" if name in self.vectors else "is missing"
        raise MissingVectorError(
            f"The vector {name!r} {why} in collection {self.name!r} (it has: {have})."
            f" Run backfill([{name!r}]), or choose a policy that does without."
        )


def wanted_specs(
    specs: Mapping[str, VectorSpec], names: Sequence[str] | None
) -> dict[str, VectorSpec]:
    """The encoder's vectors that the user asks for; all of them by default.

    Raises:
        ConfigurationError: a name that the encoder does not make, or none at all.
    """
    chosen = list(specs) if names is None else list(dict.fromkeys(names))
    unknown = [name for name in chosen if name not in specs]
    if unknown or not chosen:
        raise ConfigurationError(
            f"The encoder makes {sorted(specs)}, not {unknown or 'nothing'}. Choose vectors= from"
            " these, or pass another encoder."
        )
    return {name: specs[name] for name in chosen}


def usual_specs(specs: Mapping[str, VectorSpec]) -> dict[str, VectorSpec]:
    """The encoder's vectors that a new collection gets unasked."""
    usual = {name: spec for name, spec in specs.items() if name not in ON_REQUEST}
    return usual or dict(specs)


def creation(specs: Mapping[str, VectorSpec], with_lexical: bool, keys: Keys) -> dict[str, Any]:
    """The arguments of ``create_collection``."""
    vectors = {name: new_vector(spec) for name, spec in specs.items()}
    if with_lexical:
        vectors[LEXICAL] = new_lexical()
    dense, sparse = new_params(vectors)
    return {
        "vectors_config": dense,
        "sparse_vectors_config": sparse or None,
        "metadata": _metadata(vectors, (keys.metadata,), keys),
    }


def new_vector(spec: VectorSpec, filling: bool = False) -> StoredVector:
    """A vector as this package makes it."""
    return StoredVector(spec.name, spec.name, spec.dimension, spec.fingerprint, filling)


def new_lexical(filling: bool = False) -> StoredVector:
    """The lexical vector as this package makes it."""
    return StoredVector(LEXICAL, LEXICAL, None, LEXICAL_FINGERPRINT, filling)


def new_params(
    vectors: Mapping[str, StoredVector],
) -> tuple[dict[str, models.VectorParams], dict[str, models.SparseVectorParams]]:
    """Qdrant's description of dense and of sparse vectors, under their stored names."""
    dense = {
        vector.stored: models.VectorParams(size=vector.dimension, distance=models.Distance.COSINE)
        for vector in vectors.values()
        if vector.dimension is not None
    }
    sparse = {
        vector.stored: models.SparseVectorParams(modifier=models.Modifier.IDF)
        for vector in vectors.values()
        if vector.sparse
    }
    return dense, sparse


def described(collection: Collection, changed: Mapping[str, StoredVector]) -> dict[str, Any]:
    """A collection's metadata after some of its vectors changed or were added."""
    known = (
        collection.vectors
        if collection.ours
        else {n: collection.vectors[n] for n in collection.readable}
    )
    return _metadata({**known, **changed}, collection.prefixes, collection.keys, collection.flags)


def _metadata(
    vectors: Mapping[str, StoredVector],
    prefixes: Sequence[str],
    keys: Keys,
    flags: Sequence[str] = (QUARANTINED,),
) -> dict[str, Any]:
    entries = {
        vector.name: {
            "stored": vector.stored,
            "fingerprint": vector.fingerprint,
            "filling": vector.filling,
        }
        for vector in vectors.values()
    }
    noted: dict[str, Any] = {"format": FORMAT, "prefixes": list(prefixes), "vectors": entries}
    if keys != USUAL:
        noted["keys"] = list(keys)
    if list(flags) != [QUARANTINED]:  # points of another store keep their flags where they are
        noted["flags"] = list(flags)
    return {LOGIC: noted}


def stored_vectors(
    name: str, info: models.CollectionInfo, vector_names: Mapping[str, str] | None
) -> dict[str, StoredVector]:
    """The vectors of a collection under our names.

    Args:
        name: of the collection, for messages.
        info: what Qdrant says about it.
        vector_names: our name -> the collection's name of it, where they differ.

    Raises:
        CollectionMismatchError: a newer format, another distance, or a name that is not there.
    """
    params = info.config.params
    dense = _dense(params.vectors)
    sparse = params.sparse_vectors or {}
    ours = own_metadata(info)
    if ours and ours.get("format") != FORMAT:
        raise CollectionMismatchError(
            f"Collection {name!r} has format {ours.get('format')!r}; this version reads {FORMAT}."
            " Install a newer logic-retrievers, or index anew into another collection."
        )
    known: Mapping[str, Any] = ours.get("vectors", {})
    names = {ours_name: entry["stored"] for ours_name, entry in known.items()}
    if not known:
        names = {stored: stored for stored in [*dense, *sparse] if stored}
        if TOPICAL not in names and len(dense) == 1:
            names[TOPICAL] = next(iter(dense))
    names.update(vector_names or {})
    found = {}
    for our_name, stored in names.items():
        if stored not in dense and stored not in sparse:
            raise CollectionMismatchError(
                f"Collection {name!r} has no vector {stored!r} for {our_name!r}; it has"
                f" {[*dense, *sparse]}. Correct vector_names=."
            )
        entry = known.get(our_name, {})
        dimension = dense[stored].size if stored in dense else None
        if dimension is not None and our_name in {TOPICAL, *known, *(vector_names or {})}:
            _check_distance(name, our_name, dense[stored])
        found[our_name] = StoredVector(
            our_name, stored, dimension, entry.get("fingerprint"), entry.get("filling", False)
        )
    return found


def own_metadata(info: models.CollectionInfo) -> Mapping[str, Any]:
    """What this package noted about a collection; empty where another store made it."""
    return (info.config.metadata or {}).get(LOGIC) or {}


def check(collection: str, vector: StoredVector, spec: VectorSpec) -> None:
    """Compares a stored vector with what the encoder makes.

    Raises:
        CollectionMismatchError: another dimension.
        FingerprintMismatchError: another encoder made the stored vectors.
    """
    if vector.dimension != spec.dimension:
        raise CollectionMismatchError(
            f"Vector {vector.stored!r} of collection {collection!r} has dimension"
            f" {vector.dimension}, the encoder's {spec.name!r} has {spec.dimension}. Use the"
            " encoder that made it, or index into another collection."
        )
    if vector.fingerprint is not None and vector.fingerprint != spec.fingerprint:
        raise FingerprintMismatchError(
            f"Vector {spec.name!r} of collection {collection!r} was made by another encoder"
            f" (fingerprint {vector.fingerprint}, yours {spec.fingerprint}). Use that encoder; or"
            f" open with vectors= without {spec.name!r} and run backfill([{spec.name!r}]); or index"
            " into another collection."
        )


def check_documents(
    collection: Collection,
    query_encoder: QueryEncoder,
    specs: Mapping[str, VectorSpec],
    head: str | None,
) -> None:
    """Compares the documents that a query encoder is for with those that are stored.

    Raises:
        FingerprintMismatchError: others.
        MissingVectorError: the collection does not have the vector.
    """
    card = query_encoder.card
    ours = card.document_fingerprint
    fitting = [name for name, spec in specs.items() if spec.fingerprint == ours] or [card.head]
    name = head or (card.head if card.head in fitting else fitting[0])
    stored = collection.vector(name)
    known = stored.fingerprint or specs[name].fingerprint
    if known != ours:
        raise FingerprintMismatchError(
            f"The query encoder {query_encoder.source!r} was made for {card.head!r} vectors of the"
            f" fingerprint {ours}; those of {name!r} in collection"
            f" {collection.name!r} have {known}. Nothing was changed. Export it for the bundle that"
            " made this collection, or index into another one with the bundle that it was made for."
        )


def _dense(config: Any) -> dict[str, models.VectorParams]:
    if config is None:
        return {}
    return {"": config} if isinstance(config, models.VectorParams) else dict(config)


def _check_distance(collection: str, name: str, params: models.VectorParams) -> None:
    if params.distance != models.Distance.COSINE or params.multivector_config is not None:
        raise CollectionMismatchError(
            f"Vector {name!r} of collection {collection!r} uses {params.distance}"
            f"{' multivectors' if params.multivector_config else ''}; scores here are cosines."
            " Index into another collection."
        )
