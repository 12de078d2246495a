"""SparseCL's contrastive loss: contradictions are to differ in few coordinates."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Literal, TypeAlias, get_args

import torch
from sentence_transformers import SentenceTransformer
from torch import Tensor, nn

from logic_export.losses.compatibility import Features
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.scoring import Sparsity
from logic_retrievers.scoring.sparsity import NEAR

Similarity: TypeAlias = Sparsity | Literal["cosine"]
_TINY = 1e-12


def similarities(embeddings: Tensor, measure: Similarity) -> Tensor:
    """Sparsity of every difference, or the cosines that a plain contrastive training would use.

    Args:
        embeddings: shape (texts, dimension), rows of length 1.
        measure: as in :func:`logic_retrievers.scoring.sparsity`, or ``cosine``.

    Returns:
        Shape (texts, texts). The diagonal holds no meaning.
    """
    if measure == "cosine":
        return torch.matmul(embeddings, embeddings.T)
    differences = embeddings[:, None] - embeddings[None]
    squares = differences.square().sum(-1) + _TINY  # a root has no slope at 0
    lengths, sums = squares.sqrt(), differences.abs().sum(-1) + _TINY
    if measure == "l2_l1":
        return lengths / sums
    if measure == "kappa4":
        return differences.pow(4).sum(-1) / squares.square()
    root = embeddings.shape[1] ** 0.5
    hoyer: Tensor = (root - sums / lengths) / (root - 1)
    return hoyer


def sparse_contrastive_loss(
    embeddings: Tensor,
    groups: Tensor,
    sides: Tensor,
    *,
    temperature: float = 0.02,
    measure: Similarity = "hoyer",
) -> Tensor:
    """The loss of Xu et al. 2024 over groups of texts on two sides, every text an anchor.

    For an anchor i, its contradictions P(i) (its group's other side) and all other texts N(i) of
    the batch, the paraphrases on its own side among them::

        l_i = -mean over p in P(i) of log [e^(H_ip / t) / (e^(H_ip / t) + sum_n e^(H_in / t))]

    With one contradiction an anchor that is the paper's: contradictions positive, paraphrases hard
    negatives, the rest of the batch negatives (here the other anchors too).

    A pair nearer than 1e-3, mostly two texts that were cut to the same tokens, has no sparsity, as
    in scoring, and counts as neither; else its rounding would be the steepest slope of the batch.
    Of a cosine, which has no such pole, every pair counts.

    Args:
        embeddings: shape (texts, dimension), of any length; the loss scales them to 1.
        groups: shape (texts,); what belongs together.
        sides: shape (texts,); on which of its group's two sides a text is.
        temperature: t.
        measure: H; ``cosine`` is the contrastive baseline of the paper.

    Returns:
        Shape (); 0 where no text has a contradiction.
    """
    wide = embeddings.to(torch.promote_types(embeddings.dtype, torch.float32))
    scaled = nn.functional.normalize(wide, dim=-1)
    scores = similarities(scaled, measure) / temperature
    opposed = (groups[:, None] == groups[None]) & (sides[:, None] != sides[None])
    counted = ~torch.eye(len(embeddings), dtype=torch.bool, device=embeddings.device)
    if measure != "cosine":
        counted &= _distances(scaled) >= NEAR
    positive, negative = opposed & counted, ~opposed & counted
    others = torch.logsumexp(scores.masked_fill(~negative, -torch.inf), dim=1, keepdim=True)
    losses = torch.logaddexp(scores, others.expand_as(scores)) - scores
    counts = positive.sum(1)
    anchors = counts > 0
    of_anchors = losses.masked_fill(~positive, 0).sum(1)[anchors] / counts[anchors]
    return of_anchors.sum() / anchors.sum().clamp(min=1)


def _distances(vectors: Tensor) -> Tensor:
    fixed = vectors.detach()  # by products two copies would be 3e-4 apart
    return torch.cdist(fixed, fixed, compute_mode="donot_use_mm_for_euclid_dist")


class SparseContrastiveLoss(nn.Module):
    """:func:`sparse_contrastive_loss` over what a model makes of a batch.

    Args:
        model: encodes texts.
        temperature: more than 0, finite. The paper: .01 to .05, by model.
        measure: ``hoyer``, ``l2_l1``, ``kappa4`` or ``cosine``.

    Raises:
        ConfigurationError: a temperature that is not positive and finite, or an unknown measure.

    References:
        Xu et al. 2024, "SparseCL: Sparse Contrastive Learning for Contradiction Retrieval".

    Inputs:
        +-------------------------------------+-------------------------------------------------+
        | features                            | labels                                          |
        +=====================================+=================================================+
        | texts of several groups, in parts   | shape (texts, 2): group and side of each, in    |
        | of like length                      | the order of the parts                          |
        +-------------------------------------+-------------------------------------------------+

    Example:
        >>> loss = SparseContrastiveLoss(model, temperature=0.02)  # doctest: +SKIP
        >>> loss([short, long], labels).backward()                 # doctest: +SKIP
    """

    def __init__(
        self, model: SentenceTransformer, temperature: float = 0.02, measure: Similarity = "hoyer"
    ) -> None:
        super().__init__()
        if not 0 < temperature < math.inf:
            raise ConfigurationError(
                f"temperature must be more than 0 and finite, not {temperature}"
            )
        known = (*get_args(Sparsity), "cosine")
        if measure not in known:
            raise ConfigurationError(f"no measure {measure!r}; there are {', '.join(known)}")
        self.model = model
        self.temperature = temperature
        self.measure = measure

    def forward(self, features: Iterable[Features], labels: Tensor) -> Tensor:
        """The loss of one batch."""
        embeddings = torch.cat([self.model(part)["sentence_embedding"] for part in features])
        return sparse_contrastive_loss(
            embeddings,
            labels[:, 0],
            labels[:, 1],
            temperature=self.temperature,
            measure=self.measure,
        )
