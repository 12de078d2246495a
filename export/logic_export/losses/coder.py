"""CoDeR's contrastive loss: satisfying against violating documents (Yin et al. 2026, eq. 6)."""

from __future__ import annotations

from collections.abc import Iterable

from torch import Tensor, nn

from logic_export.losses.embedding_loss import EmbeddingLoss, Features
from logic_export.recipe import CompatibilityLossSettings


def compatibility_loss(
    queries: Tensor, documents: Tensor, positives: Tensor, *, beta: float = 20.0
) -> Tensor:
    """Compute CoDeR eq. 6, averaged over the queries of a batch, shape ().

    s(q, d) is the cosine, d+ the satisfying document, and N holds all other documents of the batch,
    the query's own violating document included::

        L = -beta s(q, d+) + log[exp(beta s(q, d+)) + sum over d in N of exp(beta s(q, d))]

    Args:
        queries: shape (queries, dimension); normalised here.
        documents: shape (documents, dimension); each text of the batch once, since a copy
            of a satisfying document would count as a negative.
        positives: shape (queries,): row of the satisfying document in ``documents``.
        beta: inverse temperature. The paper does not print it.
    """
    cosines = (
        nn.functional.normalize(queries, dim=-1) @ nn.functional.normalize(documents, dim=-1).T
    )
    return nn.functional.cross_entropy(beta * cosines, positives)


class CompatibilityLoss(EmbeddingLoss[CompatibilityLossSettings]):
    """:func:`compatibility_loss` over the embeddings of a batch.

    References:
        Yin et al. 2026, "Local Constraint-Compatible Retrieval Beyond Semantic Similarity", eq. 6.

    Inputs:
        +--------------------------------+-------------------------------------------+
        | features                       | labels                                    |
        +================================+===========================================+
        | (queries, documents), each     | row of each query's satisfying document   |
        | text of the batch once         | among the documents                       |
        +--------------------------------+-------------------------------------------+

    Examples:
        >>> loss = CompatibilityLoss(model, CompatibilityLossSettings(beta=20))  # doctest: +SKIP
        >>> loss([queries, documents], positives).backward()                     # doctest: +SKIP
    """

    def forward(self, features: Iterable[Features], labels: Tensor) -> Tensor:
        queries, documents = self.embed(features)
        return compatibility_loss(queries, documents, labels, beta=self.settings.beta)
