"""LORE's tiered contrastive loss: positives, distractors and other negatives (Zhang et al.)."""

from __future__ import annotations

import math
from collections.abc import Iterable

import torch
from torch import Tensor, nn

from logic_export.losses.embedding_loss import EmbeddingLoss, Features, cosine_matrix
from logic_export.recipe import TieredSettings

# tiers of a query's candidates; 0 marks a passage that is not a candidate
POSITIVE, DISTRACTOR, NEGATIVE = 1, 2, 3


def tiered_loss(
    scores: Tensor,
    tiers: Tensor,
    *,
    temperature: float = 0.05,
    alpha: float = 1.0,
    beta: float = 3.0,
) -> Tensor:
    """Compute LORE's tiered contrastive loss (Zhang et al.) over query-passage scores, shape ().

    s is the score, P(i) are the positives of query i, N1(i) its distractors, N2(i) its negatives::

        D_i = beta * sum_{d in N1(i)} exp(s_id / t) + alpha * sum_{n in N2(i)} exp(s_in / t)
        L_i = -1/|P(i)| sum_{p in P(i)} log [exp(s_ip / t) / (exp(s_ip / t) + D_i)]

    (The paper prints the weights as log beta and log alpha added to the scaled scores.) The
    denominators contain neither a query's other positives nor passages of other queries. L is the
    mean of L_i over the queries that have a positive. With ``alpha = beta = 1`` it is InfoNCE.

    Args:
        scores: shape (queries, passages), cosines.
        tiers: the same shape: :data:`POSITIVE`, :data:`DISTRACTOR`, :data:`NEGATIVE`, or 0.
        temperature: t.
        alpha: weight of a negative.
        beta: weight of a distractor.
    """
    positives = tiers == POSITIVE
    anchors = positives.any(1)
    scaled, anchor_tiers, own_positives = (
        scores[anchors] / temperature,
        tiers[anchors],
        positives[anchors],
    )
    weighted = (
        scaled
        + math.log(beta) * (anchor_tiers == DISTRACTOR)
        + math.log(alpha) * (anchor_tiers == NEGATIVE)
    )
    wrong = (anchor_tiers == DISTRACTOR) | (anchor_tiers == NEGATIVE)
    log_denominator = torch.logsumexp(weighted.masked_fill(~wrong, -torch.inf), dim=1, keepdim=True)
    losses = nn.functional.softplus(log_denominator - scaled).masked_fill(~own_positives, 0).sum(
        1
    ) / own_positives.sum(1)
    return losses.sum() / max(len(losses), 1)


class TieredLoss(EmbeddingLoss[TieredSettings]):
    """:func:`tiered_loss` over the cosines between queries and passages.

    Passages may be vectors that a frozen document encoder made once.

    References:
        Zhang et al., "Logic-Oriented Retriever Enhancement via Contrastive Learning".

    Inputs:
        +--------------------------------+-------------------------------------------+
        | features                       | labels                                    |
        +================================+===========================================+
        | (queries, passages), each      | shape (queries, passages): the tiers, 0   |
        | passage of the batch once      | for passages of other queries             |
        +--------------------------------+-------------------------------------------+

    Examples:
        >>> loss = TieredLoss(model, settings)           # doctest: +SKIP
        >>> loss([queries, passages], tiers).backward()  # doctest: +SKIP
    """

    def forward(self, features: Iterable[Features], labels: Tensor) -> Tensor:
        queries, passages = self.embed(features)
        return tiered_loss(
            cosine_matrix(queries, passages),
            labels,
            temperature=self.settings.temperature,
            alpha=self.settings.alpha,
            beta=self.settings.beta,
        )
