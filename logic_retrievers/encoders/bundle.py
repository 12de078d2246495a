"""Bundles on disk: found, read, and checked against their manifest."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter, ValidationError

from logic_retrievers.encoders.manifest import (
    FORMAT_VERSION,
    MANIFEST_NAME,
    Manifest,
    ReferenceVectors,
    Role,
)
from logic_retrievers.encoders.query_encoder import (
    QueryEncoder,
    QueryEncoderSource,
    read_query_encoder,
)
from logic_retrievers.encoders.query_sides import references_with, specs_of, with_query_side
from logic_retrievers.errors import BundleError, BundleNotFoundError, ChecksumError, LongTextWarning

DEFAULT_BUNDLE = "all-minilm-l6-v2"
_GET_IT_AGAIN = "Copy or download the bundle again; nothing of it was used."


@dataclass(frozen=True, slots=True)
class Bundle:
    """A folder whose files were checked against its manifest.

    Args:
        path: the folder.
        manifest: what it holds; with the query sides that took the place of its own.
        query_encoders: head -> the query encoder that reads its queries, where the bundle's own
            does not.
        own: the manifest as the folder has it, where query encoders changed it.
    """

    path: Path
    manifest: Manifest
    query_encoders: Mapping[str, QueryEncoder] = field(default_factory=dict)
    own: Manifest | None = None

    def read(self, name: str) -> bytes:
        """The content of one file of the bundle, or of a query encoder."""
        for encoder in self.query_encoders.values():
            if name == encoder.file:
                return encoder.content
        return _read(self.path, name)

    def with_query_encoder(
        self, source: QueryEncoderSource | None, head: str | None = None
    ) -> Bundle:
        """A bundle whose queries for one head are encoded by another file; documents as before.

        The folder is not changed, nor this object, and stored vectors stay good: the fingerprints
        of documents are those of the bundle.

        Args:
            source: the file; None for the bundle's own query side again.
            head: whose queries. With a file: the head that it was made for, by default. With None:
                that head's query encoder is taken off, by default those of all heads.

        Raises:
            QueryEncoderError: the file is missing, damaged, or for other documents.
            BundleError: no such head.
        """
        if head is not None and head not in self.manifest.heads:
            raise BundleError(
                f"{self.path} has no head {head!r}, only {', '.join(self.manifest.heads)}."
            )
        own = self.own or self.manifest
        if source is None:
            kept = {
                name: one for name, one in self.query_encoders.items() if head not in (None, name)
            }
        else:
            encoder = read_query_encoder(source)
            kept = {**self.query_encoders, encoder.head_among(specs_of(own), head): encoder}
        manifest = own
        for name, one in kept.items():
            manifest = with_query_side(manifest, name, one)
        return replace(self, manifest=manifest, query_encoders=kept, own=own)

    def place(self, head: str, role: Role) -> str:
        """Where a head's side comes from, for messages."""
        if role == "query" and head in self.query_encoders:
            return self.query_encoders[head].source
        return str(self.path)

    def references(self) -> tuple[ReferenceVectors, ...]:
        """The reference vectors of the original model, and of query encoders.

        Raises:
            BundleError: the file does not have the form of :class:`ReferenceVectors`.
        """
        parity = self.manifest.parity.file
        try:
            own = TypeAdapter(tuple[ReferenceVectors, ...]).validate_json(self.read(parity))
        except ValidationError as error:
            raise BundleError(f"{self.path / parity}: {_first_fault(error)}") from error
        return references_with(own, self.query_encoders)


def default_bundle_path() -> Path:
    """The folder of the bundle that comes with the package."""
    return Path(__file__).parent.parent / "models" / DEFAULT_BUNDLE


def load_bundle(path: str | Path | None = None) -> Bundle:
    """Reads a bundle's manifest and checks every file's SHA-256 against it.

    Args:
        path: the folder; the default bundle where None.

    Raises:
        BundleNotFoundError: no such folder, or no manifest in it.
        ChecksumError: a file is not the one that the manifest lists.
        BundleError: a malformed manifest, an unknown format version, a missing file.
    """
    folder = default_bundle_path() if path is None else Path(path)
    if not folder.is_dir():
        raise BundleNotFoundError(
            f"There is no bundle folder at {str(folder)!r}. Check the path; a bundle is a folder "
            f"with {MANIFEST_NAME}, and `python -m logic_export.default_bundle` makes one."
        )
    if not (folder / MANIFEST_NAME).is_file():
        raise BundleNotFoundError(
            f"{str(folder)!r} holds no {MANIFEST_NAME}, so it is not a bundle. A folder of "
            "sentence-transformers opens with SentenceTransformerEncoder instead."
        )
    manifest = _parse(folder, _read(folder, MANIFEST_NAME))
    for name, expected in manifest.files.items():
        _check(folder, name, expected)
    return Bundle(folder, manifest)


