"""Read bundle folders, check them against their manifest, and replace query encoders."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

from logic_retrievers.encoders.manifest import (
    MANIFEST_NAME,
    Manifest,
    ReferenceVectors,
    Side,
    T,
    parse_description,
    read_model_file,
)
from logic_retrievers.encoders.query_encoder import (
    QueryEncoder,
    QueryEncoderSource,
    read_query_encoder,
)
from logic_retrievers.errors import (
    BundleError,
    BundleNotFoundError,
    ChecksumError,
    QueryEncoderError,
)
from logic_retrievers.files import exists

DEFAULT_BUNDLE = "all-minilm-l6-v2"
# fields in which a query encoder and the head that it serves must agree
_KIND = ("dimension", "pooling", "normalise")
_COPY_AGAIN = "Copy or download the bundle again; nothing of it was used."


@dataclass(frozen=True)
class Bundle:
    """A folder whose files were checked against its manifest.

    Args:
        path: the folder.
        file_manifest: the manifest stored in the folder.
        query_encoders: head -> the query encoder that replaces the bundle's query side.
    """

    path: Path
    file_manifest: Manifest
    query_encoders: Mapping[str, QueryEncoder] = field(default_factory=dict)

    @cached_property
    def manifest(self) -> Manifest:
        """The manifest with the query sides of ``query_encoders``."""
        manifest = self.file_manifest
        for name, encoder in self.query_encoders.items():
            manifest = _replace_query_side(manifest, name, encoder)
        return manifest

    def read(self, name: str) -> bytes:
        """Return the content of one file of the bundle or of a query encoder."""
        added = {encoder.file: encoder.content for encoder in self.query_encoders.values()}
        return added[name] if name in added else _read(self.path, name)

    def with_query_encoder(
        self, source: QueryEncoderSource | None, head: str | None = None
    ) -> Bundle:
        """Return a bundle in which a different file encodes the queries of one head.

        Neither the folder nor this object changes. Documents keep their fingerprints, so stored
        vectors stay valid.

        Args:
            source: the file; None restores the bundle's own query side.
            head: the head to change. None means the head that the file was made for, or all heads
                if ``source`` is None.

        Raises:
            QueryEncoderError: the file is missing, damaged, or made for different document vectors.
            BundleError: the bundle has no such head.
        """
        if head is not None and head not in self.manifest.heads:
            raise BundleError(
                f"{self.path} has no head {head!r}, only {', '.join(self.manifest.heads)}."
            )
        if source is None:
            encoders = {n: e for n, e in self.query_encoders.items() if head not in (None, n)}
        else:
            new = read_query_encoder(source)
            name = new.find_head(self.file_manifest.vector_specs(), head)
            encoders = {**self.query_encoders, name: new}
        changed = replace(self, query_encoders=encoders)
        _ = changed.manifest  # refuses an incompatible file
        return changed

    def references(self) -> tuple[ReferenceVectors, ...]:
        """Read the reference vectors of the original model."""
        return _parse(tuple[ReferenceVectors, ...], self.path, self.manifest.parity.file)


def _replace_query_side(manifest: Manifest, name: str, encoder: QueryEncoder) -> Manifest:
    """Return a copy of a manifest in which a query encoder encodes the queries of one head."""
    card, head = encoder.card, manifest.heads[name]
    trunk = _find_trunk(manifest, card.trunk)
    problem = ""
    if card.tokenizer != manifest.files[manifest.tokenizer]:
        problem = "reads the tokens of another tokenizer"
    elif trunk is None:
        problem = "reads the output of another trunk"
    elif any(getattr(card, key) != getattr(head, key) for key in _KIND):
        problem = f"makes vectors of another kind ({', '.join(_KIND)})"
    if problem or trunk is None:
        raise QueryEncoderError(
            f"The query encoder {encoder.source!r} {problem} than the head {name!r} of the bundle "
            f"{manifest.name!r}. Export it for this bundle."
        )
    shared = card.model_dump(include={"output", "prefix", "max_tokens"})
    head = head.model_copy(update={"query": Side(graph=encoder.file, trunk=trunk, **shared)})
    files = {**manifest.files, encoder.file: encoder.sha256}
    return manifest.model_copy(update={"heads": {**manifest.heads, name: head}, "files": files})


def _find_trunk(manifest: Manifest, digest: str | None) -> tuple[str, ...] | None:
    """Find the graphs of a trunk whose last one has this SHA-256; for no digest, no graphs."""
    if digest is None:
        return ()
    for head in manifest.heads.values():
        for end, file in enumerate(head.document.trunk, 1):
            if manifest.files[file] == digest:
                return head.document.trunk[:end]
    return None


def default_bundle_path() -> Path:
    """Return the folder of the bundle that comes with the package."""
    return Path(__file__).parent.parent / "models" / DEFAULT_BUNDLE


def load_bundle(path: str | Path | None = None) -> Bundle:
    """Read a bundle's manifest and check the SHA-256 of every file against it.

    Args:
        path: the folder; None means the default bundle.

    Raises:
        BundleNotFoundError: there is no such folder, or it has no manifest.
        ChecksumError: a file's checksum differs from the manifest.
        BundleError: the manifest is malformed, or a file is missing or not a regular file.
    """
    folder = default_bundle_path() if path is None else Path(path)
    if not exists(folder / MANIFEST_NAME):
        raise BundleNotFoundError(
            f"There is no bundle folder at {str(folder)!r} with a {MANIFEST_NAME}. Check the path; "
            "a model of sentence-transformers opens with SentenceTransformerEncoder."
        )
    manifest = _parse(Manifest, folder, MANIFEST_NAME)
    for name, expected in manifest.files.items():
        digest = hashlib.sha256(_read(folder, name)).hexdigest()
        if digest != expected:
            raise ChecksumError(
                f"{name!r} of the bundle {str(folder)!r} has SHA-256 {digest[:12]}..., the "
                f"manifest lists {expected[:12]}... The file is damaged or another one. "
                f"{_COPY_AGAIN}"
            )
    return Bundle(folder, manifest)


def default_bundle_manifest() -> Manifest | None:
    """Read the manifest of the bundle that comes with the package, if it is there."""
    folder = default_bundle_path()
    is_shipped = (folder / MANIFEST_NAME).is_file()
    return _parse(Manifest, folder, MANIFEST_NAME) if is_shipped else None


def _read(folder: Path, name: str) -> bytes:
    return read_model_file(folder, name, "bundle", _COPY_AGAIN)


def _parse(kind: type[T], folder: Path, name: str) -> T:
    try:
        return parse_description(kind, _read(folder, name))
    except ValueError as error:
        raise BundleError(f"{folder / name}: {error}") from error
