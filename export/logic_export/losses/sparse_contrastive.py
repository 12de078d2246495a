"""SparseCL's contrastive loss: contradicting texts differ in few coordinates (Xu et al. 2024)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import get_args

import torch
from sentence_transformers import SentenceTransformer
from torch import Tensor, nn

from logic_export.losses.similarity import (
    Features,
    Similarity,
    pairwise_distances,
    pairwise_similarities,
)
from logic_retrievers.errors import ConfigurationError
from logic_retrievers.scoring import Sparsity
from logic_retrievers.scoring.similarity import DUPLICATE_DISTANCE


def sparse_contrastive_loss(
    embeddings: Tensor,
    groups: Tensor,
    sides: Tensor,
    *,
    temperature: float = 0.02,
    measure: Similarity = "hoyer",
) -> Tensor:
    """The loss of Xu et al. 2024 over contradiction groups, with every text as an anchor.

    For an anchor i, its contradictions P(i) (the other side of its group) and all other texts N(i)
    of the batch, paraphrases on its own side included::

        l_i = -mean over p in P(i) of log [e^(H_ip / t) / (e^(H_ip / t) + sum_n e^(H_in / t))]

    With one contradiction per anchor this is the paper's loss: contradictions are positives,
    paraphrases hard negatives, and the rest of the batch negatives (here the other anchors too).

    A pair closer than 1e-3 (mostly two texts truncated to the same tokens) has no defined sparsity,
    as in scoring, and is ignored; otherwise its rounding errors would dominate the gradient. With
    the cosine, which has no such pole, every pair counts.

    Args:
        embeddings: shape (texts, dimension); normalised here.
        groups: shape (texts,): group of each text.
        sides: shape (texts,): side of each text within its group.
        temperature: t.
        measure: H; ``cosine`` is the contrastive baseline of the paper.

    Returns:
        Shape (); 0 where no text has a contradiction.
    """
    promoted = embeddings.to(torch.promote_types(embeddings.dtype, torch.float32))
    scaled = nn.functional.normalize(promoted, dim=-1)
    scores = pairwise_similarities(scaled, measure) / temperature
    contradicting = (groups[:, None] == groups[None]) & (sides[:, None] != sides[None])
    counted = ~torch.eye(len(embeddings), dtype=torch.bool, device=embeddings.device)
    if measure != "cosine":
        counted &= pairwise_distances(scaled) >= DUPLICATE_DISTANCE
    positive, negative = contradicting & counted, ~contradicting & counted
    others = torch.logsumexp(scores.masked_fill(~negative, -torch.inf), dim=1, keepdim=True)
    losses = torch.logaddexp(scores, others.expand_as(scores)) - scores
    counts = positive.sum(1)
    anchors = counts > 0
    of_anchors = losses.masked_fill(~positive, 0).sum(1)[anchors] / counts[anchors]
    return of_anchors.sum() / anchors.sum().clamp(min=1)


class SparseContrastiveLoss(nn.Module):
    """:func:`sparse_contrastive_loss` over the embeddings of a batch.

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

    Examples:
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
