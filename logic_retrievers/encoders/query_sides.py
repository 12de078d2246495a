"""A bundle's description with another query side for some of its heads."""

from __future__ import annotations

from collections.abc import Mapping

from logic_retrievers.encoders.base import VectorSpec
from logic_retrievers.encoders.manifest import Head, Manifest, ReferenceVectors, Side
from logic_retrievers.encoders.query_encoder import QueryEncoder
from logic_retrievers.errors import QueryEncoderError


def with_query_side(manifest: Manifest, name: str, encoder: QueryEncoder) -> Manifest:
    """A copy in which a head's queries are encoded by a query encoder.

    All that concerns documents stays as it is, the fingerprint first of all.

    Raises:
        QueryEncoderError: the documents are not those that it was trained beside, or tokenizer,
            trunk, dimension or pooling are others.
    """
    card, head = encoder.card, manifest.heads[name]
    if card.tokenizer != manifest.files[manifest.tokenizer]:
        raise QueryEncoderError(
            f"The query encoder {encoder.source!r} reads the tokens of another tokenizer (SHA-256 "
            f"{card.tokenizer[:12]}...) than the bundle {manifest.name!r} makes. Export it for "
            "this bundle."
        )
    shape = (card.dimension, card.pooling, card.normalise)
    if shape != (head.dimension, head.pooling, head.normalise):
        raise QueryEncoderError(
            f"The query encoder {encoder.source!r} makes vectors of another kind {shape} than the "
            f"head {name!r}: {(head.dimension, head.pooling, head.normalise)} (dimension, pooling, "
            "normalise). Export it for this bundle."
        )
    side = Side(
        graph=encoder.file,
        output=card.output,
        prefix=card.prefix,
        max_tokens=card.max_tokens,
        trunk=_trunk(manifest, encoder),
    )
    return manifest.model_copy(
        update={
            "heads": {**manifest.heads, name: head.model_copy(update={"query": side})},
            "files": {**manifest.files, encoder.file: encoder.sha256},
        }
    )


def specs_of(manifest: Manifest) -> dict[str, VectorSpec]:
    """The named vectors, as an encoder of the bundle describes them."""
    return {name: _spec(manifest, name, head) for name, head in manifest.heads.items()}


def references_with(
    references: tuple[ReferenceVectors, ...], attached: Mapping[str, QueryEncoder]
) -> tuple[ReferenceVectors, ...]:
    """The bundle's reference vectors; for queries of some heads those of their query encoders."""
    kept = []
    for row in references:
        changed = tuple(name for name in row.heads if name in attached)
        same = tuple(name for name in row.heads if name not in attached)
        kept += [row.model_copy(update={"heads": same})] if same else []
        if changed and "document" in row.roles:
            kept.append(row.model_copy(update={"heads": changed, "roles": ("document",)}))
    return (
        *kept,
        *(
            ReferenceVectors(
                heads=(name,),
                roles=("query",),
                texts=one.card.texts,
                vectors=one.card.vectors,
            )
            for name, one in attached.items()
        ),
    )


def _trunk(manifest: Manifest, encoder: QueryEncoder) -> str | None:
    wanted = encoder.card.trunk
    if wanted is None:
        return None
    for file, digest in manifest.files.items():
        if digest == wanted:
            return file
    raise QueryEncoderError(
        f"The query encoder {encoder.source!r} reads what another trunk makes (SHA-256 "
        f"{wanted[:12]}...) than the bundle {manifest.name!r} has. Export it for this bundle."
    )


def _spec(manifest: Manifest, name: str, head: Head) -> VectorSpec:
    return VectorSpec(
        name=name,
        dimension=head.dimension,
        max_tokens=head.document.max_tokens,
        fingerprint=manifest.fingerprint(name, "document"),
        query_fingerprint=manifest.fingerprint(name, "query"),
        trained=head.trained,
        query_prefix=head.query.prefix,
        document_prefix=head.document.prefix,
        exclusion=head.exclusion.constants if head.exclusion else None,
        contradiction=head.contradiction.constants if head.contradiction else None,
    )
