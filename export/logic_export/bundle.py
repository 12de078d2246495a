"""From a sentence-transformers model to a bundle on disk, through the gate."""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer

from logic_export.compress import Compression, compress_weights
from logic_export.gate import Figures, encode_original, measure, pass_or_raise
from logic_export.onnx import OUTPUT, export_graph, load_model
from logic_retrievers.encoders.bundle import checksums, load_bundle, write_manifest
from logic_retrievers.encoders.manifest import ROLES, Calibration, Head, Manifest, Parity, Side
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.evaluation import Dataset

PARITY_TEXTS = (
    "quiet hotel",
    "Hotels without nightlife noise, but close to the beach.",
    "The drug does not reduce mortality; in two trials it raised it by 12.5 % (p < 0.05).",
    "A",
    ".",
    "  \t trailing and leading white space \n\n",
    "Übergrößen sind ausgeschlossen — naïve café, größer als 40 µm. Δt = 3 s",
    "素食者不能吃的菜 вегетарианское блюдо без орехов 🌶️🚫 ﷽ ﬁne",
    "def f(x): return {'a': [1, 2], \"b\": None}  # https://example.org/?q=a&b=%20",
    "It is not the case that the room was loud. " * 60,
)
"""Short, long (cut), Unicode and almost empty ones."""


@dataclass(frozen=True, slots=True)
class Label:
    """What a bundle says about where it comes from.

    Args:
        name: of the bundle.
        licence: SPDX expression of the weights.
        origin: the model that it was made from.
        documents: file name -> content; ``NOTICE`` must be there.
    """

    name: str
    licence: str
    origin: str
    documents: Mapping[str, str]


def export_bundle(
    model_name: str,
    out: Path,
    label: Label,
    *,
    heads: Mapping[str, bool],
    compression: Compression = "mixed",
    query_prefix: str = "",
    document_prefix: str = "",
    min_cosine: float = 0.9999,
    exclusion: Calibration | None = None,
    dataset: Dataset | None = None,
) -> Figures:
    """Writes a bundle with one graph that all heads share.

    Args:
        model_name: a folder or hub name that sentence-transformers loads.
        out: the bundle's folder; must not exist. Nothing appears there unless the gate is passed.
        label: name, licence and origin.
        heads: vector name -> whether it is trained for what its name says.
        compression: of the weights, see :func:`compress_weights`.
        query_prefix: put before every query.
        document_prefix: put before every document.
        min_cosine: least cosine to the original, for this gate and for ``verify_bundle`` later.
        exclusion: constants of the exclusion policy for the head ``topical``.
        dataset: also compares nDCG@10 on it, which takes minutes.

    Raises:
        ConfigurationError: ``out`` exists, or the model cannot be exported.
        ParityError: the bundle strays from the original.
    """
    if out.exists():
        raise ConfigurationError(f"{str(out)!r} exists. Remove it or name another folder.")
    if "NOTICE" not in label.documents or not heads:
        raise ConfigurationError("A bundle needs a NOTICE and at least one head.")
    model = load_model(model_name)
    prefixes = (query_prefix, document_prefix)
    out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out.parent, prefix=".export-") as name:
        folder = Path(name) / out.name
        folder.mkdir()
        graph = compress_weights(export_graph(model), compression)
        (folder / "model.onnx").write_bytes(graph.SerializeToString())
        (folder / "tokenizer.json").write_text(_tokenizer(model).to_str(), encoding="utf-8")
        for file, content in label.documents.items():
            (folder / file).write_text(content, encoding="utf-8")
        references = _references(model, list(heads), prefixes)
        (folder / "parity.json").write_text(json.dumps(references), encoding="utf-8")
        write_manifest(
            folder,
            Manifest(
                format_version=1,
                name=label.name,
                licence=label.licence,
                origin=label.origin,
                notice="NOTICE",
                files=checksums(folder, [path.name for path in folder.iterdir()]),
                heads={
                    name: _head(model, prefixes, trained, exclusion if name == "topical" else None)
                    for name, trained in heads.items()
                },
                parity=Parity(file="parity.json", min_cosine=min_cosine),
            ),
        )
        figures = measure(load_bundle(folder), next(iter(heads)), model, dataset)
        pass_or_raise(figures, min_cosine)
        shutil.move(folder, out)
    return figures


def _head(
    model: SentenceTransformer,
    prefixes: tuple[str, str],
    trained: bool,
    exclusion: Calibration | None,
) -> Head:
    query, document = (
        Side(
            graph="model.onnx",
            output=OUTPUT,
            prefix=prefix,
            max_tokens=int(model.max_seq_length or 0),
        )
        for prefix in prefixes
    )
    vector = model.encode(["length"])[0]
    return Head(
        dimension=len(vector),
        trained=trained,
        normalise=not np.isclose(np.linalg.norm(vector), 1, atol=1e-4),
        query=query,
        document=document,
        exclusion=exclusion,
    )


def _tokenizer(model: SentenceTransformer) -> Tokenizer:
    """A copy that neither cuts nor pads by itself but knows its padding token."""
    tokenizer = Tokenizer.from_str(model.tokenizer.backend_tokenizer.to_str())
    tokenizer.no_truncation()
    tokenizer.enable_padding(
        pad_id=model.tokenizer.pad_token_id, pad_token=model.tokenizer.pad_token
    )
    return tokenizer


def _references(
    model: SentenceTransformer, heads: Sequence[str], prefixes: tuple[str, str]
) -> list[dict[str, object]]:
    """The original's vectors of the parity texts, once where both sides have the same prefix."""
    same = prefixes[0] == prefixes[1]
    groups = (
        [(ROLES, prefixes[0])] if same else list(zip([(r,) for r in ROLES], prefixes, strict=True))
    )
    return [
        {
            "heads": heads,
            "roles": roles,
            "texts": PARITY_TEXTS,
            "vectors": [
                [round(float(value), 6) for value in row]
                for row in encode_original(model, PARITY_TEXTS, prefix)
            ],
        }
        for roles, prefix in groups
    ]
