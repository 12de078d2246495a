"""Evidence on nodes: put on copies, kept out of embeddings, prompts and hashes, taken off again."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from llama_index.core.schema import BaseNode, Document, IndexNode, Node, NodeWithScore, TextNode

from logic_retrievers.types import Hit

KEY = "logic"
"""The one metadata key of this package."""
REPLACED = "replaced"
"""Under the evidence: what the user had under our key, to be put back."""


def annotated(node: BaseNode, hit: Hit) -> NodeWithScore:
    """A copy of the node with the hit's score, rank and evidence; the node stays as it is."""
    evidence = {**hit.evidence.to_dict(), "score": hit.score, "rank": hit.rank}
    plain = without_evidence(node)
    own = deepcopy(plain.metadata)
    if KEY in own:
        evidence[REPLACED] = {KEY: own[KEY]}
    copy = _copy(
        node,
        _ANNOTATED.get(type(plain), type(plain)),
        metadata={**own, KEY: evidence},
        relationships=deepcopy(node.relationships),
        embedding=None if node.embedding is None else list(node.embedding),
        excluded_embed_metadata_keys=_with_key(node.excluded_embed_metadata_keys),
        excluded_llm_metadata_keys=_with_key(node.excluded_llm_metadata_keys),
    )
    return NodeWithScore(node=copy, score=hit.score)


def without_evidence(node: BaseNode) -> BaseNode:
    """The node as it was before :func:`annotated`; the node itself where there is no evidence."""
    kind = _PLAIN.get(type(node), type(node))
    if not _is_evidence(node.metadata.get(KEY)):
        return node if kind is type(node) else _copy(node, kind)
    return _copy(
        node,
        kind,
        metadata={key: value for key, value in node.metadata.items() if key != KEY}
        | dict(node.metadata[KEY].get(REPLACED, {})),
        excluded_embed_metadata_keys=_without_key(node.excluded_embed_metadata_keys),
        excluded_llm_metadata_keys=_without_key(node.excluded_llm_metadata_keys),
    )


# LlamaIndex merges nodes of several queries and retrievers by their hash, and the hash takes in all
# metadata. Evidence differs from query to query, so one node would be shown several times.


class EvidenceTextNode(TextNode):
    """A text node with evidence, and the hash that it has without."""

    @property
    def hash(self) -> str:
        """The hash of the node without evidence."""
        return without_evidence(self).hash


class EvidenceIndexNode(IndexNode):
    """An index node with evidence, and the hash that it has without."""

    @property
    def hash(self) -> str:
        """The hash of the node without evidence."""
        return without_evidence(self).hash


class EvidenceNode(Node):
    """A node with evidence, and the hash that it has without."""

    @property
    def hash(self) -> str:
        """The hash of the node without evidence."""
        return without_evidence(self).hash


class EvidenceDocument(Document):
    """A document with evidence, and the hash that it has without."""

    @property
    def hash(self) -> str:
        """The hash of the document without evidence."""
        return without_evidence(self).hash


_ANNOTATED: dict[type[BaseNode], type[BaseNode]] = {
    TextNode: EvidenceTextNode,
    IndexNode: EvidenceIndexNode,
    Node: EvidenceNode,
    Document: EvidenceDocument,
}
_PLAIN = {annotated: plain for plain, annotated in _ANNOTATED.items()}


def _copy(node: BaseNode, kind: type[BaseNode], **changes: Any) -> BaseNode:
    """A shallow copy, of another class if need be: those of the tables have the same fields."""
    copy = node.model_copy(update=changes)
    object.__setattr__(copy, "__class__", kind)
    return copy


def _is_evidence(value: Any) -> bool:
    return isinstance(value, Mapping) and {"policy", "scores", "ranks", "kept"} <= value.keys()


def _with_key(keys: list[str]) -> list[str]:
    return [*_without_key(keys), KEY]


def _without_key(keys: list[str]) -> list[str]:
    return [key for key in keys if key != KEY]