def verify_bundle(path: str | Path | None = None, *, deep: bool = False) -> Bundle:
    """:func:`load_bundle`, and on request a comparison with the original model.

    Args:
        path: the folder; the default bundle where None.
        deep: also loads the graphs and compares what they make of the reference texts with the
            reference vectors.

    Raises:
        BundleError: what :func:`load_bundle` raises; with ``deep`` also where a graph does not
            load, a dimension differs from the manifest or a vector strays from its reference.
    """
    bundle = load_bundle(path)
    if not deep:
        return bundle
    for head, role, text, cosine in parity_cosines(bundle):
        if cosine < bundle.manifest.parity.min_cosine:
            raise BundleError(
                f"{bundle.path}: the {role} vector {head!r} of {text[:40]!r} has cosine "
                f"{cosine:.6f} to the original model's, below "
                f"{bundle.manifest.parity.min_cosine}. The bundle or this ONNX Runtime computes "
                "something else: update onnxruntime, or export again."
            )
    return bundle


def parity_cosines(bundle: Bundle) -> list[tuple[str, str, str, float]]:
    """(head, role, text, cosine of its vector to the reference) for every reference vector."""
    # the encoder needs ONNX Runtime, which reading a bundle does not
    from logic_retrievers.encoders.onnx import OnnxEncoder

    encoder = OnnxEncoder(bundle)
    found: list[tuple[str, str, str, float]] = []
    for reference in bundle.references():
        wanted = np.asarray(reference.vectors, dtype=np.float32)
        wanted /= np.linalg.norm(wanted, axis=1, keepdims=True)
        for role in reference.roles:
            encode = encoder.encode_queries if role == "query" else encoder.encode_documents
            with warnings.catch_warnings():
                # some reference texts are there to be cut
                warnings.simplefilter("ignore", LongTextWarning)
                vectors = encode(reference.texts, names=reference.heads)
            for head in reference.heads:
                if vectors[head].shape != wanted.shape:
                    raise BundleError(
                        f"{bundle.path}: the reference vectors have shape {wanted.shape}, those of "
                        f"{head!r} {vectors[head].shape}."
                    )
                cosines = np.einsum("ij,ij->i", vectors[head], wanted)
                found += [
                    (head, role, text, float(cosine))
                    for text, cosine in zip(reference.texts, cosines, strict=True)
                ]
    return found


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Writes ``manifest.json``, whole or not; the bundle's other files must be there already."""
    text = json.dumps(manifest.model_dump(), indent=2, ensure_ascii=False)
    partial = folder / f"{MANIFEST_NAME}.partial"
    partial.write_text(text + "\n", encoding="utf-8")
    partial.replace(folder / MANIFEST_NAME)


def checksums(folder: Path, names: Sequence[str]) -> dict[str, str]:
    """File name -> SHA-256 of the named files of a folder, sorted by name."""
    return {name: hashlib.sha256(_read(folder, name)).hexdigest() for name in sorted(names)}


def _read(folder: Path, name: str) -> bytes:
    try:
        return (folder / name).read_bytes()
    except OSError as error:
        raise BundleError(
            f"{name!r} of the bundle {str(folder)!r} cannot be read ({error.strerror}). "
            f"{_GET_IT_AGAIN}"
        ) from error


def _parse(folder: Path, content: bytes) -> Manifest:
    try:
        version = json.loads(content)["format_version"]
    except (ValueError, KeyError, TypeError) as error:
        raise BundleError(
            f"{folder / MANIFEST_NAME} is not a JSON object with a 'format_version'. "
            f"{_GET_IT_AGAIN}"
        ) from error
    if version != FORMAT_VERSION:
        raise BundleError(
            f"The bundle {str(folder)!r} has format version {version!r}; this version of "
            f"logic-retrievers reads {FORMAT_VERSION}. Upgrade the package, or export the bundle "
            "with this version of it."
        )
    try:
        return Manifest.model_validate_json(content)
    except ValidationError as error:
        raise BundleError(f"{folder / MANIFEST_NAME}: {_first_fault(error)}") from error


def _check(folder: Path, name: str, expected: str) -> None:
    found = hashlib.sha256(_read(folder, name)).hexdigest()
    if found != expected:
        raise ChecksumError(
            f"{name!r} of the bundle {str(folder)!r} has SHA-256 {found[:12]}..., the manifest "
            f"lists {expected[:12]}... The file is damaged or another one. {_GET_IT_AGAIN}"
        )


def _first_fault(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_input=False)[0]
    where = ".".join(str(part) for part in fault["loc"]) or "the file"
    return f"{where}: {fault['msg']}. Correct it or get the bundle again."
