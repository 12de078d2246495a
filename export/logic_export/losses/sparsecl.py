"""SparseCL's contrastive loss: contradicting texts differ in few coordinates (Xu et al. 2024)."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from logic_export.losses.embedding_loss import EmbeddingLoss, Features, widened
from logic_export.recipe import Similarity, SparseContrastiveSettings
from logic_retrievers.scoring.similarity import DUPLICATE_DISTANCE


def sparse_contrastive_loss(
    embeddings: Tensor,
    groups: Tensor,
    sides: Tensor,
    *,
    temperature: float = 0.02,
    measure: Similarity = "hoyer",
) -> Tensor:
    """Compute the loss of Xu et al. 2024 over contradiction groups, every text an anchor, shape ().

    i is an anchor, P(i) holds its contradictions (the other side of its group), and N(i) all other
    texts of the batch, paraphrases on its own side included::

        l_i = -mean over p in P(i) of log [e^(H_ip / t) / (e^(H_ip / t) + sum_n e^(H_in / t))]

    With one contradiction per anchor this is the paper's loss, plus the other anchors as
    negatives. A pair closer than 1e-3 (mostly two texts truncated to the same tokens) has no
    defined sparsity, as in scoring. Such a pair is ignored, since its rounding errors would
    dominate the gradient. The cosine has no such pole, so with it every pair counts.

    Args:
        embeddings: shape (texts, dimension); normalised here.
        groups: shape (texts,): group of each text.
        sides: shape (texts,): side of each text within its group.
        temperature: t.
        measure: H; ``cosine`` is the contrastive baseline of the paper.
    """
    scaled = nn.functional.normalize(widened(embeddings), dim=-1)
    scores = pairwise_similarities(scaled, measure) / temperature
    contradicting = (groups[:, None] == groups[None]) & (sides[:, None] != sides[None])
    counted = ~torch.eye(len(embeddings), dtype=torch.bool, device=embeddings.device)
    if measure != "cosine":
        counted &= _pairwise_distances(scaled) >= DUPLICATE_DISTANCE
    positive, negative = contradicting & counted, ~contradicting & counted
    others = torch.logsumexp(scores.masked_fill(~negative, -torch.inf), dim=1, keepdim=True)
    losses = torch.logaddexp(scores, others.expand_as(scores)) - scores
    counts = positive.sum(1)
    anchors = counts > 0
    of_anchors = losses.masked_fill(~positive, 0).sum(1)[anchors] / counts[anchors]
    return of_anchors.sum() / anchors.sum().clamp(min=1)


class SparseContrastiveLoss(EmbeddingLoss[SparseContrastiveSettings]):
    """:func:`sparse_contrastive_loss` over the embeddings of a batch.

    References:
        Xu et al. 2024, "SparseCL: Sparse Contrastive Learning for Contradiction Retrieval".

    Inputs:
        +-------------------------------------+-------------------------------------------------+
        | features                            | labels                                          |
        +=====================================+=================================================+
        | texts of several groups, in parts   | shape (texts, 2): group and side of each, in    |
        | of similar length                   | the order of the parts                          |
        +-------------------------------------+-------------------------------------------------+

    Examples:
        >>> loss = SparseContrastiveLoss(model, settings)  # doctest: +SKIP
        >>> loss([short, long], labels).backward()         # doctest: +SKIP
    """

    def forward(self, features: Iterable[Features], labels: Tensor) -> Tensor:
        return sparse_contrastive_loss(
            torch.cat(self.embed(features)),
            labels[:, 0],
            labels[:, 1],
            temperature=self.settings.temperature,
            measure=self.settings.measure,
        )


# the square root has no gradient at 0
_EPSILON = 1e-12


def pairwise_similarities(embeddings: Tensor, measure: Similarity) -> Tensor:
    """Compute the sparsity of every pairwise difference, or the cosines of the baseline.

    ``embeddings`` have shape (texts, dimension), rows of length 1; ``measure`` is one of
    :func:`logic_retrievers.scoring.sparsity`, or ``cosine``. The result has shape (texts, texts),
    with a meaningless diagonal.
    """
    if measure == "cosine":
        return torch.matmul(embeddings, embeddings.T)
    differences = embeddings[:, None] - embeddings[None]
    squares = differences.square().sum(-1) + _EPSILON
    lengths, sums = squares.sqrt(), differences.abs().sum(-1) + _EPSILON
    if measure == "l2_l1":
        return lengths / sums
    if measure == "kappa4":
        return differences.pow(4).sum(-1) / squares.square()
    root = embeddings.shape[1] ** 0.5
    hoyer: Tensor = (root - sums / lengths) / (root - 1)
    return hoyer


def _pairwise_distances(vectors: Tensor) -> Tensor:
    """Compute Euclidean distances without gradient, shape (texts, texts)."""
    fixed = vectors.detach()  # matrix products would put identical rows 3e-4 apart
    return torch.cdist(fixed, fixed, compute_mode="donot_use_mm_for_euclid_dist")
