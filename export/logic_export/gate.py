"""The gate: a bundle that does not do what its original does is not written."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
import numpy.typing as npt
from sentence_transformers import SentenceTransformer

from logic_export.retrieval import ndcg_at_10
from logic_retrievers.encoders.bundle import Bundle, parity_cosines
from logic_retrievers.encoders.onnx import OnnxEncoder
from logic_retrievers.errors import BundleError, LongTextWarning
from logic_retrievers.evaluation import Dataset

BATCH_COSINE = 0.99999
NDCG_LOSS = 0.005


class ParityError(BundleError):
    """An exported bundle strays from its original; the message holds the figures."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What was measured.

    Args:
        megabytes: all files of the bundle, 10^6 bytes.
        lowest_cosine, mean_cosine: to the original's reference vectors.
        batch_cosine: lowest cosine of a text alone to the same text among all the others.
        ndcg, original_ndcg: nDCG@10; None where no data set was given.
    """

    megabytes: float
    lowest_cosine: float
    mean_cosine: float
    batch_cosine: float
    ndcg: float | None = None
    original_ndcg: float | None = None

    def faults(self, min_cosine: float) -> list[str]:
        """The criteria that are not met, in words."""
        found = []
        if not self.lowest_cosine >= min_cosine:
            found.append(f"cosine to the original below {min_cosine}")
        if not self.batch_cosine >= BATCH_COSINE:
            found.append(f"vectors depend on their batch (below {BATCH_COSINE})")
        if abs((self.ndcg or 0) - (self.original_ndcg or 0)) > NDCG_LOSS:
            found.append(f"nDCG@10 moved by more than {NDCG_LOSS}")
        return found


def measure(
    bundle: Bundle, name: str, model: SentenceTransformer, dataset: Dataset | None = None
) -> Figures:
    """The figures of one head of a bundle, beside the model that it was made from."""
    head = bundle.manifest.heads[name]
    encoder = OnnxEncoder(bundle)
    texts = [text for reference in bundle.references() for text in reference.texts]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LongTextWarning)  # one of them is meant to be cut
        cosines = [cosine for _, _, _, cosine in parity_cosines(bundle)]
        together = encoder.encode_documents(texts, [name])[name]
        alone = np.concatenate([encoder.encode_documents([text], [name])[name] for text in texts])
    ndcg = original = None
    if dataset is not None:
        ndcg = ndcg_at_10(
            dataset,
            lambda texts: encoder.encode_queries(texts, [name])[name],
            lambda texts: encoder.encode_documents(texts, [name])[name],
        )
        original = ndcg_at_10(
            dataset,
            lambda texts: encode_original(model, texts, head.query.prefix),
            lambda texts: encode_original(model, texts, head.document.prefix),
        )
    return Figures(
        megabytes=sum(len(bundle.read(file)) for file in bundle.manifest.files) / 1e6,
        lowest_cosine=min(cosines),
        mean_cosine=float(np.mean(cosines)),
        batch_cosine=float(np.einsum("ij,ij->i", together, alone).min()),
        ndcg=ndcg,
        original_ndcg=original,
    )


def pass_or_raise(figures: Figures, min_cosine: float) -> None:
    """Raises :class:`ParityError` with all figures where one of them is not good enough."""
    if faults := figures.faults(min_cosine):
        raise ParityError(
            f"The export failed: {'; '.join(faults)}. Measured: {asdict(figures)}. Nothing was "
            "written. Choose a finer compression, or correct the export."
        )


def encode_original(
    model: SentenceTransformer, texts: Sequence[str], prefix: str
) -> npt.NDArray[np.float32]:
    """The original's vectors, scaled to length 1."""
    return np.asarray(
        model.encode(list(texts), prompt=prefix or None, normalize_embeddings=True), np.float32
    )
