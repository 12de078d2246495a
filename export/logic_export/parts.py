"""What a bundle is put together from: graphs, tokenizer, heads and reference vectors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer

from logic_export.gate import encode_original
from logic_export.heads import HeadSource
from logic_export.onnx import OUTPUT
from logic_retrievers.encoders.manifest import ROLES, Head, Side
from logic_retrievers.errors import ConfigurationError

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


def write_graph(path: Path, graph: onnx.ModelProto) -> None:
    """Writes a graph; the same graph makes the same bytes."""
    path.write_bytes(graph.SerializeToString(deterministic=True))


def head_of(
    model: SentenceTransformer,
    source: HeadSource,
    graphs: tuple[str | None, str],
    prefixes: tuple[str, str],
) -> Head:
    """A head's place in the manifest.

    Args:
        model: that it was made from.
        source: what it is.
        graphs: the trunk, or None, and the graph above it.
        prefixes: of queries and of documents.
    """
    query, document = (
        Side(
            graph=graphs[1],
            trunk=graphs[0],
            output=OUTPUT,
            prefix=prefix,
            max_tokens=int(model.max_seq_length or 0),
        )
        for prefix in prefixes
    )
    vector = model.encode(["length"])[0]
    return Head(
        dimension=len(vector),
        trained=source.trained,
        normalise=not np.isclose(np.linalg.norm(vector), 1, atol=1e-4),
        query=query,
        document=document,
        exclusion=source.exclusion,
        contradiction=source.contradiction,
        training=source.training,
    )


def shared_tokenizer(models: Mapping[str, SentenceTransformer]) -> str:
    """The tokenizer that all models have in common, as a file's text.

    Raises:
        ConfigurationError: they have different ones.
    """
    texts = {_tokenizer(model).to_str() for model in models.values()}
    if len(texts) > 1:
        raise ConfigurationError("the heads' models have different tokenizers")
    return texts.pop()


def _tokenizer(model: SentenceTransformer) -> Tokenizer:
    """A copy that neither cuts nor pads by itself but knows its padding token."""
    tokenizer = Tokenizer.from_str(model.tokenizer.backend_tokenizer.to_str())
    tokenizer.no_truncation()
    tokenizer.enable_padding(
        pad_id=model.tokenizer.pad_token_id, pad_token=model.tokenizer.pad_token
    )
    return tokenizer


def references_of(
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
