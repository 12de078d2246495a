"""LogiCoL's joint loss over set queries: supervised contrastive, exclusion and subset terms
(Shen et al. 2025).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import torch
from torch import Tensor

from logic_export.losses.embedding_loss import EmbeddingLoss, Features, cosine_matrix
from logic_export.recipe import LogicallyInformedSettings, Reduction


def set_contrastive_loss(
    queries: Tensor,
    documents: Tensor,
    positives: Tensor,
    *,
    counted: Tensor | None = None,
    temperature: float = 0.1,
    reduction: Reduction = "sum",
) -> Tensor:
    """Compute the supervised contrastive loss of Shen et al. 2025 over queries, shape ().

    s is the cosine, P(i) the batch's documents that satisfy query i, and j runs over all documents
    of the batch (the paper prints j != i, which is meaningless between queries and documents)::

        L = sum_i -1/|P(i)| sum_{p in P(i)} log [exp(s_ip / t) / sum_j exp(s_ij / t)]

    Args:
        queries: shape (queries, dimension); vectors of any length.
        documents: shape (documents, dimension); each document of the batch once.
        positives: shape (queries, documents), bool: which document satisfies which query. A query
            without positives contributes nothing.
        counted: shape (queries, documents), bool: False where it is unknown whether the document
            satisfies. It then counts as neither positive nor negative. None counts all.
        temperature: t. The paper does not print it; the released code has .1.
        reduction: ``sum`` over the queries as in the paper, or ``mean`` (over queries with a
            positive) as in the released code.
    """
    labelled = torch.ones_like(positives) if counted is None else counted
    positives = positives & labelled
    anchors = positives.any(1)
    scores = cosine_matrix(queries, documents)[anchors] / temperature
    logs = torch.log_softmax(scores.masked_fill(~labelled[anchors], -torch.inf), dim=1)
    own_positives = positives[anchors]
    losses = -logs.masked_fill(~own_positives, 0).sum(1) / own_positives.sum(1)
    return losses.sum() if reduction == "sum" else losses.sum() / max(len(losses), 1)


def exclusion_loss(
    queries: Tensor,
    documents: Tensor,
    pairs: Tensor,
    *,
    margin: float = 0.2,
    temperature: float = 1.0,
) -> Tensor:
    """Compute L_E of Shen et al. 2025, averaged over the pairs, shape ().

    s_i is the softmax of query i's cosines over the documents of the batch::

        L_E = max(margin - (KL(s_i || s_j) + KL(s_j || s_i)) / 2, 0)

    Args:
        queries: shape (queries, dimension); vectors of any length.
        documents: shape (documents, dimension).
        pairs: shape (pairs, 2): rows of two queries that no document can satisfy together.
        margin: gamma_e.
        temperature: temperature of the softmax. The paper and its code have none, which equals 1.
            At 1 cosines seldom reach the margin, so nearly every pair contributes.
    """
    logs = torch.log_softmax(cosine_matrix(queries, documents) / temperature, dim=1)
    left, right = logs[pairs[:, 0]], logs[pairs[:, 1]]
    divergences = ((left.exp() - right.exp()) * (left - right)).sum(1) / 2
    return torch.relu(margin - divergences).sum() / max(len(pairs), 1)


_EPSILON = 1e-8


def subset_loss(
    queries: Tensor,
    documents: Tensor,
    pairs: Tensor,
    *,
    margin: float = 0.2,
    reduction: Reduction = "sum",
) -> Tensor:
    """Compute L_S of Shen et al. 2025, averaged over the pairs, shape ().

    Query i is the narrow one: its answers are among those of query j::

        L_S = sum_d max(log sim(i, d) - log sim(j, d) + margin, 0),   sim = (cosine + 1) / 2

    The paper prints a plain cosine, which has no logarithm where negative. The released code has
    (cosine + 1) / 2.

    Args:
        queries: shape (queries, dimension); vectors of any length.
        documents: shape (documents, dimension).
        pairs: shape (pairs, 2): rows of the narrow and of the wide query.
        margin: gamma_s.
        reduction: ``sum`` over the documents as in the paper, or ``mean`` as in the released code.
    """
    logs = ((cosine_matrix(queries, documents) + 1) / 2).clamp(min=_EPSILON).log()
    losses = torch.relu(logs[pairs[:, 0]] - logs[pairs[:, 1]] + margin)
    of_pairs = losses.sum(1) if reduction == "sum" else losses.mean(1)
    return of_pairs.sum() / max(len(pairs), 1)


_POSITIVE, _UNKNOWN = 1, 2
_SUBSET, _EXCLUSIVE = 1, 2


def pack_labels(
    positives: Tensor,
    unknown: Tensor,
    subsets: Sequence[tuple[int, int]],
    exclusive: Sequence[tuple[int, int]],
) -> Tensor:
    """Pack all labels into the one tensor that a trainer passes to :class:`LogicallyInformedLoss`.

    ``positives`` and ``unknown`` (documents that may or may not satisfy) have shape (queries,
    documents), bool; ``subsets`` are rows of narrow and wide queries, ``exclusive`` rows of queries
    that exclude each other. The result has shape (queries, documents + queries): the labels of the
    documents, and the relations between queries.
    """
    answers = _POSITIVE * positives.long() + _UNKNOWN * (unknown & ~positives).long()
    relations = torch.zeros(len(positives), len(positives), dtype=torch.long)
    for value, pairs in ((_SUBSET, subsets), (_EXCLUSIVE, exclusive)):
        for row, column in pairs:
            relations[row, column] = value
    return torch.cat([answers, relations], dim=1)


class LogicallyInformedLoss(EmbeddingLoss[LogicallyInformedSettings]):
    """L + exclusion_weight * L_E + subset_weight * L_S over the embeddings of a batch.

    L is :func:`set_contrastive_loss`, L_E :func:`exclusion_loss` and L_S :func:`subset_loss`; a
    weight of 0 drops a term. With both weights 0 only L is left.

    References:
        Shen et al. 2025, "Logically-Informed Contrastive Learning for Set-based Dense Retrieval".

    Inputs:
        +--------------------------------+-------------------------------------------+
        | features                       | labels                                    |
        +================================+===========================================+
        | (queries, documents), each     | from :func:`pack_labels`                  |
        | document of the batch once     |                                           |
        +--------------------------------+-------------------------------------------+

    Examples:
        >>> loss = LogicallyInformedLoss(model, settings)                # doctest: +SKIP
        >>> sum(loss([queries, documents], labels).values()).backward()  # doctest: +SKIP
    """

    def forward(self, features: Iterable[Features], labels: Tensor) -> dict[str, Tensor]:
        """Return the weighted terms of the loss; a trainer adds them and logs each."""
        queries, documents = self.embed(features)
        answers, relations = labels[:, : len(documents)], labels[:, len(documents) :]
        chosen = self.settings
        terms = {
            "contrastive": set_contrastive_loss(
                queries,
                documents,
                answers == _POSITIVE,
                counted=answers != _UNKNOWN,
                temperature=chosen.temperature,
                reduction=chosen.reduction,
            )
        }
        if chosen.exclusion_weight:
            terms["exclusion"] = chosen.exclusion_weight * exclusion_loss(
                queries,
                documents,
                (relations == _EXCLUSIVE).nonzero(),
                margin=chosen.exclusion_margin,
                temperature=chosen.exclusion_temperature,
            )
        if chosen.subset_weight:
            terms["subset"] = chosen.subset_weight * subset_loss(
                queries,
                documents,
                (relations == _SUBSET).nonzero(),
                margin=chosen.subset_margin,
                reduction=chosen.reduction,
            )
        return terms
