"""Nodes, some of which contradict each other, with vectors placed by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar

from llama_index.core.schema import NodeRelationship, NodeWithScore, RelatedNodeInfo, TextNode
from llama_index_logic_retrievers import ContradictionFilter, LogicVectorStore
from placed import PlacedEncoder

from logic_retrievers import PassageIndex
from logic_retrievers.conflicts.resolution_strategies import ResolutionStrategy, Ruling

OPEN, SHUT, AGAIN = "inn | open | a", "inn | shut | a", "inn | open | b"
TAX, DUTY, COPPER = "tax | low | a", "tax | high | a", "copper | red | a"
ABOUT = (
    (OPEN, 2020, "blog"),
    (TAX, 2024, "law"),
    (SHUT, 2024, "inn"),
    (COPPER, 2022, "blog"),
    (DUTY, 2021, "blog"),
    (AGAIN, 2021, "press"),
)


@dataclass(frozen=True)
class Longest(ResolutionStrategy):
    """A user's rule."""

    margin: int = 3
    name: ClassVar[str] = "longest"

    def decide(self, one, other, graph):
        return Ruling("?")


class Model:
    """A second opinion that holds a secret."""

    key = "very-secret-key"

    def __call__(self, pairs):
        return [0.0] * len(pairs)

    def __repr__(self):
        return f"Model({self.key})"


def second(one, other):
    return other


def opposed(**fields: Any) -> list[TextNode]:
    """Nodes whose ids are their texts; by default LlamaIndex embeds dates and sources too."""
    return [
        TextNode(
            id_=text,
            text=text,
            metadata={"date": date, "source": source},
            relationships={NodeRelationship.SOURCE: RelatedNodeInfo(node_id=f"doc-{source}")},
            **fields,
        )
        for text, date, source in ABOUT
    ]


def retrieved_nodes(nodes: Sequence[TextNode] | None = None) -> list[NodeWithScore]:
    """Nodes as a different retriever found them; the last has no score."""
    nodes = opposed() if nodes is None else nodes
    scores = [0.9 - 0.1 * at for at in range(len(nodes))]
    results = [NodeWithScore(node=node, score=one) for node, one in zip(nodes, scores, strict=True)]
    results[-1].score = None
    return results


def contradictions(resolution: Any = "annotate", **settings: Any) -> ContradictionFilter:
    return ContradictionFilter(resolution, **{"encoder": PlacedEncoder(), **settings})


@contextmanager
def opposed_store(
    encoder: PlacedEncoder | None = None, **settings: Any
) -> Iterator[LogicVectorStore]:
    """The nodes in a collection with the contradiction vector."""
    vectors = ("topical", "contradiction")
    encoder = encoder or PlacedEncoder()
    with PassageIndex.open(encoder=encoder, vectors=vectors, **settings) as index:
        store = LogicVectorStore(index)
        store.add(opposed())
        yield store


def kept(hits: Sequence[Any]) -> list[str]:
    return [hit.passage.id for hit in hits]
