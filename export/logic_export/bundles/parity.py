"""The parity gate: a bundle whose vectors differ from those of its original is not written."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt
from sentence_transformers import SentenceTransformer

from logic_export.dense_retrieval import ndcg_at_10
from logic_retrievers.encoders.base import Role
from logic_retrievers.encoders.bundle import Bundle
from logic_retrievers.encoders.manifest import ROLES
from logic_retrievers.encoders.onnx import OnnxEncoder, parity_cosines
from logic_retrievers.errors import BundleError, LongTextWarning
from logic_retrievers.evaluation import Dataset

BATCH_COSINE = 0.99999
NDCG_LOSS = 0.005


class ParityError(BundleError):
    """An exported bundle differs from its original; the message holds the figures."""


@dataclass(frozen=True, slots=True)
class ParityFigures:
    """Figures of one exported head."""

    megabytes: float  # 10^6 bytes, all files of the bundle
    # cosines to the original's reference vectors
    lowest_cosine: float
    mean_cosine: float
    batch_cosine: float  # lowest cosine of a text encoded alone and in a batch with all others
    # nDCG@10; None where no data set was given
    ndcg: float | None = None
    original_ndcg: float | None = None

    def failures(self, min_cosine: float) -> list[str]:
        """Describe the criteria that are not met."""
        unmet = []
        if not self.lowest_cosine >= min_cosine:
            unmet.append(f"cosine to the original below {min_cosine}")
        if not self.batch_cosine >= BATCH_COSINE:
            unmet.append(f"vectors depend on their batch (below {BATCH_COSINE})")
        if abs((self.ndcg or 0) - (self.original_ndcg or 0)) > NDCG_LOSS:
            unmet.append(f"nDCG@10 moved by more than {NDCG_LOSS}")
        return unmet


def measure_parity(bundle: Bundle, head: str, roles: tuple[Role, ...] = ROLES) -> ParityFigures:
    """Compare a head's vectors with the bundle's reference vectors, for queries or documents.

    For the last of ``roles``, texts encoded alone are also compared with a batch of all texts.
    """
    encoder = OnnxEncoder(bundle)
    encode = encoder.encode_queries if roles[-1] == "query" else encoder.encode_documents
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LongTextWarning)  # one of the texts is cut on purpose
        rows = [row for row in parity_cosines(bundle) if row[0] == head and row[1] in roles]
        texts = list(dict.fromkeys(text for _, _, text, _ in rows))
        batched = encode(texts, [head])[head]
        single = np.concatenate([encode([text], [head])[head] for text in texts])
    cosines = [cosine for _, _, _, cosine in rows]
    return ParityFigures(
        megabytes=sum(len(bundle.read(file)) for file in bundle.manifest.files) / 1e6,
        lowest_cosine=min(cosines),
        mean_cosine=float(np.mean(cosines)),
        batch_cosine=float(np.einsum("ij,ij->i", batched, single).min()),
    )


def measure_retrieval(
    bundle: Bundle, head: str, model: SentenceTransformer, dataset: Dataset
) -> tuple[float, float]:
    """Measure nDCG@10 of a bundle's head, and of its original model."""
    encoder = OnnxEncoder(bundle)
    sides = bundle.manifest.heads[head]
    return (
        ndcg_at_10(
            dataset,
            lambda texts: encoder.encode_queries(texts, [head])[head],
            lambda texts: encoder.encode_documents(texts, [head])[head],
        ),
        ndcg_at_10(
            dataset,
            lambda texts: encode_original(model, texts, sides.query.prefix),
            lambda texts: encode_original(model, texts, sides.document.prefix),
        ),
    )


def require_parity(figures: ParityFigures, min_cosine: float) -> None:
    """Raise :class:`ParityError` with all figures if a criterion is not met."""
    if failures := figures.failures(min_cosine):
        raise ParityError(
            f"The export failed: {'; '.join(failures)}. Measured: {asdict(figures)}. Nothing was "
            "written. Choose a finer compression, or correct the export."
        )


def encode_original(
    model: SentenceTransformer, texts: Sequence[str], prefix: str
) -> npt.NDArray[np.float32]:
    """Return the original's vectors, shape (texts, dimension), rows of length 1."""
    return np.asarray(
        model.encode(list(texts), prompt=prefix or None, normalize_embeddings=True), np.float32
    )


# short, long (cut), Unicode and almost empty texts
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


def reference_vectors(
    model: SentenceTransformer, heads: Sequence[str], prefixes: tuple[str, str]
) -> list[dict[str, object]]:
    """Make the rows of ``parity.json``: the original's vectors of the parity texts per prefix."""
    groups: list[tuple[Sequence[Role], str]] = [(ROLES, prefixes[0])]
    if prefixes[0] != prefixes[1]:
        groups = [((role,), prefix) for role, prefix in zip(ROLES, prefixes, strict=True)]
    rows: list[dict[str, object]] = []
    for roles, prefix in groups:
        vectors = encode_original(model, PARITY_TEXTS, prefix)
        rounded = [[round(float(value), 6) for value in row] for row in vectors]
        rows.append({"heads": heads, "roles": roles, "texts": PARITY_TEXTS, "vectors": rounded})
    return rows
