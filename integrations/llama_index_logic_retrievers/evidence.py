"""Put evidence on copies of nodes, hidden from embeddings, prompts and hashes, and remove it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

from llama_index.core.schema import BaseNode, Document, IndexNode, Node, NodeWithScore, TextNode

from logic_retrievers.adapters import evidence_metadata
from logic_retrievers.adapters.evidence_metadata import EVIDENCE
from logic_retrievers.conflicts import ScreeningResult
from logic_retrievers.types import Hit


def with_ranking(node: BaseNode, hit: Hit) -> NodeWithScore:
    """Copy the node, with the hit's score, rank and evidence."""
    metadata = evidence_metadata.with_ranking(node.metadata, hit)
    return NodeWithScore(node=_with_evidence(node, metadata), score=hit.score)


def with_contradictions(scored: NodeWithScore, hit: Hit) -> NodeWithScore:
    """Copy the node with its score, and add the filter's evidence to that of the ranking."""
    metadata = evidence_metadata.with_contradictions(scored.node.metadata, hit)
    return NodeWithScore(node=_with_evidence(scored.node, metadata), score=scored.score)


def with_findings(nodes: Sequence[BaseNode], screened: ScreeningResult) -> list[BaseNode]:
    """Replace a cleaner's earlier findings with new ones; copy only nodes that change."""
    described = evidence_metadata.describe_findings(screened)
    marked = []
    for node in nodes:
        remaining = evidence_metadata.without_findings(node.metadata)
        if node.node_id in described:
            metadata = evidence_metadata.with_findings(remaining, described[node.node_id])
            marked.append(_with_evidence(node, metadata))
        elif remaining is node.metadata:
            marked.append(node)
        elif evidence_metadata.has_evidence(remaining):
            marked.append(_with_evidence(node, remaining))
        else:
            marked.append(without_evidence(node))
    return marked


def without_evidence(node: BaseNode) -> BaseNode:
    """Return the node without evidence; the same object if it has none."""
    kind = _PLAIN.get(type(node), type(node))
    metadata = evidence_metadata.without_evidence(node.metadata)
    if metadata is node.metadata:
        return node if kind is type(node) else _copy(node, kind)
    return _copy(
        node,
        kind,
        metadata=metadata,
        excluded_embed_metadata_keys=_without_key(node.excluded_embed_metadata_keys),
        excluded_llm_metadata_keys=_without_key(node.excluded_llm_metadata_keys),
    )


# LlamaIndex merges the results of several queries or retrievers by a hash over all metadata.
# Evidence, which differs between queries, must not make one node appear several times.


class _HashWithoutEvidence:
    """Makes a node with evidence hash like the node without evidence."""

    __slots__ = ()  # allows assigning this class to a node

    @property
    def hash(self) -> str:
        return without_evidence(self).hash  # type: ignore[arg-type]  # mixed into nodes only


class EvidenceTextNode(_HashWithoutEvidence, TextNode):
    """A text node with evidence."""


class EvidenceIndexNode(_HashWithoutEvidence, IndexNode):
    """An index node with evidence."""


class EvidenceNode(_HashWithoutEvidence, Node):
    """A node with evidence."""


class EvidenceDocument(_HashWithoutEvidence, Document):
    """A document with evidence."""


_WITH_EVIDENCE: dict[type[BaseNode], type[BaseNode]] = {
    TextNode: EvidenceTextNode,
    IndexNode: EvidenceIndexNode,
    Node: EvidenceNode,
    Document: EvidenceDocument,
}
_PLAIN = {with_evidence: plain for plain, with_evidence in _WITH_EVIDENCE.items()}


def _with_evidence(node: BaseNode, metadata: Mapping[str, Any]) -> BaseNode:
    kind = _PLAIN.get(type(node), type(node))
    return _copy(
        node,
        _WITH_EVIDENCE.get(kind, kind),
        metadata=deepcopy(dict(metadata)),
        relationships=deepcopy(node.relationships),
        embedding=None if node.embedding is None else list(node.embedding),
        excluded_embed_metadata_keys=_with_key(node.excluded_embed_metadata_keys),
        excluded_llm_metadata_keys=_with_key(node.excluded_llm_metadata_keys),
    )


def _copy(node: BaseNode, kind: type[BaseNode], **changes: Any) -> BaseNode:
    copy = node.model_copy(update=changes)
    object.__setattr__(copy, "__class__", kind)
    return copy


def _with_key(keys: list[str]) -> list[str]:
    return [*_without_key(keys), EVIDENCE]


def _without_key(keys: list[str]) -> list[str]:
    return [key for key in keys if key != EVIDENCE]
