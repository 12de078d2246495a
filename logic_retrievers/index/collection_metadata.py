"""Notes of this package in a collection's metadata, and the vectors that they name."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qdrant_client import models

from logic_retrievers.effects import Operation
from logic_retrievers.errors import CollectionMismatchError
from logic_retrievers.index.collection import Collection, StoredVector
from logic_retrievers.index.point_format import DEFAULT_KEYS, LOGIC, QUARANTINED, PayloadKeys
from logic_retrievers.index.requests import client_call

FORMAT = 1
TOPICAL = "topical"


def updated_metadata(collection: Collection, changed: Mapping[str, StoredVector]) -> dict[str, Any]:
    """Make a collection's metadata after some of its vectors have changed or been added."""
    known = (
        collection.vectors
        if collection.has_own_metadata
        else {name: collection.vectors[name] for name in collection.searchable}
    )
    return new_metadata(
        {**known, **changed}, collection.prefixes, collection.keys, collection.flags
    )


def new_metadata(
    vectors: Mapping[str, StoredVector],
    prefixes: Sequence[str],
    keys: PayloadKeys,
    flags: Sequence[str] = (QUARANTINED,),
) -> dict[str, Any]:
    """Make the metadata for ``create_collection`` and ``update_collection``."""
    entries = {
        vector.name: {
            "stored": vector.stored_name,
            "fingerprint": vector.fingerprint,
            "filling": vector.incomplete,
        }
        for vector in vectors.values()
    }
    metadata: dict[str, Any] = {"format": FORMAT, "prefixes": list(prefixes), "vectors": entries}
    if keys != DEFAULT_KEYS:
        metadata["keys"] = list(keys)
    if list(flags) != [QUARANTINED]:  # points of another store keep their flags where they are
        metadata["flags"] = list(flags)
    return {LOGIC: metadata}


def read_vectors(
    name: str, info: models.CollectionInfo, vector_names: Mapping[str, str] | None
) -> dict[str, StoredVector]:
    """Read the vectors of a collection under our names.

    Args:
        name: name of the collection, for messages.
        info: Qdrant's description of it.
        vector_names: our name -> the collection's name of it, where they differ.

    Raises:
        CollectionMismatchError: a newer format, another distance, or a name that does not exist.
    """
    params = info.config.params
    dense = by_stored_name(params.vectors)
    sparse = params.sparse_vectors or {}
    metadata = own_metadata(info)
    if metadata and metadata.get("format") != FORMAT:
        raise CollectionMismatchError(
            f"Collection {name!r} has format {metadata.get('format')!r}; this version reads"
            f" {FORMAT}. Install a newer logic-retrievers, or index into another collection."
        )
    entries: Mapping[str, Any] = metadata.get("vectors", {})
    stored_names = {our_name: entry["stored"] for our_name, entry in entries.items()}
    if not entries:
        stored_names = {
            stored_name: stored_name for stored_name in [*dense, *sparse] if stored_name
        }
        if TOPICAL not in stored_names and len(dense) == 1:
            stored_names[TOPICAL] = next(iter(dense))
    stored_names.update(vector_names or {})
    vectors = {}
    for our_name, stored_name in stored_names.items():
        if stored_name not in dense and stored_name not in sparse:
            raise CollectionMismatchError(
                f"Collection {name!r} has no vector {stored_name!r} for {our_name!r}; it has"
                f" {[*dense, *sparse]}. Correct vector_names=."
            )
        entry = entries.get(our_name, {})
        dimension = dense[stored_name].size if stored_name in dense else None
        if dimension is not None and our_name in {TOPICAL, *entries, *(vector_names or {})}:
            _check_distance(name, our_name, dense[stored_name])
        vectors[our_name] = StoredVector(
            our_name, stored_name, dimension, entry.get("fingerprint"), entry.get("filling", False)
        )
    return vectors


def own_metadata(info: models.CollectionInfo) -> Mapping[str, Any]:
    """Read this package's notes in a collection's metadata; empty where another store made it.

    Raises:
        CollectionMismatchError: another program changed it.
    """
    metadata = (info.config.metadata or {}).get(LOGIC) or {}
    if not metadata or (isinstance(metadata, Mapping) and metadata.get("format") != FORMAT):
        return metadata
    try:
        keys = list(metadata.get("keys", DEFAULT_KEYS))
        entries = metadata["vectors"].values()
        texts = [entry["stored"] for entry in entries]
        texts += [noted for entry in entries if (noted := entry.get("fingerprint")) is not None]
        texts += [*keys, *metadata["prefixes"], *metadata.get("flags", ())]
        whole = all(isinstance(text, str) for text in texts) and len(keys) == len(DEFAULT_KEYS)
    except (AttributeError, KeyError, TypeError):
        whole = False
    if not whole:
        raise CollectionMismatchError(
            "The metadata of the collection are damaged: another program changed what this package"
            " notes in them. Index into another collection."
        )
    return metadata


def by_stored_name(vectors: Any) -> dict[str, Any]:
    """Map stored names to vectors or their parameters; Qdrant gives a lone unnamed one bare."""
    if vectors is None:
        return {}
    return dict(vectors) if isinstance(vectors, Mapping) else {"": vectors}


def _check_distance(collection: str, name: str, params: models.VectorParams) -> None:
    if params.distance != models.Distance.COSINE or params.multivector_config is not None:
        raise CollectionMismatchError(
            f"Vector {name!r} of collection {collection!r} uses {params.distance}"
            f"{' multivectors' if params.multivector_config else ''}; scores here are cosines."
            " Index into another collection."
        )


def note(collection: Collection, key: str, value: Any) -> Operation[None]:
    """Note a value in the collection's metadata; copies of the collection are without it."""
    metadata = {f"{LOGIC}_{key}": value}
    yield client_call("update_collection", collection.name, metadata=metadata)


def noted(collection: Collection, key: str) -> Operation[Any]:
    """Read a value that :func:`note` has noted; None where there is none."""
    info = yield client_call("get_collection", collection.name)
    return (info.config.metadata or {}).get(f"{LOGIC}_{key}")
